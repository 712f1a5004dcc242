"""The number of rows of a split, and of files that hold them, without planning."""

from __future__ import annotations

from ...common.configs import CONFIGS, SPLITS
from ..handwritten.texts import topics
from ..request import Request

PARTS = {"train": 8, "validation": 1, "test": 1}

# Files of a split are equally large. If a split has twelve files, or a multiple of that, each of 2, 3, 4, 6
# or 12 ranks reads files of its own. A stream waits for its first file, so a small build has small files.
FILES = 12
SMALLEST_FILE, LARGEST_FILE = 80, 1000  # rows


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
    return {split: _files(rows) for split, rows in split_sizes(request).items()}


def _files(rows: int) -> int:
    if rows <= FILES * SMALLEST_FILE:
        return -(-rows // SMALLEST_FILE)
    return FILES * -(-rows // (FILES * LARGEST_FILE))


def file_name(split: str, index: int, count: int) -> str:
    """What file `index` of the `count` of a split is called, in the folder of its config."""
    return f"{split}-{index:05d}-of-{count:05d}.parquet"
