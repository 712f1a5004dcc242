"""Interval arithmetic on `program.Range`: the smallest simple interval that holds every result.

Integer intervals stay integers; Python's integers do not overflow, so what a kernel's integers would do
is seen here before it can happen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import reduce

from .program import Range

# What a scalar of each type may hold in a legal program. Floats stay far from overflow and within the
# span where float32 keeps its digits; integers keep a factor of two below the type's end.
LIMITS = {
    "float32": Range(-1e6, 1e6),
    "float64": Range(-1e6, 1e6),
    "int32": Range(-(2**30), 2**30),
    "int64": Range(-(2**53), 2**53),
    "uint32": Range(0, 2**32 - 1),
    "bool": Range(0, 1),
}


def hull(*values: float) -> Range:
    return Range(min(values), max(values))


def joined(spans: Iterable[Range]) -> Range:
    """The smallest interval that holds all of them."""
    return reduce(Range.join, spans)


def add(a: Range, b: Range) -> Range:
    return Range(a.lo + b.lo, a.hi + b.hi)


def sub(a: Range, b: Range) -> Range:
    return Range(a.lo - b.hi, a.hi - b.lo)


def mul(a: Range, b: Range) -> Range:
    return hull(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)


def scale(a: Range, factor: float) -> Range:
    return hull(a.lo * factor, a.hi * factor)


def neg(a: Range) -> Range:
    return Range(-a.hi, -a.lo)


def div(a: Range, b: Range) -> Range:
    """Real division; b must not hold zero."""
    return hull(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi)


def floordiv(a: Range, b: Range) -> Range:
    """Integer division, rounded down; b must not hold zero."""
    return hull(a.lo // b.lo, a.lo // b.hi, a.hi // b.lo, a.hi // b.hi)


def mod(a: Range, b: Range) -> Range:
    """The remainder of truncated division (C's): it has the sign of a. b must not hold zero."""
    bound = b.magnitude - 1 if isinstance(b.hi, int) else b.magnitude
    bound = min(bound, a.magnitude)
    return Range(-bound if a.lo < 0 else 0, bound if a.hi > 0 else 0)


def absolute(a: Range) -> Range:
    low = 0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
    return Range(low, a.magnitude)


def minimum(a: Range, b: Range) -> Range:
    return Range(min(a.lo, b.lo), min(a.hi, b.hi))


def maximum(a: Range, b: Range) -> Range:
    return Range(max(a.lo, b.lo), max(a.hi, b.hi))


def clamp(x: Range, low: Range, high: Range) -> Range:
    return minimum(maximum(x, low), high)


def rising(function: Callable[[float], float]) -> Callable[[Range], Range]:
    """The image under a function that never falls."""
    return lambda a: Range(function(a.lo), function(a.hi))


def falling(function: Callable[[float], float]) -> Callable[[Range], Range]:
    return lambda a: Range(function(a.hi), function(a.lo))


def power(base: Range, exponent: Range) -> Range:
    """base > 0."""
    return hull(*(b**e for b in (base.lo, base.hi) for e in (exponent.lo, exponent.hi)))


def wave(a: Range, phase: float) -> Range:
    """sin (phase 0) or cos (phase pi/2): exact over a monotone stretch, [-1, 1] otherwise."""
    lo, hi = a.lo + phase, a.hi + phase
    if math.floor(lo / math.pi - 0.5) == math.floor(hi / math.pi - 0.5):
        return hull(math.sin(lo), math.sin(hi))
    return Range(-1.0, 1.0)


def excludes_zero(a: Range, margin: float = 0.0) -> bool:
    return a.lo > margin or a.hi < -margin
