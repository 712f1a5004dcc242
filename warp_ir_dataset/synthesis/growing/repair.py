"""Repairs expressions: brings operands into an operation's domain, and values into a useful range.

`fit` repairs operands as little as it takes (``x / y`` becomes ``x / (y * y + 0.5)``), and not as nobody
would (see `habits`); `tame` keeps magnitudes where float32 is well conditioned; `telling` and
`compare_to_middle` choose literals that make a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ...language.analysis.intervals import Illegal
from ...language.domains import Interval
from ...language.operations.table import TABLE
from ...language.program import Apply, Expr, Literal
from ...language.types import BOOL, UNSIGNED_INTEGERS, Scalar, Type, Vector, shaped
from .terms import Terms, literal

SOFT_LIMIT = 200.0  # intermediate floats are brought back below this
INTEGER_SOFT_LIMIT = 100_000
LEAST_FACTOR = 0.15  # a repair that scales a value down further would make it vanish beside others


def compare_to_middle(s: Terms, left: Expr) -> Expr:
    """Compare a value with a literal near the middle of what it can be."""
    span = likely(s.span(left))
    if left.type.is_integer:
        if left.type.scalar not in UNSIGNED_INTEGERS and span.hi - span.lo >= 2 and s.rng.chance(0.4):
            modulus = s.rng.pick((2, 2, 3, 4))
            remainder = s.apply("mod", left, Literal(modulus, left.type.element))
            return s.apply(
                s.rng.pick(("eq", "ne")),
                remainder,
                Literal(s.rng.below(modulus) if span.lo >= 0 else 0, left.type.element),
            )
        middle: float = int(span.lo + (span.hi - span.lo) * (0.35 + 0.3 * s.rng.below(100) / 100))
    else:
        middle = rounded(central(span, 0.4 + 0.2 * s.rng.below(100) / 100))
    return s.apply(s.rng.pick(("lt", "gt", "lt", "gt", "le", "ge")), left, Literal(middle, left.type.element))


def within(s: Terms, value: Expr) -> Expr:
    """Ask whether a value lies in a range around the middle of what it can be."""
    span = likely(s.span(value))
    below, above = (central(span, least + 0.15 * s.rng.below(100) / 100) for least in (0.2, 0.65))
    scalar = value.type.element
    if scalar.is_integer:
        low, high = Literal(int(below), scalar), Literal(int(above) + 1, scalar)
    else:
        low, high = Literal(rounded(below), scalar), Literal(rounded(above), scalar)
    first, second = s.rng.weighted(((("lt", "lt"), 3.0), (("le", "lt"), 2.0), (("le", "le"), 1.0)))
    return s.apply("and", s.apply(first, low, value), s.apply(second, value, high))


def likely(span: Interval) -> Interval:
    """Where the values of a wide interval mostly lie: bounds of sums and products are rarely met."""
    if isinstance(span.lo, int) and isinstance(span.hi, int):
        return span if span.hi - span.lo <= 200 else Interval(max(span.lo, -10), min(span.hi, 40))
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


def telling(s: Terms, name: str, value: Expr) -> Literal:
    """A bound or a divisor that makes a difference to the value it meets."""
    span, whole = s.span(value), value.type.is_integer
    if TABLE[name].telling == "divisor":
        share = span.magnitude * (0.2 + 0.4 * s.rng.below(100) / 100)
        return literal(max(int(share), 2) if whole else max(rounded(share), 0.2), value)
    middle = central(span, 0.3 + 0.4 * s.rng.below(100) / 100)
    return literal(int(middle) if whole else rounded(middle), value)


def rounded(value: float) -> float:
    """Two significant digits: what a person would write."""
    if value == 0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return float(round(value, digits))


def number(s: Terms, low: float, high: float, type: Scalar) -> Literal:
    """A literal a person would write, from low to high."""
    if type.is_integer:
        return Literal(s.rng.integer(int(low), int(high)), type)
    value = round(low + (high - low) * s.rng.below(1001) / 1000, 2 if high - low < 2 else 1)
    return Literal(float(value) or 0.5, type)


# ---- repairs


def fit(s: Terms, name: str, operands: list[Expr], wanted: Type) -> Apply | None:
    """The operation applied to the operands, repaired as little as it takes; None where nothing helps."""
    try:
        return s.apply(name, *operands, type=wanted)
    except Illegal:
        pass
    # The last operand is the usual culprit (a divisor, an exponent, an upper bound).
    for position in reversed(range(len(operands))):
        for repaired in _repairs(s, operands[position]):
            trial = [*operands[:position], repaired, *operands[position + 1 :]]
            try:
                return s.apply(name, *trial, type=wanted)
            except Illegal:
                continue
    return None


def fitted(s: Terms, name: str, *operands: Expr) -> Apply:
    """A function whose result has its operands' type, brought into its domain. Raises `Illegal` otherwise."""
    node = fit(s, name, list(operands), operands[0].type)
    if node is None:
        raise Illegal(f"no operands that {name} could take")
    return node


