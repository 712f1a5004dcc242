"""Passes of twins that count a loop otherwise, or write its iterations out."""

from __future__ import annotations

from collections.abc import Iterator

from ....language import ir
from ....language.analysis.effects import Effects
from ....language.passes.loops import scalar_of
from ....language.passes.sites import of_blocks
from ....language.rewrite import Body, fresh, map_expressions, names_of, renamed, substituted
from ....language.types import SCALARS
from ....language.walks import defined, statements, walk
from .folding import folded, plus, settles
from .order import any_order

MOST_TRIPS = 4  # of a loop that is written out
MOST_STATEMENTS = 24  # that this makes


def shifted(program: ir.Program) -> Iterator[ir.Program]:
    """``range(a, b)`` from 0, or from 1 where it is from 0, the index in the body shifted back."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case ir.For(target, ir.Literal(start), stop, 1, body) if _may_be_negative(target):
                    by = -int(start) or 1
                    body = map_expressions(substituted(body, {target.name: plus(target, -by)}), folded)
                    made = ir.For(
                        target, ir.Literal(int(start) + by, scalar_of(target)), plus(stop, by), 1, body
                    )
                    yield (*block[:at], made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def backwards(program: ir.Program) -> Iterator[ir.Program]:
    """A loop from its end to its start, where iterations may come in any order."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case ir.For(target, start, stop, 1 | -1 as step, body) if any_order(statement, effects):
                    if _may_be_negative(target):
                        made = ir.For(target, plus(stop, -step), plus(start, -step), -step, body)
                        yield (*block[:at], made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _may_be_negative(target: ir.Name) -> bool:
    return SCALARS[scalar_of(target).scalar].kind == "signed"


def written_out(program: ir.Program) -> Iterator[ir.Program]:
    """A short loop between literals as its iterations, one after another."""
    taken = names_of(program)

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case ir.For(_, ir.Literal(start), ir.Literal(stop), step, body) if not _leaves(body):
                    values = range(int(start), int(stop), step)
                    size = len(values) * sum(1 for _ in statements(body))
                    made = _iterations(statement, values, taken)
                    if 0 < len(values) <= MOST_TRIPS and size <= MOST_STATEMENTS and not _settled(made):
                        yield (*block[:at], *made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _iterations(loop: ir.For, values: range, taken: set[str]) -> Body:
    taken = set(taken)
    made: list[ir.Stmt] = []
    own = [name.name for statement in statements(loop.body) for name in defined(statement)]
    for value in values[:MOST_TRIPS]:
        names = {}
        for name in dict.fromkeys(own) if made else ():
            names[name] = fresh(taken, name)
            taken.add(names[name])
        index: ir.Expr = ir.Literal(value, scalar_of(loop.target))
        body = substituted(renamed(loop.body, names), {loop.target.name: index})
        made += map_expressions(body, folded)
    return tuple(made)


def _leaves(body: Body) -> bool:
    """Whether a loop's body leaves an iteration before its end, or the loop."""
    for statement in body:
        if isinstance(statement, ir.Break | ir.Continue | ir.Return):
            return True
        if isinstance(statement, ir.If) and (_leaves(statement.then) or _leaves(statement.orelse)):
            return True
        if isinstance(statement, ir.For | ir.While) and any(
            isinstance(s, ir.Return) for s in statements(statement.body)
        ):
            return True
    return False


def _settled(body: Body) -> bool:
    """Whether something is left to compute of literals alone: nobody would write it."""
    return any(settles(node) for node in walk(body) if isinstance(node, ir.Apply))
