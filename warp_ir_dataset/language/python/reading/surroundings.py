"""Resolves names from outside of a kernel: imports, definitions and values of its module and outer functions.

Nothing is executed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from ..nodes import nodes

# Names of Python's own that mean something in a kernel.
BUILTINS = frozenset(
    known.__name__
    for known in (float, int, bool, min, max, abs, len, range, type, print, round, pow)  # type: ignore[attr-defined]
)


@dataclass(frozen=True, eq=False)
class Binding:
    """What gives a name its meaning: an import (`path`), a definition, a value, or (None) something else."""

    node: ast.AST | None
    path: str | None
    around: Surroundings  # where the names mean what they do that `node` uses
    place: OneOf["module", "closure"]


class Surroundings:
    """The names of a module, or of a function; `outer` are those around it."""

    def __init__(
        self, body: Sequence[ast.stmt], outer: Surroundings | None = None, calls: Counter[str] | None = None
    ) -> None:
        self.body = body
        self.outer = outer
        self.calls: Counter[str] = calls if calls is not None else Counter()
        self.names: dict[str, list[Binding]] = {}
        for statement in body:
            self._bind(statement)

    @property
    def place(self) -> OneOf["module", "closure"]:
        return "module" if self.outer is None else "closure"

    def find(self, name: str) -> list[Binding]:
        """All that gives a name its meaning, in the innermost surroundings that do."""
        around: Surroundings | None = self
        while around is not None:
            if name in around.names:
                return around.names[name]
            around = around.outer
        return []

    def only(self, name: str) -> Binding | None:
        """What a name means, where there is one meaning."""
        found = self.find(name)
        return found[0] if len(found) == 1 else None

    def path(self, node: ast.expr) -> str | None:
        """``warp.types.vector`` for what an import (or Python) knows under such a name; None for all else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        found = self.find(node.id)
        if not found:
            root = f"builtins.{node.id}" if node.id in BUILTINS else None
        else:
            paths = {binding.path for binding in found}
            root = paths.pop() if len(paths) == 1 else None
        return None if root is None else ".".join([root, *reversed(parts)])

    def within(self, function: ast.FunctionDef) -> Surroundings:
        """The names inside a function that encloses kernels. Its parameters have values where the module
        calls it once, at its top."""
        inner = Surroundings(function.body, self, self.calls)
        given = self._given(function)
        for parameter in _parameters(function):
            value = given.get(parameter)
            inner.names.setdefault(parameter, []).append(Binding(value, None, self, "closure"))
        return inner

    def _given(self, function: ast.FunctionDef) -> dict[str, ast.expr]:
        args = function.args
        calls = [
            statement.value
            for statement in self.body
            if isinstance(statement, (ast.Assign, ast.Expr))
            and isinstance(statement.value, ast.Call)
            and isinstance(statement.value.func, ast.Name)
            and statement.value.func.id == function.name
        ]
        if len(calls) != 1 or self.calls[function.name] != 1 or args.vararg or args.kwarg:
            return {}
        names = [argument.arg for argument in (*args.posonlyargs, *args.args)]
        given = dict(zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True))
        given |= dict(zip(names, calls[0].args, strict=False))
        return given | {keyword.arg: keyword.value for keyword in calls[0].keywords if keyword.arg}

    def _bind(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=names):
                for alias in names:
                    path = alias.name if alias.asname else alias.name.partition(".")[0]
                    self._add(alias.asname or path, None, path)
            case ast.ImportFrom(module=module, names=names, level=level):
                for alias in names:
                    path = f"{'.' * level}{module or ''}.{alias.name}"
                    self._add(alias.asname or alias.name, None, path)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                self._add(name, statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._add(name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._add(name, value)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__")), orelse=[]):
                pass  # what a program does with the module, not what the module is
            case _:
                for name in _stored(statement):
                    self._add(name, None)

    def _add(self, name: str, node: ast.AST | None, path: str | None = None) -> None:
        self.names.setdefault(name, []).append(Binding(node, path, self, self.place))


def module_surroundings(module: ast.Module) -> Surroundings:
    calls: Counter[str] = Counter()
    changed: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls[node.func.id] += 1
        elif isinstance(node, ast.Global):
            changed.update(node.names)
    around = Surroundings(module.body, calls=calls)
    for name in changed:  # a function of the host may change it
        around.names.setdefault(name, []).append(Binding(None, None, around, "module"))
    return around


@dataclass(frozen=True, eq=False)
class Found:
    """A kernel's definition, and what stands around it."""

    node: ast.FunctionDef
    around: Surroundings

    @property
    def module(self) -> ast.Module:
        around = self.around
        while around.outer is not None:
            around = around.outer
        return ast.Module(list(around.body), [])


def kernels(around: Surroundings, body: Sequence[ast.stmt] | None = None) -> Iterator[Found]:
    """Every kernel of a module, those inside functions and classes included."""
    for statement in around.body if body is None else body:
        match statement:
            case ast.FunctionDef():
                if decorated(statement, "warp.kernel", around):
                    yield Found(statement, around)
                elif not decorated(statement, "warp.func", around) and _may_hold(statement):
                    yield from kernels(around.within(statement))
            case ast.ClassDef() | ast.With():
                yield from kernels(around, statement.body)
            case ast.If() | ast.For() | ast.While():
                yield from kernels(around, (*statement.body, *statement.orelse))
            case ast.Try():
                yield from kernels(around, statement.body)


def decorated(function: ast.FunctionDef, path: str, around: Surroundings) -> bool:
    """Whether one of a function's decorators is what `path` says, called or not."""
    for decorator in function.decorator_list:
        if around.path(decorator.func if isinstance(decorator, ast.Call) else decorator) == path:
            return True
    return False


def _may_hold(function: ast.FunctionDef) -> bool:
    return any(isinstance(inner, ast.FunctionDef) for inner in nodes(function) if inner is not function)


def _parameters(function: ast.FunctionDef) -> list[str]:
    args = function.args
    extra = [argument for argument in (args.vararg, args.kwarg) if argument is not None]
    return [argument.arg for argument in (*args.posonlyargs, *args.args, *args.kwonlyargs, *extra)]


def _stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives values to, functions and classes inside it left out."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
            case ast.Lambda():
                pass
            case _:
                stack.extend(ast.iter_child_nodes(node))
