"""Looks up operations by their Python syntax."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence

from typing_extensions import assert_never

from ...operations.row import Operation
from ...operations.spelling import Conditional, Constant, Function, Infix, Prefix, Spelling, Subscript
from ...operations.table import TABLE

INFIX: dict[type[ast.operator] | type[ast.cmpop] | type[ast.boolop], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "*",  # Warp treats both the same
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "and",
    ast.Or: "or",
}
PREFIX: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}


def _rows(wanted: Callable[[Spelling], bool]) -> tuple[Operation, ...]:
    return tuple(row for row in TABLE.values() if wanted(row.spelling))


MAKERS = _rows(lambda syntax: syntax == Function(""))
PARTS = _rows(lambda syntax: isinstance(syntax, Subscript))
CHOICES = _rows(lambda syntax: isinstance(syntax, Conditional))
_BY_SYNTAX: dict[tuple[type, str], list[Operation]] = {}
for _row in TABLE.values():
    match _row.spelling:
        case Infix(symbol) | Prefix(symbol):
            _BY_SYNTAX.setdefault((type(_row.spelling), symbol), []).append(_row)
        case Function(name) | Constant(name):
            _BY_SYNTAX.setdefault((type(_row.spelling), name), []).append(_row)
        case Subscript() | Conditional():
            pass
        case _:
            assert_never(_row.spelling)


def infix(op: ast.operator | ast.cmpop | ast.boolop) -> Sequence[Operation]:
    return _BY_SYNTAX.get((Infix, INFIX.get(type(op), "")), ())


def prefix(op: ast.unaryop) -> Sequence[Operation]:
    return _BY_SYNTAX.get((Prefix, PREFIX.get(type(op), "")), ())


def function(name: str) -> Sequence[Operation]:
    """The rows written ``wp.name(...)``."""
    return _BY_SYNTAX.get((Function, f"wp.{name}"), ())


def named_operands(found: Sequence[Operation], placed: int, named: Collection[str]) -> tuple[str, ...]:
    """The operands of `named`, in their order behind the first `placed`; () where no row has such."""
    for row in found:
        for names in row.parameters.split("; "):
            rest = tuple(names.split()[placed : placed + len(named)])
            if set(rest) == set(named):
                return rest
    return ()


def constant(name: str) -> Operation | None:
    """The row written ``wp.name``, without operands; Warp has each in small letters too."""
    found = _BY_SYNTAX.get((Constant, f"wp.{name.upper()}"))
    return found[0] if found else None
