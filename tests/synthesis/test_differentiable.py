"""Which purposes Warp can differentiate: the templates' own word against the rule for their kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

pytestmark = pytest.mark.long

FEW = 4  # kernels of a template that is not differentiable: none is
MANY = 400  # kernels of one that is: at least one is, mostly one of the first


def not_differentiable(family: str, place: int, count: int) -> Iterator[bool]:
    """For each of the first kernels of a purpose, whether Warp cannot differentiate it rightly."""
    for number in range(count):
        try:
            made = sample(address_of(3, family, number * len(IDIOMS[family]) + place))
        except GenerationFailed:
            continue
        yield gradient_bar(made.program) is not None


@pytest.mark.parametrize("family", IDIOMS)
def test_templates_say_whether_they_are_differentiable(family: str) -> None:
    for place, template in enumerate(IDIOMS[family]):
        if template.differentiable:
            assert not all(not_differentiable(family, place, MANY)), (
                f"{template.purpose} is not differentiable"
            )
        else:
            found = tuple(not_differentiable(family, place, FEW))
            assert found and all(found), f"{template.purpose} is differentiable, or gives no kernel"
