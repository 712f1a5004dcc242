"""Specifications of drawn programs: read back, edited, and some held to the letter."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from blind.read import read
from toys import texts

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.mutants.table import every_mutant
from warp_ir_dataset.language.program import Program, ThreadIndex
from warp_ir_dataset.language.python.read import read as parsed
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.synthesis.categories import CATEGORIES, GROWN
from warp_ir_dataset.synthesis.draw import draw

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests/golden/specifications"
EACH, PAGES = 5, 2  # programs of a grown family, one of every level, and of a family of idioms
EDITS = 3  # of each program


@pytest.fixture(scope="module", params=CATEGORIES)
def family(request):
    many = EACH if request.param in GROWN else PAGES
    return [draw(Address(0, request.param, number)).program for number in range(many)]


@pytest.mark.sampled
def test_a_mechanical_reader_gets_the_outputs(family):
    for program in family:
        inputs = make_inputs(program.signature, "told")
        wanted = interpret(program, {name: np.asarray(value)[None] for name, value in inputs.items()}, 1)
        found = read(specify(program)).launched(inputs)
        for name, value in wanted.items():
            np.testing.assert_allclose(found[name], value[0], rtol=1e-6, atol=1e-6)


@pytest.mark.sampled
def test_an_edit_that_changes_an_output_changes_the_text(family, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from specifications import changed_text, outputs_of, same

    for number, program in enumerate(family):
        text = specify(program)
        cases = [make_inputs(program.signature, str(case)) for case in range(2)]
        edited = list(every_mutant(program))
        random.Random(number).shuffle(edited)
        for mutant in edited[:EDITS]:
            if not changed_text(mutant.program, text):
                after = outputs_of(mutant.program, cases)
                assert after is None or same(outputs_of(program, cases), after), mutant.operator


WHOLE = "o[i] = float(int(wp.log(a[i] - b[i])))"


@pytest.mark.parametrize(
    ("body", "other", "right"),
    [
        ("o[i] = a[i] * 2.0", "o[i] = a[i] * 2.0", True),
        ("o[i] = a[i] * 2.0", "o[i] = a[i] * 2.1", False),
        ("v[i] = wp.normalize(wp.cross(v[i], v[i] * 1.7))", "v[i] = wp.normalize(v[i])", None),
        (WHOLE, WHOLE, None),
    ],
)
def test_the_benchmark_tells_what_is_wrong_from_what_nothing_decides(body, other, right, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from specifications import told_rightly

    assert told_rightly(texts.program(body), specify(texts.program(other))) is right


@pytest.mark.process
def test_the_benchmark_finds_nothing():
    script = [sys.executable, "benchmarks/specifications.py"]
    command = [*script, "--programs", "10", "--processes", "1", "--seed", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines())
    assert told["programs"] == "10" and int(told["edits that change the text"]) > 40


def _sized(program: Program) -> Program:
    """The program over a launch of 6 in each dimension, with arrays of that size."""
    indices = next(s for s in program.body if isinstance(s, ThreadIndex))
    arguments = tuple(replace(argument, shape=(6,) * argument.ndim) for argument in program.arguments)
    signature = replace(program.signature, arguments=arguments, launch_dim=(6,) * len(indices.names))
    return replace(program, signature=signature)


@pytest.mark.parametrize("source", sorted(GOLDEN.glob("*.py")), ids=lambda path: path.stem)
def test_golden_texts(source):
    """Rewrite them with UPDATE_GOLDEN=1 when a change of the wording is meant."""
    told = specify(_sized(parsed(source.read_text())))
    golden = source.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(told)
    assert told == golden.read_text()
