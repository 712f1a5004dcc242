"""The columns of a row that intervals decide: `bound`, `requires`, `gives`, `redundant` and `tells`.

A function for the column `bound` returns an interval that holds the result (of a vector or a matrix: every
component). A condition, for `requires` and `redundant`, returns whether something is true of the operands.
All get `of`, a function from any expression to its interval at this place of the program, and then the
operands as expressions, since some need their types or how they are built.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import domains, ir
from ..domains import DOMINANCE, Interval, Trait, excludes_zero
from ..types import SCALARS, UNSIGNED_INTEGERS, Array, Matrix, Struct, numpy_type

Of = Callable[[ir.Expr], Interval]
Bound = Callable[..., Interval]
Condition = Callable[..., bool]
# Gets `of`, a function from any expression to its interval, the trait and the operands: the result's trait.
Giver = Callable[..., Trait | None]

# Divisors, radicands and the like keep this distance from where they would not be defined.
MARGIN = 0.05


def on(function: Callable[..., Interval]) -> Bound:
    """Lift a function of intervals to a bound, which takes operands.

    Args:
        function: Takes the interval of each operand, and returns one that contains the result.

    Returns:
        A function for the column `bound`.
    """
    return lambda of, *operands: function(*map(of, operands))


def where(test: Callable[..., bool]) -> Condition:
    """Lift a condition on intervals to operands."""
    return lambda of, *operands: test(*map(of, operands))


# ---- bounds


def product(of: Of, a: ir.Expr, b: ir.Expr) -> Interval:
    """The product of a name with itself is never negative: the root of a sum of squares relies on that."""
    if isinstance(a, ir.Name) and a == b:
        return domains.mul(domains.absolute(of(a)), domains.absolute(of(a)))
    return domains.mul(of(a), of(b))


def first(of: Of, a: ir.Expr, *others: ir.Expr) -> Interval:
    """The interval of the first operand."""
    return of(a)


def spread(of: Of, *operands: ir.Expr) -> Interval:
    """The smallest interval that holds those of all operands."""
    return domains.joined(map(of, operands))


def element(of: Of, array: ir.Expr, *others: ir.Expr) -> Interval:
    """All that the type of an array's element may hold: threads may have stored any of it."""
    assert isinstance(array.type, Array) and not isinstance(array.type.element, Struct)
    return SCALARS[array.type.element.scalar].limits


def fixed(lo: float, hi: float) -> Bound:
    return lambda of, *operands: Interval(lo, hi)


def with_zero(a: Interval) -> Interval:
    return a.join(Interval(0.0, 0.0))


def bits(of: Of, *operands: ir.Expr) -> Interval:
    """Bitwise operations on values that are not negative stay below the next power of two."""
    return Interval(0, (1 << max(int(of(o).hi) for o in operands).bit_length()) - 1)


def all_bits(of: Of, a: ir.Expr) -> Interval:
    """Every bit flipped: of the type's width where it has no sign."""
    ones = 2 ** (8 * np.dtype(numpy_type(a.type)).itemsize) - 1 if a.type.scalar in UNSIGNED_INTEGERS else -1
    return domains.sub(Interval(ones, ones), of(a))


def bit_counts(of: Of, a: ir.Expr) -> Interval:
    return Interval(0, 8 * np.dtype(numpy_type(a.type)).itemsize)


def shared_bits(of: Of, a: ir.Expr, b: ir.Expr) -> Interval:
    return Interval(0, min(of(a).hi, of(b).hi))


def dot(of: Of, a: ir.Expr, b: ir.Expr) -> Interval:
    return domains.scale(domains.mul(of(a), of(b)), a.type.size)


def length(of: Of, a: ir.Expr) -> Interval:
    return domains.scale(domains.absolute(of(a)), math.sqrt(a.type.size))


def squares(of: Of, a: ir.Expr) -> Interval:
    magnitude = domains.absolute(of(a))
    return domains.scale(domains.mul(magnitude, magnitude), a.type.size)


def sums(of: Of, a: ir.Expr) -> Interval:
    """The sum of the magnitudes of components."""
    return domains.scale(domains.absolute(of(a)), a.type.size)


