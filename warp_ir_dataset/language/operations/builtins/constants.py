"""Constants that Warp has names for, such as pi. They are float32, and random programs do not use them."""

from __future__ import annotations

import math

import numpy as np

from ...domains import Interval
from ..row import Operation, row


def _constant(name: str, value: float, words: str) -> Operation:
    return row(
        f"{name.lower()}: wp.{name} -> float32",
        "constant",
        lambda of: Interval(value, value),
        lambda type: np.full((1, 1), value),
        derivative="flat",
        words=words,
    )


ROWS = (
    _constant("E", math.e, "Euler's number"),
    _constant("LOG2E", math.log2(math.e), "the base-2 logarithm of Euler's number"),
    _constant("LOG10E", math.log10(math.e), "the base-10 logarithm of Euler's number"),
    _constant("LN2", math.log(2.0), "the natural logarithm of 2"),
    _constant("LN10", math.log(10.0), "the natural logarithm of 10"),
    _constant("PHI", (1.0 + math.sqrt(5.0)) / 2.0, "the golden ratio"),
    _constant("PI", math.pi, "pi"),
    _constant("HALF_PI", math.pi / 2.0, "half of pi"),
    _constant("TAU", math.tau, "tau"),
)
