"""Samples as text: what is written is read back, exactly."""

from __future__ import annotations

import pytest

from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sample_text import dump, load
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

COUNT = 20  # of a family without templates; of the others, every template once


@pytest.mark.parametrize(
    "category", [*RANDOM_KINDS, *(pytest.param(name, marks=pytest.mark.sampled) for name in IDIOMS)]
)
def test_a_sample_is_read_back(category: str) -> None:
    for number in range(len(IDIOMS.get(category, ())) or COUNT):
        address = address_of(11, category, number)
        try:
            made = sample(address)
        except GenerationFailed:
            continue
        read = load(dump(made, write(made.program)), address)
        assert repr(read) == repr(made), address  # which also tells 1 from 1.0
