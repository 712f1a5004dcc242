"""Checks that a file of rows is one that a build wrote: its footer, and all that readers of rows rely on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...common.configs import CONFIGS, Config
from ...common.errors import UserError
from ...common.files import sha256
from ..request import DIFFICULTIES
from ..row import schema
from ..shards import in_memory

BATCH = 1000  # rows looked at together

ID = re.compile(r"[0-9a-f]{16}")
# Columns whose texts end up in names of files, in tables and in Markdown.
_TEXTS = {
    "id": ID.pattern,
    "skeleton": ID.pattern,
    "kernel_name": r"[A-Za-z_][A-Za-z0-9_]*",
    "entry_point": r"[A-Za-z_][A-Za-z0-9_]*",
    "category": r"[a-z][a-z0-9_]*",
    "arch": r"[a-z0-9_]+",
    "generator_version": r"[0-9A-Za-z.+-]+",
    "warp_version": r"[0-9A-Za-z.+-]+",
}
# Columns of compiled configs: PTX of those for CUDA, an entry point where the completion is C++ or CUDA.
_COMPILED: Mapping[str, Callable[[Config], bool]] = {
    "ptx": lambda config: config.cuda,
    "entry_point": lambda config: not config.python,
}
# Fields that may be null in an entry of `arguments`: an argument that is not drawn has no bounds.
_OF_SOME_ARGUMENTS = {"low", "high", "trait", "differentiable"}
# Columns that may be null: a random program has no purpose and no task, a handwritten kernel has no address.
_OF_SOME_DRAWN = {"purpose", "task"}
_OF_SOME_COLLECTED = {
    *_OF_SOME_DRAWN,
    "difficulty",
    "coverage",
    "seed",
    "draw",
    "twin_of",
    "prompts",
    "completions",
    "harness",
}


class Damaged(ValueError):
    """The message says what is wrong with a file, without its name."""


def check_file(
    path: Path, config: str, entry: Mapping[str, Any], digest: Callable[[Path], str] = sha256
) -> None:
    """Hold a file of rows against what its manifest says: size, SHA-256, schema and every row. `digest` gives
    the SHA-256 of a file. Raises `Damaged`, and `UserError` for one that we may not read.
    """
    try:
        size = path.stat().st_size
        if size != entry["bytes"]:
            raise Damaged(f"it has {size:,} bytes instead of {entry['bytes']:,}")
        if digest(path) != entry["sha256"]:
            raise Damaged("its SHA-256 is another")
    except PermissionError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except OSError as error:
        raise Damaged(error.strerror or str(error)) from error
    check_content(path, config, entry["rows"], entry["num_bytes"])


def check_content(file: Path | pa.BufferReader, config: str, rows: int, memory: int) -> None:
    """Read a file of rows whole: so many rows, and bytes uncompressed, all as they should be in a config.
    Raises `Damaged`."""
    try:
        with pq.ParquetFile(file) as parquet:
            _check_footer(parquet, config, rows, memory)
            for batch in parquet.iter_batches(BATCH):
                check_table(pa.Table.from_batches([batch]), config)
    except (OSError, pa.ArrowException) as error:
        raise Damaged((str(error).splitlines() or ["it cannot be read"])[0]) from error


def _check_footer(file: pq.ParquetFile, config: str, rows: int, memory: int) -> None:
    if not file.schema_arrow.equals(schema(config)):
        raise Damaged("its columns are not those of a build")
    metadata = file.metadata
    if metadata.num_rows != rows:
        raise Damaged(f"it has {metadata.num_rows:,} rows instead of {rows:,}")
    held = in_memory(metadata)
    if held != memory:
        raise Damaged(f"its rows take {held:,} bytes instead of {memory:,}")


def check_table(table: pa.Table, config: str) -> None:
    """Hold rows of a config against what is true of every row of it. Raises `Damaged`, and
    `pa.ArrowInvalid` for text that is not UTF-8."""
    table.validate(full=True)
    of_some = _OF_SOME_DRAWN if CONFIGS[config].drawn else _OF_SOME_COLLECTED
    for field in schema(config):
        column = table[field.name].combine_chunks()
        if field.name in _COMPILED and not _COMPILED[field.name](CONFIGS[config]):
            if column.null_count != len(column):
                raise Damaged(f"it has {field.name!r} where {config} has none")
        elif field.name not in of_some:
            _check_nulls(column, field.name)
    for name, pattern in _TEXTS.items():
        right = pc.match_substring_regex(table[name], f"^(?:{pattern})$")
        if not _all(right) or _any(pc.match_substring(table[name], "\n")):
            raise Damaged(f"a value of {name!r} is not valid")
    levels, (low, high) = table["difficulty"], DIFFICULTIES
    if not _all(pc.and_(pc.greater_equal(levels, low), pc.less_equal(levels, high))):
        raise Damaged(f"it has a 'difficulty' that is not from {low} to {high}")


def _check_nulls(column: pa.Array, name: str) -> None:
    if column.null_count:
        raise Damaged(f"it has nulls in {name!r}")
    if pa.types.is_list(column.type):
        _check_nulls(column.flatten(), name)
    elif pa.types.is_struct(column.type):
        for field, part in zip(column.type, column.flatten(), strict=True):
            if pa.types.is_floating(field.type) and not _all(pc.is_finite(part)):
                raise Damaged(f"it has a {field.name!r} that is not finite")
            # A proof that was not made has no result.
            if name != "checks" and not (name == "arguments" and field.name in _OF_SOME_ARGUMENTS):
                _check_nulls(part, name)


def _all(truths: Any) -> bool:
    """Whether none is false; nulls and no values at all do not count."""
    return pc.all(truths).as_py() is not False


def _any(truths: Any) -> bool:
    """Whether any is true."""
    return pc.any(truths).as_py() is True
