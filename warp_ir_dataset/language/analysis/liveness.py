"""Finds the statements of a program that matter: those whose values affect its outputs.

The value that a statement gives a local, an element or an atomic is replaced by zero, or by one where it is
zero. On some input that must change an output by more than twice what may differ, or make it not finite, or
the kernel endless or leave an array. Where it does not, a floating-point value is moved so far up and so far
down that rounding leaves nothing beside it, or made no number where it begins what a loop improves. What is
there for rounding (a shift by the maximum, or by the first of several points) or is a guess shows then; a
bound that never bites does not. All statements are tried at once, each on a lane of the interpreter.

Exempt are constants that a variable begins with, which Warp wants before a branch or a loop assigns it, and
what decides when a loop is left: that it has converged need not show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import ir
from ..operations.table import changed_by
from ..types import SCALARS, Array
from ..walks import root, statements, walk
from .effects import changed_locals
from .interpreter import Arrays, NonTerminating, Run, memory_and_outputs
from .memory import Datum, Reference, ThreadConflict

FAR = 1e30
FEW = 2  # inputs on which most statements show already


def dead(program: ir.Program, inputs: Arrays, expected: Arrays, sets: int) -> tuple[ir.Stmt, ...]:
    """The statements whose value shows in no output, in the order of writing, on so many `sets` of inputs.
    These are as for `interpret`, and `expected` is what it gives for them. Raises what it raises."""
    tried = tuple(_tried(program))
    with np.errstate(all="ignore"):
        trial = _Trial(program, inputs, expected, sets)
        for zeroed in (trial.of(min(FEW, sets)), trial):
            tried = _left(tried, zeroed.shows(tried))
        up, down = (replace(trial, far=far).shows(tried) for far in (FAR, -FAR))
        return _left(tried, [above and below for above, below in zip(up, down, strict=True)])


def _left(tried: Sequence[ir.Stmt], shows: Sequence[bool]) -> tuple[ir.Stmt, ...]:
    return tuple(statement for statement, shown in zip(tried, shows, strict=True) if not shown)


Same = Callable[[np.ndarray, np.ndarray], bool]


def only_copies(inputs: Arrays, outputs: Arrays, same: Same = np.array_equal) -> bool:
    """Whether every output is an input, element by element, on all of several inputs; or holds one in all
    parts of its elements. `same` says whether an input, in the shape of an output, is that output."""
    return all(any(_is_copy(given, left, same) for given in inputs.values()) for left in outputs.values())


def _is_copy(given: np.ndarray, left: np.ndarray, same: Same) -> bool:
    if left.shape[: given.ndim] != given.shape:
        return False
    parts = given.reshape(given.shape + (1,) * (left.ndim - given.ndim))
    return same(np.broadcast_to(parts, left.shape), left)


def target_name(statement: ir.Stmt) -> str:
    """The name of what a statement that `dead` found writes to."""
    place = getattr(statement, "target", None)
    if isinstance(statement, ir.Do):
        place = changed_by(statement.value)[0]
    return (root(place) if place is not None else None) or "nobody"


# ---- which statements are tried


def _tried(program: ir.Program) -> Iterator[ir.Stmt]:
    for body in program.bodies:
        steering = _steering(body)
        for statement in statements(body):
            if _replaced(statement) is not None and not _is_exempt(statement, steering):
                yield statement


def _replaced(statement: ir.Stmt) -> ir.Expr | None:
    """The value that a statement gives away: none if that is an array, or nothing."""
    if isinstance(statement, (ir.Let, ir.Variable, ir.Assign, ir.Accumulate)):
        return None if isinstance(statement.value.type, Array) else statement.value
    if isinstance(statement, ir.Do) and isinstance(statement.value, ir.Apply):
        return statement.value.operands[-1] if changed_by(statement.value) else None
    return None


def _is_exempt(statement: ir.Stmt, steering: frozenset[int]) -> bool:
    if isinstance(statement, ir.Variable):
        return all(isinstance(node, (ir.Literal, ir.Apply, ir.New)) for node in walk(statement.value))
    return id(statement) in steering


def _steering(body: tuple[ir.Stmt, ...]) -> frozenset[int]:
    """Statements in loops that assign what decides when the loop ends."""
    found = set()
    for loop in statements(body):
        if isinstance(loop, (ir.For, ir.While)):
            names = {node.name for node in walk(tuple(_ends(loop))) if isinstance(node, ir.Name)}
            found |= {
                id(inner)
                for inner in statements(loop.body)
                if isinstance(inner, (ir.Assign, ir.Accumulate, ir.Let)) and root(inner.target) in names
            }
    return frozenset(found)


def _ends(loop: ir.For | ir.While) -> Iterator[ir.Expr]:
    """The conditions that a loop ends by, before it has counted to its end."""
    if isinstance(loop, ir.While):
        yield loop.condition
    for inner in statements(loop.body):
        if isinstance(inner, ir.If) and any(
            isinstance(s, (ir.Break, ir.Return)) for s in statements((inner,))
        ):
            yield inner.condition


def _starts(program: ir.Program) -> frozenset[int]:
    """Statements by which a variable begins that a loop then assigns, from its value before as likely as
    not."""
    found = set()
    for body in program.bodies:
        loops = [loop for loop in statements(body) if isinstance(loop, (ir.For, ir.While))]
        assigned = changed_locals(inner for loop in loops for inner in loop.body)
        found |= {
            id(statement)
            for statement in statements(body)
            if isinstance(statement, ir.Variable) and statement.target.name in assigned
        }
    return frozenset(found)


# ---- the lanes


class _Lanes(Run):
    """A launch on lanes of several inputs: each but the first has a statement's value replaced."""

    next: tuple[int, ir.Expr | None] | None = None  # of the statement that runs: its lane, and the value

    def spoil(self, tried: Sequence[ir.Stmt], each: int, far: float) -> None:
        """On which lanes: `each` is how many inputs one has, `far` how values are moved, if they are."""
        self.each, self.far = each, far
        self.lanes = {id(statement): lane for lane, statement in enumerate(tried, 1)}
        starts = _starts(self.program) if far else frozenset()
        self.away = [np.nan if id(statement) in starts else far for statement in tried]

    def statement(self, statement: ir.Stmt, mask: np.ndarray) -> None:
        lane = self.lanes.get(id(statement))
        self.next = None if lane is None else (lane, _replaced(statement))
        super().statement(statement, mask)

    def value(self, node: ir.Expr) -> Datum:
        if self.next is None or self.next[1] is not node:
            return super().value(node)
        lane, _ = self.next
        self.next = None
        return self.spoiled(super().value(node), lane)

    def spoiled(self, value: Datum, lane: int) -> Datum:
        if isinstance(value, dict):
            return {name: self.spoiled(member, lane) for name, member in value.items()}
        if isinstance(value, Reference):
            return value
        rows = slice(lane * self.each, (lane + 1) * self.each)
        whole = np.broadcast_to(value, (self.sets, *value.shape[1:])).copy()
        if not self.far:
            whole[rows] = whole[rows] == 0
        elif whole.dtype.kind == "f":
            whole[rows] += self.away[lane - 1]
        return whole


