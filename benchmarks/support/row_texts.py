"""Rows as texts, for `learning.py`: read, drawn, and their bytes told apart by what they say."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

# What the bytes of generated code say. A line that half of all judged kernels have is `common`, whatever else
# it is; what is neither that nor a comment nor a declaration computes something, and is `the rest`.
CLASSES = ("comments", "declarations", "common lines", "the rest")

_COMMENT = re.compile(r"\s*//")
# A type and a name, and a constant's value: of a local, a parameter or a member.
_DECLARATION = re.compile(
    r"\s*(?!return\b|goto\b|using\b)(const )?[A-Za-z_][\w:<>, ]*?( const)?[ *&]+\w+( = [^;]*)?[;,)]+$"
)


@dataclass(frozen=True)
class Row:
    """What is trained on or judged; `twin` marks a kernel that is another one renamed and restructured."""

    id: str
    category: str
    prompt: str
    completion: str
    twin: bool = False

    @property
    def text(self) -> str:
        return self.prompt + self.completion


def read_rows(paths: Iterable[Path]) -> tuple[Row, ...]:
    """The rows of Parquet files, of files with a JSON object a line, and of folders of either, in order.

    Raises `SystemExit` for what holds no `prompt` and `completion`. The other columns may be missing.
    """
    found: list[Row] = []
    for path in paths:
        files = sorted([*path.rglob("*.parquet"), *path.rglob("*.jsonl")]) if path.is_dir() else [path]
        for file in files:
            found += (_row(record, file, number) for number, record in enumerate(_records(file)))
    if not found:
        raise SystemExit(f"no rows in {', '.join(map(str, paths))}")
    return tuple(found)


def _records(file: Path) -> Iterable[dict[str, Any]]:
    if file.suffix == ".parquet":
        known = pq.read_schema(file).names
        wanted = ("id", "category", "prompt", "completion", "twin_of")
        return pq.read_table(file, columns=[name for name in wanted if name in known]).to_pylist()
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _row(record: dict[str, Any], file: Path, number: int) -> Row:
    if not {"prompt", "completion"} <= set(record):
        raise SystemExit(f"{file}: a row without prompt or completion")
    id, category = record.get("id", f"{file.stem}:{number}"), record.get("category", "")
    return Row(id, category, record["prompt"], record["completion"], record.get("twin_of") is not None)


def fingerprint(rows: Sequence[Row]) -> str:
    """The same for the same texts in the same order, whatever files they lie in."""
    told = hashlib.sha256()
    for row in rows:
        told.update(json.dumps([row.prompt, row.completion]).encode())
    return told.hexdigest()[:12]


def draw(rows: Sequence[Row], size: int, seed: int, without: Sequence[str] = ()) -> tuple[Row, ...]:
    """`size` rows of no family in `without`. Those of a smaller size are among those of a larger one, and two
    draws that leave out different families share what both may hold.

    Raises `SystemExit` where there are too few, or a family is none of them.
    """
    if unknown := set(without) - {row.category for row in rows}:
        raise SystemExit(f"no row is of {', '.join(sorted(unknown))}")
    shuffled = random.Random(f"rows {seed}").sample(rows, len(rows))
    left = [row for row in shuffled if row.category not in without]
    if len(left) < size:
        raise SystemExit(f"{size} rows are wanted, and there are {len(left)}")
    return tuple(left[:size])


def common_lines(rows: Sequence[Row]) -> frozenset[str]:
    """Lines, with their indentation, that at least half of the completions have."""
    counts = Counter(line for row in rows for line in set(row.completion.split("\n")))
    return frozenset(line for line, count in counts.items() if 2 * count >= len(rows))


def class_of(line: str, common: frozenset[str]) -> int:
    if line in common:
        return CLASSES.index("common lines")
    if _COMMENT.match(line):
        return CLASSES.index("comments")
    return CLASSES.index("declarations" if _DECLARATION.match(line) else "the rest")


def classes_of(completion: str, common: frozenset[str]) -> np.ndarray:
    """The class of each byte. A break belongs to the line behind it, as in tokens."""
    lines = completion.split("\n")
    lengths = [len(line.encode()) + (number > 0) for number, line in enumerate(lines)]
    return np.repeat([class_of(line, common) for line in lines], lengths)


def sizes_of(completion: str, common: frozenset[str]) -> tuple[int, ...]:
    """Bytes of each class."""
    return tuple(np.bincount(classes_of(completion, common), minlength=len(CLASSES)).tolist())


def uncommented(completion: str, common: frozenset[str]) -> str:
    """The lines of all classes but the first."""
    return "\n".join(line for line in completion.split("\n") if class_of(line, common))
