"""Bits of numbers read as other numbers, and checks. Nothing flows back through them."""

from __future__ import annotations

import numpy as np

from ... import domains
from ...domains import Interval
from ...program import Expr
from .. import meanings
from ..bounds import Of, fixed, not_negative
from ..row import row


def _of_bits(of: Of, a: Expr) -> Interval:
    """Floats that are not negative are in the order of their bits."""
    span = of(a)
    lo, hi = (float(np.uint32(min(bits, 0x7F7FFFFF)).view(np.float32)) for bits in (span.lo, span.hi))
    return Interval(lo, hi)


def _bits(of: Of, a: Expr) -> Interval:
    span = of(a)
    return Interval(*(int(np.float32(end).view(np.uint32)) for end in (span.lo, span.hi)))


def _near(of: Of, a: Expr, b: Expr, tolerance: Expr) -> bool:
    """Nothing to complain of."""
    return domains.sub(of(a), of(b)).magnitude <= of(tolerance).lo


# fmt: off
ROWS = (
    row("bits_of_float: cast(float32, dtype=X) -> X for X in int32, uint32", "raw bits", _bits,
        meanings.reread, requires=not_negative, derivative="flat", words="the bits of {0} as a whole number"),
    row("float_of_bits: cast(X, dtype=float32) -> float32 for X in int32, uint32", "raw bits", _of_bits,
        meanings.reread, requires=not_negative, derivative="flat", words="the float with the bits of {0}"),
    row("expect_near(X, X, F) -> () for X in F, vec<N,F>, mat<N,N,F>, quat<F>", "checks", fixed(0, 0),
        lambda type, a, b, tolerance: (), requires=_near, derivative="flat",
        words="a complaint where {0} and {1} differ by more than {2}"),
)
# fmt: on
