"""Applies a pass at each possible site of a program: at its blocks, with their effects, and at its
statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from .. import ir
from ..analysis.effects import Effects
from ..rewrite import Body, block_variants, program_variants

Offer = Callable[[Body, Effects], Iterable[Body]]


def of_blocks(program: ir.Program, offer: Offer) -> Iterator[ir.Program]:
    """The program with one block replaced by one that `offer` makes of it; all there are."""
    inside = Effects(program, in_kernel=True)
    for body in block_variants(program.body, lambda block: offer(block, inside)):
        yield replace(program, body=body)
    inside_functions = Effects(program, in_kernel=False)
    for place, function in enumerate(program.functions):
        for body in block_variants(function.body, lambda block: offer(block, inside_functions)):
            yield with_function(program, place, replace(function, body=body))


def of_statements(program: ir.Program, offer: Callable[[ir.Stmt], Iterable[ir.Stmt]]) -> Iterator[ir.Program]:
    """The program with one statement replaced by one that `offer` makes of it; all there are."""

    def of_block(block: Body) -> Iterator[Body]:
        for at, statement in enumerate(block):
            for made in offer(statement):
                yield (*block[:at], made, *block[at + 1 :])

    return program_variants(program, lambda body: block_variants(body, of_block))


def with_function(program: ir.Program, place: int, function: ir.Function) -> ir.Program:
    functions = (*program.functions[:place], function, *program.functions[place + 1 :])
    return replace(program, functions=functions)
