"""What lies at an address changes with the version of the generator, and never without it."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from warp_ir_dataset.common.versions import GENERATOR_VERSION
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

DRAWN = Path(__file__).parents[1] / "golden" / "drawn.json"
SEED, DRAWS = 23, 60  # of a family without templates; of the others, every template once


def digest(category: str) -> str:
    """Of everything that a row takes from some addresses."""
    text = hashlib.sha256()
    for number in range(len(IDIOMS.get(category, ())) or DRAWS):
        try:
            drawn = sample(address_of(SEED, category, number))
        except GenerationFailed:
            continue
        told = (write(drawn.program), drawn.program.signature, drawn.description, drawn.difficulty)
        text.update(repr(told).encode())
    return text.hexdigest()[:16]


@pytest.mark.parametrize(
    "category", [*RANDOM_KINDS, *(pytest.param(name, marks=pytest.mark.sampled) for name in IDIOMS)]
)
def test_the_kernels_at_an_address_are_those_of_the_version(category: str) -> None:
    """A failure here says that rows change: `GENERATOR_VERSION` has to change, and then this file, with
    ``UPDATE_GOLDEN=1``."""
    stored = json.loads(DRAWN.read_text()) if DRAWN.exists() else {}
    if os.environ.get("UPDATE_GOLDEN"):
        if stored.get("generator") != GENERATOR_VERSION:
            stored = {"generator": GENERATOR_VERSION}
        stored[category] = digest(category)
        DRAWN.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    assert stored["generator"] == GENERATOR_VERSION
    assert digest(category) == stored[category]
