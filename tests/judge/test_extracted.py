"""Kernels of a user's own module, as questions: their rows, with examples, are judged like others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from warp_ir_dataset import extract
from warp_ir_dataset.common.configs import CONFIGS, compiled_tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.question import Unsupported, question_of
from warp_ir_dataset.judge.verdict import Status

pytestmark = [pytest.mark.process, pytest.mark.compile]

MODULE = """
import numpy as np
import warp as wp

GAIN = wp.float32(np.float32(2.75))

@wp.func
def ramp(x: float):
    return wp.max(x, 0.0) * GAIN

@wp.kernel
def amplify(x: wp.array(dtype=float), bias: float, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = ramp(x[i]) + bias

@wp.kernel
def gather(index: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = 2.75 * x[index[i]] * x[i]

@wp.kernel
def unread(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    for k in range(3):
        out[i] += wp.static([0.5, 1.5, 2.5][k]) * x[i]
"""
# By config, a number of the row's own answer, and what is the same number; with a 7 for its 0 it is another.
SAME = {
    **dict.fromkeys(("cpu", "cuda", "cuda_backward"), ("= 2.75", "= 1.75 + 1.0")),
    "warp_to_cuda": ("2.75f", "2.750f"),
    "spec_to_warp": ("2.75", "2.750"),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows by config and kernel."""
    place = tmp_path_factory.mktemp("extracted_and_judged")
    (place / "sound.py").write_text(MODULE)
    extract(str(place / "sound.py"), place / "out", examples=True, workers=1, quiet=True)
    found = {}
    for config in compiled_tasks():
        for shard in sorted((place / "out" / config.name).glob("*.parquet")):
            for row in pq.read_table(shard).to_pylist():
                found[config.name, row["kernel_name"]] = row
    return found


@pytest.mark.parametrize("config", SAME)
@pytest.mark.parametrize("kernel", ["amplify", "gather"])
def test_answers_are_judged_on_fresh_inputs(judge, rows, config, kernel):
    row = rows[config if config != "spec_to_warp" else "cpu", kernel]
    own = row["completion"] if config != "spec_to_warp" else row["python_source"]
    before, after = SAME[config]
    assert before in own
    wrong = after.replace("0", "7")
    for text, value in ((own, 1.0), (own.replace(before, after), 1.0), (own.replace(before, wrong), 0.0)):
        verdict = judge(row, text, config)
        assert verdict.value == value, (verdict.status, verdict.feedback)
    assert verdict.status is Status.WRONG_OUTPUT


def test_its_prompt_tells_the_config(judge, rows):
    row = rows["cuda", "amplify"]
    assert judge(row, row["completion"]).value == 1.0
    assert judge(row, rows["cpu", "amplify"]["completion"]).status is Status.COMPILE_ERROR


def test_what_cannot_be_judged_says_so(rows):
    row, config = rows["cpu", "amplify"], CONFIGS["cpu"]
    unread = rows["cpu", "unread"]
    said = {
        "--examples": row | {"examples": None, "launch_dim": None},
        "line": unread,
        "id": row | {"id": "f" * 16},
        "x": row | {"examples": json.dumps([{"inputs": {}, "outputs": {}}])},
    }
    for word, given in said.items():
        with pytest.raises(Unsupported, match=word):
            question_of(given, config)
    with pytest.raises(UserError, match="launch_dim"):
        question_of({name: value for name, value in row.items() if name != "launch_dim"}, config)


def test_nothing_of_a_row_is_executed(rows, tmp_path: Path):
    """Its source is read and written anew."""
    trap = f"open({str(tmp_path / 'run')!r}, 'w').close()\n"
    row = rows["cpu", "amplify"]
    found = question_of(row | {"python_source": row["python_source"] + trap}, CONFIGS["cpu"])
    assert "open(" not in found.source and not (tmp_path / "run").exists()
