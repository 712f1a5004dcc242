"""Reads bare literals, and converts them to the types that their context requires."""

from __future__ import annotations

import ast
import struct as binary

from ... import ir
from ...types import BOOL, FLOAT, INT, SCALARS, Scalar
from .refusals import at


def literal_of(node: ast.expr) -> ir.Literal | None:
    """A bare literal, a minus sign included."""
    sign = 1
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        sign, node = -1, node.operand
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bool):
        return ir.Literal(node.value, BOOL) if sign > 0 else None
    if isinstance(node.value, (int, float)):
        return typed(sign * node.value)
    raise at(node, f"the literal {node.value!r}")


def typed(value: int | float | bool) -> ir.Literal:
    """A Python number as a literal of its type in Warp."""
    return ir.Literal(value, BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT)


def retyped(value: ir.Expr, type: Scalar) -> ir.Expr:
    """A bare literal converted to another type, if Warp converts it there; other expressions unchanged."""
    if not isinstance(value, ir.Literal) or value.type not in (INT, FLOAT) or value.type == type:
        return value
    if type.is_float:
        # Warp keeps bare literals in single precision.
        exact = value.value if value.type == INT else binary.unpack("f", binary.pack("f", value.value))[0]
        return ir.Literal(float(exact), type)
    fits = value.type == INT and (value.value >= 0 or SCALARS[type.scalar].kind == "signed")
    return ir.Literal(value.value, type) if fits and type != BOOL else value


def with_common_type(operands: list[ir.Expr]) -> list[ir.Expr]:
    """Comparisons accept literals of any type; here they get the type of the other operand."""
    types = {o.type for o in operands if not isinstance(o, ir.Literal)}
    other = types.pop() if len(types) == 1 else None
    return [retyped(o, other) for o in operands] if isinstance(other, Scalar) else operands
