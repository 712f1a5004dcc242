"""Reads a module: its constants, structs and functions, each at its first use."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ... import ir
from ...operations.table import result_type
from ...types import INT, Array, Scalar, Several, Struct, Type, Value
from ..nodes import nodes
from . import rows
from .annotations import Annotations, Open
from .comments import Comments
from .folding import Number, number, whole_or
from .literals import retyped, typed
from .namespaces import Binding, Namespace, decorated
from .refusals import Unreadable, at, describe, quoted

_GRADIENTS = ("warp.func_grad", "warp.func_replay")


@dataclass(frozen=True, eq=False)
class Definition:
    """A function's definition. A method of a struct is named ``Struct.method``, one of another class
    ``Class_method``."""

    name: str
    node: ast.FunctionDef
    namespace: Namespace


ReadsFunction = Callable[["Module", Definition, tuple[Type, ...]], ir.Function]


class Module:
    """The parts of a module that a kernel uses. Constants, functions and structs are added at their first
    use; `read` reads a function's body."""

    def __init__(self, module: ast.Module, comments: Comments, read: ReadsFunction) -> None:
        self.comments = comments
        self.read = read
        self.annotations = Annotations()
        self.constants: dict[str, tuple[tuple[int, int], ir.Constant]] = {}
        self.functions: dict[tuple[int, tuple[Type, ...]], tuple[int, ir.Function]] = {}
        self.named: dict[str, list[int]] = {}  # for a function's name, the namespaces that define it
        self.uses: dict[ir.Function, set[ir.Function]] = {}
        self.reading: list[set[ir.Function]] = [set()]  # the functions that each open function calls
        self.open: set[int] = set()  # definitions that are being read
        self.kept: list[ir.Let] = []
        self.static: set[str] = set()  # constants that are named in wp.static
        self.module = module

    @cached_property
    def taken(self) -> set[str]:
        """The names that expressions and parameters of the module use; computed on demand, since few kernels
        need them."""
        found = {node.id for node in nodes(self.module) if isinstance(node, ast.Name)}
        return found | {node.arg for node in nodes(self.module) if isinstance(node, ast.arg)}

    def fresh(self, *stems: str) -> str:
        """A name that is not `taken`: one of these, or the first of them with a number."""
        names = itertools.chain(stems, (f"{stems[0]}_{n}" for n in itertools.count(1)))
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name

    # ---- constants

    def constant(self, node: ast.expr, name: str, namespace: Namespace) -> ir.Name:
        """The constant that a name stands for; the name is no local. Raises `Unreadable` if it stands for
        something else."""
        binding = namespace.only_binding(name)
        if binding is None or not isinstance(binding.node, ast.expr):
            raise at(node, f"{name} is no number, vector or matrix here")
        try:
            value = self.constant_value(binding.node, binding.namespace)
        except Unreadable as error:
            reason = str(error).partition(": ")[2]
            raise at(node, f"{name} is no constant that can be read: {reason}") from None
        return self._used_constant(node, ir.Constant(name, value, binding.place), _place(binding.node))

    def member(self, node: ast.expr, member: tuple[str, ast.expr | int], namespace: Namespace) -> ir.Name:
        """A member of an enumeration."""
        name, value = member
        binding = namespace.only_binding(name.partition(".")[0])
        found = whole_or(value, binding.namespace if binding else namespace)
        return self._used_constant(
            node, ir.Constant(name, ir.Literal(found, INT), "enumeration"), _place(value)
        )

    def _used_constant(self, node: ast.expr, constant: ir.Constant, place: tuple[int, int]) -> ir.Name:
        if self.constants.setdefault(constant.name, (place, constant))[1] != constant:
            raise at(node, f"{constant.name} means two things")
        assert not isinstance(constant.value.type, (Several, Struct, Array))
        return ir.Name(constant.name, constant.value.type)

    def constant_value(self, node: ast.expr, namespace: Namespace) -> ir.Expr:
        """A constant's value: a literal, or a vector or matrix of literals."""
        match node:
            case ast.Call(func=func, args=args, keywords=[]):
                if namespace.path(func) == "warp.constant" and len(args) == 1:
                    return self.constant_value(args[0], namespace)
                type = self.annotations.constructed(func, namespace)
                if isinstance(type, Value):
                    return _built(node, type, [number(argument, namespace) for argument in args])
            case ast.Name(id=name) if (binding := namespace.only_binding(name)) and isinstance(
                binding.node, ast.Call
            ):
                return self.constant_value(binding.node, binding.namespace)
        return typed(number(node, namespace))

    # ---- functions

    def definitions(self, node: ast.expr, namespace: Namespace, hidden: set[str]) -> list[Definition]:
        """The functions that a name, or a struct's attribute, refers to; may be empty."""
        match node:
            case ast.Name(id=name) if name not in hidden:
                return list(self._functions(namespace.find(name)))
            case ast.Attribute(value=ast.Name(id=name), attr=method) if name not in hidden:
                binding = namespace.only_binding(name)
                definition = binding.node if binding else None
                if binding is None or not isinstance(definition, ast.ClassDef):
                    return []
                # The tree has no other classes: the function gets the class's name as a prefix.
                is_struct = self.annotations.struct(definition, binding.namespace) is not None
                full = f"{definition.name}{'.' if is_struct else '_'}{method}"
                return [
                    Definition(full, inner, binding.namespace)
                    for inner in definition.body
                    if isinstance(inner, ast.FunctionDef)
                    and inner.name == method
                    and decorated(inner, "warp.func", binding.namespace)
                ]
            case _:
                return []

    def _functions(self, bindings: Sequence[Binding]) -> Iterator[Definition]:
        for binding in bindings:
            match binding.node:
                case ast.FunctionDef() as node if decorated(node, "warp.func", binding.namespace):
                    yield Definition(node.name, node, binding.namespace)
                case ast.Name(id=name) if len(bindings) == 1:
                    # With several definitions, an alias refers to the one before it.
                    found = binding.namespace.find(name)
                    yield from self._functions(found if len(found) == 1 else ())

    def call(
        self,
        node: ast.Call,
        definitions: list[Definition],
        operands: list[ir.Expr],
        named: dict[str, ir.Expr],
    ) -> ir.Call:
        """A call of the one of `definitions` that accepts these operands, with defaults and in order. As in
        Warp, a definition with concrete types wins over a generic one, and a later one hides an equal one."""
        found: list[tuple[bool, Definition, list[ir.Expr]]] = []
        for definition in definitions[::-1]:
            annotations = self.parameters(definition)
            complete = self.arranged(definition, annotations, operands, named)
            if complete is None:
                continue
            pairs = zip(annotations.values(), complete, strict=True)
            if all(a.takes(o.type) if isinstance(a, Open) else a == o.type for a, o in pairs):
                found.append((any(isinstance(a, Open) for a in annotations.values()), definition, complete))
        if not found:
            kinds = ", ".join(describe(operand.type) for operand in (*operands, *named.values()))
            raise at(node, f"{definitions[0].name} does not take {kinds}")
        _, definition, complete = min(found, key=lambda choice: choice[0])
        function = self.instance(node, definition, tuple(operand.type for operand in complete))
        self.reading[-1].add(function)
        return ir.Call(function.name, tuple(complete), function.type)

    def parameters(self, definition: Definition) -> dict[str, Type | Open]:
        args = definition.node.args
        if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg:
            raise at(definition.node, f"{definition.name} has parameters other than plain ones")
        found: dict[str, Type | Open] = {}
        for argument in args.args:
            if argument.annotation is None:
                raise at(argument, f"{argument.arg} does not say what type it is")
            found[argument.arg] = self.annotations.annotation(argument.annotation, definition.namespace)
        return found

    def arranged(
        self,
        definition: Definition,
        annotations: dict[str, Type | Open],
        operands: list[ir.Expr],
        named: dict[str, ir.Expr],
    ) -> list[ir.Expr] | None:
        """The operands of a call in the parameters' order, with defaults; None if they do not fit."""
        names = list(annotations)
        if len(operands) > len(names) or set(named) - set(names[len(operands) :]):
            return None
        arguments = dict(zip(names, operands, strict=False)) | named
        defaults = definition.node.args.defaults
        for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            if name not in arguments:
                value, type = self.constant_value(default, definition.namespace), annotations[name]
                arguments[name] = retyped(value, type) if isinstance(type, Scalar) else value
        return [arguments[name] for name in names] if len(arguments) == len(names) else None

    def instance(self, node: ast.Call, definition: Definition, types: tuple[Type, ...]) -> ir.Function:
        """The function for these operand types, read at its first call with them."""
        key = id(definition.node), types
        if key in self.functions:
            return self.functions[key][1]
        if id(definition.node) in self.open:
            raise at(node, f"{definition.name} calls itself")
        self._check_one_meaning(node, definition)
        self._check_gradient(definition)
        self.open.add(id(definition.node))
        self.reading.append(set())
        function = self.read(self, definition, types)
        self.open.discard(id(definition.node))
        self.uses[function] = self.reading.pop()
        self.functions[key] = definition.node.lineno, function
        return function

    def _check_one_meaning(self, node: ast.Call, definition: Definition) -> None:
        """Raises `Unreadable` if another namespace defines a function of this name, too. Overloads are in one
        namespace."""
        owner = id(definition.namespace)
        if self.named.setdefault(definition.name, [owner]) != [owner]:
            raise at(node, f"{definition.name} means two things")

    def _check_gradient(self, definition: Definition) -> None:
        """Raises `Unreadable` if the module gives the function a gradient of its own (``wp.func_grad``)."""
        for statement in definition.namespace.body:
            for node in nodes(statement):
                for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                    if self._is_gradient_of(definition, decorator):
                        raise at(node, f"{definition.name} has a gradient of its own")

    @staticmethod
    def _is_gradient_of(definition: Definition, decorator: ast.expr) -> bool:
        if not isinstance(decorator, ast.Call) or definition.namespace.path(decorator.func) not in _GRADIENTS:
            return False
        operands = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
        return definition.name in map(quoted, operands)

    # ---- used definitions

    def ordered(self) -> tuple[ir.Function, ...]:
        """The functions, each after those it calls, otherwise in source order."""
        waiting = sorted(self.functions.values(), key=lambda entry: entry[0])
        done: dict[ir.Function, None] = {}
        while waiting:
            place = next(n for n, (_, f) in enumerate(waiting) if self.uses[f] <= done.keys())
            done[waiting.pop(place)[1]] = None
        names = [function.name for function in done]
        # Several instances of one generic function have concrete types in the text.
        return tuple(replace(f, generic=f.generic and names.count(f.name) == 1) for f in done)

    def used_constants(self) -> tuple[ir.Constant, ...]:
        """The used constants, in source order."""
        found = sorted(self.constants.values(), key=lambda entry: entry[0])
        return tuple(replace(constant, static=constant.name in self.static) for _, constant in found)


def _place(node: ast.expr | int) -> tuple[int, int]:
    """The position of an expression in the source; implicit values come first."""
    return (0, 0) if isinstance(node, int) else (node.lineno, node.col_offset)


def _built(node: ast.expr, type: Value, values: list[Number]) -> ir.Expr:
    """A typed number, vector or matrix of literals."""
    if isinstance(type, Scalar):
        if len(values) != 1:
            raise at(node, f"{quoted(node)} is no constant")
        return ir.Literal(_as(node, type, values[0]), type)
    operands = tuple(ir.Literal(_as(node, type.element, value), type.element) for value in values or [0])
    for row in rows.MAKERS:
        if result_type(row.name, tuple(o.type for o in operands), type) == type:
            return ir.Apply(row.name, operands, type)
    raise at(node, f"{quoted(node)} is no constant")


def _as(node: ast.expr, type: Scalar, value: Number) -> Number:
    if type.is_float:
        return float(value)
    if not math.isfinite(value):
        raise at(node, f"{value} is no whole number")
    return int(value) if type.is_integer else bool(value)
