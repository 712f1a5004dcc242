"""Finds gradients that Warp gets wrong, because its backward pass lacks a value of the forward pass.

`gradients` refuses generated programs whose gradient may be wrong, and many right ones with them. Kernels of
other people are only refused if this module finds a fault. It walks through the statements with two sets:

    w = x[i]
    y[i] = w * w             # faulty: `w` is in `overwritten`, as the loop changes it later
    for j in range(n):       # a dynamic loop that changes `w`
        w = w * x[j]         # faulty: `w` is `stale`
    z[i] = w * w             # faulty: `w` is still `stale`

Warp does not keep what `w` is in each iteration. In the backward pass `w` has the value from before the loop,
in the loop and after it, until it is assigned again: it is stale. Before the adjoint of an iteration, Warp
replays the iteration, which changes `w` once more. So operations before the loop lack their value of `w`,
too: it is overwritten. With ``w + x[j]`` in the loop, and `w` alone in the other statements, no derivative
needs the value of `w`, and the gradient is right. Only operations that carry a gradient to an output count.

An atomic addition is treated as if its adjoint needed the added value, though an index may be all it needs.
Warp finds the number of iterations of a ``while`` loop again by its condition, so a loop that only sums is
right.
"""

from __future__ import annotations

from collections.abc import Iterator

from ... import ir
from ...operations.row import Derivative
from ...operations.table import TABLE, changed_array
from ...rewrite import as_read
from ...types import Array
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
        if reason := next(_Walk(program, body, active, max_unroll).faults(body, set()), None):
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

    At each statement, `stale` are the locals whose value the backward pass lacks; `overwritten` are those
    that a later loop changes before the backward pass reaches the statement.
    """

    def __init__(self, program: ir.Program, body: Body, active: set[str], max_unroll: int) -> None:
        self._program, self._active, self._max_unroll = program, active, max_unroll
        self._impure = impure(program.functions)
        self._needed: set[str] = set()  # locals whose gradient comes from a value that leaves the body
        while True:
            before = len(self._needed)
            for node in statements(body):
                values = [value for name, value in local_values(node) if name in self._needed]
                for value in (*values, *self._let_out(node)):
                    self._needed |= {n.name for n in walk(value) if isinstance(n, ir.Name)} & active
            if len(self._needed) == before:
                break

    def faults(self, body: Body, stale: set[str], overwritten: frozenset[str] = frozenset()) -> Iterator[str]:
        """Yields the faults of a body, and updates `stale` to the state after it."""
        for node, later in zip(body, self._changed_later(body, overwritten), strict=True):
            yield from self._faults_of(node, stale, later)
            if isinstance(node, ir.If):
                branches = [set(stale), set(stale)]
                for branch, left in zip((node.then, node.orelse), branches, strict=True):
                    yield from self.faults(branch, left, later)
                stale.clear()
                stale.update(*branches)
            elif isinstance(node, (ir.For, ir.While)):
                yield from self._loop(node, stale, later)
            for name, value in local_values(node):
                if mentions(value, stale):
                    stale.add(name)
                elif _whole(node):
                    stale.discard(name)

    def _changed_later(self, body: Body, overwritten: frozenset[str]) -> list[frozenset[str]]:
        """Returns, for each statement, the locals that a later dynamic loop changes, without those that are
        assigned as a whole between the two."""
        found = []
        for node in reversed(body):
            found.append(overwritten)
            loops = (
                n for n in statements((node,)) if isinstance(n, (ir.For, ir.While)) and self._is_dynamic(n)
            )
            overwritten = overwritten.union(*(changed_locals(loop.body) for loop in loops))
            if _whole(node):
                overwritten -= {name for name, _ in local_values(node)}
        return found[::-1]

    def _is_dynamic(self, loop: ir.For | ir.While) -> bool:
        return is_dynamic(loop, self._max_unroll)

    def _loop(self, loop: ir.For | ir.While, stale: set[str], overwritten: frozenset[str]) -> Iterator[str]:
        dynamic, changed = self._is_dynamic(loop), changed_locals(loop.body)
        if dynamic and (reason := lost_to_a_jump(loop, changed & self._needed, self._writes)):
            yield reason
        inside = stale | changed if dynamic else set(stale)
        for _ in range(2):  # an iteration starts in the state at the end of the one before
            yield from self.faults(loop.body, inside, overwritten)
            inside |= stale | (changed if dynamic else set())
        stale |= inside

    def _faults_of(self, node: ir.Stmt, stale: set[str], overwritten: frozenset[str]) -> Iterator[str]:
        """Yields the faults of a statement, without those of statements inside of it."""
        if not (stale or overwritten) or not self._matters(node):
            return
        if isinstance(node, (ir.If, ir.While)) and mentions(node.condition, stale):
            yield _BRANCH
        if isinstance(node, ir.For) and mentions((node.start, node.stop), stale):
            yield _COUNT
        if isinstance(node, (ir.If, ir.For, ir.While)):
            return
        if any(_is_lost(index, stale, overwritten) for index in _written_at(node)):
            yield _INDEX
        if isinstance(node, ir.Accumulate) and node.operator not in ("+", "-"):
            of_target, of_value = (self._flows(value) for value in (as_read(node.target), node.value))
            lost = of_target and _is_lost(node.value, stale, overwritten)
            if lost or (of_value and mentions(node.target, stale)):
                yield _FACTOR
        for expression in reads(node):
            yield from self._operands(expression, stale, overwritten)

    def _operands(self, expression: ir.Expr, stale: set[str], overwritten: frozenset[str]) -> Iterator[str]:
        for part in walk(expression):
            if isinstance(part, ir.Load) and root(part) in self._active:
                if any(_is_lost(each, stale, overwritten) for each in part.index):
                    yield _INDEX
            elif isinstance(part, ir.Apply):
                row = TABLE[part.operation]
                old = [
                    _is_lost(operand, stale, overwritten if _reads(row.derivative, place) else frozenset())
                    for place, operand in enumerate(part.operands)
                ]
                underived = any(self._flows(part.operands[n]) for n in row.underived)
                if not underived and lost_operand(part, self._active, old, self._program):
                    yield _FACTOR
            elif (
                isinstance(part, ir.Call)
                and self._flows(part)
                and any(_is_lost(operand, stale, overwritten) for operand in part.operands)
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
    if isinstance(node, ir.Do) and isinstance(node.value, ir.Apply):
        array = changed_array(node.value)
        if array is not None and isinstance(array.type, Array):
            return node.value.operands[1 : 1 + array.type.ndim]
    return ()


def _reads(derivative: Derivative, place: int) -> bool:
    """Whether an operation's adjoint reads the operand at a place. Otherwise it reads the result, which Warp
    keeps in a variable of its own, or nothing."""
    of_one = {"quotient": 1, "choice": 0}
    return derivative in ("bilinear", "operands") or of_one.get(derivative) == place


def _is_lost(value: ir.Expr, stale: set[str], overwritten: frozenset[str]) -> bool:
    """Whether the backward pass lacks a value: a part of it is stale, or it is a local that is overwritten. A
    value that is computed from an overwritten local is not lost: Warp keeps it in a variable of its own."""
    return mentions(value, stale) or (isinstance(value, ir.Name) and value.name in overwritten)
