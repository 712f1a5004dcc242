"""Python source as a program: the inverse of `write`, for what the tree can say.

A module is read, never executed: aliases of vector and matrix types, structs, functions and one kernel. Types
are inferred from annotations and from the table of operations. What is not understood is refused in one line
with its place, and nothing is guessed.

What the text does not say, the signature does: which array is read or written, its shape in a launch, the
domain of its elements. Not covered: what `program` does not cover; comments and docstrings are dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from .. import program as p
from ..program import Program, Signature, Stmt
from ..types import INT, Struct, Type, Value
from .annotations import Annotations, Unreadable, at
from .expressions import Expressions, Scope, kind_of, warp_name

_AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_ATOMICS = ("add", "sub", "min", "max")


def read(source: str, signature: Signature) -> Program:
    """The program of the kernel `signature.name` of a module, with the functions and structs around it.

    Raises `Unreadable` for a module that holds something else, or that has no such kernel, or one with other
    arguments than the signature's.
    """
    try:
        return _Module(signature).read(_parsed(source))
    except (RecursionError, MemoryError):  # Python's parser says MemoryError of its own stack
        raise Unreadable("the module is nested too deep") from None


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        place = f"line {error.lineno}, column {error.offset}: " if error.lineno else ""
        raise Unreadable(f"{place}not Python: {error.msg}") from None
    except ValueError as error:  # a null byte, in some versions of Python
        raise Unreadable(f"not Python: {error}") from None


class _Module:
    """Reads the top level of a module, in its order."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.annotations = Annotations()
        self.structs: list[Struct] = []
        self.functions: dict[str, p.Function] = {}
        self.body: tuple[Stmt, ...] | None = None

    def read(self, module: ast.Module) -> Program:
        for node in _without_docstring(module.body):
            self.definition(node)
        if self.body is None:
            raise Unreadable(f"the module has no kernel {self.signature.name}")
        return Program(self.signature, self.body, tuple(self.functions.values()), tuple(self.structs))

    def definition(self, node: ast.stmt) -> None:
        match node:
            case ast.Import(names=[ast.alias(name="warp", asname="wp")]):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.annotations.alias(name, value)
            case ast.ClassDef():
                self.structs.append(self.annotations.struct(node))
            case ast.FunctionDef(decorator_list=[decorator]):
                match warp_name(decorator):
                    case "func":
                        self.function(node)
                    case "kernel":
                        self.kernel(node)
                    case _:
                        raise at(decorator, "a decorator other than wp.func and wp.kernel")
            case _:
                raise at(node, f"{kind_of(node)} at the top of a module")

    def function(self, node: ast.FunctionDef) -> None:
        parameters: list[p.Name | p.StructName] = []
        for argument, annotation in _arguments(node):
            parameters.append(_named(argument.arg, self.annotations.value(annotation)))
        if node.returns is None:
            raise at(node, f"{node.name} does not say what type it returns")
        returned = self.annotations.value(node.returns)
        if isinstance(returned, Struct):
            raise at(node, f"{node.name} returns a struct")
        reader = _Body(self, {name.name: name for name in parameters}, {})
        body = reader.block(_without_docstring(node.body))
        self.functions[node.name] = p.Function(node.name, tuple(parameters), body, returned)

    def kernel(self, node: ast.FunctionDef) -> None:
        if node.name != self.signature.name:
            raise at(node, f"a second kernel, {node.name}")
        found = [(a.arg, *self.annotations.argument(annotation)) for a, annotation in _arguments(node)]
        if found != [(a.name, a.type, a.ndim) for a in self.signature.arguments]:
            raise at(node, f"{node.name} takes other arguments than its signature says")
        scope: Scope = {a.name: p.Name(a.name, a.type) for a in self.signature.arguments if not a.ndim}
        arrays = {a.name: a for a in self.signature.arguments if a.ndim}
        self.body = _Body(self, scope, arrays).block(_without_docstring(node.body))


