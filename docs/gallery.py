"""Writes docs/gallery.md: one kernel for each subject of idioms, with its specification.

    python docs/gallery.py > docs/gallery.md

Each is the first candidate of seed 0 for its purpose that is neither trivial nor long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sample import Sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed, sample_template

CANDIDATES = 6  # of a purpose
FEWEST, MOST = 16, 34  # lines of a kernel that is shown
SHOWN = {  # a subject, with a family and purpose of it
    "bodies": "cloth cloth_self_collision",
    "data": "gathering segmented_reduction",
    "fields": "advection apply_face_fluxes",
    "geometry": "curves bezier_length",
    "images": "filters image_pyramid_level",
    "lattices": "automata binary_rule_step",
    "learning": "attention log_sum_exp",
    "mechanics": "elasticity equivalent_stress",
    "numerics": "root_finding lambert_w",
    "particles": "gravity nbody_acceleration",
    "signals": "signals adaptive_filter",
    "training": "optimizers momentum_step",
}


def shown(family: str, purpose: str) -> Sample:
    """The first candidate of suitable length, or else the shortest."""
    (template,) = (template for template in IDIOMS[family] if template.purpose == purpose)
    lengths: dict[int, Sample] = {}
    for number in range(CANDIDATES):
        with suppress(GenerationFailed):
            made = sample_template(template, Address(0, family, number, purpose))
            length = write(made.program).count("\n")
            if FEWEST <= length <= MOST:
                return made
            lengths.setdefault(length, made)
    return lengths[min(lengths)]


def gallery() -> Iterator[str]:
    yield "# A kernel of every subject\n"
    purposes = sum(map(len, IDIOMS.values()))
    yield f"{len(SHOWN)} subjects have {len(IDIOMS)} families of kernels with {purposes} purposes."
    yield "Here is one kernel of each subject, with its specification. `docs/gallery.py` writes this page;"
    yield "`python benchmarks/idioms.py PURPOSE --show 3` prints other kernels.\n"
    for subject, chosen in SHOWN.items():
        family, purpose = chosen.split()
        made = shown(family, purpose)
        yield f"## {subject.capitalize()}\n\n{made.description} (`{purpose}`, of `{family}`)\n"
        yield f"```python\n{write(made.program)}```\n\n```text\n{specify(made.program).rstrip()}\n```\n"


def main() -> None:
    print("\n".join(gallery()).rstrip())


if __name__ == "__main__":
    main()
