"""`benchmarks/mutation.py` on a package of ten lines: one mutant of each kind that the table counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CODE = """
def twice(number: int) -> int:
    return number * 2


def is_small(number: int) -> bool:
    return number < 10


def is_odd(number: int) -> bool:
    return not number
"""

TEST = """
from warp_ir_dataset.sums import is_small, twice


def test_sums() -> None:
    assert twice(3) == 6 and is_small(3) and not is_small(30)
"""


@pytest.mark.long
@pytest.mark.process
def test_the_table_counts_killed_survivors_and_what_no_test_reaches(tmp_path: Path) -> None:
    package, tests = tmp_path / "warp_ir_dataset/sums", tmp_path / "tests/sums"
    for folder, name, text in ((package, "__init__.py", CODE), (tests, "test_sums.py", TEST)):
        folder.mkdir(parents=True)
        (folder / name).write_text(text)
    (package.parent / "__init__.py").touch()
    survivors = tmp_path / "survivors.txt"
    command = [sys.executable, "benchmarks/mutation.py", "--root", str(tmp_path), "--packages", "sums"]
    command += ["--marks", "not slow", "--survivors", str(survivors), "--processes", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # Of twice `/ 2` and `* 3` are killed, of is_small `<= 10` and `< 11` are not, is_odd is not reached.
    assert done.stdout.splitlines()[-1].startswith("| sums | 5 | 4 | 2 | 50 % |")
    assert survivors.read_text().splitlines() == [
        "warp_ir_dataset/sums/__init__.py:7: - return number < 10  + return number < 11",
        "warp_ir_dataset/sums/__init__.py:7: - return number < 10  + return number <= 10",
    ]
