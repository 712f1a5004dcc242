"""Converts numpy values to plain Python values, which JSON can store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """A value without numpy in it. A float32 is the shortest decimal that gives it: 0.1, which as a double is
    0.10000000149011612."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return (array.astype(str).astype(np.float64) if array.dtype == np.float32 else array).tolist()
    return value
