"""What an edit of ten rows costs to send again, with plain Parquet options and with ours.

The Hub stores a file in pieces of some 64 KiB that are cut where their content says, by a rolling hash, and a
client sends the pieces that the Hub has not. Here the rows of a built folder are written in memory, once with
pyarrow's options and zstd, once with ours; then ten rows, wherever they fall, are edited (``words``: some in
the prompt, a line in the completion) or become other rows (``rows``: every text changes). Both states are cut
as the Hub does it (a gear hash; 8 to 128 KiB, 64 on average; the Hub has another table of numbers, so single
cuts lie elsewhere), pieces are known by their SHA-256, and what is printed is the share of the new bytes in
pieces that the old files do not hold. Nothing is sent. Run as ``python research/reupload.py OUT``; with
``--merge`` each config is one large file, as others may publish it.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from warp_ir_dataset.builds.output.manifest import read_manifest
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.builds.shards import PARQUET
from warp_ir_dataset.publishing.markdown import number, share, table

EDITED = 10
SMALLEST, AVERAGE, LARGEST = 8 * 1024, 64 * 1024, 128 * 1024  # bytes of a piece
WINDOW = 64  # bytes that decide a cut
PLAIN = {"compression": "zstd"}

GEAR = np.random.default_rng(0).integers(0, 2**64, 256, dtype=np.uint64)


def pieces(data: bytes) -> Iterator[bytes]:
    """The data, cut where its content says."""
    start = 0
    for cut in [*_cuts(data), len(data)]:
        while cut - start > LARGEST:
            yield data[start : start + LARGEST]
            start += LARGEST
        if cut - start >= SMALLEST or cut == len(data):
            yield data[start:cut]
            start = cut


def _cuts(data: bytes) -> list[int]:
    """Where the sum of the last numbers, each doubled once per byte that follows, begins with zeros."""
    numbers = GEAR[np.frombuffer(data, np.uint8)]
    sums = numbers.copy()
    step = 1
    while step < WINDOW:  # twice as many bytes in each round
        moved = np.zeros_like(sums)
        moved[step:] = sums[:-step] << np.uint64(step)
        sums = sums + moved
        step *= 2
    bits = AVERAGE.bit_length() - 1
    return (np.flatnonzero(sums >> np.uint64(64 - bits) == 0) + 1).tolist()


def sent(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Bytes of the new files in pieces that no old file holds, each once."""
    held = {hashlib.sha256(piece).digest() for data in old for piece in pieces(data)}
    fresh = {hashlib.sha256(piece).digest(): len(piece) for data in new for piece in pieces(data)}
    return sum(size for piece, size in fresh.items() if piece not in held)


def in_words(row: dict[str, Any]) -> dict[str, Any]:
    code = row["completion"].rstrip("\n")
    return {**row, "prompt": f"Please, {row['prompt']}", "completion": f"{code}\n// edited\n"}


def another(row: dict[str, Any]) -> dict[str, Any]:
    """A row as long as this one, without a word of it."""
    return {name: _swapped(value) for name, value in row.items()}


def _swapped(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _swapped(part) for name, part in value.items()}
    return value.translate(_SWAPPED) if isinstance(value, str) else value


_SWAPPED = str.maketrans("abcdefgh", "hgfedcba")
EDITS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"words": in_words, "rows": another}


def edited(files: Sequence[list[dict[str, Any]]], kind: str, seed: int = 0) -> list[list[dict[str, Any]]]:
    """The rows of some files, ten of them changed."""
    places = [(at, row) for at, rows in enumerate(files) for row in range(len(rows))]
    changed = [list(rows) for rows in files]
    for at, row in random.Random(seed).sample(places, min(EDITED, len(places))):
        changed[at][row] = EDITS[kind](changed[at][row])
    return changed


def written(files: Sequence[list[dict[str, Any]]], config: str, options: Mapping[str, Any]) -> list[bytes]:
    return [_parquet(pa.Table.from_pylist(rows, schema=schema(config)), options) for rows in files]


def _parquet(rows: pa.Table, options: Mapping[str, Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(rows, file, **options)
    return file.getvalue()


def figures(folder: Path, merge: bool = False) -> str:
    """A Markdown table: for each config, edit and set of options the bytes stored, and those to send."""
    manifest, _ = read_manifest(folder)
    lines = []
    for config, entry in manifest["configs"].items():
        before = [pq.read_table(folder / file).to_pylist() for file in entry["files"]]
        if merge:
            before = [[row for rows in before for row in rows]]
        for kind in EDITS:
            after = edited(before, kind)
            for name, options in (("plain", PLAIN), ("ours", PARQUET)):
                old, new = written(before, config, options), written(after, config, options)
                whole, again = sum(map(len, new)), sent(old, new)
                lines.append([f"`{config}`", kind, name, number(whole), number(again), share(again, whole)])
    return table(["config", "edit of ten", "options", "bytes", "to send", "share"], lines, text_columns=3)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="what warp-ir build wrote")
    parser.add_argument("--merge", action="store_true", help="one file per config")
    options = parser.parse_args(arguments)
    print(figures(options.folder, options.merge))


if __name__ == "__main__":
    main()
