"""Finds everything that a loop may change, from its statements, before it is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .. import program as p
from .. import walks
from ..operations.table import TABLE
from ..passes.effects import Effects
from ..passes.folding import plus
from ..passes.order import any_order
from ..program import Program, Stmt
from ..types import Array, Struct
from .held import Held, Record, Reference


def assigned(body: tuple[Stmt, ...]) -> list[str]:
    """The locals that statements define or assign, in whole or in part; arrays may be among them."""
    found: list[str] = []
    for statement in walks.statements(body):
        found += (name.name for name in walks.defined(statement))
        changed = walks.changed(statement)
        if changed is not None and not _in_array(statement):
            found.append(changed)
        found += (root for root in _changed_operands(statement) if root)
    return list(dict.fromkeys(found))


def _in_array(statement: Stmt) -> bool:
    return isinstance(statement, p.Assign | p.Accumulate) and walks.element(statement.target) is not None


def _changed_operands(statement: Stmt) -> Iterator[str | None]:
    """The roots of operands, no arrays, that an operation changes."""
    for node in walks.walk(walks.reads(statement)):
        if isinstance(node, p.Apply):
            for at in TABLE[node.operation].changed:
                if not isinstance(node.operands[at].type, Array):
                    yield walks.root(node.operands[at])


def arrays_written(
    body: tuple[Stmt, ...], program: Program, locals: Mapping[str, Held], memory: Mapping[int, int]
) -> Iterable[int]:
    """The memories that statements may write to: all, where it is not known which."""
    found: set[int] = set()
    acting = _Acting(program)
    for statement in walks.statements(body):
        for root in _roots_written(statement, acting):
            held = locals.get(root or "")
            if held is None:
                return list(memory)
            found.update(_memories(held))
    return sorted(found)


def _memories(held: Held) -> Iterator[int]:
    if isinstance(held, Record):
        for member in held.members:
            yield from _memories(member)
    elif isinstance(held, Reference):
        yield from held.memories


class _Acting:
    """The functions that write to arrays."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[str, bool] = {}

    def __call__(self, name: str) -> bool:
        if name not in self.known:
            self.known[name] = False
            bodies = [function.body for function in self.program.functions if function.name == name]
            self.known[name] = any(
                True
                for body in bodies
                for statement in walks.statements(body)
                for _ in _roots_written(statement, self)
            )
        return self.known[name]


def _roots_written(statement: Stmt, acting: _Acting) -> Iterator[str | None]:
    if isinstance(statement, p.Assign | p.Accumulate) and _in_array(statement):
        yield walks.root(statement.target)
    for node in walks.walk(walks.reads(statement)):
        if isinstance(node, p.Apply):
            for at in TABLE[node.operation].changed:
                if isinstance(node.operands[at].type, Array):
                    yield walks.root(node.operands[at])
        elif isinstance(node, p.Call) and acting(node.function):
            for operand in node.operands:
                if isinstance(operand.type, Array | Struct):
                    yield walks.root(operand)


def forwards(loop: p.For, program: Program, *, in_kernel: bool) -> p.For:
    """A loop that counts down one by one and might as well count up."""
    if loop.step != -1 or not any_order(loop, Effects(program, in_kernel=in_kernel)):
        return loop
    return replace(loop, start=plus(loop.stop, 1), stop=plus(loop.start, 1), step=1)
