"""Passes between the forms of a counting loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from ..analysis.effects import Effects
from ..operations.laws import ABOVE, BELOW
from ..program import (
    Accumulate,
    Apply,
    Break,
    Comment,
    Continue,
    For,
    If,
    Literal,
    Name,
    Program,
    Stmt,
    Variable,
    While,
)
from ..rewrite import Body, fresh, names_in, names_of, renamed
from ..types import BOOL, Scalar
from ..walks import changed, defined, statements
from .branches import negated
from .places import of_blocks, of_statements

ALWAYS = Literal(True, BOOL)


def scalar_of(target: Name) -> Scalar:
    assert isinstance(target.type, Scalar)
    return target.type


def as_while(program: Program) -> Iterator[Program]:
    """``for k in range(a, b)`` as ``k = a``, ``while k < b``, and a step at the end of the body."""
    taken = names_of(program)

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            if (
                isinstance(statement, For)
                and not _continues(statement.body)
                and _keeps_stop(statement, effects)
            ):
                loop = statement
                old = loop.target.name
                if old.startswith("_") or _defined_elsewhere(program, loop):
                    # what a body does not use is used by the step at its end
                    target = replace(loop.target, name=fresh(taken, old.lstrip("_") or "k"))
                    loop = replace(loop, target=target, body=renamed(loop.body, {old: target.name}))
                yield (*block[:at], *_counted(loop), *block[at + 1 :])

    yield from of_blocks(program, offer)


def _counted(loop: For) -> Body:
    target, type = loop.target, scalar_of(loop.target)
    condition = Apply(BELOW if loop.step > 0 else ABOVE, (target, loop.stop), BOOL)
    step = Accumulate(target, "+" if loop.step > 0 else "-", Literal(abs(loop.step), type))
    return Variable(target, loop.start), While(condition, (*loop.body, step))


def _continues(body: Body) -> bool:
    """Whether a loop's body skips to the next iteration: not past the step at its end."""
    for statement in body:
        if isinstance(statement, Continue):
            return True
        if isinstance(statement, If) and (_continues(statement.then) or _continues(statement.orelse)):
            return True
    return False


def _keeps_stop(loop: For, effects: Effects) -> bool:
    return effects.pure(loop.stop) and not any(effects.disturbs(s, loop.stop) for s in loop.body)


def _defined_elsewhere(program: Program, loop: For) -> bool:
    name = loop.target.name
    definitions = (n.name for body in program.bodies for s in statements(body) for n in defined(s))
    return sum(other == name for other in definitions) > 1


def as_for(program: Program) -> Iterator[Program]:
    """What `as_while` makes, as the ``for`` that it was."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, (first, second) in enumerate(pairwise(block)):
            made = _for(first, second, block[at + 2 :], effects)
            if made is not None:
                yield (*block[:at], made, *block[at + 2 :])

    yield from of_blocks(program, offer)


def left_inside(program: Program) -> Iterator[Program]:
    """``while c`` as ``while True`` with a branch on top that leaves it; no loop that only counts."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            counts = at > 0 and _for(block[at - 1], statement, block[at + 1 :], effects) is not None
            if isinstance(statement, While) and statement.condition != ALWAYS and not counts:
                leaves = If(negated(statement.condition), (Break(),))
                yield (*block[:at], While(ALWAYS, (leaves, *statement.body)), *block[at + 1 :])

    yield from of_blocks(program, offer)


def left_on_top(program: Program) -> Iterator[Program]:
    """What `left_inside` makes, as the ``while`` that it was."""

    def offer(statement: Stmt) -> Iterator[Stmt]:
        match statement:
            case While(condition, (If(leaves, (Break(),), ()), *rest)) if condition == ALWAYS and rest:
                yield While(negated(leaves), tuple(rest))

    return of_statements(program, offer)


def _for(first: Stmt, second: Stmt, rest: Body, effects: Effects) -> For | None:
    match first, second:
        case (
            Variable(target, start),
            While(
                Apply(operation, (Name(name), stop)),
                (*body, Accumulate(Name(stepped), "+" | "-" as sign, Literal(step))),
            ),
        ) if operation == (BELOW if sign == "+" else ABOVE) and name == stepped == target.name and step > 0:
            loop = For(target, start, stop, int(step) if sign == "+" else -int(step), tuple(body))
        case _:
            return None
    whole = target.type.is_integer and bool(loop.body) and not isinstance(loop.body[-1], Comment)
    kept = not any(changed(s) == name or name in {n.name for n in defined(s)} for s in statements(loop.body))
    if not whole or not kept or name in names_in((rest, stop)) or _continues(loop.body):
        return None
    return loop if _keeps_stop(loop, effects) else None
