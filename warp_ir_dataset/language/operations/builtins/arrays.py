"""Operations on a whole array, such as its length.

No row: ``len`` and ``shape``, which are nodes of the tree (`Shape`), and ``wp.tid``, a statement;
``wp.zeros`` and ``wp.array``, which make arrays: a program's are its arguments.
"""

from __future__ import annotations

import numpy as np

from ... import ir
from ...domains import Interval
from ...types import Value
from ..bounds import Of
from ..row import row


def _size(of: Of, array: ir.Expr) -> Interval:
    return of(ir.Shape(array, 0))


def a_place(of: Of, array: ir.Expr, *others: ir.Expr) -> Interval:
    return Interval(0, _size(of, array).hi - 1)


def not_empty(of: Of, array: ir.Expr, *others: ir.Expr) -> bool:
    return _size(of, array).lo > 0


def of_range(of: Of, array: ir.Expr, begin: ir.Expr, end: ir.Expr, value: ir.Expr) -> Interval:
    return Interval(of(begin).lo, of(end).hi - 1)


def inside(of: Of, array: ir.Expr, begin: ir.Expr, end: ir.Expr, value: ir.Expr) -> bool:
    """A range of the array, and not an empty one."""
    return of(begin).lo >= 0 and of(begin).hi < of(end).lo and of(end).hi <= _size(of, array).lo


def search(type: Value, array: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The first element that is not below a value; the last one where all are."""
    first: np.ndarray = (array[:, :, :-1] < value[..., None]).sum(-1)
    return first


def search_range(
    type: Value, array: np.ndarray, begin: np.ndarray, end: np.ndarray, value: np.ndarray
) -> np.ndarray:
    """The same of the elements from `begin` to below `end`."""
    places = np.arange(array.shape[2])
    among = (places >= begin[..., None]) & (places < end[..., None] - 1)
    first: np.ndarray = begin + (among & (array < value[..., None])).sum(-1)
    return first


# fmt: off
ROWS = (
    row("lower_bound(array<1,T>, T) -> int32", "array", a_place, search, requires=not_empty,
        needs=("sorted", None), derivative="flat", parameters="arr value", formula="lower_bound({})",
        notes="lower_bound"),
    row("lower_bound_of: lower_bound(array<1,T>, int32, int32, T) -> int32", "array", of_range, search_range,
        requires=inside, needs=("sorted", None, None, None), derivative="flat",
        parameters="arr arr_begin arr_end value", formula="lower_bound({})", notes="lower_bound"),
)
# fmt: on
