"""A pass from float32 to float64, throughout a program. It changes how results are rounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from .. import ir
from ..domains import Interval
from ..operations.table import TABLE
from ..rewrite import map_bodies, map_expressions
from ..types import FLOAT, WIDEST_FLOAT, Value


def float32_to_float64(program: ir.Program) -> Iterator[ir.Program]:
    """Every float32 as float64."""
    wider = _widened(program)
    if wider == program:
        return
    wider = map_bodies(wider, lambda body: map_expressions(body, _without_conversion))
    # Literals of a generic function would stay float32.
    wider = replace(wider, functions=tuple(replace(f, generic=False) for f in wider.functions))
    kinds = [(f.name, tuple(p.type for p in f.parameters)) for f in wider.functions]
    if len(set(kinds)) == len(kinds):
        yield wider


def _widened(node: Any) -> Any:
    """Widen all types in a node: those of names, arguments and structs."""
    if isinstance(node, tuple):
        return tuple(_widened(item) for item in node)
    if isinstance(node, Value):
        return replace(node, scalar=WIDEST_FLOAT) if node.scalar == FLOAT.scalar else node
    if not hasattr(node, "__dataclass_fields__") or isinstance(node, Interval):
        return node
    return replace(node, **{f.name: _widened(getattr(node, f.name)) for f in fields(node)})


def _without_conversion(node: ir.Expr) -> ir.Expr:
    """Drop a conversion whose two types are now the same."""
    if isinstance(node, ir.Apply) and TABLE[node.operation].converts and len(node.operands) == 1:
        (operand,) = node.operands
        return operand if operand.type == node.type else node
    return node
