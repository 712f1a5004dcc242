"""Mutations of one body: a statement deleted, changed, or swapped with another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .. import ir
from ..analysis.effects import stored
from ..operations.table import infix, result_type
from ..operations.traits import MINUS, NOT, PLUS, UNLOCKED
from ..rewrite import Body, as_read, with_indices
from ..types import BOOL, Array, Scalar, Struct, Value
from ..walks import indices
from .expressions import Names, moved, moved_indices, other_members, turned_indices

Change = Callable[[ir.Stmt], Iterator[ir.Stmt]]

_LEAVING = (ir.Return, ir.Break, ir.Continue)
_OTHER_OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*"}


def _each(body: Body, change: Change) -> Iterator[Body]:
    for place, statement in enumerate(body):
        for made in change(statement):
            yield (*body[:place], made, *body[place + 1 :])


def _without(body: Body, place: int) -> Body:
    """The body without a statement; ``pass`` if that was the only one."""
    return (*body[:place], *body[place + 1 :]) if len(body) > 1 else (ir.Pass(),)


def _is_store(statement: ir.Stmt) -> bool:
    """Whether a statement writes to an array."""
    return isinstance(statement, ir.Do) or stored(statement) is not None


# ---- deletions


def deleted_stores(body: Body) -> Iterator[Body]:
    for place, statement in enumerate(body):
        if _is_store(statement):
            yield _without(body, place)


def deleted_statements(body: Body) -> Iterator[Body]:
    """Without an assignment to a local, a branch or a loop."""
    for place, statement in enumerate(body):
        if isinstance(statement, ir.Assign | ir.Accumulate | ir.If | ir.For | ir.While) and not _is_store(
            statement
        ):
            yield _without(body, place)


def deleted_exits(body: Body) -> Iterator[Body]:
    for place, statement in enumerate(body):
        if isinstance(statement, _LEAVING):
            yield _without(body, place)


def emptied_definitions(body: Body) -> Iterator[Body]:
    """A local whose value is zero, as if the calculation were missing."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Let | ir.Variable) and not isinstance(statement.value, ir.Literal):
            zero = _zero(statement.value)
            if zero is not None:
                yield replace(statement, value=zero)

    return _each(body, change)


def _zero(value: ir.Expr) -> ir.Expr | None:
    type = value.type
    if isinstance(type, Scalar):
        return ir.Literal(False if type == BOOL else 0 if type.is_integer else 0.0, type)
    if isinstance(type, Value) and result_type(MINUS, (type, type), type) == type:
        return ir.Apply(MINUS, (value, value), type)
    return None


# ---- order


def swapped_statements(body: Body) -> Iterator[Body]:
    fixed = (ir.ThreadIndex, ir.Comment, ir.Pass, ir.Print)
    for place in range(len(body) - 1):
        first, second = body[place : place + 2]
        if first != second and not isinstance(first, fixed) and not isinstance(second, fixed):
            yield (*body[:place], second, first, *body[place + 2 :])


