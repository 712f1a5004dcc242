"""Short spellings for trees that are written by hand: ``add(a, mul(2.0, b))``.

Plain numbers become literals of the scalar type they meet; ``mul`` and ``div`` choose the operation by the
shapes of their operands. All raise `operations.Illegal` like `apply`.
"""

from __future__ import annotations

from ..language.operations.table import Illegal, apply
from ..language.program import BOOL, INT, Apply, Expr, Literal, Type

Term = Expr | float | int

_SCALINGS = {
    (0, 0): "mul",
    (0, 1): "scale_left",
    (0, 2): "scale_left",
    (1, 0): "scale_right",
    (2, 0): "scale_right",
    (2, 1): "matrix_vector",
    (2, 2): "matrix_matrix",
}


def literal(value: float | int, like: Expr) -> Literal:
    """A literal of another value's scalar type."""
    scalar = like.type.element
    return Literal(int(value) if scalar.is_integer else float(value), scalar)


def _pair(a: Term, b: Term) -> tuple[Expr, Expr]:
    if isinstance(a, (int, float)):
        if isinstance(b, (int, float)):
            raise Illegal("one of the operands must be a tree")
        return literal(a, b), b
    return a, literal(b, a) if isinstance(b, (int, float)) else b


def add(a: Term, b: Term) -> Apply:
    return apply("add", *_pair(a, b))


def sub(a: Term, b: Term) -> Apply:
    return apply("sub", *_pair(a, b))


def mul(a: Term, b: Term) -> Apply:
    left, right = _pair(a, b)
    return apply(_SCALINGS[len(left.type.shape), len(right.type.shape)], left, right)


def div(a: Term, b: Term) -> Apply:
    left, right = _pair(a, b)
    return apply("shrink" if left.type.shape else "div", left, right)


def mod(a: Term, b: Term) -> Apply:
    return apply("mod", *_pair(a, b))


def upper(a: Term, b: Term) -> Apply:
    """The larger of two."""
    return apply("max", *_pair(a, b))


def compare(name: str, a: Term, b: Term) -> Apply:
    """``lt``, ``le``, ``gt``, ``ge``, ``eq`` or ``ne``."""
    return apply(name, *_pair(a, b), type=BOOL)


def real(index: Expr, like: Type) -> Expr:
    """An integer as the float type of `like`."""
    return apply("to_float", index, type=like.element)


def part(vector: Expr, position: int) -> Apply:
    """A component of a vector."""
    return apply("component", vector, Literal(position, INT))


def entry(matrix: Expr, row: int, column: int) -> Apply:
    return apply("matrix_component", matrix, Literal(row, INT), Literal(column, INT))
