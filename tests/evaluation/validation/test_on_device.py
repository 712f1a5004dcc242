"""Rows on a device. Warp's own CPU device goes the same way as a GPU, which tests marked `gpu` ask for."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys import anew
from toys.tampered.builds import other_outputs

from warp_ir_dataset import cli, validate_on_device
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.evaluation.validation import on_device
from warp_ir_dataset.evaluation.validation.on_device import (
    NO_DEVICE,
    SANITIZER,
    OnDevice,
    Ran,
    _error,
    _launched,
    _sanitized,
    ran_on,
)
from warp_ir_dataset.evaluation.validation.validate import in_processes

pytestmark = [pytest.mark.compile, pytest.mark.process, pytest.mark.folder]


@pytest.fixture(scope="module")
def backward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows with gradients. Not to be changed."""
    return anew.build(tmp_path_factory.mktemp("backward") / "build", "cuda_backward")


def other_gradients(examples: str) -> str:
    found = json.loads(examples)
    for example in found:
        for name, value in example["input_gradients"].items():
            example["input_gradients"][name] = [
                [0.0, *each[1:]] if isinstance(each, list) else 9.0 for each in value
            ]
    return json.dumps(found)


def argument(name: str, role: str) -> dict[str, Any]:
    """An array of four numbers, as rows have it."""
    known = {"name": name, "type": "float32", "ndim": 1, "shape": ["4"], "role": role}
    return {**known, "low": 0.0, "high": 1.0, "trait": None}


def first(folder: Path) -> Any:
    return anew.part_of(folder, "cuda_backward", sample=None, seed=0)


def row_of(folder: Path) -> dict[str, Any]:
    return next(row for _, rows in first(folder).rows() for row in rows)


def test_rows_give_what_their_examples_say_forward_and_backward(backward: Path) -> None:
    found = validate_on_device(backward, sample=2, device="cpu")
    assert found.ok and len(found.rows) == 2, str(found)
    assert {row.id for row in found.rows} == anew.part_of(backward, "cuda_backward", sample=2, seed=0).sampled
    assert all(row.forward == 0.0 and row.backward == 0.0 for row in found.rows)
    assert str(found).splitlines()[1].split() == [
        "config", "family", "rows", "forward", "backward", "ptx", "wrong", "left", "out",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "way"),
    [(other_outputs, "forward"), (other_gradients, "backward")],
    ids=["forward", "backward"],
)
def test_other_numbers_are_wrong(way: str, change: Callable[[str], str], backward: Path) -> None:
    row = row_of(backward)
    assert ran_on("cpu", row, "cuda_backward").wrong is None
    found = ran_on("cpu", {**row, "examples": change(row["examples"])}, "cuda_backward")
    assert found.wrong is not None and f"{way} is off by" in found.wrong
    assert not OnDevice("cpu", (found,), None).ok


def test_a_kernel_that_does_not_compile_is_wrong_and_one_that_is_not_read_is_left_out(backward: Path) -> None:
    row = row_of(backward)
    source = row["python_source"]
    unread = ran_on("cpu", {**row, "python_source": f"{source}\nimport os\n!"}, "cuda_backward")
    assert unread.left_out is not None and unread.wrong is None
    broken = ran_on("cpu", {**row, "launch_dim": []}, "cuda_backward")
    assert broken.wrong is not None
    assert not OnDevice("cpu", (unread,), None).ok  # nothing was run


def test_what_the_sanitizer_finds_counts() -> None:
    row = Ran("cuda", "0" * 16, "waves", forward=0.0)
    assert OnDevice("x", (row,), "no errors").ok and OnDevice("x", (row,), None).ok
    assert not OnDevice("x", (row,), "errors (Invalid __global__ write)").ok


FOUND = "COMPUTE-SANITIZER\\n========= Invalid __global__ write of size 4 bytes"


@pytest.fixture
def sanitizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, str], Path]:
    """Puts one on the path that ends so and says so, and that writes what it is called with to a file."""

    def put(status: int, said: str) -> Path:
        script = tmp_path / SANITIZER
        told = f'printf "========= {said}\\n"'
        script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/words\n{told}\nexit {status}\n')
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return tmp_path / "words"

    return put


@pytest.mark.parametrize(("count", "fewer"), [(3, "3"), (20, "20"), (300, "20")])
def test_the_sanitizer_runs_the_same_rows_but_fewer(sanitizer, count: int, fewer: str) -> None:
    words = sanitizer(0, "ERROR SUMMARY: 0 errors")
    assert _sanitized(Path("a folder"), "cuda:0", {"cuda": count, "cpu": 2}, 7, quiet=True) == "no errors"
    tool = ["--tool", "memcheck", "--error-exitcode", "86"]
    program = [sys.executable, "-m", on_device.__name__]
    assert words.read_text().splitlines() == [
        *tool,
        *program,
        str(Path("a folder").resolve()),
        "cuda:0",
        fewer,
        "7",
        "cuda",
        "cpu",
    ]


@pytest.mark.parametrize(("status", "said", "told"), [
    (86, FOUND, "errors (Invalid __global__ write of size 4 bytes)"),
    (1, "COMPUTE-SANITIZER", "errors (1)"),
])  # fmt: skip
def test_what_the_sanitizer_says_is_told(sanitizer, status: int, said: str, told: str) -> None:
    sanitizer(status, said)
    assert _sanitized(Path("folder"), "cuda:0", {"cuda": 1}, 0, quiet=True) == told


