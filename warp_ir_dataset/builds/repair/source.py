"""A module's text as edits see it: the nodes of its syntax tree, and the bytes where each stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

Loop = ast.For | ast.While
Block = list[ast.stmt]

INDENT = "    "
CASTS = ("float", "int", "wp.float32", "wp.float64", "wp.int32", "wp.int64", "wp.uint32", "wp.uint64")
# How tightly operators bind; what is not here is an atom, and binds most.
_BINDING: tuple[tuple[type[ast.AST], ...], ...] = (
    (ast.IfExp,),
    (ast.Or,),
    (ast.And,),
    (ast.Not,),
    (ast.Compare,),
    (ast.BitOr,),
    (ast.BitXor,),
    (ast.BitAnd,),
    (ast.LShift, ast.RShift),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    (ast.USub, ast.UAdd, ast.Invert),
    (ast.Pow,),
)
_ATOM = len(_BINDING)
# Where parentheses around an expression are its own, and not those of a call.
_GROUPING = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Attribute, ast.Assign, ast.If)


@dataclass(frozen=True)
class Edit:
    """Parts of a source replaced: of each its first byte, the byte behind it, and the text put there."""

    parts: tuple[tuple[int, int, str], ...]

    def __add__(self, other: Edit) -> Edit:
        return Edit(tuple(sorted(self.parts + other.parts)))


class Module:
    """A source that is edited."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self._bytes = source.encode()
        self._definitions: dict[str, list[tuple[int, str, ast.expr]]] = {}
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    # ---- nodes

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """The kernel and the functions that it calls, in the order of the text."""
        nodes = ast.walk(self.tree)
        return sorted((n for n in nodes if isinstance(n, ast.FunctionDef)), key=lambda node: node.lineno)

    @cached_property
    def kernel(self) -> ast.FunctionDef:
        return next(f for f in self.functions if any("kernel" in self.text(d) for d in f.decorator_list))

    @cached_property
    def body(self) -> list[ast.AST]:
        """Every node of their statements, in the order of the text."""
        found = {id(n): n for f in self.functions for part in f.body for n in ast.walk(part)}
        placed = (n for n in found.values() if hasattr(n, "col_offset"))
        # `ast.AST` has no place in the text; the kinds of nodes that are left do.
        return sorted(placed, key=lambda n: (n.lineno, n.col_offset, -n.end_lineno, -n.end_col_offset))  # type: ignore[attr-defined]

    @cached_property
    def _parents(self) -> dict[int, ast.AST]:
        return {id(child): node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def parent(self, node: ast.AST) -> ast.AST:
        return self._parents[id(node)]

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """Those that a node stands in, the innermost first."""
        while (found := self._parents.get(id(node))) is not None:
            yield found
            node = found

    def function_of(self, node: ast.AST) -> ast.FunctionDef:
        return next(parent for parent in self.parents(node) if isinstance(parent, ast.FunctionDef))

    @cached_property
    def elements(self) -> list[ast.Subscript]:
        """Elements of arrays that are arguments."""
        found = []
        for node in self.body:
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                arguments = self.function_of(node).args.args
                annotations = {a.arg: self.text(a.annotation) for a in arguments if a.annotation}
                if "array" in annotations.get(node.value.id, "") and not isinstance(node.slice, ast.Slice):
                    found.append(node)
        return found

    def counters(self, node: ast.AST) -> list[str]:
        """The indices of the thread, and those of the loops around a node, from outside to inside."""
        threads = [
            name.id
            for statement in self.function_of(node).body
            if isinstance(statement, ast.Assign) and is_call(statement.value, "tid")
            for name in ast.walk(statement.targets[0])
            if isinstance(name, ast.Name)
        ]
        loops = [parent.target for parent in self.parents(node) if isinstance(parent, ast.For)]
        return [*threads, *(name.id for name in reversed(loops) if isinstance(name, ast.Name))]

    def definitions(self, function: ast.FunctionDef) -> list[tuple[int, str, ast.expr]]:
        """The locals of a function: for each assignment its last line, the name and the value."""
        if function.name not in self._definitions:
            self._definitions[function.name] = [
                (statement.end_lineno or 0, target.id, statement.value)
                for statement in ast.walk(function)
                if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name)
            ]
        return self._definitions[function.name]

    def calls(self) -> Iterator[ast.Call]:
        """Those in the bodies, but for ``wp.static(...)``, whose text Python evaluates."""
        for node in self.body:
            if isinstance(node, ast.Call) and of_warp(node.func) != "static":
                yield node

    def binary(self) -> Iterator[ast.BinOp]:
        return (node for node in self.body if isinstance(node, ast.BinOp))

    def blocks(self) -> Iterator[Block]:
        """Every block of the bodies, without docstrings."""
        for node in [*self.functions, *self.body]:
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block:
                    documented = isinstance(node, ast.FunctionDef) and is_docstring(block[0])
                    yield block[1:] if documented else block

    # ---- text

    def text(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.source, node) or ""

    def edited(self, edit: Edit) -> str:
        made, place = b"", 0
        for start, end, text in edit.parts:
            made += self._bytes[place:start] + text.encode()
            place = end
        return (made + self._bytes[place:]).decode()

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The bytes of a node, without parentheses around it."""
        # `ast.AST` has no place in the text; the nodes that are asked for do.
        at = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        start = self._starts[at[0] - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self._starts[at[1] - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def grouped(self, node: ast.AST) -> tuple[int, int] | None:
        """The bytes of a node with the parentheses that are its own; None where it has none."""
        if not isinstance(self.parent(node), _GROUPING):
            return None
        start, end = self.span(node)
        before, after = self._bytes[:start].rstrip(), self._bytes[end:]
        behind = after.lstrip()
        if before.endswith(b"(") and behind.startswith(b")"):
            return len(before) - 1, end + len(after) - len(behind) + 1
        return None

    def put(self, node: ast.AST, text: str) -> Edit:
        start, end = self.span(node)
        return Edit(((start, end, text),))

    def put_part(self, node: ast.expr, part: ast.expr) -> Edit:
        """A node replaced by one inside it, in parentheses where it needs them, and only there."""
        start, end = self.grouped(node) or self.span(node)
        text = self.text(part)
        return Edit(((start, end, f"({text})" if self._loose(node, part) else text),))

    def _loose(self, node: ast.expr, part: ast.expr) -> bool:
        """Whether `part`, where `node` stands, would be torn apart by the operators around."""
        parent = self.parent(node)
        around = _binding(parent) if isinstance(parent, ast.expr) else -1
        if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Subscript) and parent.value is node):
            return _binding(part) < _ATOM
        if around == _ATOM:
            return False
        right = isinstance(parent, ast.Compare) or (isinstance(parent, ast.BinOp) and parent.right is node)
        return _binding(part) < around or (right and _binding(part) == around)

    def operand(self, node: ast.expr, operator: type[ast.operator]) -> str:
        """The text of a node as the right operand of an operator."""
        text = self.text(node)
        at = next(place for place, row in enumerate(_BINDING) if operator in row)
        return f"({text})" if _binding(node) <= at else text

    def put_operator(self, node: ast.BinOp, old: str, new: str) -> Edit:
        start = (self.grouped(node.left) or self.span(node.left))[1]
        end = (self.grouped(node.right) or self.span(node.right))[0]
        between = self._bytes[start:end].decode()
        return Edit(((start, end, between.replace(old, new)),))

    def between(self, start: int, end: int) -> str:
        return self._bytes[start:end].decode()

    # ---- lines

    def lines(self, first: int, last: int) -> str:
        """The text of lines, counted from one, the last one included."""
        return self._bytes[self._starts[first - 1] : self._starts[last]].decode()

    def put_lines(self, first: int, last: int, text: str) -> Edit:
        return Edit(((self._starts[first - 1], self._starts[last], text),))

    def without(self, statement: ast.stmt) -> Edit:
        assert statement.end_lineno is not None
        return self.put_lines(statement.lineno, statement.end_lineno, "")

    def removed(self, statement: ast.stmt) -> Edit | None:
        """A statement left out. An ``if`` or ``else`` that would be empty goes with it; None where that is no
        ``if``."""
        parent = self.parent(statement)
        if len(block_of(parent, statement)) > 1:
            return self.without(statement)
        if not isinstance(parent, ast.If) or is_elif(self, parent):
            return None
        if statement in parent.body:
            return None if parent.orelse else self.without(parent)
        assert parent.body[-1].end_lineno is not None and statement.end_lineno is not None
        first = parent.body[-1].end_lineno + 1
        return self.put_lines(first, statement.end_lineno, "")


def block_of(parent: ast.AST, statement: ast.stmt) -> Block:
    """The block of `parent` that a statement stands in."""
    blocks = (getattr(parent, name, None) for name in ("body", "orelse"))
    return next(block for block in blocks if isinstance(block, list) and statement in block)


def is_elif(module: Module, node: ast.If) -> bool:
    return module.between(*module.span(node)).startswith("elif")


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def of_warp(function: ast.expr) -> str | None:
    """The name of one of Warp's functions."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "wp" else None
    return None


def is_call(node: ast.AST | None, *names: str) -> TypeGuard[ast.Call]:
    """Whether a node calls one of these functions of Warp's."""
    return isinstance(node, ast.Call) and of_warp(node.func) in names


def is_atomic(call: ast.AST | None) -> TypeGuard[ast.Call]:
    return isinstance(call, ast.Call) and (of_warp(call.func) or "").startswith("atomic_")


def names_read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def names_set(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def is_number(node: ast.AST, value: float | None = None) -> bool:
    """Whether a node is a number without a sign: this one, if one is given."""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return False
    return value is None or node.value == value


def is_one(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


def same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def _binding(node: ast.AST) -> int:
    kind = type(getattr(node, "op", node))
    return next((place for place, row in enumerate(_BINDING) if kind in row), _ATOM)
