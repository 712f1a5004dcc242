"""Expressions of a wanted type, grown out of the table and kept legal by construction.

`grow` draws operations; `fit` makes operands satisfy what an operation requires (``sqrt(x)`` becomes
``sqrt(abs(x) + 0.5)``); `tame` keeps magnitudes where float32 is well conditioned; `adapt` turns a value of
one type into another. None of them knows any operation by name beyond the few they repair with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ..common.rng import Rng
from ..language.operations.table import TABLE, Illegal, Operation, apply
from ..language.program import BOOL, INT, Apply, Expr, Literal, Range, Type

SOFT_LIMIT = 200.0  # intermediate floats are brought back below this
INTEGER_SOFT_LIMIT = 100_000
ATTEMPTS = 8
LEAST_FACTOR = 0.15  # a repair that scales a value down further would make it vanish beside others

# Weights by group or by operation name; a name overrides its group.
Pool = Mapping[str, float]
Shapes = tuple[tuple[int, ...], ...]


@dataclass
class Grower:
    """Grows expressions; `leaf` supplies values in scope, of exactly the wanted type.

    `undo` returns a function that takes back what leaves consumed since; a failed attempt calls it.
    """

    rng: Rng
    pool: Pool
    leaf: Callable[[Type], Expr]
    undo: Callable[[], Callable[[], None]]
    shapes: Shapes = ((),)  # vector and matrix shapes this kernel uses

    def grow(self, wanted: Type, size: int) -> Expr:
        """An expression of about `size` operations."""
        if wanted == BOOL:
            return self.condition(max(size, 1))
        for _ in range(ATTEMPTS if size > 0 else 0):
            row = self._operation(wanted)
            if row is None:
                break
            take_back = self.undo()
            node = self._attempt(row, wanted, size - 1)
            if node is not None:
                return node
            take_back()
        return self.leaf(wanted)

    def _attempt(self, row: Operation, wanted: Type, size: int) -> Expr | None:
        types = self.rng.pick(_choices(row.name, wanted, self.shapes))
        operands: list[Expr] = []
        shares = _split(self.rng, size, len(types))
        for position, (operand_type, share) in enumerate(zip(types, shares, strict=True)):
            if row.group == "component" and position:
                operands.append(Literal(self.rng.below(types[0].shape[position - 1]), INT))
            elif row.name in ("mod", "floordiv") and position == 1 and self.rng.chance(0.8):
                operands.append(Literal(3, operand_type))  # `telling` chooses a divisor that matters
            else:
                operands.append(self.grow(operand_type, share))
        if all(isinstance(operand, Literal) for operand in operands):
            return None
        if len(operands) > 1 and operands[0] == operands[1] and row.name not in ("mul", "dot"):
            return None
        if (
            len(operands) > 1
            and isinstance(operands[0], Literal)
            and row.name not in ("add", "sub", "mul", "div")
        ):
            return None
        if row.name in ("min", "max", "mod", "floordiv") and isinstance(operands[1], Literal):
            operands[1] = telling(self.rng, row.name, operands[0])
        node = fit(self.rng, row.name, operands, wanted)
        if node is None or settled(node):
            return None
        return tame(self.rng, node)

    def _operation(self, wanted: Type) -> Operation | None:
        rows = _rows(tuple(self.pool.items()), wanted, self.shapes)
        return self.rng.weighted(rows) if rows else None

    def joiners(self, wanted: Type) -> tuple[tuple[str, float], ...]:
        """The pool's operations that make one value of a type out of two."""
        rows = _rows(tuple(self.pool.items()), wanted, (wanted.shape,))
        return tuple((row.name, weight) for row, weight in rows if (wanted, wanted) in row.takes(wanted))

    # ---- conditions

    def condition(self, size: int = 1) -> Expr:
        """A comparison that random inputs make true as well as false; larger sizes join two."""
        if size >= 3 and self.rng.chance(0.5):
            joined = apply(
                self.rng.pick(("and", "or")), self.comparison(size // 2), self.comparison(size // 2)
            )
            return apply("not", joined) if self.rng.chance(0.1) else joined
        return self.comparison(size)

    def comparison(self, size: int = 1) -> Expr:
        for _ in range(ATTEMPTS):
            left = self.grow(self.rng.weighted(self.condition_types), max(size - 1, 0))
            if left.range.lo < left.range.hi:
                break
        return compare_to_middle(self.rng, left)

    condition_types: tuple[tuple[Type, float], ...] = ((Type("float32"), 1.0),)


@cache
def _rows(
    pool: tuple[tuple[str, float], ...], wanted: Type, shapes: Shapes
) -> tuple[tuple[Operation, float], ...]:
    """The operations that a pool grows a type from, with their weights."""
    weights = dict(pool)
    weighted = ((row, weights.get(row.name, weights.get(row.group, 0.0))) for row in TABLE.values())
    return tuple((row, w) for row, w in weighted if w > 0 and _choices(row.name, wanted, shapes))


@cache
def _choices(name: str, wanted: Type, shapes: Shapes) -> tuple[tuple[Type, ...], ...]:
    """The operand types of an operation among the shapes in play."""
    known = {(), *shapes}
    return tuple(tuple(types) for types in TABLE[name].takes(wanted) if all(t.shape in known for t in types))


def compare_to_middle(rng: Rng, left: Expr) -> Expr:
    """Compare a value with a literal near the middle of what it can be."""
    span = likely(left.range)
    if left.type.is_integer:
        if left.type.scalar != "uint32" and span.hi - span.lo >= 2 and rng.chance(0.4):
            modulus = rng.pick((2, 2, 3, 4))
            remainder = apply("mod", left, Literal(modulus, left.type))
            return apply(
                rng.pick(("eq", "ne")),
                remainder,
                Literal(rng.below(modulus) if span.lo >= 0 else 0, left.type),
            )
        middle: float = int(span.lo + (span.hi - span.lo) * (0.35 + 0.3 * rng.below(100) / 100))
    else:
        middle = rounded(central(span, 0.4 + 0.2 * rng.below(100) / 100))
    return apply(rng.pick(("lt", "gt", "lt", "gt", "le", "ge")), left, Literal(middle, left.type))


def likely(span: Range) -> Range:
    """Where the values of a wide interval mostly lie: bounds of sums and products are rarely met."""
    if isinstance(span.lo, int) and isinstance(span.hi, int):
        return span if span.hi - span.lo <= 200 else Range(max(span.lo, -10), min(span.hi, 40))
    if span.lo < -6.0 and span.hi > 6.0:
        return Range(-2.0, 3.0)
    if span.lo > -1.0 and span.hi > 12.0:
        return Range(span.lo, span.lo + 5.0)
    if span.lo < -12.0 and span.hi < 1.0:
        return Range(span.hi - 5.0, span.hi)
    return span


def central(span: Range, share: float) -> float:
    """A point that about `share` of the values lie below: products of positives crowd at the low end."""
    linear = span.lo + (span.hi - span.lo) * share
    if span.lo <= 0 or span.hi < 4 * span.lo:
        return linear
    return (linear + span.lo ** (1 - share) * span.hi**share) / 2


def telling(rng: Rng, name: str, value: Expr) -> Literal:
    """A bound or a divisor that makes a difference to the value it meets."""
    span, whole = value.range, value.type.is_integer
    if name in ("mod", "floordiv"):
        share = span.magnitude * (0.2 + 0.4 * rng.below(100) / 100)
        return _literal(max(int(share), 2) if whole else max(rounded(share), 0.2), value)
    middle = central(span, 0.3 + 0.4 * rng.below(100) / 100)
    return _literal(int(middle) if whole else rounded(middle), value)


def settled(node: Apply) -> bool:
    """Whether an operand hardly matters: ranges alone decide a choice, or all components are alike."""
    if node.operation in ("normalize", "smallest", "largest"):
        return isinstance(node.operands[0], Apply) and node.operands[0].operation == "splat"
    if node.operation in ("min", "max"):
        first, second = (operand.range for operand in node.operands)
        overlap = min(first.hi, second.hi) - max(first.lo, second.lo)
        return overlap < 0.3 * min(first.hi - first.lo or overlap + 1, second.hi - second.lo or overlap + 1)
    if node.operation in ("mod", "floordiv"):
        return node.operands[1].range.lo > 0.8 * node.operands[0].range.magnitude
    if node.operation == "clamp":
        value, low, high = (operand.range for operand in node.operands)
        return not (
            value.lo < high.lo and low.hi < value.hi and high.hi - low.lo > 0.1 * (value.hi - value.lo)
        )
    return False


def _split(rng: Rng, size: int, parts: int) -> list[int]:
    shares = [0] * parts
    for _ in range(max(size, 0)):
        shares[rng.below(parts)] += 1
    return shares


def rounded(value: float) -> float:
    """Two significant digits: what a person would write."""
    if value == 0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return float(round(value, digits))


def number(rng: Rng, low: float, high: float, type: Type) -> Literal:
    """A literal a person would write, from low to high."""
    if type.is_integer:
        return Literal(rng.integer(int(low), int(high)), type)
    value = round(low + (high - low) * rng.below(1001) / 1000, 2 if high - low < 2 else 1)
    return Literal(float(value) or 0.5, type)


# ---- repairs


def fit(rng: Rng, name: str, operands: list[Expr], wanted: Type) -> Apply | None:
    """The operation applied to the operands, repaired as little as it takes; None where nothing helps."""
    try:
        return apply(name, *operands, type=wanted)
    except Illegal:
        pass
    # The last operand is the usual culprit (a divisor, an exponent, an upper bound).
    for position in reversed(range(len(operands))):
        for repaired in _repairs(rng, operands[position]):
            trial = [*operands[:position], repaired, *operands[position + 1 :]]
            try:
                return apply(name, *trial, type=wanted)
            except Illegal:
                continue
    return None


def _repairs(rng: Rng, x: Expr) -> Iterator[Expr]:
    """Variations of x in friendlier ranges, in random order."""
    if x.type == BOOL or isinstance(x, Literal):
        return
    makers = list(_REPAIRS_BY_KIND["integer" if x.type.is_integer else "vector" if x.type.shape else "float"])
    while makers:
        choice = rng.weighted([(entry, entry[1]) for entry in makers])
        makers.remove(choice)
        try:
            yield choice[0](rng, x)
        except Illegal:
            continue


def _small(x: Expr) -> Expr:
    """x, where it is short enough to be written twice. Raises `Illegal` otherwise."""
    if isinstance(x, Apply):
        raise Illegal("too long to repeat")
    return x


def _literal(value: float, x: Expr) -> Literal:
    return Literal(value, Type(x.type.scalar))


def _away_from_zero(rng: Rng, x: Expr) -> Expr:
    return apply("add", apply("abs", x), _literal(rng.pick((0.1, 0.2, 0.25, 0.5, 1.0, 1.5)), x))


def _square_plus(rng: Rng, x: Expr) -> Expr:
    return apply("add", apply("mul", _small(x), x), _literal(rng.pick((0.1, 0.3, 0.5, 1.0, 2.0)), x))


def _wave_plus(rng: Rng, x: Expr) -> Expr:
    return apply("add", apply(rng.pick(("sin", "cos")), x), _literal(rng.pick((1.2, 1.5, 2.0)), x))


def _shrunk(rng: Rng, x: Expr) -> Expr:
    factor = rng.pick((0.9, 1.2, 3.0)) / max(x.range.magnitude, 1e-9)
    if factor < LEAST_FACTOR:
        raise Illegal("scaled down this far, the value would hardly matter")
    return apply("mul", x, _literal(_below(factor), x))


def _softened(rng: Rng, x: Expr) -> Expr:
    return apply("div", x, apply("add", _literal(rng.pick((1.0, 1.0, 2.0)), x), apply("abs", _small(x))))


def _raised(rng: Rng, x: Expr) -> Expr:
    if x.range.magnitude > 3:
        raise Illegal("its exponential would dwarf what it meets")
    return apply("exp", x)


def _squashed(rng: Rng, x: Expr) -> Expr:
    return apply("mul", apply("sin", x), _literal(rng.pick((0.3, 0.5, 0.75, 0.9)), x))


def _clamped(rng: Rng, x: Expr) -> Expr:
    if x.range.magnitude > 6:
        raise Illegal("a clamp would mostly saturate")
    low, high = rng.pick(((-0.9, 0.9), (0.1, 3.0), (-1.0, 1.0), (0.2, 2.0), (-2.0, 2.0)))
    return apply("clamp", x, _literal(low, x), _literal(high, x))


def _at_least(rng: Rng, x: Expr) -> Expr:
    return apply("max", x, _literal(rng.pick((0.1, 0.2, 0.5)), x))


def _below(factor: float) -> float:
    """The largest short decimal that is not above `factor`."""
    digits = max(1 - math.floor(math.log10(factor)), 0)
    return math.floor(factor * 10**digits) / 10**digits


def _whole_away(rng: Rng, x: Expr) -> Expr:
    positive = x if x.range.lo >= 0 else apply("abs", x)
    return apply(
        "add", apply("mod", positive, _literal(rng.integer(3, 9), x)), _literal(rng.integer(1, 3), x)
    )


def _whole_small(rng: Rng, x: Expr) -> Expr:
    positive = x if x.range.lo >= 0 else apply("abs", x)
    return apply("mod", positive, _literal(rng.pick((3, 4, 5, 7, 8)), x))


def _whole_masked(rng: Rng, x: Expr) -> Expr:
    positive = x if x.range.lo >= 0 else apply("abs", x)
    return apply("bit_and", positive, _literal(rng.pick((7, 15, 31, 63)), x))


def _whole_magnitude(rng: Rng, x: Expr) -> Expr:
    return apply("abs", x)


def _vector_shrunk(rng: Rng, x: Expr) -> Expr:
    factor = rng.pick((0.9, 1.0, 2.0)) / max(x.range.magnitude, 1e-9)
    if factor < LEAST_FACTOR:
        raise Illegal("scaled down this far, the value would hardly matter")
    return apply("scale_right", x, _literal(_below(factor), x))


def _vector_direction(rng: Rng, x: Expr) -> Expr:
    return apply("normalize", x)


def _vector_away(rng: Rng, x: Expr) -> Expr:
    offset = apply("splat", _literal(rng.pick((0.5, 1.0, 1.5)), x), type=x.type)
    return apply("add", apply("vector_abs", x), offset)


def _dominant(rng: Rng, x: Expr) -> Expr:
    """A matrix whose diagonal outweighs its rows, which can be inverted."""
    n = x.type.shape[0]
    weight = math.ceil(n * x.range.magnitude + 1.0)
    diagonal = apply("splat", _literal(float(weight), x), type=Type(x.type.scalar, (n,)))
    return apply("add", x, apply("diag", diagonal))


Repair = Callable[[Rng, Expr], Expr]
_REPAIRS_BY_KIND: dict[str, tuple[tuple[Repair, float], ...]] = {
    "float": (
        (_away_from_zero, 3.0),
        (_square_plus, 2.0),
        (_wave_plus, 1.5),
        (_raised, 1.0),
        (_shrunk, 2.0),
        (_softened, 2.0),
        (_squashed, 2.0),
        (_clamped, 0.2),
        (_at_least, 0.5),
    ),
    "integer": ((_whole_away, 2.0), (_whole_small, 2.0), (_whole_masked, 1.0), (_whole_magnitude, 2.0)),
    "vector": ((_vector_shrunk, 2.0), (_vector_direction, 2.0), (_vector_away, 2.0), (_dominant, 1.0)),
}


def tame(rng: Rng, x: Expr, limit: float = SOFT_LIMIT) -> Expr:
    """x itself while it is small; brought below `limit` otherwise."""
    if x.type == BOOL:
        return x
    if x.type.is_integer:
        if x.range.magnitude <= INTEGER_SOFT_LIMIT or x.type.shape:
            return x
        return apply("mod", x, _literal(rng.pick((97, 101, 251, 509, 997, 1000, 1024)), x))
    if x.range.magnitude <= limit:
        return x
    if len(x.type.shape) == 1:
        return apply("normalize", x)
    if x.type.shape:
        return apply("scale_right", x, _literal(_below(limit / 2 / x.range.magnitude), x))
    if not isinstance(x, Apply) and rng.chance(0.4):
        return _softened(rng, x)
    if limit / 4 / x.range.magnitude >= LEAST_FACTOR and rng.chance(0.5):
        return apply("mul", x, _literal(_below(limit / 4 / x.range.magnitude), x))
    return apply(rng.pick(("atan", "tanh", "sin")) if x.range.magnitude <= 2e3 else "atan", x)


# ---- from one type to another


def adapt(rng: Rng, x: Expr, wanted: Type) -> Expr:
    """The value as `wanted`: a length, a component, a conversion, a vector of copies..."""
    if x.type == wanted:
        return x
    if x.type == BOOL:
        low, high = (_of(wanted.element, 1.0), _of(wanted.element, 2.0))
        return adapt(rng, apply("where", x, high, low), wanted)
    if wanted == BOOL:
        return compare_to_middle(rng, adapt(rng, x, x.type.element))
    if x.type.shape and (not wanted.shape or x.type.scalar != wanted.scalar):
        return adapt(rng, to_scalar(rng, x), wanted)
    if x.type.scalar != wanted.scalar:
        return adapt(rng, _convert(rng, x, wanted.scalar), wanted)
    return _reshape(rng, x, wanted)


def _of(type: Type, value: float) -> Literal:
    return Literal(int(value) if type.is_integer else float(value), type)


def to_scalar(rng: Rng, x: Expr) -> Expr:
    """A vector or a matrix as one number of its scalar type."""
    if len(x.type.shape) == 1:
        ways = (
            ["length", "component", "component", "largest", "smallest", "length_sq"]
            if x.type.is_float
            else ["component"]
        )
        way = rng.pick(ways)
        if way == "component":
            return apply("component", x, Literal(rng.below(x.type.shape[0]), INT))
        return tame(rng, apply(way, x))
    if x.type.shape[0] == x.type.shape[1]:
        # Entries beside the diagonal are zero in many matrices that kernels build.
        place = Literal(rng.below(x.type.shape[0]), INT)
        way = rng.pick(("trace", "determinant", "entry"))
        return apply("matrix_component", x, place, place) if way == "entry" else tame(rng, apply(way, x))
    row, column = (Literal(rng.below(n), INT) for n in x.type.shape)
    return apply("matrix_component", x, row, column)


def _convert(rng: Rng, x: Expr, scalar: str) -> Expr:
    """One scalar type into another."""
    target = Type(scalar)
    if target.is_float:
        return apply("to_float", x, type=target)
    if x.type.is_float:
        scaled = apply("mul", x, _literal(rng.pick((4.0, 8.0, 10.0)), x))
        return (
            _convert(rng, apply("to_integer", scaled, type=INT), scalar)
            if scalar != "int32"
            else apply("to_integer", scaled, type=INT)
        )
    if scalar == "uint32":
        return apply("to_unsigned", x if x.range.lo >= 0 else apply("abs", x), type=target)
    return apply("to_integer", x, type=target) if x.type.scalar != "uint32" else _unsigned_as(x, target)


def _unsigned_as(x: Expr, target: Type) -> Expr:
    masked = apply("bit_and", x, Literal(1023, Type("uint32")))
    as_float = apply("to_float", masked, type=Type("float32"))
    return apply("to_integer", as_float, type=target)


def _reshape(rng: Rng, x: Expr, wanted: Type) -> Expr:
    """Between scalars, vectors and matrices of one scalar type."""
    if not x.type.shape and len(wanted.shape) == 1:
        if wanted.is_float and (wanted.size > 4 or rng.chance(0.5)):
            return apply("splat", x, type=wanted)
        parts = [x] + [number(rng, 1, 3, wanted.element) for _ in range(wanted.size - 1)]
        return apply("build", *rng.shuffled(parts), type=wanted)
    if len(wanted.shape) == 2 and wanted.shape[0] == wanted.shape[1]:
        return apply("diag", adapt(rng, x, Type(wanted.scalar, wanted.shape[:1])))
    if len(wanted.shape) == 2:
        left = adapt(rng, x, Type(wanted.scalar, wanted.shape[:1]))
        right = apply(
            "splat", number(rng, 0.5, 1.5, wanted.element), type=Type(wanted.scalar, wanted.shape[1:])
        )
        return tame(rng, apply("outer", left, right))
    return adapt(rng, to_scalar(rng, x), wanted)
