"""Specifications of random programs: read back, edited, and some compared with golden files."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from blind.read import read
from edits import changed_text, outputs_of, same

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.sizes import changing
from warp_ir_dataset.language.analysis.ties import sizes_of
from warp_ir_dataset.language.mutants.table import every_mutant
from warp_ir_dataset.language.python.read import read as parsed
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.synthesis.categories import CATEGORIES, RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests/golden/specifications"
EACH, TEMPLATES = 5, 2  # programs of a grown family, one of every level, and of a family of idioms
EDITS = 3  # of each program


@pytest.fixture(scope="module", params=CATEGORIES)
def family(request):
    many = EACH if request.param in RANDOM_KINDS else TEMPLATES
    return [sample(address_of(0, request.param, number)).program for number in range(many)]


@pytest.mark.sampled
def test_a_mechanical_reader_gets_the_outputs(family):
    for program in family:
        inputs = make_inputs(program.signature, "told")
        wanted = interpret(program, {name: np.asarray(value)[None] for name, value in inputs.items()}, 1)
        found = read(specify(program)).launched(inputs)
        for name, value in wanted.items():
            np.testing.assert_allclose(found[name], value[0], rtol=1e-6, atol=1e-6)


@pytest.mark.sampled
def test_the_header_says_which_sizes_are_fixed(family):
    for program in family:
        fixed = set()
        for argument in read(specify(program)).arguments:
            fixed |= {(f"{argument.name}.{member}".rstrip("."), axis) for member, axis in argument.fixed}
        places = {place for place, _ in sizes_of(program.arguments)}
        # "One entry per thread" is as fixed as the launch.
        threads = {a.name for a in program.arguments if a.shape == program.launch_dim}
        unsaid = places - changing(program) - fixed
        assert fixed <= places - changing(program) and {name for name, _ in unsaid} <= threads


@pytest.mark.sampled
def test_an_edit_that_changes_an_output_changes_the_text(family):
    for number, program in enumerate(family):
        text = specify(program)
        cases = [make_inputs(program.signature, str(case)) for case in range(2)]
        edited = list(every_mutant(program))
        random.Random(number).shuffle(edited)
        for mutant in edited[:EDITS]:
            if not changed_text(mutant.program, text):
                after = outputs_of(mutant.program, cases)
                assert after is None or same(outputs_of(program, cases), after), mutant.operator


def _sized(program: ir.Program) -> ir.Program:
    """The program over a launch of 6 in each dimension, with arrays of that size."""
    indices = next(s for s in program.body if isinstance(s, ir.ThreadIndex))
    arguments = tuple(replace(argument, shape=(6,) * argument.ndim) for argument in program.arguments)
    signature = replace(program.signature, arguments=arguments, launch_dim=(6,) * len(indices.names))
    return replace(program, signature=signature)


@pytest.mark.parametrize("source", sorted(GOLDEN.glob("*.py")), ids=lambda path: path.stem)
def test_golden_texts(source):
    """Rewrite them with UPDATE_GOLDEN=1 when a change of the wording is meant."""
    text = specify(_sized(parsed(source.read_text())))
    golden = source.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()
