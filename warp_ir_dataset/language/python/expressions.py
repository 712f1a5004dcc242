"""Expressions of Python as expressions of the tree: which row of the table an operator or a call means."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from .. import program as p
from ..operations.row import Operation
from ..operations.spelling import Conditional, Constant, Function, Infix, Prefix, Spelling, Subscript
from ..operations.table import TABLE, result_type
from ..program import Expr
from ..types import BOOL, FLOAT, INT, SCALARS, Scalar, Struct, Type, Value
from .annotations import Annotations, at

Scope = dict[str, p.Name | p.StructName]

_INFIX: dict[type[ast.operator] | type[ast.cmpop] | type[ast.boolop], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
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
_PREFIX: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}


class Expressions:
    """Reads the expressions of a function or a kernel. `scope` holds what has a name so far."""

    def __init__(
        self,
        annotations: Annotations,
        functions: Mapping[str, p.Function],
        scope: Scope,
        arrays: Mapping[str, p.Argument],
    ) -> None:
        self.annotations = annotations
        self.functions = functions
        self.scope = scope
        self.arrays = arrays
        self.indices: set[str] = set()  # of the loops around

    def expression(self, node: ast.expr) -> Expr:
        if (literal := _literal(node)) is not None:
            return literal
        match node:
            case ast.Name(id=name):
                found = self.scope.get(name)
                if not isinstance(found, p.Name):
                    raise at(node, f"{name} is no number, vector or matrix here")
                return found
            case ast.BinOp(left=left, op=op, right=right):
                return self.infix(node, op, [self.expression(left), self.expression(right)])
            case ast.BoolOp(op=op, values=values):
                first, *others = map(self.expression, values)
                for other in others:
                    first = self.infix(node, op, [first, other])
                return first
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.infix(node, op, [self.expression(left), self.expression(right)])
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _PREFIX:
                symbol = _PREFIX[type(op)]
                return self.applied(
                    node, _spelled(Prefix, symbol), [self.expression(operand)], symbol.strip()
                )
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.applied(node, _CHOICES, list(map(self.expression, (test, body, orelse))), "if")
            case ast.Subscript(value=value, slice=index):
                return self.subscript(node, value, index)
            case ast.Attribute(value=ast.Name(id="wp"), attr=name) if f"wp.{name}" in _CONSTANTS:
                return p.Apply(_CONSTANTS[f"wp.{name}"], (), FLOAT)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                return self.member(node, name, member)
            case ast.Call(func=func, args=args, keywords=[]):
                return self.call(node, func, args)
            case _:
                raise at(node, f"{kind_of(node)} as a value")

    def infix(
        self, node: ast.expr, op: ast.operator | ast.cmpop | ast.boolop, operands: list[Expr]
    ) -> p.Apply:
        symbol = _INFIX.get(type(op))
        if symbol is None:
            raise at(node, f"the operator {kind_of(op)}")
        return self.applied(node, _spelled(Infix, symbol), operands, symbol)

    def applied(
        self,
        node: ast.expr,
        rows: Sequence[Operation],
        operands: list[Expr],
        what: str,
        type: Value | None = None,
    ) -> p.Apply:
        """The one of `rows` that takes these operands."""
        given = tuple(operand.type for operand in operands)
        for row in rows:
            result = result_type(row.name, given, type)
            if result is not None:
                return p.Apply(row.name, tuple(operands), result)
        kinds = ", ".join(_told(kind) for kind in given)
        raise at(node, f"{what} does not take {kinds}" if kinds else f"{what} without operands")

    def subscript(self, node: ast.expr, value: ast.expr, index: ast.expr) -> Expr:
        if isinstance(value, ast.Name) and value.id in self.arrays:
            argument = self.arrays[value.id]
            places = self.index(index)
            if len(places) != argument.ndim:
                raise at(node, f"{value.id} takes {argument.ndim} indices")
            return p.Load(value.id, places, argument.type)
        return self.applied(node, _PARTS, [self.expression(value), *self.index(index)], "[...]")

    def member(self, node: ast.expr, name: str, member: str) -> p.Member:
        struct = self.scope.get(name)
        if not isinstance(struct, p.StructName):
            raise at(node, f"{name}.{member} is no member of a struct")
        types = dict(struct.type.members)
        if member not in types:
            raise at(node, f"{struct.type.name} has no member {member}")
        return p.Member(struct, member, types[member])

    def call(self, node: ast.expr, func: ast.expr, args: list[ast.expr]) -> Expr:
        if isinstance(func, ast.Name) and func.id in self.functions:
            function = self.functions[func.id]
            operands = tuple(map(self.operand, args))
            if [o.type for o in operands] != [parameter.type for parameter in function.parameters]:
                raise at(node, f"{func.id} takes other operands")
            return p.Call(func.id, operands, function.type)
        built = self.annotations.constructed(func)
        operands_ = list(map(self.expression, args))
        if built is not None:
            return self.constructed(node, built, operands_)
        name = warp_name(func)
        if name is None:
            raise at(func, f"a call of {ast.unparse(func)}")
        rows = _spelled(Function, f"wp.{name}")
        if not rows:
            raise at(func, f"wp.{name}, which is not in the table of operations")
        return self.applied(node, rows, operands_, f"wp.{name}")

    def operand(self, node: ast.expr) -> Expr | p.StructName:
        """What a function is given: structs are passed by their name."""
        found = self.scope.get(node.id) if isinstance(node, ast.Name) else None
        return found if isinstance(found, p.StructName) else self.expression(node)

    def constructed(self, node: ast.expr, type: Value, operands: list[Expr]) -> Expr:
        match operands:
            case [p.Literal(value, kind)] if isinstance(type, Scalar) and kind.is_float == type.is_float:
                if (kind == BOOL) == (type == BOOL):
                    return p.Literal(value, type)
            case [p.Apply(operation, (p.Name(name) as index,), narrow)] if isinstance(type, Scalar):
                # Written by way of the type that a loop's index has, for Warp's sake; see `write`.
                plain = narrow in (FLOAT, INT) and narrow.is_float == type.is_float
                if plain and name in self.indices and TABLE[operation].converts and type != narrow:
                    return p.Apply(operation, (index,), type)
        return self.applied(node, _MAKERS, operands, _told(type), type)

    def index(self, node: ast.expr) -> tuple[Expr, ...]:
        return tuple(map(self.expression, node.elts if isinstance(node, ast.Tuple) else [node]))

    def places(self, node: ast.expr) -> tuple[int, ...]:
        found = self.index(node)
        if not all(isinstance(part, p.Literal) for part in found):
            raise at(node, "a component by an index that is no literal")
        return tuple(int(part.value) for part in found if isinstance(part, p.Literal))


# ---- the table, by how it is written


def _rows(wanted: Callable[[Spelling], bool]) -> tuple[Operation, ...]:
    return tuple(row for row in TABLE.values() if wanted(row.spelling))


_MAKERS = _rows(lambda spelling: spelling == Function(""))
_PARTS = _rows(lambda spelling: isinstance(spelling, Subscript))
_CHOICES = _rows(lambda spelling: isinstance(spelling, Conditional))
_CONSTANTS = {row.spelling.name: row.name for row in TABLE.values() if isinstance(row.spelling, Constant)}
_BY_SPELLING: dict[tuple[type, str], list[Operation]] = {}
for _row in TABLE.values():
    if isinstance(_row.spelling, (Infix, Prefix)):
        _BY_SPELLING.setdefault((type(_row.spelling), _row.spelling.symbol), []).append(_row)
    elif isinstance(_row.spelling, Function) and _row.spelling.name:
        _BY_SPELLING.setdefault((Function, _row.spelling.name), []).append(_row)


def _spelled(kind: type, symbol: str) -> Sequence[Operation]:
    return _BY_SPELLING.get((kind, symbol), ())


# ---- small questions


def _literal(node: ast.expr) -> p.Literal | None:
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
        return p.Literal(node.value, BOOL) if sign > 0 else None
    if isinstance(node.value, int):
        return p.Literal(sign * node.value, INT)
    if isinstance(node.value, float):
        return p.Literal(sign * node.value, FLOAT)
    raise at(node, f"the literal {node.value!r}")


def warp_name(node: ast.expr) -> str | None:
    """`name` of ``wp.name``."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "wp":
        return node.attr
    return None


def kind_of(node: ast.AST) -> str:
    return type(node).__name__


def _told(type: Type) -> str:
    if isinstance(type, Struct):
        return type.name
    return SCALARS[type.scalar].python or type.scalar if isinstance(type, Scalar) else str(type.shape)
