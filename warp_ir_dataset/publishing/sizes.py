"""Measures the mean bytes of a row, which `common/configs.py` declares for the default build:

python -m warp_ir_dataset.publishing.sizes OUT
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq

from ..builds.check.folder import check
from ..common.files import inside


def row_sizes(folder: Path) -> dict[str, tuple[int, int]]:
    """Mean bytes of a row by config of a build: as Arrow in memory, and in Parquet. Raises `UserError`."""
    manifest, _ = check(folder, finished=True)
    sizes = {}
    for name, config in manifest["configs"].items():
        tables = [pq.read_table(inside(folder, file), partitioning=None) for file in config["files"]]
        rows = sum(table.num_rows for table in tables)
        stored = sum(file["bytes"] for file in config["files"].values())
        sizes[name] = round(sum(table.nbytes for table in tables) / rows), round(stored / rows)
    return sizes


if __name__ == "__main__":
    for name, (row_bytes, file_bytes) in row_sizes(Path(sys.argv[1])).items():
        print(f"{name}: row_bytes={row_bytes:_}, file_bytes={file_bytes:_}")
