"""A complete shard: its rows in order, and its Parquet file."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ..common.address import Address
from ..common.files import write
from ..common.outcomes import Reason, Row
from .plan.plan import ShardPlan

# How every Parquet file of ours is written. With a page index, readers fetch pages instead of whole columns.
# Pages that end where their content says, not after so many bytes, stay as they were around an edit: the Hub
# stores files in pieces that are cut in the same way, and such a page is neither sent nor kept twice.
PARQUET: Final[dict[str, Any]] = {
    "compression": "zstd",
    "compression_level": 9,
    "write_page_index": True,
    "use_content_defined_chunking": {"min_chunk_size": 32_768, "max_chunk_size": 131_072, "norm_level": 0},
}


class Filled(NamedTuple):
    """A shard with its rows in final order, and how many candidates failed for which reason."""

    shard: ShardPlan
    rows: list[Row]
    rejections: Counter[Reason]


def order(rows: Sequence[Row], split: str, index: int) -> list[Row]:
    """Shuffle rows so that families, and difficulties within each, are spread evenly over any prefix.

    A pure function of what the rows are, whatever their order and config.
    """

    def chance(row: Row) -> float:
        name = row["id"] if row["draw"] is None else Address.of(row)
        digest = hashlib.sha256(f"{name}/{split}/{index}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    cells: dict[str, dict[int, list[Row]]] = {}
    for row in sorted(rows, key=chance):
        cells.setdefault(row["category"], {}).setdefault(row["difficulty"], []).append(row)
    families = [_interleave(levels.values(), chance) for levels in cells.values()]
    return _interleave(families, chance)


def _interleave(groups: Iterable[Sequence[Row]], chance: Callable[[Row], float]) -> list[Row]:
    """Merge groups, keeping the order within each: the k-th of n lies somewhere in the k-th n-th part."""
    placed = [((k + chance(row)) / len(group), row) for group in groups for k, row in enumerate(group)]
    return [row for _, row in sorted(placed, key=lambda pair: pair[0])]


def write_parquet(rows: Sequence[Row], schema: pa.Schema, path: Path) -> None:
    """Write rows to a file that is whole or not there. Raises `UserError` when the disk refuses."""
    write(path, parquet(rows, schema))


def parquet(rows: Sequence[Row], schema: pa.Schema) -> bytes:
    """A Parquet file of rows. Its bytes depend on the rows, the schema and the version of pyarrow alone."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), file, **PARQUET)
    return file.getvalue()


def in_memory(metadata: pq.FileMetaData) -> int:
    """How many bytes a file's rows take uncompressed."""
    return sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
