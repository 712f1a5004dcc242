"""The work of one process for human-written kernels: finds them in the installed Warp, and proves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...common.configs import DEFAULT_CONFIG, Config
from ...common.outcomes import Outcome, Reason, Rejected
from ...compilers import warp
from ...language import ir
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import check
from ...language.identity import identify, kernel_group
from ...language.python.write import write
from ...proof.inputs import draw_cases
from ...proof.subject import Arrays, Cases, Proof, Subject
from ...proof.verify import compare, trivial
from ..extraction.kernel import Failure, Kernel
from ..extraction.trial import Candidate as Trial
from ..extraction.trial import Run, proofs_of, tried
from ..plan.plan import Candidate
from ..row import builtins
from .installed import found
from .plan import chosen
from .rows import row_of
from .texts import Text
from .twin import twin_of


@dataclass(frozen=True)
class _Original:
    """A kernel with the proof that its row is made of, and its tree if it is legal."""

    kernel: Kernel
    run: Run
    proof: Proof
    program: ir.Program | None


def collect(
    candidates: Sequence[Candidate], config: Config, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """A row or a rejection for each candidate, in order, as `builds.produce.produce` does it."""
    notify(-1)
    warp.start()
    originals: dict[Text, _Original | Rejected] = {}
    outcomes: list[Outcome] = []
    for index, candidate in enumerate(candidates):
        text, twin = chosen(candidate.address)
        step = partial(notify, index)
        if text not in originals:
            notify(-1)  # a module may take a minute to be imported
            originals[text] = _original(text, arch, step)
        original = originals[text]
        if isinstance(original, Rejected):
            outcomes.append(original)
        elif twin:
            outcomes.append(_twin(config, text, original, arch, step))
        else:
            outcomes.append(_row(config, text, original, arch))
    return outcomes


def _original(text: Text, arch: str, notify: Callable[[], None]) -> _Original | Rejected:
    kernel = found(text)
    if isinstance(kernel, Rejected):
        return kernel
    run, program = tried(Trial.of(kernel), arch, notify)
    if isinstance(run, Failure):
        return Rejected(Reason.NO_LAUNCH, f"{text.module}:{text.kernel}: {run.why}")
    proof = run.proofs[DEFAULT_CONFIG]
    if isinstance(proof, Rejected):
        return proof
    # A trivial kernel cannot tell a good answer from a bad one.
    shown = [[example[side] for example in proof.examples] for side in ("outputs", "inputs")]
    if rejection := trivial(*shown):
        return replace(rejection, detail=f"{text.module}:{text.kernel}: {rejection.detail}")
    return _Original(kernel, run, proof, program)


def _row(config: Config, text: Text, original: _Original, arch: str) -> Outcome:
    kernel = original.kernel
    called = builtins(kernel.program) if kernel.program else list(kernel.extraction.builtins)
    return row_of(
        config,
        text,
        kernel.source,
        kernel.identity,
        kernel.group,
        called,
        kernel.program,
        original.run,
        original.proof,
        arch,
    )


def _twin(config: Config, text: Text, original: _Original, arch: str, notify: Callable[[], None]) -> Outcome:
    """The row of the twin, which is run on the original's inputs and must give its outputs."""
    if original.program is None:
        return Rejected(Reason.NO_TWIN, f"{text.kernel} has no tree that is legal for all inputs")
    made = twin_of(original.program, text.seed, f"{text.description} {text.specification}")
    if made is None:
        return Rejected(Reason.NO_TWIN, f"{text.kernel} cannot be restructured")
    program = made.program
    try:
        check(program)
    except Illegal as error:
        return Rejected(Reason.ILLEGAL, str(error))
    source, signature = write(program), program.signature
    cases = _shared(draw_cases(signature, text.id), original.proof)
    subject = Subject(source, signature, cases, program, must_tell=False)
    run = Run(signature, proofs_of(subject, arch, notify))
    proof = run.proofs[DEFAULT_CONFIG]
    if isinstance(proof, Rejected):
        return proof
    if differs := _difference(proof, original.proof):
        return Rejected(Reason.NO_TWIN, f"{text.kernel}: output {differs} of its twin is another")
    told = replace(text, specification=made.told(text.specification))
    identity, group = identify(program), kernel_group(program)
    return row_of(
        config, told, source, identity, group, builtins(program), program, run, proof, arch, twin_of=text.id
    )


def _shared(cases: Cases, original: Proof) -> Cases:
    """Of the inputs that are drawn for both alike, those that the original was proved on."""
    shown = {_numbers(example["inputs"]) for example in original.examples}
    return replace(cases, inputs=tuple(inputs for inputs in cases.inputs if _numbers(inputs) in shown))


def _difference(proof: Proof, original: Proof) -> str | None:
    """The first output in which two kernels differ; arguments are in the same order, under other names."""
    shown: Mapping[tuple[bytes, ...], Arrays] = {
        _numbers(example["inputs"]): example["outputs"] for example in original.examples
    }
    for example in proof.examples:
        expected = shown[_numbers(example["inputs"])]
        actual = dict(zip(expected, example["outputs"].values(), strict=True))
        if unequal := compare(actual, expected).unequal:
            return unequal
    return None


def _numbers(inputs: Arrays) -> tuple[bytes, ...]:
    """Inputs whatever their names."""
    return tuple(array.tobytes() for array in inputs.values())
