"""`benchmarks/same_rows.py` sees every way in which two builds can differ."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

Row = dict[str, Any]
Compare = Callable[..., tuple[int, str]]


def rows(split: str) -> list[Row]:
    examples = json.dumps([{"inputs": {"a": [1.0, 2.5]}, "outputs": {"o": [0.5]}}])
    return [
        {"id": f"{split}{n}", "completion": "x = y;\n" * 9, "examples": examples, "draw": n} for n in range(4)
    ]


def write(folder: Path, change: Callable[[str, list[Row]], list[Row]] = lambda _, rows: rows) -> Path:
    """Two configs with two splits each; `change` is told ``cpu/train`` and the rows."""
    for config in ("cpu", "cuda"):
        (folder / config).mkdir(parents=True)
        for split in ("train", "test"):
            table = pa.Table.from_pylist(change(f"{config}/{split}", rows(split)))
            pq.write_table(table, folder / config / f"{split}-00000-of-00001.parquet")
    return folder


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Compare:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import same_rows

    def run(change: Callable[[str, list[Row]], list[Row]], *options: str) -> tuple[int, str]:
        folders = [write(tmp_path / "old"), write(tmp_path / "new", change)]
        command = ["same_rows.py", *map(str, folders), "--config", "cpu", "cuda", *options]
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            same_rows.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return run


def in_one_place(change: Callable[[list[Row]], list[Row]]) -> Callable[[str, list[Row]], list[Row]]:
    return lambda where, rows: change(rows) if where == "cuda/test" else rows


def altered(column: str, value: Any) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [*rows[:2], rows[2] | {column: value}, *rows[3:]]


CHANGES = {
    "one byte": (altered("completion", "x = y;\n" * 8 + "x = z;\n"), "completion", "test/test2: "),
    "an input": (
        altered("examples", json.dumps([{"inputs": {"a": [1.0, 2.6]}, "outputs": {"o": [0.5]}}])),
        "examples.inputs",
        "2.6",
    ),
    "its type": (
        altered("examples", json.dumps([{"inputs": {"a": [1, 2.5]}, "outputs": {"o": [0.5]}}])),
        "examples.inputs",
        "[1, ",
    ),
    "spaces in the examples": (
        altered("examples", json.dumps([{"inputs": {"a": [1.0, 2.5]}, "outputs": {"o": [0.5]}}], indent=1)),
        "examples ",
        "test/test2",
    ),
    "a row less": (lambda rows: rows[:-1], "1 rows only in old", "test/test3"),
    "a row more": (lambda rows: [*rows, rows[0] | {"id": "more"}], "1 rows only in new", "test/more"),
    "another order": (lambda rows: rows[::-1], "8 rows in both, in ANOTHER ORDER", ""),
    "a column less": (
        lambda rows: [{k: v for k, v in row.items() if k != "draw"} for row in rows],
        "draw",
        "no such column in new",
    ),
    "a column more": (lambda rows: [row | {"more": None} for row in rows], "more", "no such column in old"),
}


def test_equal_builds_are_equal(compare: Compare) -> None:
    status, said = compare(lambda _, rows: rows)
    assert status == 0 and said.endswith("the same rows\n")
    lines = [line.split() for line in said.splitlines()]
    assert lines.count(["completion", "8", "equal", "0", "different"]) == 2
    assert lines.count(["examples.outputs", "8", "equal", "0", "different"]) == 2


@pytest.mark.parametrize(("change", "what", "where"), CHANGES.values(), ids=CHANGES)
def test_every_difference_is_seen(
    compare: Compare, change: Callable[[list[Row]], list[Row]], what: str, where: str
) -> None:
    status, said = compare(in_one_place(change))
    assert status == 1 and said.endswith("the rows DIFFER\n")
    assert f"  {what}" in said and where in said


def test_a_column_that_is_meant_to_change_is_left_out(compare: Compare) -> None:
    status, said = compare(in_one_place(altered("draw", 99)), "--except", "draw")
    assert status == 0 and "draw" not in said


def test_only_the_column_that_is_named_is_left_out(compare: Compare) -> None:
    status, _ = compare(in_one_place(altered("draw", 99)), "--except", "completion", "--except", "examples")
    assert status == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[:0], "holds no rows of cuda"),
        (lambda rows: [*rows, rows[0]], "which train holds already"),
    ],
)
def test_a_folder_that_is_no_build_is_one_clear_line(
    compare: Compare, change: Callable[[list[Row]], list[Row]], says: str
) -> None:
    def everywhere(where: str, rows: list[Row]) -> list[Row]:
        return change(rows) if where.startswith("cuda") else rows

    status, said = compare(everywhere)
    assert status == 2
    assert [says in line for line in said.splitlines() if line.startswith("same_rows: ")] == [True]


@pytest.mark.parametrize("arguments", [[], ["one"], ["one", "two", "three"], ["one", "nowhere"]])
def test_wrong_folders_are_one_clear_line(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import same_rows

    monkeypatch.setattr(sys, "argv", ["same_rows.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        same_rows.main()
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
