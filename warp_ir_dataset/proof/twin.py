"""Writes a program in float64, in which its gradients are checked."""

from __future__ import annotations

from ..language import ir
from ..language.operations.table import TABLE, result_type
from ..language.python.write import in_float64
from ..language.rewrite import map_bodies, map_expressions
from ..language.types import Scalar, Type


class _Narrow(Exception):
    """An operation that float64 has no form of."""


def twin(program: ir.Program) -> ir.Program | None:
    """The same program with every float made float64; None where Warp has one of its operations for narrower
    floats only. What such an operation gives without being given floats, as random numbers are, is
    converted: no gradient flows through it."""
    try:
        return map_bodies(in_float64(program), lambda body: map_expressions(body, _fitting))
    except _Narrow:
        return None


def _fitting(node: ir.Expr) -> ir.Expr:
    if not isinstance(node, ir.Apply):
        return node
    given = tuple(operand.type for operand in node.operands)
    if result_type(node.operation, given, node.type) is not None:
        return node
    narrow = result_type(node.operation, given)
    if narrow is None or any(_holds_floats(type) for type in given):
        raise _Narrow
    name = _conversion(narrow, node.type)
    return ir.Apply(name, (ir.Apply(node.operation, node.operands, narrow),), node.type)


def _holds_floats(type: Type) -> bool:
    return bool(type.element.is_float) if type.ndim else type.is_float


def _conversion(narrow: Type, wide: Type) -> str:
    """The operation that makes one number of another. Raises `_Narrow` where there is none."""
    if isinstance(narrow, Scalar):
        for name, row in TABLE.items():
            if row.converts and result_type(name, (narrow,), wide) is not None:
                return name
    raise _Narrow
