"""Finds the outcomes that legal inputs should give: branches, bounds that act, ends of loops.

If no legal input runs some code, an answer without it is right on every input; so a row should not have such
code. Guards of the launch stay, since a launch may be larger than the arrays; so do guards without which
`analyze_intervals` cannot see that indices stay in bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from .. import ir
from ..operations.traits import BOUNDING, CHOICES, CLAMP, MAGNITUDES, SHORT
from ..rewrite import map_bodies, map_expressions, map_statements
from ..types import BOOL
from ..walks import blocks, statements, walk
from .coverage import UNSEEN, Outcome, compared, tie
from .interval_analysis import analyze_intervals, is_while_true
from .intervals import Illegal


def wanted(program: ir.Program, *, ends: bool = True, ties: bool = True) -> tuple[frozenset[Outcome], ...]:
    """The outcomes that inputs should give: at least one of each set.

    Guards of the launch are not among them, nor branches that do nothing, nor loops without iterations. Of
    `wp.clamp` one bound is enough. Without `ends`, outcomes are left out that a kernel may handle just in
    case: how a loop ends, and the sign of `wp.abs`; without `ties`, that two compared inputs are equal.

    """
    indices = _indices(program)
    found: list[frozenset[Outcome]] = []
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
    """The loops with an end condition, and the branches at the start of ``while True`` loops that end
    them."""
    for loop in (s for s in statements(body) if isinstance(s, ir.While)):
        yield loop
        if is_while_true(loop) and isinstance(loop.body[0], ir.If) and loop.body[0].then == (ir.Break(),):
            yield loop.body[0]


def _is_end(node: object) -> bool:
    return isinstance(node, (ir.For, ir.While)) or (
        isinstance(node, ir.Apply) and node.operation in MAGNITUDES
    )


def _alternatives(node: object) -> Iterator[Iterable[Outcome]]:
    """For each outcome that a node should have, that outcome and those that are accepted instead."""
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
    elif isinstance(node, (ir.For, ir.While)) and _is_left(node.body) and not is_while_true(node):
        places = (1,)
    for place in places:
        yield from (((id(node), place, outcome),) for outcome in (True, False))


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
    """Whether each name depends on a thread index: for indices, sizes, and locals computed from them
    alone."""
    found = dict.fromkeys((a.name for a in program.arguments), False)
    found |= dict.fromkeys((c.name for c in program.constants), False)
    for statement in statements(program.body):
        if isinstance(statement, ir.ThreadIndex):
            found |= {name.name: True for name in statement.names}
        elif isinstance(statement, ir.Let) and (has_index := _indexed(statement.value, found)) is not None:
            found[statement.target.name] = has_index
    return found


def _indexed(expression: ir.Expr, indices: Mapping[str, bool]) -> bool | None:
    """Whether an index is in an expression; None if it depends on more than indices and sizes."""
    if any(isinstance(node, (ir.Load, ir.Call, ir.View)) for node in walk(expression)):
        return None
    names = {node.name for node in walk(expression) if isinstance(node, ir.Name)}
    return any(indices[name] for name in names) if names <= indices.keys() else None


def keeps_legal(program: ir.Program, outcome: Outcome) -> bool:
    """Whether a program becomes illegal without the code that gives a node this outcome."""
    number, place, result = outcome
    missing = partial(_without, number=number, place=place, result=result)
    made = map_bodies(program, lambda body: map_expressions(body, missing))
    other = partial(_other_branch, number=number, result=result)
    made = map_bodies(made, lambda body: map_statements(body, other))
    try:
        analyze_intervals(made, sampled=True)
    except Illegal:
        return True
    return False


def _other_branch(statement: ir.Stmt, number: int, result: bool) -> Iterable[ir.Stmt]:
    """The other branch, if the condition never has this outcome."""
    if id(statement) != number or not isinstance(statement, ir.If):
        return (statement,)
    return statement.orelse if result else statement.then


def _without(node: ir.Expr, number: int, place: int, result: bool) -> ir.Expr:
    """An expression without the operands that only matter for this outcome."""
    if id(node) != number:
        return node
    if isinstance(node, ir.Apply):
        return _operand(node, place, result)
    if isinstance(node, ir.Chain) and len(node.operands) == 3 and not result:
        part = place % 2
        return ir.Apply(node.comparisons[1 - part], node.operands[1 - part : 3 - part], BOOL)
    return node


def _operand(node: ir.Apply, place: int, result: bool) -> ir.Expr:
    """The operand that an operation returns if it never has this outcome."""
    if node.operation in CHOICES:
        return node.operands[2 if result else 1]
    if node.operation == CLAMP:
        return node.operands[0]
    if node.operation in BOUNDING and len(node.operands) == 2:
        return node.operands[int(("min" in node.operation) == result)]
    if node.operation in SHORT and result == (node.operation == "or"):
        return node.operands[1 - place]
    return node
