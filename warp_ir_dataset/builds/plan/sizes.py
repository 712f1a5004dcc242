"""The number of rows of a split, and of files that hold them, without planning."""

from __future__ import annotations

from ...common.configs import CONFIGS, SPLITS
from ..handwritten.texts import topics
from ..request import Request

PARTS = {"train": 8, "validation": 1, "test": 1}

# `datasets` accepts files of unknown size up to this number in a split.
SMALL_SHARDS = 15
LARGE_SHARD_ROWS = 1000


def split_sizes(request: Request) -> dict[str, int]:
    """Rows per split: 80, 10 and 10 %, by largest remainder. For `handwritten` the largest possible number,
    as not every kernel has a twin."""
    if not CONFIGS[request.config].drawn:
        return dict.fromkeys(SPLITS, 0) | {"test": 2 * sum(map(len, topics().values()))}
    total = sum(PARTS.values())
    sizes = {split: request.num_kernels * part // total for split, part in PARTS.items()}
    missing = request.num_kernels - sum(sizes.values())
    # Sorting is stable, so train comes first among equals.
    by_remainder = sorted(PARTS, key=lambda split: -(request.num_kernels * PARTS[split] % total))
    for split in by_remainder[:missing]:
        sizes[split] += 1
    return sizes


def shard_counts(request: Request) -> dict[str, int]:
    """Files per split."""
    small = CONFIGS[request.config].shard_rows
    return {
        split: max(min(SMALL_SHARDS, -(-rows // small)), -(-rows // LARGE_SHARD_ROWS))
        for split, rows in split_sizes(request).items()
    }


def file_name(split: str, index: int, count: int) -> str:
    """What file `index` of the `count` of a split is called, in the folder of its config."""
    return f"{split}-{index:05d}-of-{count:05d}.parquet"
