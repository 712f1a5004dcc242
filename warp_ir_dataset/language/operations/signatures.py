"""Which operand types give a result type: the `takes` column of the table of operations.

Each function here maps a result type to the tuples of operand types that give it; an empty list means that
the operation has no such result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..types import BOOL, FLOATS, INT, Array, Scalar, Type, Value, shaped

Operands = Sequence[tuple[Type, ...]]
Takes = Callable[[Any], Operands]
SIZES = (2, 3, 4)


def scalar(kinds: Sequence[str], count: int) -> Takes:
    """`count` scalars of the result's own type."""
    return lambda t: [(t,) * count] if t.scalar in kinds and not t.shape else []


def like(kinds: Sequence[str], ndims: Sequence[int], count: int) -> Takes:
    """`count` values of the result's own type, which has one of `ndims` dimensions."""
    return lambda t: [(t,) * count] if t.scalar in kinds and len(t.shape) in ndims else []


def compared(kinds: Sequence[str]) -> Takes:
    return lambda t: [(Scalar(k), Scalar(k)) for k in kinds] if t == BOOL else []


def scaled(first: bool) -> Takes:
    """A vector or matrix and a scalar; the scalar comes first or second."""

    def takes(t: Value) -> Operands:
        if not t.shape or t.scalar not in FLOATS:
            return []
        return [(t.element, t)] if first else [(t, t.element)]

    return takes


def reduced(kinds: Sequence[str], ndim: int, count: int, square: bool = False) -> Takes:
    """`count` vectors or matrices of one type, reduced to their scalar."""

    def takes(t: Value) -> Operands:
        if t.shape or t.scalar not in kinds:
            return []
        shapes: list[tuple[int, ...]] = [(n,) * ndim for n in SIZES]
        if ndim == 2 and not square:
            shapes += [(2, 3), (3, 2)]
        return [(shaped(t.scalar, shape),) * count for shape in shapes]

    return takes


def only(*shapes: tuple[int, ...], operands: int = 1) -> Takes:
    return lambda t: [(t,) * operands] if t.shape in shapes and t.scalar in FLOATS else []


def built(t: Value) -> Operands:
    """Components, one by one."""
    return [(t.element,) * t.size] if t.shape and t.size <= 4 and t.scalar != "bool" else []


def taken(t: Value) -> Operands:
    """A component of a vector: the vector and a literal index."""
    return [(shaped(t.scalar, (n,)), INT) for n in SIZES] if not t.shape and t != BOOL else []


def taken_from_matrix(t: Value) -> Operands:
    shapes = [(n, n) for n in SIZES] + [(2, 3), (3, 2)]
    return [(shaped(t.scalar, s), INT, INT) for s in shapes] if not t.shape and t.is_float else []


def matrix_row(t: Value) -> Operands:
    if len(t.shape) != 1 or not t.is_float:
        return []
    return [(shaped(t.scalar, (rows, t.shape[0])), INT) for rows in SIZES if rows == t.shape[0]]


def matrix_vector(t: Value) -> Operands:
    if len(t.shape) != 1 or not t.is_float:
        return []
    columns = {2: (2, 3), 3: (3, 2), 4: (4,)}.get(t.shape[0], ())
    return [(shaped(t.scalar, (t.shape[0], c)), shaped(t.scalar, (c,))) for c in columns]


def matrix_matrix(t: Value) -> Operands:
    if len(t.shape) != 2 or not t.is_float:
        return []
    rows, columns = t.shape
    inner = {(2, 2): (2, 3), (3, 3): (3, 2), (2, 3): (2, 3), (3, 2): (2, 3)}.get((rows, columns), (columns,))
    return [(shaped(t.scalar, (rows, k)), shaped(t.scalar, (k, columns))) for k in inner]


def transposed(t: Value) -> Operands:
    return [(shaped(t.scalar, (t.shape[1], t.shape[0])),)] if len(t.shape) == 2 and t.is_float else []


def outer_product(t: Value) -> Operands:
    if len(t.shape) != 2 or not t.is_float:
        return []
    return [(shaped(t.scalar, (t.shape[0],)), shaped(t.scalar, (t.shape[1],)))]


def diagonal(t: Value) -> Operands:
    square = len(t.shape) == 2 and t.shape[0] == t.shape[1] and t.is_float
    return [(shaped(t.scalar, t.shape[:1]),)] if square else []


def diagonal_of(t: Value) -> Operands:
    return [(shaped(t.scalar, t.shape * 2),)] if len(t.shape) == 1 and t.is_float else []


def converted(targets: Sequence[str], sources: Sequence[str]) -> Takes:
    return lambda t: (
        [(Scalar(s),) for s in sources if s != t.scalar] if not t.shape and t.scalar in targets else []
    )


def chosen(t: Value) -> Operands:
    return [(BOOL, t, t)] if t != BOOL else []


def mixed(t: Value) -> Operands:
    """Two vectors, and a scalar that says how much of each."""
    return [(t, t, t.element)] if len(t.shape) == 1 and t.is_float else []


def repeated(t: Value) -> Operands:
    """One scalar for all components of a vector."""
    return [(t.element,)] if len(t.shape) == 1 and t.is_float else []


def crossed(t: Value) -> Operands:
    return [(shaped(t.scalar, (3,)),)] if t.shape == (3, 3) and t.is_float else []


def in_array(kinds: Sequence[str], ndims: Sequence[int]) -> Takes:
    """An array of 1 to 4 dimensions whose elements have the result's type, an index, and one more value."""
    return lambda t: (
        [(Array(t, n), *(INT,) * n, t) for n in range(1, 5)]
        if t.scalar in kinds and len(t.shape) in ndims
        else []
    )
