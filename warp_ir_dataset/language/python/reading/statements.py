"""Reads Python statements, with their comments, as statements of the typed tree."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence

from ... import ir, walks
from ...operations.table import TABLE, changed_by
from ...rewrite import with_blocks
from ...types import BOOL, INT, Type
from ..writing.statement_text import bounds_needed
from .assignments import Assignments
from .comments import Reader
from .expressions import Local
from .folding import whole
from .modules import Module
from .namespaces import Namespace
from .refusals import at, describe, kind_of


class Statements(Assignments):
    """Reads the statements of a function or a kernel."""

    def __init__(
        self,
        module: Module,
        namespace: Namespace,
        parameters: Sequence[ir.Name],
        comments: Reader,
        *,
        in_kernel: bool,
    ) -> None:
        super().__init__(module, namespace, parameters, in_kernel=in_kernel)
        self.comments = comments
        self.returned: list[tuple[ast.Return, tuple[Type, ...]]] = []

    def body(self, function: ast.FunctionDef) -> tuple[str | None, tuple[ir.Stmt, ...]]:
        """A function's docstring and statements."""
        opening = self.comments.head(function)
        docstring, nodes = without_docstring(function.body)
        if not nodes:
            return docstring, (*opening, ir.Pass())
        statements = self.block(nodes)
        return docstring, self.with_variables((*opening, *statements))

    def with_variables(self, body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        """Replace the definition of each local that is assigned later by a `Variable`."""
        found: list[ir.Stmt] = []
        for statement in body:
            if isinstance(statement, ir.Let) and id(statement) in self.varying:
                found.append(ir.Variable(statement.target, _plain(statement.value)))
            elif inner := walks.blocks(statement):
                found.append(with_blocks(statement, [self.with_variables(block) for block in inner]))
            else:
                found.append(statement)
        return tuple(found)

    # ---- blocks

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[ir.Stmt, ...]:
        found: list[ir.Stmt] = []
        for node, following in zip(nodes, [*nodes[1:], None], strict=True):
            found += self.comments.before(node)
            self.before, self.seen = [], set()
            lifted = self.before
            statement = self.statement(node)
            found += [*lifted, *statement]
            if not isinstance(node, (ast.If, ast.For, ast.While)):
                found += self.comments.beside(node, following)
        return (*found, *self.comments.closing(nodes))

    def inner(self, nodes: Sequence[ast.stmt], opening: Sequence[ir.Stmt]) -> tuple[ir.Stmt, ...]:
        """An inner block. As in Warp, its names stay known after it."""
        outside = dict(self.scope)
        found = (*opening, *self.block(nodes))
        for name, local in self.scope.items():
            if name not in outside:
                outside[name] = Local(local.name, list(local.definitions), ended=True)
            elif outside[name].ended and local is not outside[name]:
                outside[name].definitions += local.definitions
        self.scope = outside
        return found

    def statement(self, node: ast.stmt) -> list[ir.Stmt]:
        match node:
            case ast.Assign(targets=[target], value=value):
                return self.assignment(node, target, value)
            case ast.AugAssign():
                return [self.accumulation(node)]
            case ast.If():
                return [self.choice(node)]
            case ast.For(orelse=[]):
                return [self.range_loop(node)]
            case ast.While(orelse=[]):
                return [self.loop(node)]
            case ast.Return():
                return [self.result_of(node)]
            case ast.Expr(value=ast.Call() as call):
                return [self.expression_statement(call)]
            case ast.Assert(test=test, msg=message):
                return [ir.Assert(self.truth(test, self.expression(test)), _text(message))]
            case ast.Break():
                return [ir.Break()]
            case ast.Continue():
                return [ir.Continue()]
            case ast.Pass():
                return [ir.Pass()]
            case _:
                raise at(node, f"{kind_of(node)} as a statement")

    def choice(self, node: ast.If) -> ir.If:
        condition = self.truth(node.test, self.expression(node.test))
        outside = dict(self.scope)
        then = self.inner(node.body, self.comments.opening(node))
        if not node.orelse:
            return ir.If(condition, then)
        then = (*then, *self.comments.above_else(node))
        after, self.scope = self.scope, outside
        elif_ = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        opening = (
            [] if elif_ and node.orelse[0].col_offset == node.col_offset else self.comments.otherwise(node)
        )
        orelse = self.inner(node.orelse, opening)
        for name, local in after.items():
            if name in self.scope and local.ended and self.scope[name] is not local:
                self.scope[name].definitions += local.definitions
            else:
                self.scope.setdefault(name, local)
        return ir.If(condition, then, orelse)

    def loop(self, node: ast.While) -> ir.While:
        """A condition with an effect is tested at the start of the body."""
        before: list[ir.Stmt] = []
        self.before = before
        condition = self.truth(node.test, self.expression(node.test))
        self.before = []
        body = self.inner(node.body, self.comments.opening(node))
        if not before:
            return ir.While(condition, body)
        ended = ir.If(self.prefix(node.test, ast.Not(), condition), (ir.Break(),))
        return ir.While(ir.Literal(True, BOOL), (*before, ended, *body))

    def range_loop(self, node: ast.For) -> ir.For:
        match node.target, node.iter:
            case ast.Name(id=name), ast.Call(func=func, args=bounds, keywords=[]) if (
                self.import_path(func) == "builtins.range"
            ):
                pass
            case _:
                raise at(node, "a loop over anything but range(...)")
        if not 1 <= len(bounds) <= 3:
            raise at(node, "range takes one to three bounds")
        found = [self.whole_number(bound) for bound in bounds[:2]]
        start, stop = found if len(found) == 2 else (ir.Literal(0, INT), found[0])
        step = whole(bounds[2], self.namespace) if len(bounds) == 3 and not self._local(bounds[2]) else 1
        if step == 0 or (len(bounds) == 3 and self._local(bounds[2])):
            raise at(bounds[2], "a step that is no constant, or zero")
        if start.type != stop.type:
            raise at(node, f"a range from {describe(start.type)} to {describe(stop.type)}")
        outside = dict(self.scope)
        target = self.define(node.target, name, start.type)
        self.indices.add(name)
        body = self.inner(node.body, self.comments.opening(node))
        self.indices.discard(name)
        if name in outside:
            self.scope[name] = outside[name]
        else:
            self.scope[name].ended = True
        written = len(bounds) if len(bounds) > bounds_needed(start, step) else 0
        return ir.For(target, start, stop, step, body, written)

    def _local(self, node: ast.expr) -> bool:
        return any(isinstance(inner, ast.Name) and inner.id in self.scope for inner in ast.walk(node))

    def result_of(self, node: ast.Return) -> ir.Return:
        if node.value is None:
            nodes: list[ast.expr] = []
        else:
            nodes = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if nodes and self.in_kernel:
            raise at(node, "a kernel that returns something")
        parts = self.parts.get(node.value.id) if isinstance(node.value, ast.Name) else None
        values: tuple[ir.Expr, ...] = parts or tuple(map(self.expression, nodes))
        self.returned.append((node, tuple(value.type for value in values)))
        return ir.Return(values)

    # ---- statements that are calls

    def expression_statement(self, call: ast.Call) -> ir.Stmt:
        path = self.import_path(call.func)
        if path in ("builtins.print", "warp.print", "warp.printf"):
            return self.print_call(call, path == "warp.printf")
        self.alone = call
        found = self.any_expression(call)
        if isinstance(found, ir.Call) or changed_by(found):
            return ir.Do(found)
        raise at(call, "a call whose result is not used")

    def print_call(self, call: ast.Call, formatted: bool) -> ir.Print:
        if call.keywords:
            raise at(call, "a print with arguments given by name")
        text = _text(call.args[0]) if call.args else None
        if formatted and text is None:
            raise at(call, "printf without a format")
        operands = tuple(map(self.expression, call.args[text is not None :]))
        if not formatted and (text is not None) == bool(operands):
            raise at(call, "a print of several things, or of nothing")
        return ir.Print(text if formatted or text is None else text + "\n", operands)


def without_docstring(body: list[ast.stmt]) -> tuple[str | None, list[ast.stmt]]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str(text))), *rest]:
            return inspect.cleandoc(text), rest
        case _:
            return None, body


def _plain(value: ir.Expr) -> ir.Expr:
    """The literal, if a value is a literal converted to its own type, the usual start of a variable."""
    match value:
        case ir.Apply(operation, (ir.Literal() as literal,), type) if literal.type == type:
            return literal if TABLE[operation].converts else value
        case _:
            return value


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
