"""The table of operations: operand types, result, domain, semantics and syntax of each.

A new operation is one row in a file of `builtins`. Built-ins and their domains: the Warp 1.19 reference and
its native headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Any

from .. import ir
from ..types import Array, Type
from .builtins import (
    arithmetic,
    arrays,
    atomic,
    constants,
    conversions,
    elementary,
    geometry,
    matrix,
    quaternion,
    random,
    spatial,
    tile,
    transform,
    vector,
)
from .row import Operation
from .signatures import Operands
from .spelling import Infix

# Random programs go through the rows in this order, so they depend on it.
GROUPS = (
    *(arithmetic, elementary, conversions, vector, matrix, constants, atomic),
    # Random programs choose none of what follows: no family of theirs names its groups.
    *(quaternion, transform, spatial, random, arrays, geometry, tile),
)
TABLE: Mapping[str, Operation] = {row.name: row for row in chain.from_iterable(g.ROWS for g in GROUPS)}


def result_type(name: str, given: Operands, wanted: Type | None = None) -> Type | None:
    """The type that operands of these types give. None where there is none, where it is not `wanted`, and
    where there are several and none is wanted."""
    results: tuple[Any, ...] = TABLE[name].signature.gives(given)
    if wanted is not None:
        return wanted if wanted in results else None
    return results[0] if len(results) == 1 else None


@cache
def infix(symbol: str, left: Type, right: Type) -> str | None:
    """The operation that an operator means between operands of these types; None where there is none."""
    rows = (
        row for row in TABLE.values() if isinstance(row.spelling, Infix) and row.spelling.symbol == symbol
    )
    return next((row.name for row in rows if result_type(row.name, (left, right)) is not None), None)


def changed_by(node: object) -> tuple[ir.Expr, ...]:
    """The operands that an expression changes: an atomic's array, a random number's state."""
    if not isinstance(node, ir.Apply):
        return ()
    return tuple(node.operands[place] for place in TABLE[node.operation].changed)


def changed_array(node: object) -> ir.Expr | None:
    """The array of which an expression changes an element: that of an atomic."""
    return next((operand for operand in changed_by(node) if isinstance(operand.type, Array)), None)
