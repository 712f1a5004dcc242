"""The example that judges: originals and twins apart."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows

from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.common.address import Address

ROOT = Path(__file__).parents[2]


def test_originals_and_twins_have_a_score_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
    # Both originals are right, one in other layout and with a comment; a twin is wrong, the other is missing.
    code = {row["id"]: row["completions"]["cuda"] for row in rows}
    said = {
        rows[0]["id"]: code[rows[0]["id"]],
        rows[2]["id"]: "  // so\n" + code[rows[2]["id"]].replace(" ", "\n"),
        rows[1]["id"]: code[rows[0]["id"]],
        rows[4]["id"]: code[rows[4]["id"]],
    }
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": id, "answer": text}) + "\n" for id, text in said.items()))
    monkeypatch.setattr(sys, "argv", ["judge.py", str(answers), "--data", str(tmp_path / "data")])
    runpy.run_path(str(ROOT / "examples" / "judge.py"), run_name="__main__")
    assert capsys.readouterr().out == "originals: 2 of 2 right\ntwins: 0 of 2 right\n"
