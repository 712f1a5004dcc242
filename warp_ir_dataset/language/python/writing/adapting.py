"""Two changes of a program before it is written: a workaround for the types of loop indices in Warp 1.19, and
the conversion to float64 for finite differences."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from ... import ir, walks
from ...domains import Interval
from ...operations.table import TABLE
from ...types import FLOAT, INT, WIDEST_FLOAT, Type, Value, numpy_type


def in_float64(program: ir.Program) -> ir.Program:
    """The same program with every float type, of any width, made float64."""
    functions = tuple(replace(f, generic=False) for f in program.functions)
    widened: ir.Program = _with_float64(replace(program, functions=functions))
    return widened


def shield_indices(program: ir.Program) -> ir.Program:
    """Convert a loop index to a 64-bit type in two steps: ``wp.float64(k)`` becomes ``wp.float64(float(k))``,
    and ``wp.uint64(k)`` becomes ``wp.uint64(int(k))``.

    Otherwise Warp 1.19 changes the type of the index of an unrolled loop, and other uses of it do not
    compile. The first step keeps only what float32 or int32 can hold: whole numbers up to 2**24 as floats,
    and the low 32 bits of a 64-bit index.
    """
    functions = tuple(replace(f, body=_shielded(f.body)) for f in program.functions)
    return replace(program, body=_shielded(program.body), functions=functions)


def _shielded(body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
    indices = frozenset(node.target.name for node in walks.statements(body) if isinstance(node, ir.For))
    if not indices or not any(_converts_to_64_bits(node) for node in walks.walk(body)):
        return body
    shielded: tuple[ir.Stmt, ...] = _shield(body, indices)
    return shielded


def _converts_to_64_bits(node: object) -> bool:
    return isinstance(node, ir.Apply) and _converts(node) and _is_wide(node.type)


def _shield(node: Any, indices: frozenset[str]) -> Any:
    """A node or a tuple of nodes with its loop indices shielded; what needs no change is the same object."""
    if isinstance(node, tuple):
        items = tuple(_shield(item, indices) for item in node)
        return node if all(new is old for new, old in zip(items, node, strict=True)) else items
    if not _is_node(node):
        return node
    if isinstance(node, ir.Apply) and _converts_to_64_bits(node):
        first = node.operands[0]
        if isinstance(first, ir.Name) and first.name in indices and first.type != node.type:
            narrow = FLOAT if node.type.is_float else INT
            return replace(node, operands=(ir.Apply(node.operation, node.operands, narrow),))
    changed = {}
    for f in fields(node):
        old = getattr(node, f.name)
        new = _shield(old, indices)
        if new is not old:
            changed[f.name] = new
    return replace(node, **changed) if changed else node


def _converts(node: ir.Apply) -> bool:
    row = TABLE.get(node.operation)
    return row is not None and row.converts


def _is_wide(type: Type) -> bool:
    return np.dtype(numpy_type(type)).itemsize > 4


def _with_float64(node: Any) -> Any:
    if isinstance(node, Value):
        return replace(node, scalar=WIDEST_FLOAT) if node.is_float else node
    if isinstance(node, tuple):
        return tuple(_with_float64(item) for item in node)
    if _is_node(node):
        return replace(node, **{f.name: _with_float64(getattr(node, f.name)) for f in fields(node)})
    return node


def _is_node(value: Any) -> bool:
    return hasattr(value, "__dataclass_fields__") and not isinstance(value, (Interval, Value))
