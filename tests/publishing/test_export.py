"""Rows read back from each format are the rows."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from toys.rows import TASKS

from warp_ir_dataset import cli
from warp_ir_dataset.builds.row import SCHEMA, features, schema
from warp_ir_dataset.common.configs import CONFIGS, SPLITS
from warp_ir_dataset.publishing.export import pair, row_of


def rows(built: Path, config: str, split: str) -> list[dict[str, Any]]:
    files = sorted((built / config).glob(f"{split}-*"))
    return [row for path in files for row in pq.read_table(path).to_pylist()]


def export(built: Path, out: Path, format: str) -> Path:
    assert cli.main(["export", str(built), "--format", format, "--out", str(out)]) == 0
    return out


def test_a_line_per_row(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = export(built, tmp_path / "lines", "jsonl")
    assert capsys.readouterr().out == f"240 rows are in {out}\n"
    for config in TASKS:
        for split in SPLITS:
            lines = (out / config / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
            read = [json.loads(line) for line in lines]
            assert read == rows(built, config, split)
            assert all(list(row) == schema(config).names for row in read)


def test_datasets_reads_the_lines(built: Path, tmp_path: Path) -> None:
    out = export(built, tmp_path / "lines", "jsonl")
    files = {split: str(out / "cuda" / f"{split}.jsonl") for split in SPLITS}
    loaded = datasets.load_dataset(
        "json", data_files=files, features=features(), cache_dir=str(tmp_path / "cache")
    )
    assert {split: list(found) for split, found in loaded.items()} == {
        split: rows(built, "cuda", split) for split in SPLITS
    }


def test_a_file_per_pair(built: Path, tmp_path: Path) -> None:
    out = export(built, tmp_path / "pairs", "json-pairs")
    for config in TASKS:
        for split in SPLITS:
            expected = rows(built, config, split)
            paths = sorted((out / config / split).iterdir())
            assert [path.name for path in paths] == [
                f"{number:05d}-{row['id']}.json" for number, row in enumerate(expected)
            ]
            pairs = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
            assert [row_of(found) for found in pairs] == expected
            for found, row in zip(pairs, expected, strict=True):
                assert list(found) == ["python_source", CONFIGS[config].code, "metadata"]
                assert (found["python_source"], found[CONFIGS[config].code]) == (
                    row["python_source"],
                    row["completion"],
                )
                assert found["metadata"]["config"] == config


def test_a_pair_has_everything_once(built: Path) -> None:
    row = rows(built, "cuda", "test")[0]
    found = pair(row, "cuda")
    assert len(found) - 1 + len(found["metadata"]) - 1 == len(SCHEMA)


def test_the_default_place_is_not_published(built: Path, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes((built / "manifest.json").read_bytes())
    for config in TASKS:
        shutil.copytree(built / config, tmp_path / config)
    assert cli.main(["export", str(tmp_path)]) == 0
    assert sorted(path.name for path in (tmp_path / "export-jsonl").iterdir()) == sorted(TASKS)
    # Asked again, it does not write over what is there.
    assert cli.main(["export", str(tmp_path), "--format", "jsonl"]) == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["DIR", "--format", "csv"], "'csv'.* jsonl, json-pairs, cuda"),
        (["nowhere", "--format", "jsonl"], "no folder nowhere"),
        (["DIR", "--format", "jsonl", "--out", "DIR"], "{built} .*empty"),
    ],
)
def test_wrong_input(
    built: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", *(str(built) if word == "DIR" else word for word in words)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("warp-ir: error: ") and error.count("\n") == 1
    assert re.search(complaint.format(built=built), error)


def test_an_export_that_fails_leaves_nothing(built: Path, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes((built / "manifest.json").read_bytes())
    shutil.copytree(built / "cpu", tmp_path / "cpu")  # the other configs are gone
    assert cli.main(["export", str(tmp_path), "--format", "json-pairs"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cpu", "manifest.json"]
