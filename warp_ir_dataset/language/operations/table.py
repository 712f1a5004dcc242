"""The table of operations: what each takes, gives, requires and computes, and how it is written.

A new operation is one row in a file of `builtins`. Built-ins and their domains: the Warp 1.19 reference and
its native headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..types import BOOL, Type, Value, shaped
from .builtins import atomic, matrix, scalar, vector
from .row import Operation
from .spelling import Infix

TABLE: Mapping[str, Operation] = {
    row.name: row for row in (*scalar.ROWS, *vector.ROWS, *matrix.ROWS, *atomic.ROWS)
}


@cache
def result_type(name: str, given: tuple[Type, ...], wanted: Type | None = None) -> Type | None:
    """The type that operands of these types give: `wanted` where that is one of them, None where none is."""
    takes = TABLE[name].takes
    results: list[Any] = _possible_results(given) if wanted is None else [wanted]
    return next((result for result in results if given in map(tuple, takes(result))), None)


@cache
def infix(symbol: str, left: Type, right: Type) -> str | None:
    """The operation that an operator means between operands of these types; None where there is none."""
    rows = (
        row for row in TABLE.values() if isinstance(row.spelling, Infix) and row.spelling.symbol == symbol
    )
    return next((row.name for row in rows if result_type(row.name, (left, right)) is not None), None)


def _possible_results(given: tuple[Type, ...]) -> list[Value]:
    """Result types that operands of these types may have."""
    values = [type for type in given if isinstance(type, Value)]
    if not values:
        return []
    first, last = values[0], values[-1]
    results = [last, first, first.element, BOOL]
    if len(first.shape) == 2:
        results += [shaped(first.scalar, first.shape[::-1]), shaped(first.scalar, first.shape[:1])]
        results.append(shaped(first.scalar, (first.shape[0], last.shape[-1])) if last.shape else first)
    if len(first.shape) == 1 and len(last.shape) == 1:
        results += [
            shaped(first.scalar, (first.shape[0], last.shape[0])),
            shaped(first.scalar, first.shape * 2),
        ]
    return results
