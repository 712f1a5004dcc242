"""Grows expressions of a given type from the table of operations, legal by construction.

What to grow, and with which operands, is said by the rows of the table; nothing here knows an operation by
name but those that join conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TypeGuard

from typing_extensions import assert_never

from ...common.rng import Rng
from ...language.operations.row import Operation
from ...language.operations.spelling import Subscript
from ...language.operations.table import TABLE
from ...language.program import Expr, Literal
from ...language.types import (
    BOOL,
    FLOAT,
    INT,
    USUAL,
    Array,
    Handle,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Struct,
    Tile,
    Transform,
    Type,
    Vector,
)
from .habits import CURVES, is_curved
from .repair import compare_to_middle, fit, tame, telling, within
from .terms import Terms

ATTEMPTS = 8
WITHIN = 0.15  # of conditions ask for a range

# Weights by group or by operation name; a name overrides its group.
Pool = Mapping[str, float]
Shapes = tuple[tuple[int, ...], ...]
Rows = tuple[tuple[Operation, float], ...]


@dataclass
class Grower:
    """Grows expressions; `leaf` supplies values in scope, of exactly the wanted type.

    `undo` returns a function that takes back what leaves consumed since; a failed attempt calls it.
    """

    s: Terms
    pool: Pool
    leaf: Callable[[Type], Expr]
    undo: Callable[[], Callable[[], None]]
    shapes: Shapes = ((),)  # vector and matrix shapes this kernel uses
    scalars: tuple[str, ...] = USUAL  # scalar types this kernel uses
    condition_types: tuple[tuple[Type, float], ...] = ((FLOAT, 1.0),)
    _rows: dict[Type, Rows] = field(default_factory=dict)  # by the type they give
    _joiners: dict[Type, tuple[tuple[str, float], ...]] = field(default_factory=dict)

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
        types = self.s.rng.pick(_choices(row.name, wanted, self.shapes, self.scalars))
        operands: list[Expr] = []
        shares = _split(self.s.rng, size, len(types))
        for position, (operand_type, share) in enumerate(zip(types, shares, strict=True)):
            if isinstance(row.spelling, Subscript) and position:
                operands.append(Literal(self.s.rng.below(types[0].shape[position - 1]), INT))
            elif row.telling == "divisor" and position == 1 and self.s.rng.chance(0.8):
                operands.append(Literal(3, operand_type.element))  # `telling` chooses a divisor that matters
            else:
                operands.append(self.grow(operand_type, share))
        if not _sensible(row, operands) or (row.name in CURVES and any(map(is_curved, operands))):
            return None
        if row.telling and isinstance(operands[1], Literal):
            operands[1] = telling(self.s, row.name, operands[0])
        node = fit(self.s, row.name, operands, wanted)
        if node is None or row.settled(self.s.span, *node.operands):
            return None
        return tame(self.s, node)

    def _operation(self, wanted: Type) -> Operation | None:
        rows = self._rows.get(wanted)
        if rows is None:
            rows = self._rows[wanted] = _rows(tuple(self.pool.items()), wanted, self.shapes, self.scalars)
        return self.s.rng.weighted(rows) if rows else None

    def joiners(self, wanted: Type) -> tuple[tuple[str, float], ...]:
        """The pool's operations that make one value of a type out of two."""
        if wanted not in self._joiners:
            rows = _rows(tuple(self.pool.items()), wanted, (wanted.shape,), self.scalars)
            joining = (entry for entry in rows if (wanted, wanted) in entry[0].takes(wanted))
            self._joiners[wanted] = tuple((row.name, weight) for row, weight in joining)
        return self._joiners[wanted]

    # ---- conditions

    def condition(self, size: int = 1) -> Expr:
        """A comparison that random inputs make true as well as false, or a range; larger sizes join two."""
        if self.s.rng.chance(WITHIN):
            return within(self.s, self._varying(0))
        if size >= 3 and self.s.rng.chance(0.5):
            joined = self.s.apply(
                self.s.rng.pick(("and", "or")), self.comparison(size // 2), self.comparison(size // 2)
            )
            return self.s.apply("not", joined) if self.s.rng.chance(0.1) else joined
        return self.comparison(size)

    def comparison(self, size: int = 1) -> Expr:
        return compare_to_middle(self.s, self._varying(max(size - 1, 0)))

    def _varying(self, size: int) -> Expr:
        """A value that conditions can be about."""
        for _ in range(ATTEMPTS):
            value = self.grow(self.s.rng.weighted(self.condition_types), size)
            if self.s.span(value).width > 0:
                break
        return value


@cache
def _rows(
    pool: tuple[tuple[str, float], ...], wanted: Type, shapes: Shapes, scalars: tuple[str, ...]
) -> Rows:
    """The operations that a pool grows a type from, with their weights."""
    weights = dict(pool)
    weighted = ((row, weights.get(row.name, weights.get(row.group, 0.0))) for row in TABLE.values())
    return tuple((row, w) for row, w in weighted if w > 0 and _choices(row.name, wanted, shapes, scalars))


@cache
def _choices(
    name: str, wanted: Type, shapes: Shapes, scalars: tuple[str, ...]
) -> tuple[tuple[Type, ...], ...]:
    """The operand types of an operation among the types in play.

    There are none for constants, and for operations that change an operand: those are statements.
    """
    row = TABLE[name]
    if row.changed or not _in_play(wanted, (wanted.shape,), scalars):
        return ()
    choices = (tuple(t for t in types if _in_play(t, shapes, scalars)) for types in row.takes(wanted))
    return tuple(
        kept for kept, types in zip(choices, row.takes(wanted), strict=True) if kept and kept == types
    )


def _in_play(type: Type, shapes: Shapes, scalars: tuple[str, ...]) -> TypeGuard[Type]:
    match type:
        case Scalar(scalar):
            return scalar in scalars
        case Vector(scalar) | Matrix(scalar):
            return scalar in scalars and type.shape in shapes
        case Quaternion() | Transform() | Struct() | Array() | Several() | Tile() | Handle():
            return False  # no family grows them
        case _:
            assert_never(type)


def _split(rng: Rng, size: int, parts: int) -> list[int]:
    shares = [0] * parts
    for _ in range(max(size, 0)):
        shares[rng.below(parts)] += 1
    return shares


def _sensible(row: Operation, operands: list[Expr]) -> bool:
    """Whether an operation says something about these operands."""
    if all(isinstance(operand, Literal) for operand in operands):
        return False
    if len(operands) == 1:
        return True
    repeated = operands[0] == operands[1] and not row.alike
    return not repeated and not (isinstance(operands[0], Literal) and not row.literal_first)
