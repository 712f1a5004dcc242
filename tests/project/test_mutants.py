"""Every mutant of `benchmarks/support/mutant_table.py` still fits the code and names tests that are there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

sys.path.append(str(ROOT / "benchmarks"))
from mutants import MUTANTS, mutated  # noqa: E402
from support.mutant_table import Mutant  # noqa: E402


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits(mutant: Mutant) -> None:
    text = (ROOT / "warp_ir_dataset" / mutant.file).read_text()
    changed = mutated(mutant, text)
    assert changed != text
    compile(changed, mutant.file, "exec")
    for test in mutant.tests:
        path, _, name = test.partition("::")
        content = (ROOT / path).read_text()
        assert f"def {name}" in content
        assert name or "\npytestmark" not in content  # of a file, the fast tests are run


def test_names_are_unique() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.process
def test_a_mutant_is_killed_in_a_copy() -> None:
    before = {path: path.read_bytes() for path in (ROOT / "warp_ir_dataset").rglob("*.py")}
    command = [sys.executable, "benchmarks/mutants.py", "--only", "tolerance of meaning ten times"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "1 of 1 killed"
    assert {path: path.read_bytes() for path in before} == before
