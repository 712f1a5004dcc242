"""The rows of a build, for `verdicts.py` and `bite.py`."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.evaluation.evaluate import rows_of


def rows_in(folder: Path, config: str, seed: int, more: Sequence[str]) -> list[dict[str, Any]]:
    """What the judge reads of a config's rows, and the columns `more`: all splits, in an order of the seed's.
    Raises `UserError` for a folder that has none."""
    rows: list[dict[str, Any]] = []
    for split in SPLITS:
        with contextlib.suppress(UserError):  # a small build may have none of a split
            rows += map(dict, rows_of(folder, config, split, more).values())
    if not rows:
        raise UserError(f"{folder} has no rows of {config}: give a folder that warp-ir build wrote with it")
    return Rng(f"{seed}/{config}").shuffled(rows)
