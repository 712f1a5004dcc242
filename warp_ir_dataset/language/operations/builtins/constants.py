"""Constants that Warp has names for, such as pi. They are float32, and random programs do not use them."""

from __future__ import annotations

import math

import numpy as np

from ...domains import Interval
from ..row import Operation, Strength, row


def _constant(name: str, value: float, formula: str, strength: Strength = "atom") -> Operation:
    return row(
        f"{name.lower()}: wp.{name} -> float32",
        "constant",
        lambda of: Interval(value, value),
        lambda type: np.full((1, 1), value),
        derivative="flat",
        formula=formula,
        strength=strength,
    )


ROWS = (
    _constant("E", math.e, "exp(1)"),
    _constant("LOG2E", math.log2(math.e), "log2(exp(1))"),
    _constant("LOG10E", math.log10(math.e), "log10(exp(1))"),
    _constant("LN2", math.log(2.0), "ln(2)"),
    _constant("LN10", math.log(10.0), "ln(10)"),
    _constant("PHI", (1.0 + math.sqrt(5.0)) / 2.0, "(1 + sqrt(5)) / 2", "ratio"),
    _constant("PI", math.pi, "π"),
    _constant("HALF_PI", math.pi / 2.0, "π / 2", "ratio"),
    _constant("TAU", math.tau, "2·π", "product"),
)