@dataclass(frozen=True)
class _Trial:
    """A program on `sets` of inputs, from which it makes what is `expected`; `far` is how values are moved, 0
    where they are replaced."""

    program: ir.Program
    inputs: Arrays
    expected: Arrays
    sets: int
    far: float = 0.0

    def of(self, sets: int) -> _Trial:
        """The same on the first of its inputs."""
        inputs, expected = (
            {name: value[:sets] for name, value in side.items()} for side in (self.inputs, self.expected)
        )
        return _Trial(self.program, inputs, expected, sets)

    def shows(self, tried: Sequence[ir.Stmt]) -> list[bool]:
        """Whether the value of each statement shows. What goes wrong for several together is tried by
        halves, and shows where it does alone."""
        if not tried:
            return []
        try:
            outputs = self.outputs(tried)
        except (IndexError, NonTerminating, np.linalg.LinAlgError):
            if len(tried) == 1:
                return [True]
            half = len(tried) // 2
            return [*self.shows(tried[:half]), *self.shows(tried[half:])]
        shown = np.zeros(len(tried), bool)
        leaves = [leaf for argument in self.program.arguments for leaf in argument.leaves]
        for leaf in leaves:
            if leaf.name in outputs:
                lanes = outputs[leaf.name][self.sets :].reshape(len(tried), self.sets, -1)
                shown |= _differs(leaf, self.expected[leaf.name].reshape(self.sets, -1), lanes)
        listed: list[bool] = shown.tolist()
        return listed

    def outputs(self, tried: Sequence[ir.Stmt]) -> dict[str, np.ndarray]:
        """What a launch leaves on all lanes: threads side by side, or where that does not do one by one."""
        lanes = 1 + len(tried)
        tiled = {
            name: np.tile(given, (lanes, *(1,) * (given.ndim - 1))) for name, given in self.inputs.items()
        }
        try:
            return self.launched(tried, tiled, [None])
        except ThreadConflict:
            return self.launched(tried, tiled, range(int(np.prod(self.program.launch_dim))))

    def launched(
        self, tried: Sequence[ir.Stmt], tiled: Arrays, threads: Iterable[int | None]
    ) -> dict[str, np.ndarray]:
        sets = self.sets * (1 + len(tried))
        memory, outputs = memory_and_outputs(self.program, tiled, sets)
        for thread in threads:
            run = _Lanes(self.program, sets, memory, thread)
            run.spoil(tried, self.sets, self.far)
            run.execute()
        return outputs


def _differs(leaf: ir.Argument, expected: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """Which lanes differ from what is expected on some input, by more than twice what may."""
    if leaf.type.is_float:
        size = np.abs(expected) + np.abs(expected).max(axis=-1, keepdims=True, initial=0.0)
        # Negated, so that nan counts as another value.
        differs = ~(np.abs(lanes - expected) <= 2 * SCALARS[leaf.type.scalar].tolerance * size)
    else:
        differs = lanes != expected
    some: np.ndarray = differs.any(axis=(1, 2))
    return some
