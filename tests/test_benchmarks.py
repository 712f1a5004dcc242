"""The benchmarks run, and what they print is whole. What they measure is not judged here."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(
    r"(?P<what>.+?)  +(?P<measured>-?[\d.]+)(%| MB|)  +[<>]= (?P<budget>[\d.]+)(%| MB|)  +(ok|NO)"
)

OF_A_CONFIG = [
    "{}: our own share of CPU time",
    "{}: rows a second of 1 worker",
    "{}: rows a second of 1 worker, by CPU time",
    "{}: memory of a worker",
    "{}: its growth over the last half",
    "{}: code text, against Warp's builder",
    "{}: the same, against Warp's decorators too",
]
OF_ALL = [
    "cpu: two workers against one",
    "cpu: two workers against one, by CPU time",
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
    found = table("--config", "cpu", "cuda_backward", *sizes)
    expected = [row.format(config) for config in ("cpu", "cuda_backward") for row in OF_A_CONFIG]
    assert list(found) == expected + OF_ALL
    assert all(map(math.isfinite, found.values()))
    positive = {what: value for what, value in found.items() if "growth" not in what}
    assert all(value > 0 for value in positive.values()), positive
    shares = [value for what, value in found.items() if "share" in what]
    assert all(value < 100 for value in shares), shares
