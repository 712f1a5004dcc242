"""Finds gradients that Warp certainly gets wrong, because its backward pass lacks a value of the forward
pass.

`gradients` refuses generated programs whose gradient may be wrong, and many right ones with them. Kernels of
other people are only refused if a gradient is certainly wrong. Warp runs a dynamic loop forward once: in the
backward pass, a local that the loop changes has the value from before the loop, until it is assigned again.
This module tracks that statement by statement. Before the adjoint of an iteration, Warp replays the
iteration, which changes the local once more: an operation before the loop with that local as an operand then
lacks its value too. Only operations that carry a gradient to an output count.

Warp finds the number of iterations of a ``while`` loop again by its condition, so a loop that only sums is
right.
"""

from __future__ import annotations

from collections.abc import Iterator

from ... import ir
from ...operations.table import TABLE
from ...rewrite import as_read
from ...walks import indices, reads, root, statements, walk
from ..effects import changed_locals, impure, local_values, mentions, stored, stored_values
from ..gradients import Body, active_names, is_active, lost_operand, spread
from ..unrolling import MAX_UNROLL, is_dynamic
from .jumps import lost_to_a_jump

_BRANCH = "a branch depends on a value that the backward walk does not have"
_COUNT = "a loop's bounds depend on a value that the backward walk does not have"
_INDEX = "an index depends on a value that the backward walk does not have"
_FACTOR = "a derivative needs a value that a dynamic loop changes"
_CALL = "a function takes a value that the backward walk does not have"


def lost_on_the_way_back(program: ir.Program, max_unroll: int = MAX_UNROLL) -> str | None:
    """Why Warp's gradient of a program is wrong, in a few words: the value that a dynamic loop, a ``while``
    or a jump loses. None if none is lost. Loops of at most `max_unroll` iterations are unrolled."""
    for body, active in _active_bodies(program):
        if reason := next(_Walk(program, body, active, max_unroll).of(body, set()), None):
            return reason
    return None


def _active_bodies(program: ir.Program) -> list[tuple[Body, set[str]]]:
    """The bodies of a program, each with the names that carry a gradient there."""
    functions = {id(function): (function, set[str]()) for function in program.functions}
    found = [(program.body, active_names(program)), *((f.body, names) for f, names in functions.values())]
    while True:
        before = [len(names) for _, names in found]
        for body, active in found:
            spread(body, active, program)
            for call in (node for node in walk(body) if isinstance(node, ir.Call)):
                function, inside = functions[id(program.called(call))]
                flows = zip(function.parameters, call.operands, strict=True)
                inside |= {parameter.name for parameter, o in flows if is_active(o, active, program)}
        if [len(names) for _, names in found] == before:
            return found


