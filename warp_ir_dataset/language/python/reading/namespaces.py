"""Resolves names from outside of a kernel: imports, definitions and values of its module and outer functions.

Nothing is executed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from ..nodes import nodes

# Python's built-in names that have a meaning in a kernel.
BUILTINS = frozenset(
    known.__name__ for known in (float, int, bool, min, max, abs, len, range, type, print, round, pow)
)


@dataclass(frozen=True, eq=False)
class Binding:
    """What a name stands for: an import has a `path`; a definition or a value has its `node`. The name of
    anything else, such as a loop's variable, has neither."""

    node: ast.AST | None
    path: str | None
    namespace: Namespace  # resolves the names in `node`
    place: OneOf["module", "closure"]


class Namespace:
    """The names of a module, or of a function; `outer` is the enclosing namespace."""

    def __init__(
        self, body: Sequence[ast.stmt], outer: Namespace | None = None, mentions: Counter[str] | None = None
    ) -> None:
        self.body = body
        self.outer = outer
        self.mentions: Counter[str] = mentions if mentions is not None else Counter()  # in the whole module
        self.names: dict[str, list[Binding]] = {}
        for statement in body:
            self._bind(statement)

    @property
    def place(self) -> OneOf["module", "closure"]:
        return "module" if self.outer is None else "closure"

    def find(self, name: str) -> list[Binding]:
        """All bindings of a name, in the innermost namespace that has any."""
        namespace: Namespace | None = self
        while namespace is not None:
            if name in namespace.names:
                return namespace.names[name]
            namespace = namespace.outer
        return []

    def only_binding(self, name: str) -> Binding | None:
        """The binding of a name, if it has exactly one."""
        found = self.find(name)
        return found[0] if len(found) == 1 else None

    def path(self, node: ast.expr) -> str | None:
        """``warp.types.vector`` for imported (or built-in) names; None for others."""
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

    def enclosed(self, function: ast.FunctionDef) -> Namespace:
        """The names inside a function that encloses kernels. Its parameters have values if the module calls
        it once, at the top level, and does not mention it elsewhere."""
        inner = Namespace(function.body, self, self.mentions)
        given = self._arguments_of_call(function)
        for parameter in _parameters(function):
            value = given.get(parameter)
            inner.names.setdefault(parameter, []).append(Binding(value, None, self, "closure"))
        return inner

    def _arguments_of_call(self, function: ast.FunctionDef) -> dict[str, ast.expr]:
        args = function.args
        calls = [
            statement.value
            for statement in self.body
            if isinstance(statement, (ast.Assign, ast.Expr))
            and isinstance(statement.value, ast.Call)
            and isinstance(statement.value.func, ast.Name)
            and statement.value.func.id == function.name
        ]
        if len(calls) != 1 or self.mentions[function.name] != 1 or args.vararg or args.kwarg:
            return {}
        (call,) = calls
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return {}
        if any(keyword.arg is None for keyword in call.keywords):  # **options
            return {}
        names = [argument.arg for argument in (*args.posonlyargs, *args.args)]
        given = dict(zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True))
        given |= dict(zip(names, call.args, strict=False))
        return given | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}

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
                self._bind_inside(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._add(name, value)
                self._bind_inside(value)
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]
                ),
                orelse=[],
            ):
                pass  # code that only runs as a script
            case _:
                for name in _stored(statement):
                    self._add(name, None)

    def _bind_inside(self, value: ast.expr) -> None:
        """Bind the names that a value binds: those before ``:=``."""
        for node in nodes(value):
            if isinstance(node, ast.NamedExpr):
                self._add(node.target.id, None)

    def _add(self, name: str, node: ast.AST | None, path: str | None = None) -> None:
        self.names.setdefault(name, []).append(Binding(node, path, self, self.place))


def module_namespace(module: ast.Module) -> Namespace:
    """The names of a module. A name in a `global` statement has a second binding, so it has no value."""
    mentions: Counter[str] = Counter()
    changed: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            mentions[node.id] += 1
        elif isinstance(node, ast.Global):
            changed.update(node.names)
    namespace = Namespace(module.body, mentions=mentions)
    for name in changed:  # a host function may change it
        namespace.names.setdefault(name, []).append(Binding(None, None, namespace, "module"))
    return namespace


@dataclass(frozen=True, eq=False)
class KernelDefinition:
    """A kernel's definition, and the namespace that contains it."""

    node: ast.FunctionDef
    namespace: Namespace

    @property
    def module(self) -> ast.Module:
        namespace = self.namespace
        while namespace.outer is not None:
            namespace = namespace.outer
        return ast.Module(list(namespace.body), [])


def kernels(namespace: Namespace, body: Sequence[ast.stmt] | None = None) -> Iterator[KernelDefinition]:
    """Every kernel of a module, including those inside functions (if not `async`) and classes."""
    for statement in namespace.body if body is None else body:
        match statement:
            case ast.FunctionDef():
                if decorated(statement, "warp.kernel", namespace):
                    yield KernelDefinition(statement, namespace)
                elif not decorated(statement, "warp.func", namespace) and _has_functions(statement):
                    yield from kernels(namespace.enclosed(statement))
            case ast.ClassDef() | ast.With():
                yield from kernels(namespace, statement.body)
            case ast.If() | ast.For() | ast.While():
                yield from kernels(namespace, (*statement.body, *statement.orelse))
            case ast.Try():
                yield from kernels(namespace, statement.body)
                for handler in statement.handlers:
                    yield from kernels(namespace, handler.body)
                yield from kernels(namespace, (*statement.orelse, *statement.finalbody))
            case ast.Match():
                for case in statement.cases:
                    yield from kernels(namespace, case.body)


def decorated(function: ast.FunctionDef, path: str, namespace: Namespace) -> bool:
    """Whether a function has the decorator `path`, called or not."""
    for decorator in function.decorator_list:
        if namespace.path(decorator.func if isinstance(decorator, ast.Call) else decorator) == path:
            return True
    return False


def _has_functions(function: ast.FunctionDef) -> bool:
    return any(isinstance(inner, ast.FunctionDef) for inner in nodes(function) if inner is not function)


def _parameters(function: ast.FunctionDef) -> list[str]:
    args = function.args
    extra = [argument for argument in (args.vararg, args.kwarg) if argument is not None]
    return [argument.arg for argument in (*args.posonlyargs, *args.args, *args.kwonlyargs, *extra)]


def _stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds, without those inside functions and classes."""
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
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name
                stack.extend(ast.iter_child_nodes(node))
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield name
                stack.extend(ast.iter_child_nodes(node))
            case _:
                stack.extend(ast.iter_child_nodes(node))
