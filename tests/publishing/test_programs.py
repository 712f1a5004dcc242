"""Rows in plain CUDA as programs: files, a Makefile, a summary, without CUDA."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from toys.constructs import PROGRAMS

from warp_ir_dataset import cli
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.cuda.harness import harness
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.publishing.programs import text, write_around, write_programs

(NAME,) = (name for name, config in CONFIGS.items() if config.plain)
TITLES = ("comparisons in a row", "members of an element", "arrays in structs in an array", "a ticket")


def test_a_file_for_each_row(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "programs"
    assert cli.main(["export", str(built), "--format", "cuda", "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["Makefile", "README.md", "cuda_on_cpu.h", NAME]
    rows = pq.read_table(built / NAME / "test-00000-of-00001.parquet").to_pylist()
    paths = sorted((out / NAME / "test").iterdir())
    assert [path.name for path in paths] == [f"{k:05d}-{row['id']}.cu" for k, row in enumerate(rows)]
    for path, row in zip(paths, rows, strict=True):
        assert path.read_text() == text(row)
        assert text(row) == row["harness"]["prelude"] + row["completion"] + row["harness"]["main"]


@pytest.mark.folder
def test_a_build_without_such_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from toys.folders import toy_folder

    folder = toy_folder(tmp_path / "build", configs=("cpu",))
    assert cli.main(["export", str(folder), "--format", "cuda"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("warp-ir: error: ") and error.count("\n") == 1
    assert f"--config {NAME}" in error
    assert not (folder / "export-cuda").exists()


# ---- made


def _program(title: str) -> dict[str, object]:
    """What a row holds, with outputs as numpy computes them."""
    program = PROGRAMS[title]
    inputs = make_inputs(program.signature, title)
    meant = interpret(program, {name: np.asarray(value)[None] for name, value in inputs.items()}, 1)
    plain = render(program)
    case = {"inputs": inputs, "outputs": {name: value[0] for name, value in meant.items()}}
    made = harness(plain, program.signature, [case])
    parts = {"prelude": made.prelude, "main": made.main}
    return {"id": f"{len(title):016x}", "completion": plain.completion, "harness": parts}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / NAME).mkdir()
    write_programs(tmp_path / NAME / "test", [_program(title) for title in TITLES], 0)
    write_around(tmp_path)
    return tmp_path


@pytest.fixture
def make(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`make` where there are only a shell, a C++ compiler and the plain tools; no nvcc."""
    tools = folder / "bin"
    tools.mkdir()
    for tool in ("make", "sh", "g++", "as", "ld", "mkdir", "find", "grep", "wc", "rm", "echo", "test"):
        found = shutil.which(tool)
        if found is not None:
            (tools / tool).symlink_to(found)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        kept = {"PATH": str(tools), "LANG": "C", "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
        return subprocess.run(
            ["make", *words], cwd=folder, env=kept, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.process
def test_make_cpu_builds_and_runs_all_without_cuda(
    make: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = make("cpu")
    assert (done.returncode, done.stdout) == (0, "4 of 4 programs pass\n"), done.stdout + done.stderr
    again = make("cpu")  # nothing to do, and the same summary
    assert (again.returncode, again.stdout) == (0, "4 of 4 programs pass\n")


@pytest.mark.process
@pytest.mark.parametrize(("right", "wrong"), [("a[i] * 3.0f", "a[i] * 3.1f"), ("a[i] * 3.0f", "a[i] *")])
def test_one_that_fails_is_named_and_fails_all(
    right: str, wrong: str, folder: Path, make: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    path = min((folder / NAME / "test").iterdir())
    whole = path.read_text()
    assert whole.count(right) == 1
    path.write_text(whole.replace(right, wrong))
    done = make("cpu")
    assert done.returncode != 0
    assert done.stdout == f"FAIL {path.relative_to(folder)}\n3 of 4 programs pass\n"
    path.write_text(whole)
    assert make("cpu").stdout == "4 of 4 programs pass\n"


@pytest.mark.process
def test_make_without_nvcc_says_so(
    make: Callable[..., subprocess.CompletedProcess[str]], folder: Path
) -> None:
    done = make()
    assert done.returncode != 0 and "nvcc" in done.stderr and "cpu" in done.stderr
    assert not [*folder.rglob("*.out")]
