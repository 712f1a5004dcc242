"""Domains: the values that a number may take, as closed intervals, and arithmetic on them.

Each function returns the smallest simple interval that contains every result. Integer intervals stay
integers; Python's integers do not overflow, so an overflow of a kernel's integers shows here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal as OneOf

import numpy as np


@dataclass(frozen=True)
class Interval:
    """The closed interval ``[lo, hi]``; both ends are finite.

    Attributes:
        lo: The lower end.
        hi: The upper end, not below the lower one.
    """

    lo: float
    hi: float

    @property
    def magnitude(self) -> float:
        return max(abs(self.lo), abs(self.hi))

    @property
    def width(self) -> float:
        return self.hi - self.lo

    def within(self, other: Interval) -> bool:
        return other.lo <= self.lo and self.hi <= other.hi

    def contains(self, values: np.ndarray) -> np.ndarray:
        """Whether each of these numbers is in the interval."""
        return (values >= self.lo) & (values <= self.hi)

    def join(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        return Interval(min(self.lo, other.lo), max(self.hi, other.hi))


TRUTH = Interval(0, 1)

# Properties that an interval cannot express. Operations require traits and give them; arguments declare them.
Trait = OneOf[
    "unit",  # a vector or quaternion of length 1; of a transform, its rotation
    "rotation",  # a matrix that rotates: orthonormal, of determinant 1
    "symmetric",  # a matrix equal to its transpose
    "positive definite",  # a symmetric matrix with positive eigenvalues
    "dominant",  # a matrix whose diagonal outweighs each row's rest by `DOMINANCE` or more
    "sorted",  # an array in ascending order
    "offsets",  # a sorted array that begins at the lower end of its domain and ends at the upper one
    "permutation",  # an array of integers without duplicates
]
# A trait that implies others.
IMPLIED: Mapping[Trait, tuple[Trait, ...]] = {"positive definite": ("symmetric",), "offsets": ("sorted",)}
DOMINANCE = 0.5


def has(trait: Trait | None, wanted: Trait | None) -> bool:
    """Whether a value with one trait also has the `wanted` one."""
    return wanted is None or trait == wanted or (trait is not None and wanted in IMPLIED.get(trait, ()))


def hull(*values: float) -> Interval:
    return Interval(min(values), max(values))


def joined(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval that contains all of them."""
    return reduce(Interval.join, intervals)


def intersection(a: Interval, b: Interval) -> Interval:
    """The intersection; if it is empty, `lo` is above `hi`."""
    return Interval(max(a.lo, b.lo), min(a.hi, b.hi))


def add(a: Interval, b: Interval) -> Interval:
    return Interval(a.lo + b.lo, a.hi + b.hi)


def sub(a: Interval, b: Interval) -> Interval:
    return Interval(a.lo - b.hi, a.hi - b.lo)


def mul(a: Interval, b: Interval) -> Interval:
    return hull(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)


def scale(a: Interval, factor: float) -> Interval:
    return hull(a.lo * factor, a.hi * factor)


def neg(a: Interval) -> Interval:
    return Interval(-a.hi, -a.lo)


def div(a: Interval, b: Interval) -> Interval:
    """Real division; b must not hold zero."""
    return hull(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi)


def floordiv(a: Interval, b: Interval) -> Interval:
    """Integer division, rounded down; b must not hold zero."""
    return hull(a.lo // b.lo, a.lo // b.hi, a.hi // b.lo, a.hi // b.hi)


def truncdiv(a: Interval, b: Interval) -> Interval:
    """Integer division, rounded towards zero as C has it; b must not hold zero."""
    exact = div(a, b)
    return Interval(math.trunc(exact.lo), math.trunc(exact.hi))


def mod(a: Interval, b: Interval) -> Interval:
    """The remainder of truncated division (C's): it has the sign of a. b must not hold zero."""
    bound = b.magnitude - 1 if isinstance(b.hi, int) else b.magnitude
    bound = min(bound, a.magnitude)
    return Interval(-bound if a.lo < 0 else 0, bound if a.hi > 0 else 0)


def absolute(a: Interval) -> Interval:
    low = 0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
    return Interval(low, a.magnitude)


def minimum(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.lo, b.lo), min(a.hi, b.hi))


def maximum(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.lo, b.lo), max(a.hi, b.hi))


def clamp(x: Interval, low: Interval, high: Interval) -> Interval:
    return minimum(maximum(x, low), high)


def rising(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    """The image under a function that never falls."""
    return lambda a: Interval(function(a.lo), function(a.hi))


def falling(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    """Lift a function that falls to intervals.

    Args:
        function: A function of a number, which falls everywhere.

    Returns:
        The function from an operand's interval to that of the result: from the value at its upper end to that
        at its lower end.
    """
    return lambda a: Interval(function(a.hi), function(a.lo))


def power(base: Interval, exponent: Interval) -> Interval:
    """base > 0."""
    return hull(*(b**e for b in (base.lo, base.hi) for e in (exponent.lo, exponent.hi)))


def wave(a: Interval, phase: float) -> Interval:
    """sin (phase 0) or cos (phase pi/2): exact over a monotone stretch, [-1, 1] otherwise."""
    lo, hi = a.lo + phase, a.hi + phase
    if math.floor(lo / math.pi - 0.5) == math.floor(hi / math.pi - 0.5):
        return hull(math.sin(lo), math.sin(hi))
    return Interval(-1.0, 1.0)


def excludes_zero(a: Interval, margin: float = 0.0) -> bool:
    return a.lo > margin or a.hi < -margin
