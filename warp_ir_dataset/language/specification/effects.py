"""Finds expressions that a text may describe elsewhere: without effects, and with unchanged operands."""

from __future__ import annotations

from collections.abc import Iterable

from ..operations.table import TABLE, changed_by, changes_array
from ..program import Apply, Assign, Call, Expr, For, If, Let, Load, Name, Shape, Stmt, Unpack, Variable, View
from ..rewrite import operands
from ..types import Array, holds_arrays
from ..walks import blocks, changed, reads, root, statements, walk


def is_pure(node: object) -> bool:
    """Whether an expression changes nothing, and reads no array but by itself."""
    for part in walk(node):
        if isinstance(part, Apply) and TABLE[part.operation].changed:
            return False
        if isinstance(part, Call) and any(holds_arrays(operand.type) for operand in part.operands):
            return False
    return True


def only_draws(node: object) -> bool:
    """Whether all that an expression changes are the states of random numbers."""
    return all(not isinstance(part, Call) and not changes_array(part) for part in walk(node))


def draws(node: object) -> int:
    """How many random numbers a tree draws by itself, without its functions."""
    return sum(any(not isinstance(o.type, Array) for o in changed_by(part)) for part in walk(node))


def weight(node: Expr) -> int:
    """How many operations a reader sees in an expression; conversions and components are none."""
    inner = sum(map(weight, operands(node)))
    if isinstance(node, Apply):
        row = TABLE[node.operation]
        return inner + (0 if row.converts or row.group == "component" else 1)
    return inner + isinstance(node, Call)


def changes(body: Iterable[Stmt]) -> set[str]:
    """Locals and arrays that statements assign, in whole or in part, or hand to what may change them."""
    found: set[str] = set()
    for statement in statements(tuple(body)):
        found |= changes_of(statement)
    return found


def changes_of(statement: Stmt) -> set[str]:
    """Those of one statement, inner bodies left out."""
    found = {name} if (name := changed(statement)) else set()
    if isinstance(statement, Unpack):
        found |= {target.name for target in statement.targets}
    if isinstance(statement, For):
        found.add(statement.target.name)
    for expression in reads(statement):
        for node in walk(expression):
            given: Iterable[Expr] = changed_by(node)
            if isinstance(node, Call):
                given = [operand for operand in node.operands if holds_arrays(operand.type)]
            found |= {name for operand in given if (name := root(operand))}
    return found


def disturbed(value: Expr, between: Iterable[Stmt], user: Stmt, mutable: set[str]) -> bool:
    """Whether a value may be another one where `user` takes it: what it reads changes before.

    `between` are the statements from its definition to the user, which may use it in inner bodies too.
    `mutable` are all names that ever change. One that an earlier loop left behind changes where it is
    brought to life again.
    """
    needed = names_read(value) & mutable
    if not needed:
        return False
    if (changes(between) | defined(between)) & needed:
        return True
    return bool(blocks(user)) and bool(changes((user,)) & needed)


def defined(body: Iterable[Stmt]) -> set[str]:
    """Locals that statements bring to life, or bring to life again."""
    return {s.target.name for s in statements(tuple(body)) if isinstance(s, Let | Variable)}


def names_read(value: Expr) -> set[str]:
    """The locals and arrays that a value depends on."""
    found = {node.name for node in walk(value) if isinstance(node, Name)}
    return found | {name for node in walk(value) if isinstance(node, Load | View) and (name := root(node))}


def moves_its_end(loop: For) -> bool:
    """Whether a loop changes what its end depends on. The size of an array stays when elements change."""
    assigned = {
        s.target.name for s in statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, Name)
    }
    return bool(changes(loop.body) & _contents_read(loop.stop)) or bool(assigned & names_read(loop.stop))


def _contents_read(value: Expr) -> set[str]:
    """`names_read` without the arrays of which no more than the size is read."""
    if isinstance(value, Shape):
        return set()
    found = {value.name} if isinstance(value, Name) else set()
    return found.union(*map(_contents_read, operands(value)))


def uses(name: str, body: object) -> int:
    return sum(isinstance(node, Name) and node.name == name for node in walk(body))


def only_in_condition(name: str, statement: Stmt) -> bool:
    """Whether a branch takes a value in its condition alone, before anything in it happens."""
    return isinstance(statement, If) and not uses(name, (statement.then, statement.orelse))
