"""Random programs of a single operation, taken from the table of operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ..language import ir
from ..language.analysis.intervals import Illegal
from ..language.domains import Interval
from ..language.operations.row import Operation
from ..language.operations.spelling import Subscript
from ..language.operations.table import TABLE
from ..language.specification.formulas.expressions import Formulas
from ..language.types import UNSIGNED_INTEGERS, USUAL, Matrix, Scalar, Type, Vector
from .chains.draft import Draft
from .chains.names import PLAIN, Namer
from .chains.ranges import central, rounded

TRIES = 12  # of operands for an operation
LITERAL, ARGUMENT = 0.25, 0.2  # how often one of several operands is a literal, or an argument by value

FLOAT_SPANS = (
    Interval(-2.0, 2.0),
    Interval(-1.0, 1.0),
    Interval(0.1, 3.0),
    Interval(0.5, 4.0),
    Interval(-4.0, 4.0),
    Interval(0.2, 1.5),
)
SHAPED_SPANS = (Interval(-1.0, 1.0), Interval(-2.0, 2.0), Interval(0.1, 2.0))
INTEGER_SPANS = (Interval(0, 9), Interval(-8, 8), Interval(1, 12), Interval(0, 31), Interval(-20, 20))
NATURAL_SPANS = (Interval(0, 9), Interval(1, 12), Interval(0, 31), Interval(3, 40))


@dataclass(frozen=True)
class Single:
    """Operations, by group or by name (which overrides its group), with their weights, and the types of
    results."""

    pool: Mapping[str, float]
    types: tuple[Type, ...]


def single(s: Draft, plan: Single) -> None:
    """Draw a kernel that stores the result of one operation. Raises `Illegal` where one does not work out."""
    namer = Namer(s.rng, PLAIN)
    namer.taken = s.taken
    wanted = s.rng.pick(plan.types)
    steered = s.ways.arguments == 1.0
    rows = _rows(tuple(plan.pool.items()), wanted, steered)
    if not rows:
        raise Illegal(f"no operation gives {wanted}")
    row = s.rng.weighted(rows)
    value = _applied(s, namer, row, wanted, steered)
    last = value.operands[-1].type.shape or value.operands[0].type.shape
    noun = ("values", "vectors", "matrices")[len(last)]
    s.title = s.claim(f"{row.called or f'{row.name}_of'}_{noun}")
    out = s.array(wanted, namer.take("results"), s.span(value), role="output")
    s.store(out, value)
    formulas = Formulas()
    s.element = f"{'index' if len(s.threads) == 1 else 'cell'} `{', '.join(map(formulas.text, s.threads))}`"
    s.tell(f"stores `{formulas.text(value)}` in `{formulas.text(s.read(out))}`")


def _applied(s: Draft, namer: Namer, row: Operation, wanted: Type, steered: bool) -> ir.Apply:
    """The operation on operands for which it is defined, and to some purpose."""
    taken = frozenset(s.taken)
    for _ in range(TRIES):
        types = s.rng.pick(_operands(row, wanted, steered))
        try:
            value = s.apply(row.name, *_made(s, namer, row, types, steered), type=wanted)
            if not row.redundant(s.span, *value.operands):
                return value
        except Illegal:
            pass
        s.arguments.clear()
        s.taken &= taken
    raise Illegal(f"no operands that {row.name} could take")


def _made(s: Draft, namer: Namer, row: Operation, types: tuple[Type, ...], steered: bool) -> list[ir.Expr]:
    """Operands: arrays but for one, which may be a literal or an argument that is passed by value."""
    scalars = [place for place, type in enumerate(types) if isinstance(type, Scalar)]
    apart = s.rng.pick(scalars) if scalars and len(types) > 1 else None
    by_value = steered or s.rng.chance(ARGUMENT / (1 - LITERAL))
    is_literal = not steered and (apart != 0 or row.literal_first) and s.rng.chance(LITERAL)
    made: list[ir.Expr] = []
    for place, type in enumerate(types):
        if isinstance(row.spelling, Subscript) and place:
            made.append(ir.Literal(s.rng.below(types[0].shape[place - 1]), types[place].element))
        elif place == apart and is_literal:
            matters = place and row.discriminating
            made.append(_discriminating(s, row, made[0]) if matters else _number(s, type.element))
        elif place == apart and by_value:
            kind = "whole_value" if type.is_integer else "values"
            made.append(s.value(type, _span(s, type), namer.take(kind)))
        else:
            kind = "counts" if type.is_integer else ("fields", "vectors", "matrices")[len(type.shape)]
            trait = row.needs[place] if place < len(row.needs) else None
            made.append(s.read(s.array(type, namer.take(kind), _span(s, type), trait=trait)))
    return made


def _span(s: Draft, type: Type) -> Interval:
    """What the values of an input lie in."""
    if type.is_integer:
        return s.rng.pick(NATURAL_SPANS if type.scalar in UNSIGNED_INTEGERS else INTEGER_SPANS)
    return s.rng.pick(SHAPED_SPANS if type.shape else FLOAT_SPANS)


def _number(s: Draft, type: Scalar) -> ir.Literal:
    """A literal that a person would write."""
    if type.is_integer:
        return ir.Literal(s.rng.integer(2, 9), type)
    return ir.Literal(s.rng.pick((0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0)), type)


def _discriminating(s: Draft, row: Operation, value: ir.Expr) -> ir.Literal:
    """A bound or a divisor that makes a difference to the value it meets."""
    span, scalar, share = s.span(value), value.type.element, s.rng.below(100) / 100
    if row.discriminating == "divisor":
        amount = span.magnitude * (0.2 + 0.4 * share)
        least: float = max(int(amount), 2) if scalar.is_integer else max(rounded(amount), 0.2)
        return ir.Literal(least, scalar)
    middle = central(span, 0.3 + 0.4 * share)
    return ir.Literal(int(middle) if scalar.is_integer else rounded(middle), scalar)


@cache
def _rows(
    pool: tuple[tuple[str, float], ...], wanted: Type, steered: bool
) -> tuple[tuple[Operation, float], ...]:
    """The operations of a pool that give a type, with their weights."""
    weights = dict(pool)
    weighted = ((row, weights.get(row.name, weights.get(row.group, 0.0))) for row in TABLE.values())
    return tuple((row, weight) for row, weight in weighted if weight > 0 and _operands(row, wanted, steered))


@cache
def _operands(row: Operation, wanted: Type, steered: bool) -> tuple[tuple[Type, ...], ...]:
    """The types that an operation takes for a result, of those that random programs have; `steered`: of
    several operands, of which one is a number."""
    if row.changed:
        return ()
    every = (types for types in row.takes(wanted) if all(map(_usual, types)))
    return tuple(t for t in every if not steered or (len(t) > 1 and any(isinstance(o, Scalar) for o in t)))


def _usual(type: Type) -> bool:
    if isinstance(type, Scalar):
        return type.scalar in USUAL and type.scalar != "bool"
    return isinstance(type, Vector | Matrix) and type.scalar in USUAL and max(type.shape) <= 4