def places(of: Of, a: ir.Expr) -> Interval:
    return Interval(0, a.type.size - 1)


def huber(of: Of, a: ir.Expr, threshold: ir.Expr) -> Interval:
    # Half of the square near zero, below the threshold times the length everywhere.
    return Interval(0.0, max(of(threshold).hi, 0.0) * length(of, a).hi)


def pseudo_huber(of: Of, a: ir.Expr, threshold: ir.Expr) -> Interval:
    return domains.add(of(threshold), Interval(0.0, length(of, a).hi))


def blend(a: Interval, b: Interval, t: Interval) -> Interval:
    """A share of one and the rest of the other lies between them."""
    if t.within(Interval(0, 1)):
        return a.join(b)
    return domains.add(domains.mul(a, domains.sub(Interval(1, 1), t)), domains.mul(b, t))


def products(of: Of, a: ir.Expr, b: ir.Expr) -> Interval:
    """Rows of a matrix times columns of another one, or times a vector."""
    return domains.scale(domains.mul(of(a), of(b)), b.type.shape[0])


def diagonal_sum(of: Of, a: ir.Expr) -> Interval:
    return domains.scale(of(a), a.type.shape[0])


def determinant(of: Of, a: ir.Expr) -> Interval:
    n = a.type.shape[0]
    bound = math.factorial(n) * of(a).magnitude ** n
    return Interval(-bound, bound)


def inverse(of: Of, a: ir.Expr) -> Interval:
    # Row sums of the inverse of a strictly dominant matrix are bounded by one over the dominance
    # (Ahlberg and Nilson 1963; Varah 1975).
    bound = 1.0 / max(_dominance(of, a), DOMINANCE)
    return Interval(-bound, bound)


def _dominance(of: Of, a: ir.Expr) -> float:
    """How far a matrix's diagonal outweighs its rows, where the tree shows it: ``m + diag(v)``."""
    if not (isinstance(a, ir.Apply) and a.operation == "add" and isinstance(a.type, Matrix)):
        return -1.0
    base, shift = a.operands
    if not (isinstance(shift, ir.Apply) and shift.operation == "diag"):
        return -1.0
    return of(shift.operands[0]).lo - a.type.shape[0] * of(base).magnitude


def stretched(of: Of, a: ir.Expr, *others: ir.Expr) -> Interval:
    """The factors of a decomposition: rotations, and what is left of a matrix without them."""
    return Interval(-1.0, 1.0).join(
        domains.scale(Interval(-of(a).magnitude, of(a).magnitude), a.type.shape[0])
    )


# ---- where an operation is defined


def anything(of: Of, *operands: ir.Expr) -> bool:
    return True


def positive(of: Of, *operands: ir.Expr) -> bool:
    return of(operands[-1]).lo > MARGIN


def not_negative(of: Of, *operands: ir.Expr) -> bool:
    return all(of(o).lo >= 0 for o in operands)


def not_negative_last(of: Of, *operands: ir.Expr) -> bool:
    return of(operands[-1]).lo >= 0


def divisible(of: Of, *operands: ir.Expr) -> bool:
    divisor = operands[-1]
    return excludes_zero(of(divisor), MARGIN if divisor.type.is_float else 0)


def below(bound: float) -> Condition:
    """Require that the first operand's magnitude is at most a number.

    Args:
        bound: The number.

    Returns:
        A function for the column `requires`.
    """
    return lambda of, *operands: of(operands[0]).magnitude <= bound


def ordered(of: Of, *operands: ir.Expr) -> bool:
    """clamp(x, low, high) and the like: low lies below high, with room between."""
    return of(operands[-2]).hi < of(operands[-1]).lo


def shiftable(of: Of, value: ir.Expr, count: ir.Expr) -> bool:
    return of(value).lo >= 0 and of(count).lo >= 0 and of(count).hi <= 8


def literal_index(of: Of, *operands: ir.Expr) -> bool:
    shape = operands[0].type.shape
    return all(
        isinstance(i, ir.Literal) and 0 <= i.value < n for i, n in zip(operands[1:], shape, strict=False)
    )


# ---- traits of results


def nothing(of: Of, trait: Callable[[ir.Expr], Trait | None], *operands: ir.Expr) -> Trait | None:
    return None


