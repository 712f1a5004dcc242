"""The example that judges: originals and twins apart."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows

from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.common.address import Address

ROOT = Path(__file__).parents[2]


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    """Two originals with their twins, and an original without, in the folder `data`."""
    rows = [toy_rows.row(Address(0, "waves", number), "handwritten", "sm_80") for number in range(5)]
    for original, twin in ((0, 1), (2, 3)):
        rows[twin]["twin_of"] = rows[original]["id"]
    place = tmp_path / "data" / "handwritten" / "test-00000-of-00001.parquet"
    place.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema("handwritten")), place)
    (tmp_path / "data" / "README.md").write_text(
        "---\nconfigs:\n- config_name: handwritten\n  data_files:\n"
        "  - split: test\n    path: handwritten/test-*.parquet\n---\n"
    )
    return rows


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", ["judge.py", *map(str, words)])
    runpy.run_path(str(ROOT / "examples" / "judge.py"), run_name="__main__")


def test_originals_and_twins_have_a_score_each(
    rows: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Both originals are right, one in other layout and with a comment; a twin is wrong, the other is missing.
    code = {row["id"]: row["completions"]["cuda"] for row in rows}
    said = {
        rows[0]["id"]: code[rows[0]["id"]],
        rows[2]["id"]: "  // so\n" + code[rows[2]["id"]].replace(" ", "\n"),
        rows[1]["id"]: code[rows[0]["id"]],
        rows[4]["id"]: code[rows[4]["id"]],
    }
    answers = tmp_path / "answers.jsonl"
    lines = [
        json.dumps({"id": id, "completion": text, "said": "\u2028"}, ensure_ascii=False)
        for id, text in said.items()
    ]
    answers.write_text("\n\n".join(lines), encoding="utf-8-sig")
    run(monkeypatch, answers, "--data", tmp_path / "data")
    assert capsys.readouterr().out == "originals: 2 of 2 right\ntwins: 0 of 2 right\n"


@pytest.mark.parametrize(
    ("content", "words", "says"),
    [
        (None, (), "answers.jsonl"),
        (b"{", (), "line 1: .*JSON"),
        (b"\xff", (), "line 1: .*UTF-8"),
        (b'{"id": "x", "answer": null}', (), 'line 1: .*"completion"'),
        (b'{"id": "x", "completion": ""}', (), "line 1: .* id 'x'"),
        (b"", (), "answers.jsonl .*predictions"),
        (b"", ("--task", "nope"), "--task.*'nope'"),
        (b"", ("--data", "nowhere/at/all"), "nowhere/at/all"),
    ],
)
def test_wrong_input_is_one_line(
    content: bytes | None,
    words: tuple[str, ...],
    says: str,
    rows: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    answers = tmp_path / "answers.jsonl"
    if content is not None:
        answers.write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, answers, "--data", tmp_path / "data", *words)
    assert ended.value.code == 2 and re.search(says, capsys.readouterr().err.splitlines()[-1])
