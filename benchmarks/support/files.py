"""Which Parquet files a command line names."""

from __future__ import annotations

import argparse
from pathlib import Path


def parquet_file(text: str) -> Path:
    """The type of an argument that is one file of rows. Raises what `argparse` tells in a line."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder: name the files in it, as {path / '*.parquet'}")
    if not path.is_file() or path.suffix != ".parquet":
        raise argparse.ArgumentTypeError(f"{path} is no Parquet file")
    return path
