"""Conversions among scalar types."""

from __future__ import annotations

import math

import numpy as np

from ...domains import Interval
from ..bounds import (
    below,
    first,
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
)
# fmt: on
