"""Datasets in memory are packed as a build is written."""

from __future__ import annotations

from pathlib import Path

import datasets
import pyarrow.parquet as pq

from warp_ir_dataset.builds.row import features
from warp_ir_dataset.publishing.hub.in_memory import pack


def test_files_have_a_page_index_and_hold_the_rows(first: Path, tmp_path: Path) -> None:
    rows = [
        row for file in sorted((first / "cuda").glob("train-*")) for row in pq.read_table(file).to_pylist()
    ]
    pack(datasets.Dataset.from_list(rows, features=features()), tmp_path, "cuda", "1.0.0")
    path = tmp_path / "cuda" / "train-00000-of-00001.parquet"
    assert pq.read_table(path).to_pylist() == rows
    for file in (path, next((first / "cuda").glob("train-*"))):
        group = pq.ParquetFile(file).metadata.row_group(0)
        columns = [group.column(n) for n in range(group.num_columns)]
        assert all(column.has_offset_index and column.compression == "ZSTD" for column in columns)


def test_a_split_without_rows_is_no_example(first: Path, tmp_path: Path) -> None:
    test = datasets.Dataset.from_list(
        pq.read_table(next((first / "cuda").glob("test-*"))).to_pylist(), features=features()
    )
    pairs = datasets.DatasetDict(train=test.select([]), test=test)
    pack(pairs, tmp_path, "cuda", "1.0.0")
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert 'split="test"' in card and "Fine-tune" not in card