def test_rows_under_the_sanitizer_are_counted(sanitizer, capsys: pytest.CaptureFixture[str]) -> None:
    sanitizer(0, f"COMPUTE-SANITIZER\\n{on_device._CHECKED}\\n{on_device._CHECKED}")
    _sanitized(Path("folder"), "cuda:0", {"cuda": 2}, 0, quiet=False)
    assert "memcheck: all 2 rows were launched under memcheck" in capsys.readouterr().err


def test_the_program_under_it_launches_rows(
    backward: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[Ran] = []
    monkeypatch.setattr(on_device, "ran_on", lambda *each: ran.append(ran_on(*each)))
    assert on_device.main([str(backward), "cpu", "2", "9", "cuda_backward"]) == 0
    assert {each.id for each in ran} == anew.part_of(backward, "cuda_backward", sample=2, seed=9).sampled
    assert len(ran) == 2 and all(each.backward == 0.0 for each in ran)
    told = capsys.readouterr().out.splitlines()
    *checked, device = [line for line in told if not line.startswith("Module ")]  # what Warp loads
    assert checked == [on_device._CHECKED] * 2 and json.loads(device)[0] == "cpu"


def test_warps_own_device_is_not_for_the_sanitizer(sanitizer, backward: Path) -> None:
    words = sanitizer(1, "Error: Target application terminated before first instrumented API call")
    found = validate_on_device(backward, sample=1, device="cpu")
    assert found.ok and found.sanitizer is None and not words.exists()
    assert str(found).endswith(f"{SANITIZER}: not run")


def test_without_a_device_there_is_one_line(
    backward: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert cli.main(["validate", str(backward), "--gpu"]) == 2
    assert capsys.readouterr().err == f"warp-ir: error: {NO_DEVICE}\n"
    with pytest.raises(UserError, match=r"no config 'cpu'.* cuda_backward"):
        validate_on_device(backward, configs=["cpu"])


def test_a_device_that_is_none_is_said(backward: Path) -> None:
    for device in ("nope", "cuda:99", "it's\nnone"):
        with pytest.raises(UserError, match=r"there is no device .*choose from cpu"):
            validate_on_device(backward, device=device)
    with pytest.raises(UserError, match="device must be a string, not 3"):
        validate_on_device(backward, device=3)  # type: ignore[arg-type]


def test_a_process_that_ends_costs_one_row(backward: Path) -> None:
    rows = [row for _, rows in first(backward).rows() for row in rows][:3]
    rows[1] = {**rows[1], "python_source": f"import os\nos._exit(3)\n{rows[1]['python_source']}"}
    found = list(_launched(rows, "cuda_backward", "cpu", in_processes(1)))
    assert [ran.id for ran in found] == [row["id"] for row in rows]
    assert [ran.wrong is None for ran in found] == [True, False, True]
    assert "exit status 3" in (found[1].wrong or "")


@pytest.mark.gpu
def test_rows_run_on_a_gpu(backward: Path, builds: Path) -> None:
    for folder in (backward, builds / "cuda"):
        found = validate_on_device(folder)
        assert found.ok, str(found)
        assert "cpu" not in found.device.lower()


ASTRAY = """import warp as wp


@wp.kernel
def stray(a: wp.array[wp.float32], out: wp.array[wp.float32]):
    i = wp.tid()
    out[i * 1000000000] = a[i]
"""


@pytest.mark.gpu
def test_a_fault_on_a_gpu_costs_one_row(backward: Path) -> None:
    """Nothing runs in the process that met it any more."""
    rows = [row for _, rows in first(backward).rows() for row in rows][:3]
    rows[1] = {
        **rows[1],
        "python_source": ASTRAY,
        "kernel_name": "stray",
        "launch_dim": [4],
        "arguments": [argument(name, role) for name, role in (("a", "input"), ("out", "output"))],
        "examples": json.dumps(
            [{"launch_dim": [4], "inputs": {"a": [1.0] * 4}, "outputs": {"out": [1.0] * 4}}]
        ),
    }
    found = list(_launched(rows, "cuda", "cuda:0", in_processes(1)))
    assert [ran.wrong is None for ran in found] == [True, False, True]


def test_what_is_missing_or_no_number_is_wrong() -> None:
    ones = {"a": np.ones(3, np.float32)}
    assert _error(ones, ones) == 0.0
    for found in (ones, {"a": np.array([1.0, np.nan, 1.0], np.float32)}):
        assert _error(found, {}) == _error({"a": np.array([np.nan] * 3)}, ones) == math.inf
    turned = {"a": np.array([2.0, 1.0, 3.0], np.float32)}
    inorder = {"a": np.array([3.0, 2.0, 1.0], np.float32)}
    assert _error(turned, inorder) > 0.1 and _error(turned, inorder, {"a": ()}) == 0.0
    near, far = {"a": np.array([1.0]), "b": np.array([1.7e308])}, {"a": np.ones(1), "b": np.array([-1.7e308])}
    assert _error(near, far) == math.inf  # too far apart for float64 to say


def test_what_belongs_to_one_slot_stays_together() -> None:
    """A hash table's keys and what is kept for each, as in the proof."""
    (row,) = produce(
        [Candidate(Address(0, "checksums", 1, "hash_table_insert"))], "cpu", "sm_80", lambda index: None
    )
    assert isinstance(row, dict) and "largest" in row["checks"]["unordered"]
    assert ran_on("cpu", row, "cpu").wrong is None
    examples = json.loads(row["examples"])
    for example in examples:
        kept = example["outputs"]["largest"]
        example["outputs"]["largest"] = [*kept[1:], kept[0]]
    found = ran_on("cpu", {**row, "examples": json.dumps(examples)}, "cpu")
    assert found.wrong is not None and "forward is off by" in found.wrong
