"""Numbers that a person would write, and values in a range where float32 is well conditioned."""

from __future__ import annotations

import math

from ...language import ir
from ...language.domains import Interval
from .terms import Terms, literal


def likely(span: Interval) -> Interval:
    """Where the values of a wide interval mostly lie: bounds of sums and products are rarely met."""
    if span.lo < -6.0 and span.hi > 6.0:
        return Interval(-2.0, 3.0)
    if span.lo > -1.0 and span.hi > 12.0:
        return Interval(span.lo, span.lo + 5.0)
    if span.lo < -12.0 and span.hi < 1.0:
        return Interval(span.hi - 5.0, span.hi)
    return span


def central(span: Interval, share: float) -> float:
    """A point that about `share` of the values lie below: products of positives crowd at the low end."""
    linear = span.lo + (span.hi - span.lo) * share
    if span.lo <= 0 or span.hi < 4 * span.lo:
        return linear
    return (linear + span.lo ** (1 - share) * span.hi**share) / 2


def rounded(value: float) -> float:
    """Two significant digits: what a person would write."""
    if value == 0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return float(round(value, digits))


def tame(s: Terms, x: ir.Expr, limit: float) -> ir.Expr:
    """A number itself while it is small; a share of it that stays below `limit` otherwise."""
    if x.type.is_integer or s.span(x).magnitude <= limit:
        return x
    return s.mul(x, literal(_below(limit / 4 / s.span(x).magnitude), x))


def _below(factor: float) -> float:
    """The largest short decimal that is not above `factor`."""
    digits = max(1 - math.floor(math.log10(factor)), 0)
    return math.floor(factor * 10**digits) / 10**digits
