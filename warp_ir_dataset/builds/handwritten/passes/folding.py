"""Adds integers in loop bounds and indices, and simplifies the sum: ``n - 1`` plus 1 is ``n``."""

from __future__ import annotations

from ....language import ir
from ....language.operations.table import TABLE
from ....language.operations.traits import MINUS, PLUS, TIMES
from ....language.types import Scalar
from ....language.walks import walk


def plus(value: ir.Expr, number: int) -> ir.Expr:
    """A whole number plus a literal one: ``n - 1`` plus 1 is ``n``."""
    if isinstance(value, ir.Literal):
        return ir.Literal(int(value.value) + number, value.type)
    match value:
        case ir.Apply(operation, (of, ir.Literal(given))) if operation in (PLUS, MINUS):
            return _shifted(of, number + (int(given) if operation == PLUS else -int(given)))
    return _shifted(value, number)


def _shifted(value: ir.Expr, number: int) -> ir.Expr:
    if number == 0:
        return value
    assert isinstance(value.type, Scalar)
    operands = (value, ir.Literal(abs(number), value.type))
    return ir.Apply(PLUS if number > 0 else MINUS, operands, value.type)


def folded(node: ir.Expr) -> ir.Expr:
    """What an operation on literals gives, for sums and products of whole numbers and for conversions; of two
    literals added one after the other, their sum."""
    match node:
        case ir.Apply(operation, (ir.Apply(inner) as of, ir.Literal(given))) if {operation, inner} <= {
            PLUS,
            MINUS,
        }:
            if node.type.is_integer:
                return plus(of, int(given) if operation == PLUS else -int(given))
    if not isinstance(node, ir.Apply) or not all(
        isinstance(operand, ir.Literal) for operand in node.operands
    ):
        return node
    values = [operand.value for operand in node.operands if isinstance(operand, ir.Literal)]
    if node.operation in _WHOLE and node.type.is_integer:
        return ir.Literal(_WHOLE[node.operation](*map(int, values)), _scalar(node))
    if TABLE[node.operation].converts and node.type.is_float:
        return ir.Literal(float(values[0]), _scalar(node))
    return node


_WHOLE = {PLUS: int.__add__, MINUS: int.__sub__, TIMES: int.__mul__}


def _scalar(node: ir.Apply) -> Scalar:
    assert isinstance(node.type, Scalar)
    return node.type


def settles(node: ir.Expr) -> bool:
    """Whether an operation has nothing but literals left that `folded` did not take."""
    if not isinstance(node, ir.Apply) or not node.operands:
        return False
    names = any(isinstance(part, ir.Name) for operand in node.operands for part in walk(operand))
    return not names and folded(node) is node and not node.type.shape
