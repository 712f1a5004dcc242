"""Renames everything in a program that has a name of its own, for twins of human-written kernels.

Each name is replaced by the same new name everywhere, so two uses are equal after the renaming if and only if
they were before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

from ...common.rng import Rng
from ...language import ir
from ...language.rewrite import names_of
from ...language.types import BOOL, Array, Matrix, Struct, Type, Vector
from ...language.walks import walk
from ...synthesis.names import THEMES, Namer

VERBS = ("update", "compute", "apply", "refresh", "advance", "evaluate", "prepare", "resolve")

# What the names of a type's values are called in the tables of names: as locals, as arrays, and as scalar
# arguments and members.
_LOCAL = {"flag": "flag", "whole": "integer_local", "vector": "vector_local", "matrix": "matrix_local"}
_ARRAY = {"flag": "flag", "whole": "counts", "vector": "vectors", "matrix": "matrices"}
_SCALAR = _ARRAY | {"whole": "whole_value"}


def other_names(program: ir.Program, rng: Rng, avoided: set[str]) -> dict[str, str]:
    """What everything that a program gives a name to is called instead, which is none of `avoided`; a dotted
    name is two of them."""
    theme = rng.pick(THEMES)
    namer = Namer(rng, theme)
    namer.taken |= names_of(program) | avoided
    found: dict[str, str] = {}

    def call(name: str, made: Callable[[], str]) -> None:
        for part in name.split("."):
            if part not in found:
                found[part] = made()

    call(program.name, lambda: namer.claim(_unused(f"{rng.pick(VERBS)}_{namer.take('subjects')}", namer)))
    for argument in program.arguments:
        call(argument.name, partial(namer.take, _of_argument(argument)))
    for struct in _structs(program):
        call(struct.name, lambda: namer.take("struct"))
        for member, type in struct.members:
            table = _ARRAY if isinstance(type, Array) else _SCALAR
            call(member, partial(namer.take, table.get(_sort(type), "fields")))
    for constant in program.constants:
        call(constant.name, lambda: namer.claim(_unused(namer.take("values").upper(), namer)))
    for function in program.functions:
        call(function.name, lambda: namer.take("function"))
    for name in _locals(program):
        call(name.name, partial(namer.take, _LOCAL.get(_sort(name.type), "local")))
    return found


def under(program: ir.Program, names: dict[str, str]) -> ir.Program:
    """The program with other names for all that it names."""
    renamed: ir.Program = _Renamed(names).made(program)
    return renamed


def _unused(name: str, namer: Namer) -> str:
    while name in namer.taken:
        name = f"{name}_next"
    return name


def _of_argument(argument: ir.Argument) -> str:
    if isinstance(argument.type, Struct):
        return "subjects"
    if argument.ndim and argument.role != "input":
        return "results"
    if argument.ndim:
        return _ARRAY.get(_sort(argument.type), "fields")
    return _SCALAR.get(_sort(argument.type), "values")


def _sort(type: Type) -> str:
    """Which names fit a value of a type."""
    if isinstance(type, Array):
        return _sort(type.element)
    if isinstance(type, Struct):
        return ""
    if type == BOOL:
        return "flag"
    if isinstance(type, Vector):
        return "vector"
    if isinstance(type, Matrix):
        return "matrix"
    return "whole" if type.is_integer else ""


def _structs(program: ir.Program) -> Iterator[Struct]:
    """Those that the program defines, and those inside of them."""
    for struct in program.structs:
        yield struct
        yield from (type for _, type in struct.members if isinstance(type, Struct))


def _locals(program: ir.Program) -> Iterator[ir.Name]:
    for function in program.functions:
        yield from function.parameters
    for body in program.bodies:
        yield from (node for node in walk(body) if isinstance(node, ir.Name))


class _Renamed:
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def name(self, name: str) -> str:
        return ".".join(self.names.get(part, part) for part in name.split("."))

    def made(self, node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(self.made(item) for item in node)
        if isinstance(node, Struct):
            members = tuple((self.name(member), self.made(type)) for member, type in node.members)
            return Struct(self.name(node.name), members)
        if not is_dataclass(node) or isinstance(node, type):
            return node
        changed = {field.name: self.made(getattr(node, field.name)) for field in fields(node) if field.init}
        match node:
            case ir.Name() | ir.Function() | ir.Constant() | ir.Signature():
                changed["name"] = self.name(node.name)
            case ir.Call():
                changed["function"] = self.name(node.function)
            case ir.Member(of) if isinstance(of.type, Struct):
                changed["member"] = self.name(node.member)
            case ir.Argument():
                changed["name"] = self.name(node.name)
                changed["member_shapes"] = tuple((self.name(n), shape) for n, shape in node.member_shapes)
        return replace(node, **changed)
