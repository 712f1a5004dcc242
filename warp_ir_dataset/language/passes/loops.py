"""Passes between the forms of a counting loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from ..operations.laws import ABOVE, BELOW
from ..program import (
    Accumulate,
    Apply,
    Break,
    Comment,
    Continue,
    Expr,
    For,
    If,
    Literal,
    Name,
    Program,
    Return,
    Stmt,
    Variable,
    While,
)
from ..rewrite import Body, fresh, map_expressions, names_in, names_of, renamed, substituted
from ..types import BOOL, SCALARS, Scalar
from ..walks import changed, defined, statements, walk
from .branches import negated
from .effects import Effects
from .folding import folded, plus, settles
from .order import any_order
from .places import of_blocks, of_statements

MOST_TRIPS = 4  # of a loop that is written out
MOST_STATEMENTS = 24  # that this makes
ALWAYS = Literal(True, BOOL)


def shifted(program: Program) -> Iterator[Program]:
    """``range(a, b)`` from 0, or from 1 where it is from 0, the index in the body shifted back."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case For(target, Literal(start), stop, 1, body) if _may_be_negative(target):
                    by = -int(start) or 1
                    body = map_expressions(substituted(body, {target.name: plus(target, -by)}), folded)
                    made = For(target, Literal(int(start) + by, _scalar(target)), plus(stop, by), 1, body)
                    yield (*block[:at], made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def backwards(program: Program) -> Iterator[Program]:
    """A loop from its end to its start, where iterations may come in any order."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case For(target, start, stop, 1 | -1 as step, body) if any_order(statement, effects):
                    if _may_be_negative(target):
                        made = For(target, plus(stop, -step), plus(start, -step), -step, body)
                        yield (*block[:at], made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _may_be_negative(target: Name) -> bool:
    return SCALARS[_scalar(target).scalar].kind == "signed"


def _scalar(target: Name) -> Scalar:
    assert isinstance(target.type, Scalar)
    return target.type


# ---- written out


def written_out(program: Program) -> Iterator[Program]:
    """A short loop between literals as its iterations, one after another."""
    taken = names_of(program)

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case For(_, Literal(start), Literal(stop), step, body) if not _leaves(body):
                    values = range(int(start), int(stop), step)
                    size = len(values) * sum(1 for _ in statements(body))
                    made = _iterations(statement, values, taken)
                    if 0 < len(values) <= MOST_TRIPS and size <= MOST_STATEMENTS and not _settled(made):
                        yield (*block[:at], *made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _iterations(loop: For, values: range, taken: set[str]) -> Body:
    taken = set(taken)
    made: list[Stmt] = []
    own = [name.name for statement in statements(loop.body) for name in defined(statement)]
    for value in values[:MOST_TRIPS]:
        names = {}
        for name in dict.fromkeys(own) if made else ():
            names[name] = fresh(taken, name)
            taken.add(names[name])
        index: Expr = Literal(value, _scalar(loop.target))
        body = substituted(renamed(loop.body, names), {loop.target.name: index})
        made += map_expressions(body, folded)
    return tuple(made)


def _leaves(body: Body) -> bool:
    """Whether a loop's body leaves an iteration before its end, or the loop."""
    for statement in body:
        if isinstance(statement, Break | Continue | Return):
            return True
        if isinstance(statement, If) and (_leaves(statement.then) or _leaves(statement.orelse)):
            return True
        if isinstance(statement, For | While) and any(
            isinstance(s, Return) for s in statements(statement.body)
        ):
            return True
    return False


def _settled(body: Body) -> bool:
    """Whether something is left to compute of literals alone: nobody would write it."""
    return any(settles(node) for node in walk(body) if isinstance(node, Apply))


# ---- while


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
    target, type = loop.target, _scalar(loop.target)
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
