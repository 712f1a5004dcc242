"""Reads Python expressions as expressions of the typed tree: operations, elements, members."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ... import ir
from ...operations.row import Operation
from ...operations.table import result_type
from ...types import BOOL, FLOAT, INT, Array, Scalar, Several, Struct, Type, Value, part_type
from . import rows
from .folding import enumeration, number, whole
from .literals import literal_of, typed, with_common_type
from .modules import Module
from .namespaces import Namespace
from .refusals import at, describe, kind_of, quoted

_EQUALITIES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


@dataclass
class Local:
    """A local in a body. `definitions` are the statements that may have defined it; `ended` says that their
    block has ended."""

    name: ir.Name
    definitions: list[ir.Let] = field(default_factory=list)
    ended: bool = False


class Expressions:
    """Reads the expressions of a function or a kernel. `scope` has the locals so far."""

    def __init__(self, module: Module, namespace: Namespace, scope: dict[str, Local]) -> None:
        self.module = module
        self.namespace = namespace
        self.scope = scope
        self.indices: set[str] = set()  # of the loops around
        # Statements to insert before the current one; None in operands that may not be evaluated.
        self.before: list[ir.Stmt] | None = []
        self.seen: set[str] = set()  # names that the statement has read so far
        self.parts: dict[str, tuple[ir.Name, ...]] = {}  # the locals of several values under one name

    # ---- provided by `Calls`

    def call(self, node: ast.Call) -> ir.Expr:
        raise NotImplementedError

    # ---- expressions

    def expression(self, node: ast.expr) -> ir.Expr:
        """One value. Raises `Unreadable` for none, several, or unknown syntax."""
        return self.one(node, self.any_expression(node))

    def one(self, node: ast.expr, found: ir.Expr) -> ir.Expr:
        if isinstance(found.type, Several):
            raise at(node, f"{quoted(node)}, which gives {len(found.type.types) or 'nothing'}, as a value")
        return found

    def any_expression(self, node: ast.expr) -> ir.Expr:
        if (literal := literal_of(node)) is not None:
            return literal
        match node:
            case ast.Name():
                return self.name(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.infix(node, op, [self.expression(left), self.expression(right)])
            case ast.BoolOp(op=op, values=[head, *values]):
                first = self.truth(head, self.expression(head))
                with self.conditionally():
                    for value in values:
                        first = self.both(node, op, first, self.truth(value, self.expression(value)))
                return first
            case ast.Compare():
                return self.comparison(node)
            case ast.UnaryOp(op=op, operand=operand):
                return self.prefix(node, op, self.expression(operand))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.truth(test, self.expression(test))
                with self.conditionally():
                    branches = [self.expression(body), self.expression(orelse)]
                return self.applied(node, rows.CHOICES, [condition, *branches], "if")
            case ast.Subscript():
                return self.subscript(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case _:
                raise at(node, f"{kind_of(node)} as a value")

    @contextmanager
    def conditionally(self) -> Iterator[None]:
        """For operands that may not be evaluated: nothing in them can move before the statement."""
        before, self.before = self.before, None
        try:
            yield
        finally:
            self.before = before

    def name(self, node: ast.Name) -> ir.Name:
        local = self.scope.get(node.id)
        if local is not None:
            self.seen.add(node.id)
            return local.name
        if node.id in self.parts:
            raise at(node, f"{node.id}, which is {len(self.parts[node.id])} values, as one")
        return self.module.constant(node, node.id, self.namespace)

    def infix(self, node: ast.expr, op: ast.operator | ast.boolop, operands: list[ir.Expr]) -> ir.Expr:
        symbol = rows.INFIX.get(type(op))
        found = rows.infix(op)
        if symbol is None or not found:
            raise at(node, f"the operator {symbol or kind_of(op)}, which is not in the table of operations")
        return self.applied(node, found, operands, symbol)

    def both(self, node: ast.expr, op: ast.boolop, first: ir.Expr, second: ir.Expr) -> ir.Expr:
        """``first and second``; one of them if the other is an array, which is always there."""
        if isinstance(op, ast.And) and ir.Literal(True, BOOL) in (first, second):
            return first if second == ir.Literal(True, BOOL) else second
        return self.infix(node, op, [first, second])

    def prefix(self, node: ast.expr, op: ast.unaryop, operand: ir.Expr) -> ir.Expr:
        if isinstance(op, ast.Not):
            operand = self.truth(node, operand)
        if isinstance(op, ast.USub) and isinstance(operand, ir.Literal) and operand.type in (INT, FLOAT):
            return ir.Literal(-operand.value, operand.type)  # as in the text: a sign before a number
        symbol = rows.PREFIX[type(op)]
        found = rows.prefix(op)
        if not found:
            raise at(node, f"the operator {symbol.strip()}, which is not in the table of operations")
        return self.applied(node, found, [operand], symbol.strip())

    def comparison(self, node: ast.Compare) -> ir.Expr:
        if unknown := [op for op in node.ops if not isinstance(op, _EQUALITIES)]:
            raise at(node, f"the operator {kind_of(unknown[0])}")
        operands = [self.expression(node.left), self.expression(node.comparators[0])]
        with self.conditionally():
            operands += map(self.expression, node.comparators[1:])
        if not all(map(_are_compared, node.ops, operands, operands[1:])):
            operands = with_common_type(operands)
        links = [
            self.applied(node, rows.infix(op), list(pair), rows.INFIX[type(op)])
            for op, *pair in zip(node.ops, operands, operands[1:], strict=False)
        ]
        if len(links) == 1:
            return links[0]
        if len({operand.type for operand in operands[1:]}) > 1:  # Warp does not take it
            raise at(node, f"{', '.join(describe(operand.type) for operand in operands)} compared in a row")
        return ir.Chain(tuple(link.operation for link in links), tuple(operands))

    def truth(self, node: ast.expr, value: ir.Expr) -> ir.Expr:
        """A condition. As in Warp, numbers are true if not zero, and arrays if a launch passes one; here it
        does."""
        if isinstance(value.type, Array):
            return ir.Literal(True, BOOL)
        if value.type == BOOL or not isinstance(value.type, Scalar):
            return value
        zero = ir.Literal(0.0 if value.type.is_float else 0, value.type)
        return self.applied(node, rows.infix(ast.NotEq()), [value, zero], "!=")

    def applied(
        self,
        node: ast.expr,
        found: Sequence[Operation],
        operands: list[ir.Expr],
        what: str,
        type: Value | None = None,
    ) -> ir.Apply:
        """Apply the first of the rows `found` that takes these operands."""
        types = tuple(operand.type for operand in operands)
        for row in found:
            result = result_type(row.name, types, type)
            if result is not None:
                return ir.Apply(row.name, tuple(operands), result)
        kinds = ", ".join(map(describe, types))
        raise at(node, f"{what} does not take {kinds}" if kinds else f"{what} without operands")

    # ---- parts

    def subscript(self, node: ast.Subscript) -> ir.Expr:
        match node.value:
            case ast.Attribute(value=array, attr="shape") if self.import_path(node.value) is None:
                of = self.expression(array)
                if isinstance(of.type, Array):
                    return ir.Shape(of, self.axis(node.slice, of.type.ndim))
        if isinstance(node.value, ast.Name) and node.value.id in self.parts:
            return self.one_of(node, self.parts[node.value.id])
        base = self.expression(node.value)
        if isinstance(base.type, Array):
            return self.element(node, base, base.type)
        if any(isinstance(part, ast.Slice) for part in _parts(node.slice)):
            raise at(node, f"a slice of {describe(base.type)}")
        return self.applied(node, rows.PARTS, [base, *self.index(node.slice)], "[...]")

    def one_of(self, node: ast.Subscript, names: tuple[ir.Name, ...]) -> ir.Name:
        """``values[0]`` of several that a function returned."""
        place = whole(node.slice, self.namespace)
        if not 0 <= place < len(names) or names[place].name not in self.scope:
            raise at(node, f"{quoted(node)} of {len(names)} values")
        self.seen.add(names[place].name)
        return self.scope[names[place].name].name

    def element(self, node: ast.Subscript, base: ir.Expr, array: Array) -> ir.Load | ir.View:
        parts = [self.index_part(part) for part in _parts(node.slice)]
        if len(parts) > array.ndim:
            raise at(node, f"{quoted(node.value)} takes {array.ndim} indices")
        index = tuple(part for part in parts if not isinstance(part, ir.Slice))
        if len(index) == array.ndim:
            return ir.Load(base, index, array.element)
        left = array.ndim - len(index)
        return ir.View(base, tuple(parts), Array(array.element, left))

    def index_part(self, node: ast.expr) -> ir.Expr | ir.Slice:
        if not isinstance(node, ast.Slice):
            return self.whole_number(node)
        bounds = (node.lower, node.upper, node.step)
        return ir.Slice(*(None if bound is None else self.whole_number(bound) for bound in bounds))

    def index(self, node: ast.expr) -> tuple[ir.Expr, ...]:
        return tuple(self.whole_number(part) for part in _parts(node))

    def whole_number(self, node: ast.expr) -> ir.Expr:
        found = self.expression(node)
        if not found.type.is_integer:
            raise at(node, f"an index that is {describe(found.type)}")
        return found

    def axis(self, node: ast.expr, ndim: int) -> int:
        axis = whole(node, self.namespace)
        if not 0 <= axis < ndim:
            raise at(node, f"a shape has {ndim} entries here")
        return axis

    def attribute(self, node: ast.Attribute) -> ir.Expr:
        path = self.import_path(node)
        if path is not None:
            row = rows.constant(path.removeprefix("warp.")) if path.startswith("warp.") else None
            if row is not None:
                return ir.Apply(row.name, (), FLOAT)
            return typed(number(node, self.namespace))
        if self.root(node) not in self.scope:
            member = enumeration(node, self.namespace)
            if member is not None:
                return self.module.member(node, member, self.namespace)
        return self.member(node, self.expression(node.value))

    def member(self, node: ast.Attribute, of: ir.Expr) -> ir.Member:
        type = dict(of.type.members).get(node.attr) if isinstance(of.type, Struct) else None
        if isinstance(of.type, Value):
            type = part_type(of.type, node.attr)
        if type is None:
            raise at(node, f"{describe(of.type)} has no member {node.attr}")
        return ir.Member(of, node.attr, type)

    # ---- types

    def type_of(self, node: ast.expr) -> Type | None:
        """The type that an expression names: ``wp.vec3``, an alias, ``type(x)``, ``x.dtype``."""
        match node:
            case ast.Call(func=func, args=[of], keywords=[]) if self.import_path(func) == "builtins.type":
                found = self.expression(of).type
                return None if isinstance(found, Several) else found
            case ast.Attribute(value=value, attr="dtype") if self.import_path(node) is None:
                of_type = self.type_of(value)
                if of_type is None and self.root(value) in self.scope:
                    of_type = self.expression(value).type
                if isinstance(of_type, (Array, Value)):
                    return of_type.element
                return None
        if self.root(node) in self.scope:
            return None
        return self.module.annotations.constructed(node, self.namespace)

    def import_path(self, node: ast.expr) -> str | None:
        """The path of an imported name, unless a local hides it."""
        return None if self.root(node) in self.scope else self.namespace.path(node)

    def root(self, node: ast.expr) -> str:
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return node.id if isinstance(node, ast.Name) else ""


def _are_compared(op: ast.cmpop, a: ir.Expr, b: ir.Expr) -> bool:
    return any(result_type(row.name, (a.type, b.type)) is not None for row in rows.infix(op))


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]
