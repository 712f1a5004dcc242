"""Passes that inline a local: they replace its name by its value."""

from __future__ import annotations

from collections.abc import Container, Iterator

from .. import ir
from ..analysis.effects import Effects, uses
from ..operations.table import changed_by
from ..operations.traits import ALTERNATIVES
from ..rewrite import Body, names_in, operands, substituted
from ..types import Value
from ..walks import blocks, walk
from .sites import of_blocks

MOST_REPEATED = 24  # nodes that inlining a value several times may add


def always_evaluated(node: ir.Expr) -> Iterator[ir.Expr]:
    """The subexpressions of an expression that are evaluated in any case."""
    yield node
    evaluated = operands(node)
    if isinstance(node, ir.Chain):
        evaluated = evaluated[:2]
    elif isinstance(node, ir.Apply) and node.operation in ALTERNATIVES:
        evaluated = evaluated[:1]
    for operand in evaluated:
        yield from always_evaluated(operand)


def inline_local(program: ir.Program, *, several: bool = False) -> Iterator[ir.Program]:
    """Inline a local that is used once; or with `several`, a short one that is used more often."""
    yield from of_blocks(program, lambda block, effects: _inlined(block, effects, several=several))


def _inlined(block: Body, effects: Effects, *, several: bool) -> Iterator[Body]:
    for at, statement in enumerate(block):
        if not isinstance(statement, ir.Let) or not isinstance(statement.target.type, Value):
            continue
        target, value, rest = statement.target, statement.value, block[at + 1 :]
        count = uses(target.name, rest)
        if count < 2 if several else count != 1:
            continue
        if several and (count - 1) * sum(1 for _ in walk(value)) > MOST_REPEATED:
            continue
        if any(target in changed_by(node) for node in walk(rest)):  # the state of a random generator
            continue
        if effects.pure(value) and not changes_at_uses(rest, target.name, value, effects):
            if rest and isinstance(rest[0], ir.Comment) and rest[0].beside:
                rest = rest[1:]
            yield (*block[:at], *substituted(rest, {target.name: value}))


def without_aliases(program: ir.Program, kept: Container[str] = ()) -> ir.Program:
    """The program without ``a = b`` if `b` can replace `a`; names in `kept` stay."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            if not isinstance(statement, ir.Let | ir.Variable) or statement.target.name in kept:
                continue
            target, value, rest = statement.target, statement.value, block[at + 1 :]
            if not isinstance(value, ir.Name):
                continue
            if isinstance(statement, ir.Let):
                before, replaceable = block[:at], not changes_at_uses(rest, target.name, value, effects)
            else:
                # One variable is enough if nothing reads the first one any more.
                before = tuple(_as_variable(s, value) for s in block[:at])
                replaceable = value.name not in names_in(rest) and any(_defines(s, value) for s in before)
            if replaceable:
                beside = bool(rest) and isinstance(rest[0], ir.Comment) and rest[0].beside
                yield (*before, *substituted(rest[beside:], {target.name: value}))

    while (fewer := next(of_blocks(program, offer), None)) is not None:
        program = fewer
    return program


def _defines(statement: ir.Stmt, name: ir.Name) -> bool:
    return isinstance(statement, ir.Let | ir.Variable) and statement.target == name


def _as_variable(statement: ir.Stmt, name: ir.Name) -> ir.Stmt:
    """The statement, as a `Variable` if it defines `name`."""
    return (
        ir.Variable(name, statement.value)
        if isinstance(statement, ir.Let) and _defines(statement, name)
        else statement
    )


def changes_at_uses(rest: Body, name: str, value: ir.Expr, effects: Effects) -> bool:
    """Whether `value` may change between the definition of a name and some use of it in `rest`.

    A statement without inner ones evaluates before it writes, so the writes of the last user do not matter,
    unless it calls a function that writes during its evaluation.
    """
    users = [at for at, statement in enumerate(rest) if name in names_in(statement)]
    if not users:
        return False
    last = rest[users[-1]]
    between = rest[: users[-1]] if effects.in_any_order(last) and not blocks(last) else rest[: users[-1] + 1]
    return any(effects.disturbs(statement, value) for statement in between)
