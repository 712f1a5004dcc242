"""Passes that change how a function is declared: for any type of float, or as a method of a struct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import ir
from ..operations.spelling import Function as BuiltIn
from ..operations.table import TABLE
from ..rewrite import map_bodies, map_expressions, names_of, renamed
from ..types import FLOAT, Array, Several, Struct, Type, Value
from ..walks import walk
from .places import with_function

SELF = "self"


def generic(program: ir.Program) -> Iterator[ir.Program]:
    """A function whose floats are of any type; its literals are of the type of a parameter."""
    for place, function in enumerate(program.functions):
        if not function.generic and _may_be_generic(program, function):
            yield with_function(program, place, replace(function, generic=True))


def _may_be_generic(program: ir.Program, function: ir.Function) -> bool:
    """Whether its floats are single, and nothing in it is of a type that it names."""
    floats = [name.type for name in function.parameters if _is_float(name.type)]
    names = [other.name for other in program.functions]
    if not floats or any(not _is_single(type) for type in floats) or names.count(function.name) > 1:
        return False
    if "." in function.name or any(_names_a_type(node) for node in walk(function.body)):
        return False
    if any(isinstance(node, ir.Call) and _takes_floats(program, node) for node in walk(function.body)):
        return False
    literals = any(isinstance(node, ir.Literal) and node.type == FLOAT for node in walk(function.body))
    return FLOAT in floats or not literals


def _takes_floats(program: ir.Program, call: ir.Call) -> bool:
    """Whether a function that is called says of which floats its parameters are: open types end there."""
    function = ir.called(program.functions, call)
    return not function.generic and any(_is_float(name.type) for name in function.parameters)


def _is_float(type: Type) -> bool:
    inner = type.element if isinstance(type, Array) else type
    return isinstance(inner, Value) and inner.is_float


def _is_single(type: Type) -> bool:
    inner = type.element if isinstance(type, Array) else type
    return isinstance(inner, Value) and inner.scalar == FLOAT.scalar


def _names_a_type(node: object) -> bool:
    if isinstance(node, ir.Apply):
        spelling = TABLE[node.operation].spelling
        return isinstance(spelling, BuiltIn) and (not spelling.name or bool(spelling.named))
    return isinstance(node, ir.New)


# ---- methods


def methods(program: ir.Program) -> Iterator[ir.Program]:
    """A function of a struct as a method of it."""
    for function in program.functions:
        first = function.parameters[0].type if function.parameters else None
        if not isinstance(first, Struct) or "." in function.name or not _stands_alone(program, function):
            continue
        name = f"{first.name}.{function.name}"
        if function.name in dict(first.members) or SELF in names_of(program):
            continue
        own = function.parameters[0].name
        parameters = (ir.Name(SELF, first), *function.parameters[1:])
        made = replace(function, name=name, parameters=parameters, body=renamed(function.body, {own: SELF}))
        rest = tuple(other for other in program.functions if other != function)
        yield calling(replace(program, functions=(made, *rest)), function.name, name)


def _stands_alone(program: ir.Program, function: ir.Function) -> bool:
    """Whether a function needs nothing that is known only behind the structs, and has a name of its own."""
    behind = {constant.name for constant in program.constants if constant.place == "closure"}
    shared = [other.name for other in program.functions].count(function.name) > 1
    declared = (function.type, *(parameter.type for parameter in function.parameters[1:]))
    # A struct's own name, or a later one's, is not known yet where its methods are declared.
    structs = any(isinstance(part, Struct) for kind in declared for part in _within(kind))
    return not (shared or structs) and not any(
        isinstance(node, ir.Call) or (isinstance(node, ir.Name) and node.name in behind)
        for node in walk(function.body)
    )


def _within(kind: Type) -> tuple[Type, ...]:
    if isinstance(kind, Several):
        return kind.types
    return (kind.element,) if isinstance(kind, Array) else (kind,)


def calling(program: ir.Program, old: str, new: str) -> ir.Program:
    def change(node: ir.Expr) -> ir.Expr:
        return replace(node, function=new) if isinstance(node, ir.Call) and node.function == old else node

    return map_bodies(program, lambda body: map_expressions(body, change))
