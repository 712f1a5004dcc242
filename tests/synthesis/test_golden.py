"""The kernel at an address changes with the version of the generator, and never without it."""

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

GOLDEN = Path(__file__).parents[1] / "golden" / "samples.json"
SEED, COUNT = 23, 60  # of a family without templates; of the others, every template once


def digest(category: str) -> str:
    """A digest of everything that rows take from some samples."""
    text = hashlib.sha256()
    for number in range(len(IDIOMS.get(category, ())) or COUNT):
        try:
            made = sample(address_of(SEED, category, number))
        except GenerationFailed:
            continue
        described = (write(made.program), made.program.signature, made.description, made.difficulty)
        text.update(repr(described).encode())
    return text.hexdigest()[:16]


@pytest.mark.parametrize(
    "category", [*RANDOM_KINDS, *(pytest.param(name, marks=pytest.mark.sampled) for name in IDIOMS)]
)
def test_the_kernels_at_an_address_are_those_of_the_version(category: str) -> None:
    """A failure here says that rows change: `GENERATOR_VERSION` has to change, and then this file, with
    ``UPDATE_GOLDEN=1``."""
    stored = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if os.environ.get("UPDATE_GOLDEN"):
        if stored.get("generator") != GENERATOR_VERSION:
            stored = {"generator": GENERATOR_VERSION}
        stored[category] = digest(category)
        GOLDEN.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    assert stored["generator"] == GENERATOR_VERSION
    assert digest(category) == stored[category]
