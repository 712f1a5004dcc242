"""The benchmarks run, and what they print is whole. What they measure is not judged here."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(
    r"(?P<what>.+?)  +(?P<measured>-?[\d.]+)(%| MB|)  +[<>]= (?P<budget>[\d.]+)(%| MB|)  +(ok|NO)"
)

MEASURED = [
    "cuda: our own share of CPU time",
    "cuda: rows a second of 1 worker",
    "cuda: rows a second of 1 worker, by CPU time",
    "cuda: memory of a worker",
    "cuda: its growth over the last half",
    "cuda: code text, against Warp's builder",
    "cuda: the same, against Warp's decorators too",
    "cuda: two workers against one",
    "cuda: two workers against one, by CPU time",
    "planning a row, of 20 against 10",
]


def table(*arguments: str) -> dict[str, float]:
    """What `throughput.py` measured, by the name of the row."""
    run = subprocess.run(
        [sys.executable, "benchmarks/throughput.py", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    rows = filter(None, map(ROW.fullmatch, run.stdout.splitlines()))
    return {row["what"]: float(row["measured"]) for row in rows}


@pytest.mark.compile
@pytest.mark.slow
def test_throughput_measures_all_that_has_a_budget() -> None:
    sizes = ["--kernels", "10", "--rows", "10", "--workers", "1", "--plan", "10", "20"]
    found = table("--config", "cuda", *sizes)
    assert list(found) == MEASURED
    assert all(map(math.isfinite, found.values()))
    positive = {what: value for what, value in found.items() if "growth" not in what}
    assert all(value > 0 for value in positive.values()), positive
    assert found["cuda: our own share of CPU time"] < 100
