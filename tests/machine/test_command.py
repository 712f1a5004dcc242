"""The command `warp-ir check`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from warp_ir_dataset import cli

TEXT = """
__global__ void shift(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i + 1];
}
"""


@pytest.mark.process
@pytest.mark.compile
def test_the_table_names_kind_and_line(tmp_path, capsys):
    file = tmp_path / "shift.cu"
    file.write_text(TEXT)
    np.save(tmp_path / "x.npy", np.ones(101, np.float32))
    launch = ["check", str(file), "--kernel", "shift", "--grid", "2", "--block", "64,1"]
    right = [*launch, "--arguments", f"@{tmp_path / 'x.npy'}", "float32*100=0", "100"]
    assert cli.main(right) == 0
    assert "no findings" in capsys.readouterr().out
    wrong = [*launch, "--arguments", "float32*100", "float32*100=0", "100"]
    assert cli.main(wrong) == 1
    [row, _] = capsys.readouterr().out.splitlines()
    assert "out of bounds" in row and "line 4" in row and "400" in row
    assert cli.main([*wrong, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [each["line"] for each in found["findings"]] == [4]
    assert set(found) == {"findings", "notes", "steps"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--grid", "x"], "grid"),
        (["--arguments", "float31*3"], "float31*3"),
        (["--arguments", "float32*99999999999"], "bytes"),
        (["--arguments", "int32*4=1.5"], "1.5"),
        (["--arguments", f"@{__file__}"], "numpy.save"),
        (["--block", "1,2,3,4"], "block"),
        (["--seed", "-1"], "seed"),
    ],
)
def test_wrong_input_is_one_line(tmp_path, capsys, change, words):
    file = tmp_path / "shift.cu"
    file.write_text(TEXT)
    assert cli.main(["check", str(file), "--kernel", "shift", "--grid", "2", "--block", "64", *change]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


@pytest.mark.process
@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.array(["2026"], "M8[D]"), np.array([{}], object)], ids=str
)
def test_an_array_of_no_numbers_is_refused(tmp_path, capsys, array):
    file = tmp_path / "shift.cu"
    file.write_text(TEXT)
    np.save(tmp_path / "x.npy", array, allow_pickle=True)
    (tmp_path / "empty.npy").touch()
    for name in ("x.npy", "empty.npy"):
        words = ["--arguments", f"@{tmp_path / name}", "float32*1", "1"]
        assert cli.main(["check", str(file), "--kernel", "shift", "--grid", "1", "--block", "1", *words]) == 2
        assert "numbers" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path, capsys):
    file = tmp_path / "none.cu"
    assert cli.main(["check", str(file), "--kernel", "k", "--grid", "1", "--block", "1"]) == 2
    assert "none.cu" in capsys.readouterr().err
