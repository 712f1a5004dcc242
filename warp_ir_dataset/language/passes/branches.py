"""Passes between branches and conditional expressions, and between guards and early returns.

A choice evaluates both of its values: a branch may only become one if `legality.check` shows that each value
is defined, and in bounds, without the condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import ir
from ..analysis.effects import Effects
from ..operations.table import result_type
from ..operations.traits import CHOICES, NOT, OPPOSITE
from ..rewrite import Body, as_read, body_variants, program_variants
from ..types import BOOL
from ..walks import element, reads
from .sites import of_blocks

# ---- choices


def where_or_ternary(program: ir.Program) -> Iterator[ir.Program]:
    """``a if c else b`` as ``where(c, a, b)``, and back."""
    effects = Effects(program, in_kernel=False)

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Apply) and node.operation in CHOICES and effects.pure(node):
            for other in CHOICES:
                if other != node.operation:
                    yield replace(node, operation=other)

    yield from program_variants(program, lambda body: body_variants(body, offer))


def branch_to_choice(program: ir.Program) -> Iterator[ir.Program]:
    """A branch that assigns one place, as a choice between its values."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            if isinstance(statement, ir.If) and effects.pure(statement.condition):
                for operation in CHOICES:
                    made = _chosen(statement, operation, effects)
                    if made is not None:
                        yield (*block[:at], made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _chosen(branch: ir.If, operation: str, effects: Effects) -> ir.Stmt | None:
    if len(branch.then) != 1 or not isinstance(then := branch.then[0], ir.Assign | ir.Accumulate):
        return None
    target = then.target
    otherwise = _otherwise(then, branch.orelse)
    if otherwise is None:
        return None
    values = (then.value, otherwise)
    if not all(map(effects.pure, (*values, as_read(target)))):
        return None
    types = (BOOL, values[0].type, values[1].type)
    if result_type(operation, types, target.type) != target.type:
        return None
    return replace(then, value=ir.Apply(operation, (branch.condition, *values), target.type))


def _otherwise(then: ir.Assign | ir.Accumulate, orelse: Body) -> ir.Expr | None:
    """The value that the other branch assigns to the place: its own value if that branch is empty."""
    if not orelse and isinstance(then, ir.Assign) and element(then.target) is None:
        return as_read(then.target)
    if len(orelse) != 1 or not isinstance(other := orelse[0], ir.Assign | ir.Accumulate):
        return None
    return other.value if replace(other, value=then.value) == then else None


def choice_to_branch(program: ir.Program) -> Iterator[ir.Program]:
    """A choice that is the whole value of a statement, as a branch. An assignment becomes two branches; a
    local becomes a variable that one branch changes."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            made = _branched(statement)
            if made and all(map(effects.pure, reads(statement))):
                yield (*block[:at], *made, *block[at + 1 :])

    yield from of_blocks(program, offer)


def _branched(statement: ir.Stmt) -> Body:
    if not isinstance(statement, ir.Assign | ir.Accumulate | ir.Let | ir.Variable):
        return ()
    value = statement.value
    if not isinstance(value, ir.Apply) or value.operation not in CHOICES:
        return ()
    condition, one, two = value.operands
    if isinstance(statement, ir.Assign) and statement.target in (one, two):
        return ()  # nobody writes `x = x` in a branch
    if isinstance(statement, ir.Let | ir.Variable):
        return ir.Variable(statement.target, two), ir.If(condition, (ir.Assign(statement.target, one),))
    return (ir.If(condition, (replace(statement, value=one),), (replace(statement, value=two),)),)


# ---- guards


def guard_to_return(program: ir.Program) -> Iterator[ir.Program]:
    """``if inside: ...``, the last of the kernel's statements, as ``if not inside: return`` before them."""
    match program.body:
        case (*before, ir.If(condition, then, ())) if before and not _returns(then):
            guard = ir.If(negated(condition), (ir.Return(),))
            yield replace(program, body=(*before, guard, *then))


def return_to_guard(program: ir.Program) -> Iterator[ir.Program]:
    """``if outside: return`` as ``if not outside: ...`` around all that follows."""
    for at, statement in enumerate(program.body):
        match statement:
            case ir.If(condition, (ir.Return(()),), ()) if at + 1 < len(program.body):
                rest = program.body[at + 1 :]
                if not any(isinstance(s, ir.ThreadIndex) for s in rest) and not _returns(rest):
                    yield replace(program, body=(*program.body[:at], ir.If(negated(condition), rest)))


def _returns(body: Body) -> bool:
    return bool(body) and isinstance(body[-1], ir.Return)


def negated(condition: ir.Expr, *, finite: bool = False) -> ir.Expr:
    """The negation of a condition. Comparisons of floats become the opposite ones only if all numbers are
    `finite`: comparisons with NaN are false either way."""
    if isinstance(condition, ir.Apply):
        if condition.operation == NOT:
            return condition.operands[0]
        if condition.operation in OPPOSITE and (finite or condition.operands[0].type.is_integer):
            return replace(condition, operation=OPPOSITE[condition.operation])
    return ir.Apply(NOT, (condition,), BOOL)


def swapped_branches(program: ir.Program) -> Iterator[ir.Program]:
    """``if c: a else: b`` as ``if not c: b else: a``."""

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            match statement:
                case ir.If(condition, then, orelse) if orelse and not _is_elif(orelse):
                    yield (*block[:at], ir.If(negated(condition), orelse, then), *block[at + 1 :])

    yield from of_blocks(program, offer)


def _is_elif(orelse: Body) -> bool:
    return len(orelse) == 1 and isinstance(orelse[0], ir.If)
