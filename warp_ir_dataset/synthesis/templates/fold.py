"""Evaluates a template's text for its choices: folds known expressions, and removes branches not chosen.

A name in the text stands for the value that the template bound to it. A number, string or boolean is folded
into the expressions and branches around it; a type or function appears by its own name; a constant keeps the
name that the template gave it.
"""

from __future__ import annotations

import ast
import functools
import pickle
from collections.abc import Mapping
from typing import Any

from ...language.python.nodes import LEAVES, Transformer, nodes
from .choices import Choices, ChosenConstant, TypeName

_SAFE = {"len": len, "range": range, "int": int, "float": float, "abs": abs, "min": min, "max": max}


class UnfoldableTemplate(ValueError):
    """A template's text names a value that cannot stand in a kernel; the message names the place."""


class Fold(Transformer):
    """Folds `bound`, the template's variables, into one definition.

    `used` gathers the constants, types and functions of the template that the definition needs.
    """

    def __init__(self, bound: Mapping[str, Any], choices: Choices) -> None:
        self.bound = bound
        self.known = {name: v for name, v in bound.items() if _is_known(v)} | {"c": choices}
        self.hidden: set[str] = set()
        self.used: dict[str, Any] = {}
        self._foldable: set[int] = set()  # ids of expressions in which a known name occurs

    def definition(self, node: ast.FunctionDef | ast.ClassDef) -> ast.FunctionDef | ast.ClassDef:
        self.hidden = set(_own_names(node)) if isinstance(node, ast.FunctionDef) else set()
        bare = pickle.loads(_bare(node))
        self._note(bare)
        folded: ast.FunctionDef | ast.ClassDef = self.visit(bare)
        return folded

    def _note(self, node: ast.AST) -> bool:
        """Note expressions in which a known name occurs: `visit` evaluates no others."""
        foldable = isinstance(node, ast.Name) and node.id in self.known
        for value in node.__dict__.values():
            if type(value) in LEAVES:
                continue
            for item in value if isinstance(value, list) else (value,):
                foldable |= isinstance(item, ast.AST) and self._note(item)
        if foldable:
            self._foldable.add(id(node))
        return foldable

    # ---- known expressions

    def _known_value(self, node: ast.expr) -> tuple[bool, Any]:
        """Whether all names in an expression are known, and its value if they are."""
        if isinstance(node, (ast.Constant, ast.List)) or isinstance(getattr(node, "ctx", None), ast.Store):
            return False, None
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        if any(isinstance(part, ast.Slice) for part in parts):  # its bounds are known, not it
            return False, None
        bound = [n for n in nodes(node) if isinstance(n, ast.Name)]
        targets = {n.id for n in bound if isinstance(n.ctx, ast.Store)}
        names = {n.id for n in bound} - targets
        if not names or any(name in self.hidden for name in names):
            return False, None
        if not names <= self.known.keys() | _SAFE.keys() or not names & self.known.keys():
            return False, None
        if isinstance(node, ast.Name):
            return True, self.known[node.id]
        compiled = compile(ast.Expression(node), "template", "eval")
        return True, eval(compiled, {"__builtins__": _SAFE, **self.known})

    def visit(self, node: ast.AST) -> Any:
        if id(node) in self._foldable and isinstance(node, ast.expr):
            known, value = self._known_value(node)
            if known and not isinstance(value, range):
                return self._tree(value, node)
        return super().visit(node)

    def _tree(self, value: Any, node: ast.expr) -> ast.expr:
        """The expression for a known value, in place of `node`."""
        if isinstance(value, (bool, int, float, str)):
            return ast.parse(repr(value), mode="eval").body
        if isinstance(value, tuple):
            return ast.Tuple([self._tree(v, node) for v in value], ast.Load())
        return self._name_of(value, node)

    def _name_of(self, value: Any, node: ast.expr) -> ast.expr:
        """The name of a type or function, in place of `node`."""
        if value in (bool, int, float):
            return ast.Name(value.__name__, ast.Load())
        if isinstance(value, TypeName):
            return ast.parse(value.text, mode="eval").body
        name = getattr(value, "__name__", None)
        if name is None:
            raise UnfoldableTemplate(
                f"line {node.lineno} of a template: {ast.unparse(node)} cannot stand in a kernel"
            )
        self.used[name] = value
        return ast.Name(name, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.hidden or node.id not in self.bound or not isinstance(node.ctx, ast.Load):
            return node
        value = self.bound[node.id]
        if isinstance(value, ChosenConstant):
            self.used[node.id] = value
            return node
        return self._name_of(value, node)

    # ---- branches that were not chosen are removed

    def visit_If(self, node: ast.If) -> Any:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return self._block(node.body if test.value else node.orelse)
        return ast.If(test, self._block(node.body) or [ast.Pass()], self._block(node.orelse))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            chosen: ast.expr = self.visit(node.body if test.value else node.orelse)
            return chosen
        return ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """A known operand decides the result, or is removed."""
        ends = isinstance(node.op, ast.Or)
        kept = []
        for value in map(self.visit, node.values):
            if isinstance(value, ast.Constant) and isinstance(value.value, (bool, str)):
                if bool(value.value) == ends:
                    return value
            else:
                kept.append(value)
        if not kept:
            return ast.Constant(not ends)
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        folded = ast.BinOp(self.visit(node.left), node.op, self.visit(node.right))
        return _without_nothing(folded)

    def visit_For(self, node: ast.For) -> Any:
        """Unroll a loop over a tuple of the template."""
        known, values = self._known_value(node.iter)
        if not known and isinstance(node.iter, ast.Tuple):
            values = ast.literal_eval(node.iter)
        return self._unrolled(node, values) if isinstance(values, tuple) else self.generic_visit(node)

    def _unrolled(self, node: ast.For, values: Any) -> list[ast.stmt]:
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        outside, hidden = self.known, self.hidden
        written: list[ast.stmt] = []
        for value in values:
            items = value if isinstance(node.target, ast.Tuple) else (value,)
            self.known = outside | dict(zip(names, items, strict=True))
            self.hidden = hidden - set(names)
            body = _copied(node.body)
            for statement in body:
                self._note(statement)
            written += self._block(body)
        self.known, self.hidden = outside, hidden
        return written

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, (ast.FunctionDef, ast.For, ast.While)):
            return super().generic_visit(node)
        body, node.body = self._block(node.body), []
        super().generic_visit(node)
        node.body = body
        return node

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements that can run: those after a chosen `return` are removed."""
        folded: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            folded += made if isinstance(made, list) else [made]
            if folded and isinstance(folded[-1], (ast.Return, ast.Break, ast.Continue)):
                break
        return folded


def _without_nothing(node: ast.BinOp) -> ast.expr:
    """The expression without a literal zero that is added, or a literal one that multiplies or divides."""
    match node:
        case ast.BinOp(left, ast.Mult() | ast.Div(), ast.Constant(value=1 | 1.0)):
            return left
        case ast.BinOp(ast.Constant(value=1 | 1.0), ast.Mult(), right):
            return right
        case ast.BinOp(left, ast.Add() | ast.Sub(), ast.Constant(value=0 | 0.0)):
            return left
        case ast.BinOp(ast.Constant(value=0 | 0.0), ast.Add(), right):
            return right
    return node


def _is_known(value: Any) -> bool:
    """Whether a value is folded into the text: a number, string or boolean, or a tuple of these."""
    if isinstance(value, tuple):
        return all(_is_known(item) or isinstance(item, TypeName) or callable(item) for item in value)
    return isinstance(value, (bool, int, float, str))


@functools.cache
def _own_names(node: ast.FunctionDef) -> frozenset[str]:
    """The parameters and locals of a function."""
    parameters = {n.arg for n in nodes(node) if isinstance(n, ast.arg)}
    return frozenset(
        parameters | {n.id for n in nodes(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    )


@functools.cache
def _bare(node: ast.FunctionDef | ast.ClassDef) -> bytes:
    """A pickled definition without decorators and defaults. To unpickle is the fastest way to copy a tree."""
    bare = _copied(node)
    bare.decorator_list = []
    if isinstance(bare, ast.FunctionDef):
        bare.args.defaults = []
    return pickle.dumps(bare, pickle.HIGHEST_PROTOCOL)


def _copied(node: Any) -> Any:
    return pickle.loads(pickle.dumps(node, pickle.HIGHEST_PROTOCOL))
