"""Passes that replace a name by its value."""

from __future__ import annotations

from collections.abc import Container, Iterator

from .. import ir
from ..analysis.effects import Effects, uses
from ..operations.table import changed_by
from ..operations.traits import ALTERNATIVES
from ..rewrite import Body, names_in, operands, substituted
from ..types import Value
from ..walks import blocks, walk
from .places import of_blocks

MOST_REPEATED = 24  # nodes that putting in a value several times may add


def always_evaluated(node: ir.Expr) -> Iterator[ir.Expr]:
    """The expressions in one that are evaluated whatever the others are."""
    yield node
    given = operands(node)
    if isinstance(node, ir.Chain):
        given = given[:2]
    elif isinstance(node, ir.Apply) and node.operation in ALTERNATIVES:
        given = given[:1]
    for operand in given:
        yield from always_evaluated(operand)


def put_in(program: ir.Program, *, several: bool = False) -> Iterator[ir.Program]:
    """A local that is used once, put in there; or a short one that is used `several` times, everywhere."""
    yield from of_blocks(program, lambda block, effects: _put_in(block, effects, several=several))


def _put_in(block: Body, effects: Effects, *, several: bool) -> Iterator[Body]:
    for at, statement in enumerate(block):
        if not isinstance(statement, ir.Let) or not isinstance(statement.target.type, Value):
            continue
        target, value, rest = statement.target, statement.value, block[at + 1 :]
        count = uses(target.name, rest)
        if count < 2 if several else count != 1:
            continue
        if several and (count - 1) * sum(1 for _ in walk(value)) > MOST_REPEATED:
            continue
        if any(target in changed_by(node) for node in walk(rest)):  # the state of random numbers
            continue
        if effects.pure(value) and not noticed(rest, target.name, value, effects):
            if rest and isinstance(rest[0], ir.Comment) and rest[0].beside:
                rest = rest[1:]
            yield (*block[:at], *substituted(rest, {target.name: value}))


def without_second_names(program: ir.Program, kept: Container[str] = ()) -> ir.Program:
    """The program without ``a = b`` where `b` would do for both; names that are `kept` stay."""

    def once_named(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            if not isinstance(statement, ir.Let | ir.Variable) or statement.target.name in kept:
                continue
            target, value, rest = statement.target, statement.value, block[at + 1 :]
            if not isinstance(value, ir.Name):
                continue
            if isinstance(statement, ir.Let):
                born, alike = block[:at], not noticed(rest, target.name, value, effects)
            else:
                # Of two variables one is enough if nobody asks for the first one any more.
                born = tuple(_varying(s, value) for s in block[:at])
                alike = value.name not in names_in(rest) and any(_bears(s, value) for s in born)
            if alike:
                beside = bool(rest) and isinstance(rest[0], ir.Comment) and rest[0].beside
                yield (*born, *substituted(rest[beside:], {target.name: value}))

    while (fewer := next(of_blocks(program, once_named), None)) is not None:
        program = fewer
    return program


def _bears(statement: ir.Stmt, name: ir.Name) -> bool:
    return isinstance(statement, ir.Let | ir.Variable) and statement.target == name


def _varying(statement: ir.Stmt, name: ir.Name) -> ir.Stmt:
    """The statement, as one that others follow if it is that of `name`."""
    return (
        ir.Variable(name, statement.value)
        if isinstance(statement, ir.Let) and _bears(statement, name)
        else statement
    )


def noticed(rest: Body, name: str, value: ir.Expr, effects: Effects) -> bool:
    """Whether some use of a name, in what comes after its definition, may see another value than was defined.

    A statement without inner ones evaluates before it writes, so what the last one writes does not matter,
    unless it calls a function that writes in the middle of it.
    """
    using = [at for at, statement in enumerate(rest) if name in names_in(statement)]
    if not using:
        return False
    last = rest[using[-1]]
    passed = rest[: using[-1]] if effects.in_any_order(last) and not blocks(last) else rest[: using[-1] + 1]
    return any(effects.disturbs(statement, value) for statement in passed)
