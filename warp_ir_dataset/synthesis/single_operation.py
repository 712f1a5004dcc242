"""Builds random programs of a single operation, which comes from the table of operations."""

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
from .chains.builder import Builder
from .chains.ranges import central, rounded
from .names import PLAIN, Namer

TRIES = 12  # sets of operands for an operation
# Probabilities that one of several operands is a literal, or a scalar argument. Where no literal may stand,
# the argument has 0.2 / 0.75.
LITERAL, ARGUMENT = 0.25, 0.2

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
class SingleOperation:
    """Weights of operations, by group or by name (which overrides the group), and types of results."""

    weights: Mapping[str, float]
    types: tuple[Type, ...]


def build_single_operation(b: Builder, single: SingleOperation) -> None:
    """Build a kernel that stores the result of one operation. Raises `Illegal` if an attempt fails."""
    namer = Namer(b.rng, PLAIN)
    namer.taken = b.taken
    wanted = b.rng.pick(single.types)
    needs_scalar = b.priors.arguments == 1.0  # the kind `scalar_param`: its programs take a scalar argument
    rows = _rows(tuple(single.weights.items()), wanted, needs_scalar)
    if not rows:
        raise Illegal(f"no operation has a result of type {wanted}")
    row = b.rng.weighted(rows)
    value = _applied(b, namer, row, wanted, needs_scalar)
    shape = value.operands[-1].type.shape or value.operands[0].type.shape
    noun = ("values", "vectors", "matrices")[len(shape)]
    b.kernel_name = b.claim(f"{row.called or f'{row.name}_of'}_{noun}")
    out = b.array_argument(wanted, namer.take("results"), b.span(value), role="output")
    b.store(out, value)
    formulas = Formulas()
    b.element = f"{'index' if len(b.threads) == 1 else 'cell'} `{', '.join(map(formulas.text, b.threads))}`"
    b.describe(f"stores `{formulas.text(value)}` in `{formulas.text(b.read(out))}`")


def _applied(b: Builder, namer: Namer, row: Operation, wanted: Type, needs_scalar: bool) -> ir.Apply:
    """The operation on operands for which it is defined and not redundant, as a clamp to a wider range is."""
    taken = frozenset(b.taken)
    for _ in range(TRIES):
        types = b.rng.pick(_operands(row, wanted, needs_scalar))
        try:
            value = b.apply(row.name, *_operand_values(b, namer, row, types, needs_scalar), type=wanted)
            if not row.redundant(b.span, *value.operands):
                return value
        except Illegal:
            pass
        b.arguments.clear()
        b.taken &= taken
    raise Illegal(f"found no operands for {row.name}")


def _operand_values(
    b: Builder, namer: Namer, row: Operation, types: tuple[Type, ...], needs_scalar: bool
) -> list[ir.Expr]:
    """Operands: elements of arrays. One of several may be a literal or a scalar argument; subscripts are
    literals."""
    scalars = [place for place, type in enumerate(types) if isinstance(type, Scalar)]
    scalar_place = b.rng.pick(scalars) if scalars and len(types) > 1 else None
    by_value = needs_scalar or b.rng.chance(ARGUMENT / (1 - LITERAL))
    is_literal = not needs_scalar and (scalar_place != 0 or row.literal_first) and b.rng.chance(LITERAL)
    made: list[ir.Expr] = []
    for place, type in enumerate(types):
        if isinstance(row.spelling, Subscript) and place:
            made.append(ir.Literal(b.rng.below(types[0].shape[place - 1]), types[place].element))
        elif place == scalar_place and is_literal:
            matters = place and row.discriminating
            made.append(_discriminating_literal(b, row, made[0]) if matters else _number(b, type.element))
        elif place == scalar_place and by_value:
            kind = "whole_value" if type.is_integer else "values"
            made.append(b.scalar_argument(type, _span(b, type), namer.take(kind)))
        else:
            kind = "counts" if type.is_integer else ("fields", "vectors", "matrices")[len(type.shape)]
            trait = row.needs[place] if place < len(row.needs) else None
            made.append(b.read(b.array_argument(type, namer.take(kind), _span(b, type), trait=trait)))
    return made


def _span(b: Builder, type: Type) -> Interval:
    """An interval for the values of an input."""
    if type.is_integer:
        return b.rng.pick(NATURAL_SPANS if type.scalar in UNSIGNED_INTEGERS else INTEGER_SPANS)
    return b.rng.pick(SHAPED_SPANS if type.shape else FLOAT_SPANS)


def _number(b: Builder, type: Scalar) -> ir.Literal:
    """A literal that a person would write."""
    if type.is_integer:
        return ir.Literal(b.rng.integer(2, 9), type)
    return ir.Literal(b.rng.pick((0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0)), type)


def _discriminating_literal(b: Builder, row: Operation, value: ir.Expr) -> ir.Literal:
    """A literal bound or divisor that changes some values of the other operand, but not all."""
    span, scalar, share = b.span(value), value.type.element, b.rng.below(100) / 100
    if row.discriminating == "divisor":
        amount = span.magnitude * (0.2 + 0.4 * share)
        divisor: float = max(int(amount), 2) if scalar.is_integer else max(rounded(amount), 0.2)
        return ir.Literal(divisor, scalar)
    middle = central(span, 0.3 + 0.4 * share)
    return ir.Literal(int(middle) if scalar.is_integer else rounded(middle), scalar)


@cache
def _rows(
    weights: tuple[tuple[str, float], ...], wanted: Type, needs_scalar: bool
) -> tuple[tuple[Operation, float], ...]:
    """The operations that have a weight and a result of the type `wanted`, with their weights."""
    by_name = dict(weights)
    weighted = ((row, by_name.get(row.name, by_name.get(row.group, 0.0))) for row in TABLE.values())
    return tuple(
        (row, weight) for row, weight in weighted if weight > 0 and _operands(row, wanted, needs_scalar)
    )


@cache
def _operands(row: Operation, wanted: Type, needs_scalar: bool) -> tuple[tuple[Type, ...], ...]:
    """The types of operands with which an operation has a result of the type `wanted`.

    All are types that random programs have. With `needs_scalar` there are several operands, and one is a
    scalar. An operation that changes its operands has none: its result alone is no kernel.
    """
    if row.changed:
        return ()
    every = (types for types in row.takes(wanted) if all(map(_usual, types)))
    return tuple(
        t for t in every if not needs_scalar or (len(t) > 1 and any(isinstance(o, Scalar) for o in t))
    )


def _usual(type: Type) -> bool:
    if isinstance(type, Scalar):
        return type.scalar in USUAL and type.scalar != "bool"
    return isinstance(type, Vector | Matrix) and type.scalar in USUAL and max(type.shape) <= 4
