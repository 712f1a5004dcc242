"""The effects of running a statement: what it changes, and whether an expression may be moved past it.

Arrays of different arguments do not overlap, and inputs never change: programs that are launched otherwise
are not legal. A view, an array in a struct and a function's parameter may be part of any array.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import ir
from ..operations.bounds import anything
from ..operations.table import TABLE, changed_by, changes_array
from ..rewrite import names_in
from ..types import Array, holds_arrays
from ..walks import changed, defined, element, reads, root, statements, walk

ANY = ""  # an array of which it is not known which one it is, or is a part of


def changes(body: Iterable[ir.Stmt]) -> set[str]:
    """Locals and arrays that statements assign, in whole or in part, or that operations in them change."""
    return set().union(*map(changes_of, statements(tuple(body))))


def changes_of(statement: ir.Stmt) -> set[str]:
    """Those of one statement, inner bodies left out. What functions change is not among them."""
    found = {name} if (name := changed(statement)) else set()
    if isinstance(statement, ir.Unpack):
        found |= {target.name for target in statement.targets}
    operands = (operand for part in walk(reads(statement)) for operand in changed_by(part))
    return found | {name for operand in operands if (name := root(operand))}


def uses(name: str, node: object) -> int:
    """How often a name stands in a node or a tuple of them."""
    return sum(isinstance(part, ir.Name) and part.name == name for part in walk(node))


class Effects:
    """Of one body of a program: the kernel's, or a function's."""

    def __init__(self, program: ir.Program, *, in_kernel: bool) -> None:
        self.roles = {a.name: a.role for a in program.arguments if a.ndim} if in_kernel else {}
        self.functions = program.functions
        self.acting = acting(program.functions)

    def pure(self, node: ir.Expr) -> bool:
        """Whether evaluating an expression does nothing else, and may so happen twice or not at all."""
        return not any(
            changed_by(part) or (isinstance(part, ir.Call) and part.function in self.acting)
            for part in walk(node)
        )

    def calm(self, statement: ir.Stmt) -> bool:
        """Whether what a statement evaluates may be evaluated in any order: it has no effect, or all of it is
        one, which comes last."""
        given = reads(statement)
        if len(given) == 1 and not self.pure(given[0]) and isinstance(given[0], ir.Call | ir.Apply):
            return all(map(self.pure, given[0].operands))
        return all(map(self.pure, given))

    def total(self, node: ir.Expr) -> bool:
        """Whether an expression is pure and has a value whatever the values in it are."""
        reads_memory = any(isinstance(part, ir.Load | ir.View | ir.Call) for part in walk(node))
        rows = (TABLE[part.operation] for part in walk(node) if isinstance(part, ir.Apply))
        return not reads_memory and self.pure(node) and all(row.requires is anything for row in rows)

    def memory(self, node: ir.Expr) -> set[str]:
        """The arrays, other than inputs, whose elements an expression may read."""
        names = (part for part in walk(node) if isinstance(part, ir.Name) and holds_arrays(part.type))
        return {self._known(name.name) for name in names if self.roles.get(name.name) != "input"}

    def disturbs(self, statement: ir.Stmt, node: ir.Expr) -> bool:
        """Whether a pure expression may have another value behind a statement than before it."""
        names, memory = names_in(node), self.memory(node)
        return any(self._touches(inner, names, memory) for inner in statements((statement,)))

    def _touches(self, statement: ir.Stmt, names: set[str], memory: set[str]) -> bool:
        if any(name.name in names for name in defined(statement)):
            return True
        if isinstance(statement, (ir.Assign, ir.Accumulate)):
            written = root(statement.target) or ANY
            if element(statement.target) is None:
                if written in names:
                    return True
            elif self._meets(written, memory):
                return True
        for part in walk(reads(statement)):
            if isinstance(part, ir.Call) and part.function in self.acting and memory:
                return True
            for operand in changed_by(part):
                changed = root(operand) or ANY
                if self._meets(changed, memory) if isinstance(operand.type, Array) else changed in names:
                    return True
        return False

    def _known(self, array: str) -> str:
        return array if array in self.roles else ANY

    def _meets(self, written: str, memory: set[str]) -> bool:
        known = self._known(written)
        return bool(memory) and (known in memory or ANY in memory or known == ANY)


def acting(functions: tuple[ir.Function, ...], *, drawing: bool = True) -> frozenset[str]:
    """The functions that do something else than to return a value, themselves or through others they call.
    With `drawing`, those are among them that change no more than the state of random numbers."""
    found: set[str] = set()
    for function in functions:
        if any(_acts(statement, found, drawing) for statement in statements(function.body)):
            found.add(function.name)
    return frozenset(found)


def _acts(statement: ir.Stmt, acting: set[str], drawing: bool) -> bool:
    if isinstance(statement, ir.Print | ir.Assert):
        return True
    if isinstance(statement, ir.Assign | ir.Accumulate) and element(statement.target) is not None:
        return True
    acts = changed_by if drawing else changes_array
    return any(
        acts(part) or (isinstance(part, ir.Call) and part.function in acting)
        for part in walk(reads(statement))
    )
