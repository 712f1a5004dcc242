"""Constants that Warp has names for, such as pi. They are float32, and random programs do not use them."""

from __future__ import annotations

import math

import numpy as np

from ...domains import Interval
from ..row import Operation, row


def _constant(name: str, value: float) -> Operation:
    return row(
        f"{name.lower()}: wp.{name} -> float32",
        "constant",
        lambda of: Interval(value, value),
        lambda type: np.full((1, 1), value),
        derivative="flat",
    )


ROWS = (
    _constant("E", math.e),
    _constant("LOG2E", math.log2(math.e)),
    _constant("LOG10E", math.log10(math.e)),
    _constant("LN2", math.log(2.0)),
    _constant("LN10", math.log(10.0)),
    _constant("PHI", (1.0 + math.sqrt(5.0)) / 2.0),
    _constant("PI", math.pi),
    _constant("HALF_PI", math.pi / 2.0),
    _constant("TAU", math.tau),
)
