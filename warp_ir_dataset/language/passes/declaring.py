"""Passes that make a function generic over floats, or a method of a struct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import ir
from ..operations.spelling import Function as BuiltIn
from ..operations.table import TABLE
from ..rewrite import map_bodies, map_expressions, names_of, renamed
from ..types import FLOAT, Array, Several, Struct, Type, Value
from ..walks import walk
from .sites import with_function

SELF = "self"


def generic(program: ir.Program) -> Iterator[ir.Program]:
    """Make a function generic over floats; its literals take the type of a parameter."""
    for place, function in enumerate(program.functions):
        if not function.generic and _may_be_generic(program, function):
            yield with_function(program, place, replace(function, generic=True))


def _may_be_generic(program: ir.Program, function: ir.Function) -> bool:
    """Whether all floats of a function are float32, and its text names no other type."""
    floats = [name.type for name in function.parameters if _is_float(name.type)]
    names = [other.name for other in program.functions]
    if not floats or any(not _is_single(type) for type in floats) or names.count(function.name) > 1:
        return False
    if "." in function.name or any(_names_type(node) for node in walk(function.body)):
        return False
    if any(isinstance(node, ir.Call) and _takes_floats(program, node) for node in walk(function.body)):
        return False
    literals = any(isinstance(node, ir.Literal) and node.type == FLOAT for node in walk(function.body))
    return FLOAT in floats or not literals


def _takes_floats(program: ir.Program, call: ir.Call) -> bool:
    """Whether a called function declares the type of its float parameters, so that its caller cannot be
    generic."""
    function = ir.called(program.functions, call)
    return not function.generic and any(_is_float(name.type) for name in function.parameters)


def _is_float(type: Type) -> bool:
    inner = type.element if isinstance(type, Array) else type
    return isinstance(inner, Value) and inner.is_float


def _is_single(type: Type) -> bool:
    inner = type.element if isinstance(type, Array) else type
    return isinstance(inner, Value) and inner.scalar == FLOAT.scalar


def _names_type(node: object) -> bool:
    if isinstance(node, ir.Apply):
        syntax = TABLE[node.operation].spelling
        return isinstance(syntax, BuiltIn) and (not syntax.name or bool(syntax.named))
    return isinstance(node, ir.New)


# ---- methods


def methods(program: ir.Program) -> Iterator[ir.Program]:
    """A function of a struct as a method of it."""
    for function in program.functions:
        first = function.parameters[0].type if function.parameters else None
        if not isinstance(first, Struct) or "." in function.name or not _can_be_method(program, function):
            continue
        name = f"{first.name}.{function.name}"
        if function.name in dict(first.members) or SELF in names_of(program):
            continue
        own = function.parameters[0].name
        parameters = (ir.Name(SELF, first), *function.parameters[1:])
        method = replace(function, name=name, parameters=parameters, body=renamed(function.body, {own: SELF}))
        rest = tuple(other for other in program.functions if other != function)
        yield calling(replace(program, functions=(method, *rest)), function.name, name)


def _can_be_method(program: ir.Program, function: ir.Function) -> bool:
    """Whether a function can stand in a struct: it needs nothing that is defined after the structs, and no
    other function has its name."""
    behind = {constant.name for constant in program.constants if constant.place == "closure"}
    shared = [other.name for other in program.functions].count(function.name) > 1
    declared = (function.type, *(parameter.type for parameter in function.parameters[1:]))
    # The names of this struct and of later ones are not defined yet in the declarations of its methods.
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
