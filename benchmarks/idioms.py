"""Statistics of templates: how many different kernels they make, how similar and long, and whether proofs
pass.

    python benchmarks/idioms.py                       every template
    python benchmarks/idioms.py springs cloth         those of some families, or of some purposes
    python benchmarks/idioms.py springs --show 3      and three kernels of each
    python benchmarks/idioms.py springs --prove 4     and proofs of so many, forward and backward
    python benchmarks/idioms.py springs --composed    of kernels that are composed of several templates
    python benchmarks/idioms.py springs --tasks 2     tasks as a person would ask, and their faults by rules

`plain` counts skeletons, `meanings` those without regard to style; `near` is the share of pairs of samples
whose sources have a Jaccard similarity of 0.7 or more, `left` how many samples are left when such near
duplicates are removed one after the other; `barred` are those whose gradients Warp may get wrong, which
`cuda_backward` leaves out. The split is that of all kernels of the purpose.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Iterator

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Rejected
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.identity import identify, identify_normal_form, purpose_group, split_of
from warp_ir_dataset.language.python.read import Unreadable
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.subject import Subject
from warp_ir_dataset.publishing.similarity import Corpus, Vocabulary, survivors
from warp_ir_dataset.synthesis.composing.steps import STEPS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sample import Sample
from warp_ir_dataset.synthesis.template_sampling import attempt_sample
from warp_ir_dataset.synthesis.templates.choices import Choices
from warp_ir_dataset.synthesis.templates.module import render
from warp_ir_dataset.synthesis.templates.part import program_of
from warp_ir_dataset.synthesis.templates.task import task_faults
from warp_ir_dataset.synthesis.templates.template import Template

NEAR = 0.7
NEAR_SAMPLE = 40  # of which every pair is compared


def chosen(words: list[str]) -> Iterator[tuple[str, Template]]:
    for family, templates in [*IDIOMS.items(), ("steps", STEPS if "steps" in words else ())]:
        for template in templates:
            if not words or family in words or template.purpose in words:
                yield family, template


def samples_of(
    family: str, template: Template, count: int, seed: int, several: bool
) -> tuple[list[Sample], list[str]]:
    """The first attempt at each sample, and the faults of those that failed. With `several`, of kernels that
    are composed of more templates than this one, otherwise of this one alone."""
    found, failed = [], []
    for number in range(count):
        try:
            text = f"{seed}/{template.purpose}/{number}/0"
            made = attempt_sample(template, family, number, text, composing=several)
        except (ValueError, Unreadable) as error:
            made = f"{type(error).__name__}: {error}"
        if isinstance(made, Sample):
            if not several or made.parts > 1:
                found.append(made)
        else:
            failed.append(made)
    return found, failed


def meanings(samples: list[Sample]) -> int:
    """The number of kernels that differ in more than style."""
    return len({identify_normal_form(d.program).skeleton for d in samples})


def summary(family: str, template: Template, samples: list[Sample], failed: list[str], kernels: int) -> str:
    sources = [write(d.program) for d in samples]
    words = Vocabulary()
    texts = [words.encode(source) for source in sources]
    left = survivors(texts, NEAR)
    sample = texts[:NEAR_SAMPLE]
    corpus = Corpus(sample)
    # Each of a pair has the other among its similarities, and itself.
    alike = [(corpus.similarities(text) >= NEAR).sum() - 1 for text in sample]
    pairs = len(sample) * (len(sample) - 1)
    plain = len({identify(d.program).skeleton for d in samples})
    lines = statistics.median(source.count("\n") for source in sources)
    barred = sum(gradient_bar(d.program) is not None for d in samples)
    split = split_of(purpose_group(template.purpose))
    return (
        f"{family:16} {template.purpose:28} level {template.level} {split:10} lines {lines:3.0f}  "
        f"plain {plain:3}  meanings {kernels:3}  "
        f"near {sum(alike) / max(pairs, 1):4.0%}  left {len(left):3}  barred {barred:3}"
        f"  failed {len(failed)}"
    )


def proofs(samples: list[Sample]) -> Iterator[str]:
    """A line for each proof of the samples that failed."""
    for name in ("cuda", "cuda_backward", "warp_to_cuda"):
        fit = [d for d in samples if not CONFIGS[name].adjoint or gradient_bar(d.program) is None]
        subjects = [
            Subject(write(d.program), d.program.signature, draw_cases(d.program.signature, str(k)), d.program)
            for k, d in enumerate(fit)
        ]
        for subject in subjects:
            (proof,) = prove([subject], CONFIGS[name], "sm_80", lambda at: None)
            if isinstance(proof, Rejected):
                yield f"  {name}: {proof.reason.value}: {proof.detail[:300]}\n{subject.source}"


def tasks(template: Template, count: int, seed: int) -> Iterator[str]:
    """Kernels of a template with their tasks, the faults of these, and their length relative to that of the
    specifications."""
    shares = []
    for number in range(max(count, 8)):
        rng = Rng(f"{seed}/{number}")
        made = render(template, Choices(number, str(seed), rng), rng)
        shares.append(len(made.task) / len(specify(program_of(made))))
        if number < count:
            yield f"\n{made.text}\n{made.task}\n"
    yield from (f"  task: {fault}" for fault in task_faults(template))
    yield f"  a task is {statistics.median(shares):.2f} of its specification"


def main() -> None:
    what, _, columns = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=what, epilog=columns)
    parser.add_argument("words", nargs="*", help="families or purposes, or steps (default: all families)")
    parser.add_argument("--samples", type=int, default=60, help="of each template (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--composed", action="store_true", help="look at kernels made of several templates")
    parser.add_argument("--show", type=int, default=0, help="print so many kernels of each template")
    parser.add_argument("--prove", type=int, default=0, help="prove so many kernels of each template")
    parser.add_argument("--tasks", type=int, default=0, help="print so many tasks of each template")
    options = parser.parse_args()
    kernels: list[int] = []
    if unknown := [word for word in options.words if not any(chosen([word]))]:
        parser.error(f"there is no family or purpose {unknown[0]}")
    for family, template in chosen(options.words):
        if options.tasks:
            print(f"{family:16} {template.purpose:28}")
            print(*tasks(template, options.tasks, options.seed), sep="\n", flush=True)
            continue
        samples, failed = samples_of(family, template, options.samples, options.seed, options.composed)
        if not samples:
            print(f"{family:16} {template.purpose:28} gives nothing: {(failed or ['none is composed'])[0]}")
            continue
        kernels.append(meanings(samples))
        print(summary(family, template, samples, failed, kernels[-1]), flush=True)
        for reason, times in Counter(failed).most_common(4):
            print(f"  {times} times: {reason}")
        for line in proofs(samples[: options.prove]) if options.prove else ():
            print(line)
        for each in samples[: options.show]:
            print(f"\n# {each.description}\n{write(each.program)}")
    if kernels:
        print(
            f"{len(kernels)} purposes: meanings of a purpose: median {statistics.median(kernels):g}, "
            f"least {min(kernels)}"
        )


if __name__ == "__main__":
    main()
