"""The table of operations: what each takes, gives, requires and computes, and how it is written.

A new operation is one row in a file of `builtins`. Built-ins and their domains: the Warp 1.19 reference and
its native headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..types import BOOL, Value, shaped
from .builtins import matrix, scalar, vector
from .row import Operation

TABLE: Mapping[str, Operation] = {row.name: row for row in (*scalar.ROWS, *vector.ROWS, *matrix.ROWS)}


@cache
def result_type(name: str, given: tuple[Value, ...], wanted: Value | None = None) -> Value | None:
    """The type that operands of these types give: `wanted` where that is one of them, None where none is."""
    takes = TABLE[name].takes
    results = _possible_results(given) if wanted is None else [wanted]
    return next((result for result in results if given in map(tuple, takes(result))), None)


def _possible_results(given: tuple[Value, ...]) -> list[Value]:
    """Result types that operands of these types may have."""
    first, last = given[0], given[-1]
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
