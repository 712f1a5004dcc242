"""Which purposes can be differentiated: what templates say, against the rule and their kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

pytestmark = pytest.mark.long

DRAWS = 4  # of a purpose that is not differentiable: all are barred
MANY = 400  # of one that is: some is not barred, and mostly one of the first few


def barred(family: str, place: int, draws: int) -> Iterator[bool]:
    """Of the first kernels of a purpose, whether each is barred from gradients."""
    for number in range(draws):
        try:
            drawn = sample(address_of(3, family, number * len(IDIOMS[family]) + place))
        except GenerationFailed:
            continue
        yield gradient_bar(drawn.program) is not None


@pytest.mark.parametrize("family", IDIOMS)
def test_templates_say_whether_they_are_differentiable(family: str) -> None:
    for place, template in enumerate(IDIOMS[family]):
        if template.differentiable:
            assert not all(barred(family, place, MANY)), f"{template.purpose} is not differentiable"
        else:
            found = tuple(barred(family, place, DRAWS))
            assert found and all(found), f"{template.purpose} is differentiable, or gives no kernel"
