"""Conversions among scalar types."""

from __future__ import annotations

import math

import numpy as np

from ...domains import Interval
from ..bounds import (
    below,
    first,
    fixed,
    not_negative,
    on,
)
from ..meanings import each
from ..row import row

# fmt: off
ROWS = (
    row("to_float: F(X) -> F for X in I, F'", "convert", on(lambda a: Interval(float(a.lo), float(a.hi))),
        each(lambda x: x.astype(float)), requires=below(2.0**24), derivative="linear", words="{0}"),
    row("to_integer: Z(X) -> Z for X in F, Z'", "convert",
        on(lambda a: Interval(math.trunc(a.lo), math.trunc(a.hi))), each(lambda x: x.astype(np.int64)),
        requires=below(2.0**24), derivative="flat", words="the whole part of {0}"),
    row("to_unsigned: U(Z) -> U", "convert", first, each(lambda x: x), requires=not_negative,
        derivative="flat", words="{0}"),
    # What follows has a group of its own, which no family weighs yet.
    row("bool_to_number: T(bool) -> T", "cast", first, each(lambda x: x.astype(np.int64)),
        derivative="flat", words="one where {0}, else zero"),
    row("to_bool: bool(X) -> bool for X in I, float32, float64", "cast", fixed(0, 1),
        each(lambda x: x != 0), derivative="flat", words="{0} is not zero"),
    row("unsigned_to_integer: Z(U) -> Z", "cast", first, each(lambda x: x), derivative="flat",
        words="{0}"),
    row("unsigned_to_unsigned: U(U') -> U", "cast", first, each(lambda x: x), derivative="flat",
        words="{0}"),
    row("float_to_unsigned: U(F) -> U", "cast",
        on(lambda a: Interval(math.trunc(a.lo), math.trunc(a.hi))), each(lambda x: x.astype(np.int64)),
        requires=not_negative, derivative="flat", words="the whole part of {0}"),
)
# fmt: on
