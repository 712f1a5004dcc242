"""Passes through Warp: the benchmark on a few programs, which fails where outputs differ."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_passes import MADE, made

from warp_ir_dataset.language.passes.table import PASSES

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "benchmarks"))

from passes import equal, interpreted, launched  # noqa: E402

from warp_ir_dataset.proof.inputs import make_inputs  # noqa: E402

pytestmark = pytest.mark.compile


@pytest.mark.parametrize("programs", [10, pytest.param(40, marks=pytest.mark.long)])
def test_warp_makes_the_same_of_drawn_programs_before_and_after(programs):
    sizes = ["--programs", str(programs), "--launched", str(programs)]
    command = [sys.executable, "benchmarks/passes.py", *sizes, "--seed", "3"]
    run = subprocess.run([*command, "--processes", "1"], cwd=ROOT, capture_output=True, text=True)
    rows = {line[:24].strip(): line[24:].split() for line in run.stdout.splitlines()[1:]}
    assert rows.keys() == set(PASSES), run.stderr
    different = {}
    for name, row in rows.items():
        counts = [int(re.sub(",", "", cell)) for cell in row[:6]]
        if counts[0] != counts[5] or counts[4] != counts[5]:
            different[name] = counts
    assert not {name for name in different if not PASSES[name].rounds}, run.stdout
    assert sum(int(row[5]) for row in rows.values()) > 15 * programs


def test_warp_makes_the_same_of_texts_before_and_after():
    wrong = []
    for name, before, after in MADE:
        pair = [made(before), made(after)]
        first = pair[0]
        case = make_inputs(first.signature, name)
        outputs = list(launched(pair, first.signature, [case]))
        assert outputs[0] is not None, name
        if not equal(outputs[0], outputs[1], PASSES[name].rounds):
            wrong.append((name, before))
        assert equal(interpreted(first, first.signature, [case]), outputs[0], rounds=True), name
    assert not wrong
