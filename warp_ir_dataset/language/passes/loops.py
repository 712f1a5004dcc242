"""Passes between forms of loops: ``for`` and ``while``, and ``while`` and ``while True``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from .. import ir
from ..analysis.effects import Effects, changes
from ..operations.traits import ABOVE, BELOW
from ..rewrite import Body, fresh, names_in, names_of, renamed
from ..types import BOOL, Scalar
from ..walks import defined, statements
from .branches import negated
from .sites import of_blocks, of_statements

ALWAYS = ir.Literal(True, BOOL)


def scalar_of(target: ir.Name) -> Scalar:
    assert isinstance(target.type, Scalar)
    return target.type


def for_to_while(program: ir.Program) -> Iterator[ir.Program]:
    """``for k in range(a, b)`` as ``k = a``, ``while k < b``, and a step at the end of the body. The index
    ends with another value, but no legal program reads it after the loop."""
    taken = names_of(program)

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            if (
                isinstance(statement, ir.For)
                and not _continues(statement.body)
                and _keeps_stop(statement, effects)
            ):
                loop = statement
                old = loop.target.name
                if old.startswith("_") or _defined_elsewhere(program, loop):
                    # the step at the end of the body uses the index
                    target = replace(loop.target, name=fresh(taken, old.lstrip("_") or "k"))
                    loop = replace(loop, target=target, body=renamed(loop.body, {old: target.name}))
                yield (*block[:at], *_counted(loop), *block[at + 1 :])

    yield from of_blocks(program, offer)


def _counted(loop: ir.For) -> Body:
    target, type = loop.target, scalar_of(loop.target)
    condition = ir.Apply(BELOW if loop.step > 0 else ABOVE, (target, loop.stop), BOOL)
    step = ir.Accumulate(target, "+" if loop.step > 0 else "-", ir.Literal(abs(loop.step), type))
    return ir.Variable(target, loop.start), ir.While(condition, (*loop.body, step))


def _continues(body: Body) -> bool:
    """Whether a loop's body has a ``continue``, which would skip the step at its end."""
    for statement in body:
        if isinstance(statement, ir.Continue):
            return True
        if isinstance(statement, ir.If) and (_continues(statement.then) or _continues(statement.orelse)):
            return True
    return False


def _keeps_stop(loop: ir.For, effects: Effects) -> bool:
    """Whether the upper bound has the same value before each iteration, so that it may be evaluated again."""
    return effects.pure(loop.stop) and not any(effects.disturbs(s, loop.stop) for s in loop.body)


def _defined_elsewhere(program: ir.Program, loop: ir.For) -> bool:
    name = loop.target.name
    definitions = (n.name for body in program.bodies for s in statements(body) for n in defined(s))
    return sum(other == name for other in definitions) > 1


def while_to_for(program: ir.Program) -> Iterator[ir.Program]:
    """The reverse of `for_to_while`."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, (first, second) in enumerate(pairwise(block)):
            loop = _as_for(first, second, block[at + 2 :], effects)
            if loop is not None:
                yield (*block[:at], loop, *block[at + 2 :])

    yield from of_blocks(program, offer)


def condition_to_break(program: ir.Program) -> Iterator[ir.Program]:
    """``while c`` as ``while True`` that starts with ``if not c: break``. Loops that could be ``for`` loops
    are left out."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            counts = at > 0 and _as_for(block[at - 1], statement, block[at + 1 :], effects) is not None
            if isinstance(statement, ir.While) and statement.condition != ALWAYS and not counts:
                leaves = ir.If(negated(statement.condition), (ir.Break(),))
                yield (*block[:at], ir.While(ALWAYS, (leaves, *statement.body)), *block[at + 1 :])

    yield from of_blocks(program, offer)


def break_to_condition(program: ir.Program) -> Iterator[ir.Program]:
    """The reverse of `condition_to_break`."""

    def offer(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        match statement:
            case ir.While(condition, (ir.If(leaves, (ir.Break(),), ()), *rest)) if (
                condition == ALWAYS and rest
            ):
                yield ir.While(negated(leaves), tuple(rest))

    return of_statements(program, offer)


def _as_for(first: ir.Stmt, second: ir.Stmt, rest: Body, effects: Effects) -> ir.For | None:
    """The ``for`` loop that a definition and a ``while`` loop after it are, if the body keeps the index until
    the step at its end, and if the statements after the loop (`rest`) do not use the index."""
    match first, second:
        case (
            ir.Variable(target, start),
            ir.While(
                ir.Apply(operation, (ir.Name(name), stop)),
                (*body, ir.Accumulate(ir.Name(stepped), "+" | "-" as sign, ir.Literal(step))),
            ),
        ) if operation == (BELOW if sign == "+" else ABOVE) and name == stepped == target.name and step > 0:
            loop = ir.For(target, start, stop, int(step) if sign == "+" else -int(step), tuple(body))
        case _:
            return None
    whole = target.type.is_integer and bool(loop.body) and not isinstance(loop.body[-1], ir.Comment)
    defines = any(name == n.name for s in statements(loop.body) for n in defined(s))
    kept = not defines and name not in changes(loop.body)
    if not whole or not kept or name in names_in((rest, stop)) or _continues(loop.body):
        return None
    return loop if _keeps_stop(loop, effects) else None
