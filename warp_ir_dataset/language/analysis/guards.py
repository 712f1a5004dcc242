"""Finds what legal inputs should run of a program: arms of branches, bounds that bite, ends of loops.

An answer that leaves out what no legal input runs is right on every input, so a row should not have it.
Guards of the launch stay, since a launch may be larger than the arrays; so do those without which the rules
of `flow` do not see that indices stay in arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from .. import ir
from ..operations.traits import BOUNDING, CHOICES, CLAMP, MAGNITUDES, SHORT
from ..rewrite import map_bodies, map_expressions, map_statements
from ..types import BOOL
from ..walks import blocks, statements, walk
from .coverage import UNSEEN, Way, compared, tie
from .flow import flow, is_endless
from .intervals import Illegal


def wanted(program: ir.Program, *, ends: bool = True, ties: bool = True) -> tuple[frozenset[Way], ...]:
    """What inputs should run: of each of these at least one. An answer that leaves out what no legal input
    runs is right.

    Guards of the launch are not among them, nor branches in which nothing is done, nor a loop without
    iterations. Of `wp.clamp` one bound is enough. Without `ends` those are left out that a kernel may have
    for good measure: how a loop ends, and the sign of `wp.abs`; without `ties` that two inputs which are
    compared are equal.
    """
    indices = _indices(program)
    found: list[frozenset[Way]] = []
    for body in program.bodies:
        guards = [s for s in statements(body) if isinstance(s, ir.If) and _indexed(s.condition, indices)]
        spared = {id(node) for guard in guards for node in (guard, *walk(guard.condition))}
        spared |= {
            id(node)
            for node in walk(body)
            if isinstance(node, ir.Apply) and node.operation in BOUNDING and _indexed(node, indices)
        }
        if not ends:
            spared |= {id(node) for end in _ends(body) for node in (end, *walk(end.condition))}
        for node in walk(body):
            if id(node) not in spared and (ends or not _is_end(node)):
                found += map(frozenset, _alternatives(node))
    if ties:
        found += (frozenset((tie(node, place),)) for node, place, sides in compared(program) if all(sides))
    return tuple(found)


def _ends(body: tuple[ir.Stmt, ...]) -> Iterator[ir.While | ir.If]:
    """The loops that say when they end, as a condition or in a branch that they begin with."""
    for loop in (s for s in statements(body) if isinstance(s, ir.While)):
        yield loop
        if is_endless(loop) and isinstance(loop.body[0], ir.If) and loop.body[0].then == (ir.Break(),):
            yield loop.body[0]


def _is_end(node: object) -> bool:
    return isinstance(node, (ir.For, ir.While)) or (
        isinstance(node, ir.Apply) and node.operation in MAGNITUDES
    )


def _alternatives(node: object) -> Iterator[Iterable[Way]]:
    """For each way that a node should come out, that way, and those that will do as well."""
    places: Iterable[int] = ()
    if isinstance(node, ir.If):
        places = () if all(isinstance(s, UNSEEN) for s in (*node.then, *node.orelse)) else (0,)
    elif isinstance(node, ir.Apply):
        if node.operation == CLAMP:
            yield ((id(node), place, True) for place in range(2))
        elif node.operation in MAGNITUDES:
            yield ((id(node), 0, True),)
        elif node.operation in CHOICES or node.operation in BOUNDING:
            places = (0,)
        elif node.operation in SHORT:
            places = (0, 1)
    elif isinstance(node, ir.Chain):
        count = len(node.comparisons)
        places = range(count, 2 * count)
    elif isinstance(node, (ir.For, ir.While)) and _is_left(node.body) and not is_endless(node):
        places = (1,)
    for place in places:
        yield from (((id(node), place, way),) for way in (True, False))


def _is_left(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a statement of a loop's body leaves the loop."""
    for statement in body:
        if isinstance(statement, (ir.Break, ir.Return)):
            return True
        inner = blocks(statement)
        if isinstance(statement, (ir.For, ir.While)):
            if any(isinstance(s, ir.Return) for block in inner for s in statements(block)):
                return True
        elif any(map(_is_left, inner)):
            return True
    return False


def _indices(program: ir.Program) -> Mapping[str, bool]:
    """The names of threads' indices and of sizes, and of locals that follow from these: whether an index is
    in it."""
    found = dict.fromkeys((a.name for a in program.arguments), False)
    found |= dict.fromkeys((c.name for c in program.constants), False)
    for statement in statements(program.body):
        if isinstance(statement, ir.ThreadIndex):
            found |= {name.name: True for name in statement.names}
        elif isinstance(statement, ir.Let) and (told := _indexed(statement.value, found)) is not None:
            found[statement.target.name] = told
    return found


def _indexed(expression: ir.Expr, indices: Mapping[str, bool]) -> bool | None:
    """Whether an index is in an expression; None if it does not follow from indices and sizes alone."""
    if any(isinstance(node, (ir.Load, ir.Call, ir.View)) for node in walk(expression)):
        return None
    names = {node.name for node in walk(expression) if isinstance(node, ir.Name)}
    return any(indices[name] for name in names) if names <= indices.keys() else None


def keeps_legal(program: ir.Program, way: Way) -> bool:
    """Whether a program is no longer legal without what decides that a node comes out in a way."""
    number, place, outcome = way
    missing = partial(_without, number=number, place=place, outcome=outcome)
    made = map_bodies(program, lambda body: map_expressions(body, missing))
    made = map_bodies(made, lambda body: map_statements(body, partial(_arm, number=number, outcome=outcome)))
    try:
        flow(made, sampled=True)
    except Illegal:
        return True
    return False


def _arm(statement: ir.Stmt, number: int, outcome: bool) -> Iterable[ir.Stmt]:
    """The other arm of a branch whose condition never has an outcome."""
    if id(statement) != number or not isinstance(statement, ir.If):
        return (statement,)
    return statement.orelse if outcome else statement.then


def _without(node: ir.Expr, number: int, place: int, outcome: bool) -> ir.Expr:
    """What is left of an expression that never comes out in a way."""
    if id(node) != number:
        return node
    if isinstance(node, ir.Apply):
        return _operand(node, place, outcome)
    if isinstance(node, ir.Chain) and len(node.operands) == 3 and not outcome:
        part = place % 2
        return ir.Apply(node.comparisons[1 - part], node.operands[1 - part : 3 - part], BOOL)
    return node


def _operand(node: ir.Apply, place: int, outcome: bool) -> ir.Expr:
    """What an operation leaves that never comes out in a way: one of its operands."""
    if node.operation in CHOICES:
        return node.operands[2 if outcome else 1]
    if node.operation == CLAMP:
        return node.operands[0]
    if node.operation in BOUNDING and len(node.operands) == 2:
        return node.operands[int(("min" in node.operation) == outcome)]
    if node.operation in SHORT and outcome == (node.operation == "or"):
        return node.operands[1 - place]
    return node
