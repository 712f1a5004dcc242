"""Finds expressions that a text may describe elsewhere: without effects, and with unchanged operands."""

from __future__ import annotations

from collections.abc import Iterable

from .. import ir
from ..analysis.effects import changes, uses
from ..operations.table import TABLE, changed_by, changes_array
from ..rewrite import names_in, operands
from ..types import Array, holds_arrays
from ..walks import blocks, root, statements, walk


def is_pure(node: object) -> bool:
    """Whether an expression changes nothing, and reads no array but by itself."""
    for part in walk(node):
        if isinstance(part, ir.Apply) and TABLE[part.operation].changed:
            return False
        if isinstance(part, ir.Call) and any(holds_arrays(operand.type) for operand in part.operands):
            return False
    return True


def only_draws(node: object) -> bool:
    """Whether all that an expression changes are the states of random numbers."""
    return all(not isinstance(part, ir.Call) and not changes_array(part) for part in walk(node))


def draws(node: object) -> int:
    """How many random numbers a tree draws by itself, without its functions."""
    return sum(any(not isinstance(o.type, Array) for o in changed_by(part)) for part in walk(node))


def weight(node: ir.Expr) -> int:
    """How many operations a reader sees in an expression; conversions and components are none."""
    inner = sum(map(weight, operands(node)))
    if isinstance(node, ir.Apply):
        row = TABLE[node.operation]
        return inner + (0 if row.converts or row.group == "component" else 1)
    return inner + isinstance(node, ir.Call)


def may_change(body: Iterable[ir.Stmt]) -> set[str]:
    """Locals and arrays that statements change, loops count, or functions are handed and may change."""
    body = tuple(body)
    found = changes(body) | {s.target.name for s in statements(body) if isinstance(s, ir.For)}
    calls = (node for node in walk(body) if isinstance(node, ir.Call))
    handed = (operand for call in calls for operand in call.operands if holds_arrays(operand.type))
    return found | {name for operand in handed if (name := root(operand))}


def disturbed(value: ir.Expr, between: Iterable[ir.Stmt], user: ir.Stmt, mutable: set[str]) -> bool:
    """Whether a value may be another one where `user` takes it: what it reads changes before.

    `between` are the statements from its definition to the user, which may use it in inner bodies too.
    `mutable` are all names that ever change. One that an earlier loop left behind changes where it is
    brought to life again.
    """
    needed = names_in(value) & mutable
    if not needed:
        return False
    if (may_change(between) | defined(between)) & needed:
        return True
    return bool(blocks(user)) and bool(may_change((user,)) & needed)


def defined(body: Iterable[ir.Stmt]) -> set[str]:
    """Locals that statements bring to life, or bring to life again."""
    return {s.target.name for s in statements(tuple(body)) if isinstance(s, ir.Let | ir.Variable)}


def moves_its_end(loop: ir.For) -> bool:
    """Whether a loop changes what its end depends on. The size of an array stays when elements change."""
    assigned = {
        s.target.name
        for s in statements(loop.body)
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Name)
    }
    return bool(may_change(loop.body) & _contents_read(loop.stop)) or bool(assigned & names_in(loop.stop))


def _contents_read(value: ir.Expr) -> set[str]:
    """The names in a value, without the arrays of which no more than the size is read."""
    if isinstance(value, ir.Shape):
        return set()
    found = {value.name} if isinstance(value, ir.Name) else set()
    return found.union(*map(_contents_read, operands(value)))


def only_in_condition(name: str, statement: ir.Stmt) -> bool:
    """Whether a branch takes a value in its condition alone, before anything in it happens."""
    return isinstance(statement, ir.If) and not uses(name, (statement.then, statement.orelse))
