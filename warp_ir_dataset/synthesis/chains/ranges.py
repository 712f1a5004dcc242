"""Chooses numbers that a person would write, and keeps values in a range where float32 is well
conditioned."""

from __future__ import annotations

import math

from ...language import ir
from ...language.domains import Interval
from .terms import Terms, literal


def likely(span: Interval) -> Interval:
    """The part of a wide interval that holds most of its values: those of sums and products rarely come near
    their bounds."""
    if span.lo < -6.0 and span.hi > 6.0:
        return Interval(-2.0, 3.0)
    if span.lo > -1.0 and span.hi > 12.0:
        return Interval(span.lo, span.lo + 5.0)
    if span.lo < -12.0 and span.hi < 1.0:
        return Interval(span.hi - 5.0, span.hi)
    return span


def central(span: Interval, share: float) -> float:
    """A point with about `share` of the values below it. Products of positive numbers crowd at the low
    end."""
    linear = span.lo + (span.hi - span.lo) * share
    if span.lo <= 0 or span.hi < 4 * span.lo:
        return linear
    middle: float = (linear + span.lo ** (1 - share) * span.hi**share) / 2
    return middle


def rounded(value: float) -> float:
    """The number with two significant digits, as a person would write it."""
    if value == 0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return float(round(value, digits))


def rescale(b: Terms, x: ir.Expr, limit: float) -> ir.Expr:
    """The value if it is always below `limit`, otherwise a share of it that is."""
    if x.type.is_integer or b.span(x).magnitude <= limit:
        return x
    return b.mul(x, literal(_below(limit / 4 / b.span(x).magnitude), x))


def _below(factor: float) -> float:
    """The largest decimal of two significant digits that is not above a factor below one."""
    digits = max(1 - math.floor(math.log10(factor)), 0)
    decimal: float = math.floor(factor * 10**digits) / 10**digits
    return decimal