def _repairs(s: Terms, x: Expr) -> Iterator[Expr]:
    """Variations of x in friendlier ranges, in random order."""
    if x.type == BOOL or isinstance(x, Literal):
        return
    makers = list(_REPAIRS_BY_KIND["integer" if x.type.is_integer else "vector" if x.type.shape else "float"])
    while makers:
        choice = s.rng.weighted([(entry, entry[1]) for entry in makers])
        makers.remove(choice)
        try:
            yield choice[0](s, x)
        except Illegal:
            continue


def _small(x: Expr) -> Expr:
    """x, where it is short enough to be written twice. Raises `Illegal` otherwise."""
    if isinstance(x, Apply):
        raise Illegal("too long to repeat")
    return x


def _square_plus(s: Terms, x: Expr) -> Expr:
    return s.apply("add", s.apply("mul", _small(x), x), literal(s.rng.pick((0.1, 0.3, 0.5, 1.0, 2.0)), x))


def _shrunk(s: Terms, x: Expr) -> Expr:
    return s.apply("mul", x, _factor_to(s, x, s.rng.pick((0.9, 1.2, 3.0))))


def _factor_to(s: Terms, x: Expr, magnitude: float) -> Literal:
    """What brings x down to a magnitude. Raises `Illegal` where little of it would be left, or all of it."""
    factor = magnitude / max(s.span(x).magnitude, 1e-9)
    if factor < LEAST_FACTOR:
        raise Illegal("scaled down this far, the value would hardly matter")
    if (short := _below(factor)) == 1.0:
        raise Illegal("the value has this magnitude already")
    return literal(short, x)


def _at_least(s: Terms, x: Expr) -> Expr:
    return s.apply("max", x, literal(s.rng.pick((0.1, 0.2, 0.5)), x))


def _below(factor: float) -> float:
    """The largest short decimal that is not above `factor`."""
    digits = max(1 - math.floor(math.log10(factor)), 0)
    return math.floor(factor * 10**digits) / 10**digits


def _not_negative(s: Terms, x: Expr) -> Expr:
    return x if s.span(x).lo >= 0 else s.apply("abs", x)


def _whole_away(s: Terms, x: Expr) -> Expr:
    rest = s.apply("mod", _not_negative(s, x), literal(s.rng.integer(3, 9), x))
    return s.apply("add", rest, literal(s.rng.integer(1, 3), x))


def _whole_small(s: Terms, x: Expr) -> Expr:
    return s.apply("mod", _not_negative(s, x), literal(s.rng.pick((3, 4, 5, 7, 8)), x))


def _whole_masked(s: Terms, x: Expr) -> Expr:
    return s.apply("bit_and", _not_negative(s, x), literal(s.rng.pick((7, 15, 31, 63)), x))


def _whole_magnitude(s: Terms, x: Expr) -> Expr:
    return s.apply("abs", x)


def _vector_shrunk(s: Terms, x: Expr) -> Expr:
    return s.apply("scale_right", x, _factor_to(s, x, s.rng.pick((0.9, 1.0, 2.0))))


def _vector_direction(s: Terms, x: Expr) -> Expr:
    return s.apply("normalize", x)


def _vector_away(s: Terms, x: Expr) -> Expr:
    offset = s.apply("splat", literal(s.rng.pick((0.5, 1.0, 1.5)), x), type=x.type)
    return s.apply("add", s.apply("vector_abs", x), offset)


def _dominant(s: Terms, x: Expr) -> Expr:
    """A matrix whose diagonal outweighs its rows, which can be inverted."""
    n = x.type.shape[0]
    weight = math.ceil(n * s.span(x).magnitude + 1.0)
    diagonal = s.apply("splat", literal(float(weight), x), type=shaped(x.type.scalar, (n,)))
    return s.apply("add", x, s.apply("diag", diagonal))


Repair = Callable[[Terms, Expr], Expr]
_REPAIRS_BY_KIND: dict[str, tuple[tuple[Repair, float], ...]] = {
    "float": (
        (_square_plus, 2.0),
        (_shrunk, 2.0),
        (_at_least, 0.5),
    ),
    "integer": ((_whole_away, 2.0), (_whole_small, 2.0), (_whole_masked, 1.0), (_whole_magnitude, 2.0)),
    "vector": ((_vector_shrunk, 2.0), (_vector_direction, 2.0), (_vector_away, 2.0), (_dominant, 1.0)),
}


def tame(s: Terms, x: Expr, limit: float = SOFT_LIMIT) -> Expr:
    """x itself while it is small; brought below `limit` otherwise."""
    if x.type == BOOL:
        return x
    if x.type.is_integer:
        if s.span(x).magnitude <= INTEGER_SOFT_LIMIT or x.type.shape:
            return x
        return s.apply("mod", x, literal(s.rng.pick((97, 101, 251, 509, 997, 1000, 1024)), x))
    if s.span(x).magnitude <= limit:
        return x
    if isinstance(x.type, Vector):
        return s.apply("normalize", x)
    if x.type.shape:
        return s.apply("scale_right", x, literal(_below(limit / 2 / s.span(x).magnitude), x))
    return s.apply("mul", x, literal(_below(limit / 4 / s.span(x).magnitude), x))