def swapped_threads(body: Body) -> Iterator[Body]:
    """``i, j = wp.tid()`` as ``j, i = wp.tid()``."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.ThreadIndex):
            for names in turned_indices(statement.names):
                yield replace(statement, names=names)

    return _each(body, change)


# ---- branches and loops


def negated_conditions(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.If | ir.While):
            yield replace(statement, condition=ir.Apply(NOT, (statement.condition,), BOOL))

    return _each(body, change)


def swapped_branches(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.If) and statement.orelse:
            yield replace(statement, then=statement.orelse, orelse=statement.then)

    return _each(body, change)


def dropped_else(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.If) and statement.orelse:
            yield replace(statement, orelse=())

    return _each(body, change)


def fixed_branches(body: Body) -> Iterator[Body]:
    """Always one of two branches."""
    for place, statement in enumerate(body):
        if isinstance(statement, ir.If) and statement.orelse:
            for branch in (statement.then, statement.orelse):
                yield (*body[:place], *branch, *body[place + 1 :])


def lost_guards(body: Body) -> Iterator[Body]:
    """The body of a branch without its condition; nothing if the branch only leaves."""
    for place, statement in enumerate(body):
        if isinstance(statement, ir.If) and not statement.orelse:
            if isinstance(statement.then[-1], _LEAVING):
                yield _without(body, place)
            else:
                yield (*body[:place], *statement.then, *body[place + 1 :])


def other_bounds(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.For):
            for stop in moved(statement.stop):
                yield replace(statement, stop=stop)
            type = statement.target.type
            assert isinstance(type, Scalar), "a loop's index is a number"
            one = ir.Literal(1, type)
            start = ir.Apply(PLUS, (statement.start, one), one.type)
            if isinstance(statement.start, ir.Literal):
                yield replace(statement, start=ir.Literal(statement.start.value + 1, one.type), written=0)
            else:
                yield replace(statement, start=start, written=0)

    return _each(body, change)


def other_steps(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.For):
            yield replace(statement, step=2 * statement.step, written=0)

    return _each(body, change)


def other_exits(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Break):
            yield ir.Continue()
        if isinstance(statement, ir.Continue):
            yield ir.Break()

    return _each(body, change)


# ---- assignments


def other_targets(body: Body, names: Names) -> Iterator[Body]:
    """An assignment to another local, or to another member."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if not isinstance(statement, ir.Assign | ir.Accumulate):
            return
        target = statement.target
        if isinstance(target, ir.Name):
            for other in names.get(target.type, ()):
                if other != target.name:
                    yield replace(statement, target=replace(target, name=other))
        elif isinstance(target, ir.Member) and isinstance(target.of.type, Struct):
            for made in other_members(target):
                yield replace(statement, target=made)

    return _each(body, change)


def moved_stores(body: Body) -> Iterator[Body]:
    """A store to the element, or component, before or after."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Assign | ir.Accumulate):
            for index in moved_indices(indices(statement.target)):
                yield replace(statement, target=with_indices(statement.target, index))

    return _each(body, change)


def turned_stores(body: Body) -> Iterator[Body]:
    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Assign | ir.Accumulate):
            for index in turned_indices(indices(statement.target)):
                yield replace(statement, target=with_indices(statement.target, index))

    return _each(body, change)


def other_operators(body: Body) -> Iterator[Body]:
    """``x += y`` as ``x -= y``, ``x *= y`` as ``x /= y``, if there is such an operation."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Accumulate) and statement.operator in _OTHER_OPERATORS:
            other = _OTHER_OPERATORS[statement.operator]
            if infix(other, as_read(statement.target).type, statement.value.type) is not None:
                yield replace(statement, operator=other)

    return _each(body, change)


def overwritten(body: Body) -> Iterator[Body]:
    """``x += y`` as ``x = y``."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Accumulate) and statement.target.type == statement.value.type:
            yield ir.Assign(statement.target, statement.value)

    return _each(body, change)


def added(body: Body) -> Iterator[Body]:
    """``x = y`` as ``x += y``."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.Assign):
            yield ir.Accumulate(statement.target, "+", statement.value)

    return _each(body, change)


def not_atomic(body: Body) -> Iterator[Body]:
    """An atomic as a load and a store, between which other threads may run."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        found = _atomic_change(statement)
        if found is None:
            return
        target, operation, value = found
        if result_type(operation, (target.type, value.type), target.type) == target.type:
            yield ir.Assign(target, ir.Apply(operation, (target, value), target.type))

    return _each(body, change)


def _atomic_change(statement: ir.Stmt) -> tuple[ir.Load, str, ir.Expr] | None:
    """The element that an atomic changes, its operation, and the other operand."""
    if isinstance(statement, ir.Accumulate) and isinstance(statement.target, ir.Load):
        target, value = statement.target, statement.value
        operation = infix(statement.operator, target.type, value.type) if statement.operator in "+-" else None
        return (target, operation, value) if operation else None
    if isinstance(statement, ir.Do) and isinstance(statement.value, ir.Apply):
        atomic = statement.value
        array, *index, value = atomic.operands
        if atomic.operation in UNLOCKED and isinstance(array.type, Array):
            return ir.Load(array, tuple(index), array.type.element), UNLOCKED[atomic.operation], value
    return None