class _Body(Expressions):
    """Reads the statements of a function or a kernel."""

    def __init__(self, module: _Module, scope: Scope, arrays: Mapping[str, p.Argument]) -> None:
        super().__init__(module.annotations, module.functions, scope, arrays)
        self.changed: set[str] = set()

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[Stmt, ...]:
        self.changed |= _changed(nodes)
        return tuple(self.statement(node) for node in nodes)

    def statement(self, node: ast.stmt) -> Stmt:
        match node:
            case ast.Assign(targets=[target], value=value):
                return self.assignment(target, value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                if type(op) not in _AUGMENTED:
                    raise at(node, f"{name} changed by another operator than +=, -= and *=")
                return p.Accumulate(self.variable(target), _AUGMENTED[type(op)], self.expression(value))
            case ast.If(test=test, body=body, orelse=orelse):
                return p.If(self.expression(test), self.inner(body), self.inner(orelse))
            case ast.For(orelse=[]):
                return self.range_loop(node)
            case ast.While(test=test, body=body, orelse=[]):
                return p.While(self.expression(test), self.inner(body))
            case ast.Return(value=value):
                return p.Return(None if value is None else self.expression(value))
            case ast.Break():
                return p.Break()
            case ast.Continue():
                return p.Continue()
            case ast.Expr(value=ast.Call() as call):
                return self.effect(call)
            case _:
                raise at(node, f"{kind_of(node)} as a statement")

    def inner(self, nodes: Sequence[ast.stmt]) -> tuple[Stmt, ...]:
        """A block whose names end with it."""
        outside = dict(self.scope)
        body = tuple(self.statement(node) for node in nodes)
        self.scope = outside
        return body

    def range_loop(self, node: ast.For) -> p.For:
        match node.target, node.iter:
            case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]):
                pass
            case _:
                raise at(node, "a loop over anything but range(...)")
        bare = [self.expression(bound) for bound in bounds]
        if not 1 <= len(bare) <= 3:
            raise at(node, "range takes one to three bounds")
        start, stop = (p.Literal(0, INT), bare[0]) if len(bare) == 1 else bare[:2]
        step = bare[2] if len(bare) == 3 else p.Literal(1, INT)
        if not isinstance(step, p.Literal):
            raise at(node, "a step that is no literal")
        outside = dict(self.scope)
        target = self.define(name, start.type)
        self.indices.add(name)
        body = tuple(self.statement(inner) for inner in node.body)
        self.indices.discard(name)
        self.scope = outside
        return p.For(target, start, stop, int(step.value), body)

    def assignment(self, target: ast.expr, value: ast.expr) -> Stmt:
        match target:
            case ast.Tuple(elts=names) if _is_thread_index(value):
                return p.ThreadIndex(tuple(self.thread(name) for name in names))
            case ast.Name() if _is_thread_index(value):
                return p.ThreadIndex((self.thread(target),))
            case ast.Name(id=name):
                return self.bound(target, name, value)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                struct = self.scope.get(name)
                if not isinstance(struct, p.StructName):
                    raise at(target, f"{name} is no struct")
                return p.SetMember(struct, member, self.expression(value))
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                if name in self.arrays:
                    return p.Store(name, self.index(index), self.expression(value))
                return p.SetComponent(self.variable(target.value), self.places(index), self.expression(value))
            case _:
                raise at(target, f"an assignment to {kind_of(target)}")

    def bound(self, target: ast.Name, name: str, value: ast.expr) -> Stmt:
        """A local: made, or changed."""
        struct = self.new_struct(value)
        if struct is not None:
            made = p.StructName(name, struct)
            self.scope[name] = made
            return p.NewStruct(made)
        if name in self.scope:
            return p.Assign(self.variable(target), self.expression(value))
        found = self.expression(value)
        local = self.define(name, found.type)
        return p.Variable(local, found) if name in self.changed else p.Let(local, found)

    def new_struct(self, value: ast.expr) -> Struct | None:
        match value:
            case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
                return self.annotations.structs.get(name)
            case _:
                return None

    def effect(self, call: ast.Call) -> Stmt:
        name = warp_name(call.func) or ""
        kind = name.removeprefix("atomic_")
        match call:
            case ast.Call(args=[ast.Name(id=array), *index, value], keywords=[]) if name != kind in _ATOMICS:
                if array not in self.arrays or not index:
                    raise at(call, f"an atomic on {array}, which is no array with an index")
                return p.Atomic(kind, array, tuple(map(self.expression, index)), self.expression(value))
            case _:
                raise at(call, "a call whose result is not used")

    def thread(self, node: ast.expr) -> p.Name:
        if not isinstance(node, ast.Name):
            raise at(node, "a thread index that is no name")
        return self.define(node.id, INT)

    def define(self, name: str, type: Value) -> p.Name:
        local = p.Name(name, type)
        self.scope[name] = local
        return local

    def variable(self, node: ast.expr) -> p.Name:
        name = node.id if isinstance(node, ast.Name) else ""
        found = self.scope.get(name)
        if not isinstance(found, p.Name):
            raise at(node, f"{name or kind_of(node)} is changed before it has a value")
        return found


def _changed(nodes: Sequence[ast.stmt]) -> set[str]:
    """The names that statements give a value more than once, or change a part of."""
    given: set[str] = set()
    changed: set[str] = set()
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                changed.add(name)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                changed.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                (changed if name in given else given).add(name)
    return changed


def _arguments(node: ast.FunctionDef) -> list[tuple[ast.arg, ast.expr]]:
    args = node.args
    if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
        raise at(node, f"{node.name} has arguments other than plain ones")
    found = []
    for argument in args.args:
        if argument.annotation is None:
            raise at(argument, f"{argument.arg} does not say what type it is")
        found.append((argument, argument.annotation))
    return found


def _named(name: str, type: Type) -> p.Name | p.StructName:
    return p.StructName(name, type) if isinstance(type, Struct) else p.Name(name, type)


def _is_thread_index(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and warp_name(node.func) == "tid" and not node.args


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body