def always(given: Trait) -> Giver:
    return lambda of, trait, *operands: given


def weighted_diagonal(
    of: Of, trait: Callable[[ir.Expr], Trait | None], a: ir.Expr, b: ir.Expr
) -> Trait | None:
    """``m + diag(v)`` may be dominant."""
    return "dominant" if _dominance(of, ir.Apply("add", (a, b), a.type)) >= DOMINANCE else None


# ---- where an operation is pointless


def never(of: Of, *operands: ir.Expr) -> bool:
    return False


def of_equal_parts(of: Of, a: ir.Expr) -> bool:
    """The components of a vector are all alike."""
    return isinstance(a, ir.Apply) and a.operation == "splat"


def negated(of: Of, a: ir.Expr) -> bool:
    """Negating takes a negation back."""
    return isinstance(a, ir.Apply) and a.operation == "neg"


def one_choice(of: Of, condition: ir.Expr, a: ir.Expr, b: ir.Expr) -> bool:
    return a == b


def apart(of: Of, a: ir.Expr, b: ir.Expr) -> bool:
    """Intervals hardly overlap: they alone decide which of two values is the larger."""
    narrow, wide = sorted((of(a), of(b)), key=lambda interval: interval.width)
    if narrow.width == 0.0:  # a number, at an end of the other interval or outside of it
        return not wide.lo + 0.15 * wide.width < narrow.lo < wide.hi - 0.15 * wide.width
    overlap = min(narrow.hi, wide.hi) - max(narrow.lo, wide.lo)
    return overlap < 0.3 * narrow.width


def within_divisor(of: Of, a: ir.Expr, b: ir.Expr) -> bool:
    """``a % b`` is `a` nearly everywhere."""
    return of(b).lo > 0.8 * of(a).magnitude


def seldom_clamped(of: Of, x: ir.Expr, low: ir.Expr, high: ir.Expr) -> bool:
    """A value that never reaches the bounds, or bounds that leave it no room."""
    value, below, above = of(x), of(low), of(high)
    inside = value.lo < above.lo and below.hi < value.hi
    return not (inside and above.hi - below.lo > 0.1 * value.width)


# ---- what a condition's outcome tells about its operands

# From the operands' intervals, and the least distance between different values (1 for integers, 0 for
# floats), to what is left of them.
Narrow = Callable[[Interval, Interval, int], tuple[Interval, Interval]]


@dataclass(frozen=True)
class Compared:
    """A comparison: what is left of both sides where it is true, and where it is not."""

    true: Narrow
    false: Narrow


@dataclass(frozen=True)
class Holding:
    """Where the result is `when`, so is every operand; another result tells nothing."""

    when: bool


@dataclass(frozen=True)
class Reversed:
    """The operand is what the result is not."""


Tells = Compared | Holding | Reversed


def less(a: Interval, b: Interval, gap: int) -> tuple[Interval, Interval]:
    return Interval(a.lo, min(a.hi, b.hi - gap)), Interval(max(b.lo, a.lo + gap), b.hi)


def less_equal(a: Interval, b: Interval, gap: int) -> tuple[Interval, Interval]:
    return less(a, b, 0)


def greater(a: Interval, b: Interval, gap: int) -> tuple[Interval, Interval]:
    return less(b, a, gap)[::-1]


def greater_equal(a: Interval, b: Interval, gap: int) -> tuple[Interval, Interval]:
    return less(b, a, 0)[::-1]


def same(a: Interval, b: Interval, gap: int) -> tuple[Interval, Interval]:
    both = Interval(max(a.lo, b.lo), min(a.hi, b.hi))
    return both, both


def other(a: Interval, b: Interval, gap: int) -> tuple[Interval, Interval]:
    """What is left of two values that differ. If one of them is a known whole number, the interval of the
    other cannot end with it. Floats stay as they are."""
    return (_without(a, b, gap), _without(b, a, gap)) if gap else (a, b)


def _without(a: Interval, b: Interval, gap: int) -> Interval:
    if b.lo != b.hi:
        return a
    return Interval(a.lo + gap * (a.lo == b.lo), a.hi - gap * (a.hi == b.lo))
