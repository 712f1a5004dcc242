"""The rows that a command line names."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.evaluation.evaluate import rows_of


def parquet_file(text: str) -> Path:
    """The type of an argument that is one file of rows. Raises `ArgumentTypeError`."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder: name the files in it, as {path / '*.parquet'}")
    if not path.is_file() or path.suffix != ".parquet":
        raise argparse.ArgumentTypeError(f"{path} is no Parquet file")
    return path


def rows_in(folder: Path, config: str, seed: int, more: Sequence[str]) -> list[dict[str, Any]]:
    """A config's rows, of all splits, shuffled by the seed: the columns that the judge reads, and `more`.
    Raises `UserError` if the folder has none."""
    rows: list[dict[str, Any]] = []
    for split in SPLITS:
        with contextlib.suppress(UserError):  # a small build may have none of a split
            rows += map(dict, rows_of(folder, config, split, more).values())
    if not rows:
        raise UserError(f"{folder} has no rows of {config}: give a folder that warp-ir build wrote with it")
    return Rng(f"{seed}/{config}").shuffled(rows)
