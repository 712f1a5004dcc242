"""The text of one function that Warp knows, with everything outside of it that it names resolved.

The text stays as it was written, comments and all, but for its decorators, names of what is elsewhere, and
`wp.static`, whose values take its place. Annotations whose names are gone are written anew, from the types
that Warp found them to mean.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import enum
import inspect
import textwrap
from collections.abc import Callable, Iterator
from itertools import accumulate
from types import ModuleType
from typing import Any

import warp as wp
from warp._src import codegen, context
from warp._src.types import type_is_value

from .type_text import NoText, type_text
from .value_text import is_known

# Gives the text for something that a function names: by what it is, what it is called there, and what it is
# an attribute of, where it is one.
Resolve = Callable[[Any, str, Any], str]

STATIC = "wp.static"  # what the value of `wp.static` is called

_MISSING = object()
_PYTHON = {"float": float, "int": int, "bool": bool, "tuple": tuple}


class Body:
    """One function: `text` begins with ``def``; `locals` are the names that it gives to things itself."""

    def __init__(self, adj: Any, resolve: Resolve, annotation: Callable[[Any], str], name: str) -> None:
        self._adj, self._resolve, self._annotation = adj, resolve, annotation
        self._source, self._node, self._values = _parsed(adj)
        self._text = self._source.encode()
        self.locals = set(_assigned(self._node))
        self._edits: list[tuple[int, int, str]] = []
        lines = self._text.split(b"\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._header(name)
        for statement in self._node.body:
            self._visit(statement)
        self.text = self._edited()

    # ---- what is replaced

    def _header(self, name: str) -> None:
        arguments = self._node.args
        types = self._adj.arg_types
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.annotation is not None and argument.arg in types:
                self._annotate(argument.annotation, types[argument.arg])
        positional = [*arguments.posonlyargs, *arguments.args]
        behind = len(positional) - len(arguments.defaults)
        told = [*[None] * behind, *arguments.defaults, *arguments.kw_defaults]
        given = inspect.signature(self._adj.func).parameters
        for argument, default in zip((*positional, *arguments.kwonlyargs), told, strict=True):
            if default is not None:
                self._default(default, given[argument.arg].default)
        if self._node.returns is not None and "return" in types:
            self._annotate(self._node.returns, types["return"])
        head = self._at(self._node.lineno, self._node.col_offset)
        start = self._text.index(self._node.name.encode(), head + len("def"))
        self._edits.append((start, start + len(self._node.name.encode()), name))

    def _annotate(self, node: ast.expr, kind: Any) -> None:
        """Keep an annotation as it was written where it still means `kind`: what only an annotation names is
        no part of a closure, and a name may mean something else by now. A type is named by us only where it
        is written anew: its own name is lost otherwise."""
        before = len(self._edits)
        meant = type_text(kind, _told_apart)
        try:
            if type_text(self._value(node), _told_apart) == meant:
                self._visit(node)
                return
        except (NoText, NameError):
            del self._edits[before:]
        self._replace(node, self._annotation(kind))

    def _default(self, node: ast.expr, value: Any) -> None:
        """Keep a default as it was written where it still has the value that it had."""
        with contextlib.suppress(NameError):
            if self._resolve(self._value(node), STATIC, None) == self._resolve(value, STATIC, None):
                self._visit(node)
                return
        self._replace(node, self._resolve(value, STATIC, None))

    def _value(self, node: ast.expr) -> Any:
        """What an expression outside of the body means now. Raises `NameError` for a name that is gone."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            raise NameError(node.value)  # an annotation as text is written anew
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        known = {name: _PYTHON.get(name, self._outside(name)) for name in names}
        if _MISSING in known.values():
            raise NameError(ast.unparse(node))
        try:
            return eval(compile(ast.Expression(node), "<annotation>", "eval"), {"__builtins__": {}}, known)
        except Exception as error:  # somebody's objects raise anything
            raise NameError(ast.unparse(node)) from error

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call) and self._is_static(node):
            if (value := self._static_value(node)) is not _MISSING:
                self._replace(node, self._resolve(value, STATIC, None))
                return
        elif isinstance(node, (ast.Name, ast.Attribute)):
            if self._chain(node):
                return
        elif isinstance(node, ast.AnnAssign):
            raise NoText("an annotated assignment")
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _chain(self, node: ast.Name | ast.Attribute) -> bool:
        """Replace the part of ``a.b.c`` that leads to something outside of the function; False where it does
        not begin with a name."""
        parts = _parts(node)
        if parts is None:
            return False
        root, value = parts[0], self._outside(parts[0].id)
        if root.id in self.locals or value is _MISSING:
            return True  # its own, Python's, or one of Warp's without its module
        from_warp, holder = value is wp, None
        for part, following in zip(parts, (*parts[1:], None), strict=True):
            if isinstance(part, ast.Attribute):
                holder = value
                if value is wp and not hasattr(wp, part.attr):
                    break  # a built-in that Python cannot call, such as `tid`
                value = getattr(value, part.attr, _MISSING)
            if from_warp and _of_warp(value):
                break
            called = part.id if isinstance(part, ast.Name) else part.attr
            if _ends_here(value) and not (following and _leads_on(value, following.attr)):
                self._replace(part, self._resolve(value, called, holder))
                return True
            name = getattr(value, "__name__", "")
            if name and getattr(wp, name, None) is value:
                self._replace(part, f"wp.{name}")
                return True
        else:
            if called not in context.builtin_functions:
                raise NoText(f"the name {ast.unparse(node)}, which is of type {type(value).__name__}")
            # Of any other function, such as `math.radians`, Warp takes its own one of that name.
            self._replace(node, f"wp.{called}")
            return True
        self._replace(root, "wp")
        return True

    def _outside(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        function = self._adj.func
        closed = codegen.get_closure_vars(function)
        return closed[name] if name in closed else function.__globals__.get(name, _MISSING)

    def _is_static(self, node: ast.Call) -> bool:
        match node.func:
            case ast.Attribute(ast.Name(root), "static"):
                return root not in self.locals and self._outside(root) is wp
            case ast.Name(name):
                return name not in self.locals and self._outside(name) is wp.static
        return False

    def _static_value(self, node: ast.Call) -> Any:
        """What Warp found: when the function was declared, or when it made code of it, as of what is defined
        further down. Nothing where it depends on a loop's variable."""
        inside = node.args[0] if node.args else node.keywords[0]
        code = codegen.Adjoint.extract_node_source_from_lines(self._source.splitlines(), inside)
        code = (code or "").replace("\n", "")
        known = self._adj.resolved_static_expressions
        if code in known:
            return known[code]
        found = [value for text, value in self._adj.deferred_static_expressions if text == code]
        same = found and all(type(value) is type(found[0]) and value == found[0] for value in found)
        return found[0] if same else _MISSING

    # ---- text

    def _replace(self, node: ast.expr, text: str) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._at(node.lineno, node.col_offset)
        self._edits.append((start, self._at(node.end_lineno, node.end_col_offset), text))

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def _edited(self) -> str:
        text, begin = self._text, self._at(self._node.lineno, 0)
        end = self._at(self._node.end_lineno or 0, self._node.end_col_offset or 0)
        line_end = text.find(b"\n", end)
        end = len(text) if line_end < 0 else line_end  # a comment behind the last statement is part of it
        parts, place = [], begin
        for start, stop, new in sorted(set(self._edits)):
            parts += [text[place:start], new.encode()]
            place = stop
        return textwrap.dedent(b"".join([*parts, text[place:end]]).decode()).rstrip() + "\n"


def _parsed(adj: Any) -> tuple[str, ast.FunctionDef, dict[str, Any]]:
    """A function's source, its tree, and values that names stand for in it.

    Of a function whose tree was made over before Warp read it, the source is the tree's; values that are not
    Python's own have a name there.
    """
    values: dict[str, Any] = {}
    source = adj.source.replace("\r\n", "\n")
    if adj.transformers:
        source = ast.unparse(_Plain(values).visit(copy.deepcopy(adj.tree)))
    node = ast.parse(source).body[0]
    if not isinstance(node, ast.FunctionDef):
        raise NoText("something else than a plain function")
    return source, node, values


class _Plain(ast.NodeTransformer):
    """Gives names to the values that a tree holds where Python's own trees hold literals."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if node.value is None or isinstance(node.value, (bool, int, float, str)):
            return node
        return self._named(node.value)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        function = getattr(node, "warp_func", None)
        return node if function is None else self._named(function)

    def _named(self, value: Any) -> ast.expr:
        name = f"__known_{len(self._values)}__"
        self._values[name] = value
        return ast.Name(name, ctx=ast.Load())


def _parts(node: ast.expr) -> tuple[Any, ...] | None:
    """``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``; nothing where `a` is no name."""
    match node:
        case ast.Name():
            return (node,)
        case ast.Attribute(value):
            return None if (inner := _parts(value)) is None else (*inner, node)
    return None


def _assigned(node: ast.FunctionDef) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            yield inner.arg
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def _told_apart(struct: Any) -> str:
    """A word in the place of a struct's name, which others may have too."""
    return str(id(struct))


def _of_warp(value: Any) -> bool:
    """Whether something found in Warp's modules is Warp's own: no module, and nothing written in Warp."""
    if isinstance(value, context.Function):
        return bool(value.is_builtin())
    return not isinstance(value, (ModuleType, codegen.Struct)) and value is not _MISSING


def _leads_on(value: Any, attribute: str) -> bool:
    """Whether what is wanted is an attribute of what a name has led to: people hang functions on a function,
    and put them into an enumeration or a vector's type."""
    if isinstance(value, context.Function):
        return attribute in vars(value)
    return isinstance(value, type) and isinstance(getattr(value, attribute, None), context.Function)


def _ends_here(value: Any) -> bool:
    """Whether a name has led to something that can be defined, rather than to what holds it."""
    if value is Any:
        return True
    if isinstance(value, type):
        return issubclass(value, enum.Enum) or type_is_value(value) or value in _PYTHON.values()
    return isinstance(value, (context.Function, codegen.Struct, list, tuple, dict)) or is_known(value)
