"""Python source as a program: the inverse of `write`, for what the tree can say.

A module is read, never executed: aliases of vector and matrix types, structs, functions and one kernel. Types
are inferred from annotations and from the table of operations. What is not understood is refused in one line
with its place, and nothing is guessed.

What the text does not say, the signature does: which array is read or written, its shape in a launch, the
domain of its elements. Not covered: what `program` does not cover; comments and docstrings are dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .. import program as p
from ..operations.row import Operation
from ..operations.spelling import Conditional, Function, Infix, Prefix, Spelling, Subscript
from ..operations.table import TABLE, result_type
from ..program import Expr, Program, Signature, Stmt
from ..types import BOOL, FLOAT, INT, SCALARS, Scalar, Struct, Type, Value
from .annotations import Annotations, Unreadable, at

Scope = dict[str, p.Name | p.StructName]

_INFIX: dict[type[ast.operator] | type[ast.cmpop] | type[ast.boolop], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
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
_AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_PREFIX: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.Not: "not "}
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
                match _warp_name(decorator):
                    case "func":
                        self.function(node)
                    case "kernel":
                        self.kernel(node)
                    case _:
                        raise at(decorator, "a decorator other than wp.func and wp.kernel")
            case _:
                raise at(node, f"{_kind(node)} at the top of a module")

    def function(self, node: ast.FunctionDef) -> None:
        parameters: list[p.Name | p.StructName] = []
        for argument, annotation in _arguments(node):
            parameters.append(_named(argument.arg, self.annotations.value(annotation)))
        if node.returns is None:
            raise at(node, f"{node.name} does not say what type it returns")
        returned = self.annotations.value(node.returns)
        if isinstance(returned, Struct):
            raise at(node, f"{node.name} returns a struct")
        reader = _Body(self, {name.name: name for name in parameters})
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


class _Body:
    """Reads the statements of a function or a kernel. `scope` holds what has a name so far."""

    def __init__(self, module: _Module, scope: Scope, arrays: dict[str, p.Argument] | None = None) -> None:
        self.module = module
        self.scope = scope
        self.arrays = arrays or {}
        self.changed: set[str] = set()
        self.indices: set[str] = set()

    # ---- statements

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
                raise at(node, f"{_kind(node)} as a statement")

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
                raise at(target, f"an assignment to {_kind(target)}")

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
                return self.module.annotations.structs.get(name)
            case _:
                return None

    def effect(self, call: ast.Call) -> Stmt:
        name = _warp_name(call.func) or ""
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
            raise at(node, f"{name or _kind(node)} is changed before it has a value")
        return found

    def index(self, node: ast.expr) -> tuple[Expr, ...]:
        return tuple(map(self.expression, node.elts if isinstance(node, ast.Tuple) else [node]))

    def places(self, node: ast.expr) -> tuple[int, ...]:
        found = self.index(node)
        if not all(isinstance(part, p.Literal) for part in found):
            raise at(node, "a component by an index that is no literal")
        return tuple(int(part.value) for part in found if isinstance(part, p.Literal))

    # ---- expressions

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
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                return self.member(node, name, member)
            case ast.Call(func=func, args=args, keywords=[]):
                return self.call(node, func, args)
            case _:
                raise at(node, f"{_kind(node)} as a value")

    def infix(
        self, node: ast.expr, op: ast.operator | ast.cmpop | ast.boolop, operands: list[Expr]
    ) -> p.Apply:
        symbol = _INFIX.get(type(op))
        if symbol is None:
            raise at(node, f"the operator {_kind(op)}")
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
        if isinstance(func, ast.Name) and func.id in self.module.functions:
            function = self.module.functions[func.id]
            operands = tuple(map(self.operand, args))
            if [o.type for o in operands] != [parameter.type for parameter in function.parameters]:
                raise at(node, f"{func.id} takes other operands")
            return p.Call(func.id, operands, function.type)
        built = self.module.annotations.constructed(func)
        operands_ = list(map(self.expression, args))
        if built is not None:
            return self.constructed(node, built, operands_)
        name = _warp_name(func)
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
                if plain and name in self.indices and TABLE[operation].group == "convert" and type != narrow:
                    return p.Apply(operation, (index,), type)
        return self.applied(node, _MAKERS, operands, _told(type), type)


# ---- the table, by how it is written


def _rows(wanted: Callable[[Spelling], bool]) -> tuple[Operation, ...]:
    return tuple(row for row in TABLE.values() if wanted(row.spelling))


_MAKERS = _rows(lambda spelling: spelling == Function(""))
_PARTS = _rows(lambda spelling: isinstance(spelling, Subscript))
_CHOICES = _rows(lambda spelling: isinstance(spelling, Conditional))
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
    return isinstance(node, ast.Call) and _warp_name(node.func) == "tid" and not node.args


def _warp_name(node: ast.expr) -> str | None:
    """`name` of ``wp.name``."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "wp":
        return node.attr
    return None


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def _kind(node: ast.AST) -> str:
    return type(node).__name__


def _told(type: Type) -> str:
    if isinstance(type, Struct):
        return type.name
    return SCALARS[type.scalar].python or type.scalar if isinstance(type, Scalar) else str(type.shape)