class _Walk:
    """A walk through a body.

    At each statement, `stale` are the locals whose value the backward pass lacks, and `after` those that a
    later loop changes before the backward pass reaches the statement.
    """

    def __init__(self, program: ir.Program, body: Body, active: set[str], max_unroll: int) -> None:
        self._program, self._active, self._max_unroll = program, active, max_unroll
        self._impure = impure(program.functions)
        self._needed: set[str] = set()
        while True:
            before = len(self._needed)
            for node in statements(body):
                values = [value for name, value in local_values(node) if name in self._needed]
                for value in (*values, *self._let_out(node)):
                    self._needed |= {n.name for n in walk(value) if isinstance(n, ir.Name)} & active
            if len(self._needed) == before:
                break

    def of(self, body: Body, stale: set[str], after: frozenset[str] = frozenset()) -> Iterator[str]:
        """The faults of a body; updates `stale` to the state after it."""
        for node, later in zip(body, self._changed_later(body, after), strict=True):
            yield from self._lost(node, stale, later)
            if isinstance(node, ir.If):
                branches = [set(stale), set(stale)]
                for branch, left in zip((node.then, node.orelse), branches, strict=True):
                    yield from self.of(branch, left, later)
                stale.clear()
                stale.update(*branches)
            elif isinstance(node, (ir.For, ir.While)):
                yield from self._loop(node, stale, later)
            for name, value in local_values(node):
                if mentions(value, stale):
                    stale.add(name)
                elif _whole(node):
                    stale.discard(name)

    def _changed_later(self, body: Body, after: frozenset[str]) -> list[frozenset[str]]:
        """For each statement, the locals that a later dynamic loop changes before they are assigned."""
        found = []
        for node in reversed(body):
            found.append(after)
            loops = (
                n for n in statements((node,)) if isinstance(n, (ir.For, ir.While)) and self._is_dynamic(n)
            )
            after = after.union(*(changed_locals(loop.body) for loop in loops))
            if _whole(node):
                after -= {name for name, _ in local_values(node)}
        return found[::-1]

    def _is_dynamic(self, loop: ir.For | ir.While) -> bool:
        return is_dynamic(loop, self._max_unroll)

    def _loop(self, loop: ir.For | ir.While, stale: set[str], after: frozenset[str]) -> Iterator[str]:
        dynamic, changed = self._is_dynamic(loop), changed_locals(loop.body)
        if dynamic and (reason := lost_to_a_jump(loop, changed & self._needed, self._writes)):
            yield reason
        inside = stale | changed if dynamic else set(stale)
        for _ in range(2):  # an iteration starts in the state at the end of the one before
            yield from self.of(loop.body, inside, after)
            inside |= stale | (changed if dynamic else set())
        stale |= inside

    def _lost(self, node: ir.Stmt, stale: set[str], after: frozenset[str]) -> Iterator[str]:
        """The faults of a statement itself, without those of inner statements."""
        if not (stale or after) or not self._matters(node):
            return
        if isinstance(node, (ir.If, ir.While)) and mentions(node.condition, stale):
            yield _BRANCH
        if isinstance(node, ir.For) and mentions((node.start, node.stop), stale):
            yield _COUNT
        if isinstance(node, (ir.If, ir.For, ir.While)):
            return
        if any(_lost(index, stale, after) for index in _written_at(node)):
            yield _INDEX
        if isinstance(node, ir.Accumulate) and node.operator not in ("+", "-"):
            of_target, of_value = (self._flows(value) for value in (as_read(node.target), node.value))
            lost = of_target and _lost(node.value, stale, after)
            if lost or (of_value and mentions(node.target, stale)):
                yield _FACTOR
        for expression in reads(node):
            yield from self._operands(expression, stale, after)

    def _operands(self, expression: ir.Expr, stale: set[str], after: frozenset[str]) -> Iterator[str]:
        for part in walk(expression):
            if isinstance(part, ir.Load) and root(part) in self._active:
                if any(_lost(each, stale, after) for each in part.index):
                    yield _INDEX
            elif isinstance(part, ir.Apply):
                row = TABLE[part.operation]
                # If the derivative is computed from the result, changed operands do not matter.
                later = after if row.derivative in ("bilinear", "operands") else frozenset[str]()
                old = [_lost(operand, stale, later) for operand in part.operands]
                underived = any(self._flows(part.operands[n]) for n in row.underived)
                if not underived and lost_operand(part, self._active, old, self._program):
                    yield _FACTOR
            elif (
                isinstance(part, ir.Call)
                and self._flows(part)
                and any(_lost(operand, stale, after) for operand in part.operands)
            ):
                yield _CALL

    def _flows(self, value: ir.Expr) -> bool:
        return is_active(value, self._active, self._program)

    def _let_out(self, node: ir.Stmt) -> tuple[ir.Expr, ...]:
        """The values that leave the body by a statement and carry a gradient."""
        values = node.values if isinstance(node, ir.Return) else stored_values(node, self._impure)
        return tuple(value for value in values if self._flows(value))

    def _writes(self, node: ir.Stmt) -> bool:
        return bool(self._let_out(node))

    def _matters(self, node: ir.Stmt) -> bool:
        return any(
            any(name in self._needed for name, _ in local_values(inner)) or self._let_out(inner)
            for inner in statements((node,))
        )


def _whole(node: ir.Stmt) -> bool:
    """Whether a statement assigns a whole local."""
    return isinstance(node, (ir.Let, ir.Variable, ir.Unpack)) or (
        isinstance(node, ir.Assign) and isinstance(node.target, ir.Name)
    )


def _written_at(node: ir.Stmt) -> tuple[ir.Expr, ...]:
    """The indices of the element of an array that a statement writes to."""
    if isinstance(node, (ir.Assign, ir.Accumulate)) and stored(node):
        return indices(node.target)
    return node.value.operands[1:-1] if isinstance(node, ir.Do) and isinstance(node.value, ir.Apply) else ()


def _lost(value: ir.Expr, stale: set[str], after: frozenset[str]) -> bool:
    """Whether the backward pass lacks a value: part of it is stale, or it is a local that changes later. Warp
    stores values computed from such a local separately."""
    return mentions(value, stale) or (isinstance(value, ir.Name) and value.name in after)
