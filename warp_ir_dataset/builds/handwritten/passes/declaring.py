"""Passes of twins that change how functions and constants are declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ....language import ir
from ....language.passes.declaring import calling
from ....language.passes.sites import with_function
from ....language.rewrite import map_bodies, names_in, renamed, substituted


def concrete(program: ir.Program) -> Iterator[ir.Program]:
    """A generic function for the types that it is called with."""
    for place, function in enumerate(program.functions):
        if function.generic:
            yield with_function(program, place, replace(function, generic=False))


def plain_functions(program: ir.Program) -> Iterator[ir.Program]:
    """A method as a function."""
    taken = names_in(program.bodies) | {function.name for function in program.functions}
    taken |= {argument.name for argument in program.arguments} | {c.name for c in program.constants}
    for function in program.functions:
        struct, _, name = function.name.partition(".")
        own = struct.lower()
        if not name or name in taken or own in names_in((function.parameters, function.body)):
            continue
        first, *others = function.parameters
        body = renamed(function.body, {first.name: own})
        made = replace(function, name=name, parameters=(replace(first, name=own), *others), body=body)
        functions = tuple(made if other == function else other for other in program.functions)
        yield calling(replace(program, functions=functions), function.name, name)


def literal(program: ir.Program) -> Iterator[ir.Program]:
    """A constant's value wherever its name stands; the constant goes."""
    for place, constant in enumerate(program.constants):
        rest = (*program.constants[:place], *program.constants[place + 1 :])
        if constant.place == "enumeration" or any(constant.name in names_in(other.value) for other in rest):
            continue
        made = map_bodies(program, partial(substituted, values={constant.name: constant.value}))
        yield replace(made, constants=rest)
