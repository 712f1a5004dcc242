"""Passes of twins that give a subexpression or some lines a name of their own: a local, or a function."""

from __future__ import annotations

from collections.abc import Iterator

from ....language import ir
from ....language.analysis.effects import Effects
from ....language.operations.table import TABLE, changed_by
from ....language.passes.binding import always_evaluated
from ....language.passes.functions import extracted, new_function, with_new
from ....language.passes.sites import of_blocks
from ....language.rewrite import Body, map_expression, names_in, operands, with_reads
from ....language.types import Value
from ....language.walks import defined, reads, statements, walk
from . import naming


def bound(program: ir.Program) -> Iterator[ir.Program]:
    """A subexpression as a local of its own, before the statement that it stands in.

    Only what the statement evaluates in any case, and once: not in an arm of a choice, behind ``and``, or in
    the condition of a ``while``.
    """

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            for value in _bindable(statement, effects):
                target = ir.Name(naming.local(program, value), value.type)

                def named(node: ir.Expr, value: ir.Expr = value, target: ir.Name = target) -> ir.Expr:
                    return target if node == value else node

                made = with_reads(statement, [map_expression(read, named) for read in reads(statement)])
                yield (*block[:at], ir.Let(target, value), made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _bindable(statement: ir.Stmt, effects: Effects) -> Iterator[ir.Expr]:
    if isinstance(statement, ir.While):
        return
    seen: set[ir.Expr] = set()
    given = reads(statement)
    whole = given[-1:] if _is_bound(statement) else ()
    for node in (part for read in given for part in always_evaluated(read)):
        if node in seen or any(node is value for value in whole) or not isinstance(node.type, Value):
            continue
        seen.add(node)
        computes = isinstance(node, ir.Apply | ir.Load | ir.Call)
        if not computes or not names_in(node) or not effects.pure(node) or _stands_alone(node):
            continue
        if effects.in_any_order(statement) or not effects.memory(node):
            yield node


def _is_bound(statement: ir.Stmt) -> bool:
    """Whether the value of a statement has a name already."""
    return isinstance(statement, ir.Let | ir.Variable) or (
        isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Name)
    )


def _stands_alone(node: ir.Expr) -> bool:
    """An operation that must be the whole value of a statement, or the converted name of a number."""
    if changed_by(node):
        return True
    converts = isinstance(node, ir.Apply) and TABLE[node.operation].converts
    return converts and isinstance(operands(node)[0], ir.Name | ir.Literal)


def drawn_out(program: ir.Program) -> Iterator[ir.Program]:
    """An expression of two operations or more as a function of the names in it."""
    for value in dict.fromkeys(_evaluated(program)):
        yield from extracted(program, value, naming.function(program, value))


def _evaluated(program: ir.Program) -> Iterator[ir.Expr]:
    for body in program.bodies:
        for statement in statements(body):
            yield from (node for node in walk(reads(statement)) if isinstance(node, ir.Expr))


def block_drawn_out(program: ir.Program) -> Iterator[ir.Program]:
    """Two locals or more, of which only the last is used later, as a function that returns it."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for first in range(len(block)):
            for last in range(first + 1, len(block)):
                run = block[first : last + 1]
                if not all(isinstance(s, ir.Let) and effects.pure(s.value) for s in run):
                    break
                *inner, final = run
                assert isinstance(final, ir.Let)
                hidden = {name.name for statement in inner for name in defined(statement)}
                if hidden & names_in(block[last + 1 :]) or not isinstance(final.target.type, Value):
                    continue
                name = naming.function(program, final.value)
                function = new_function(program, tuple(inner), final.value, name)
                made.append(function)
                call = ir.Call(function.name, function.parameters, final.value.type)
                yield (*block[:first], ir.Let(final.target, call), *block[last + 1 :])

    made: list[ir.Function] = []
    for variant in of_blocks(program, offer):
        yield with_new(variant, made[-1])
