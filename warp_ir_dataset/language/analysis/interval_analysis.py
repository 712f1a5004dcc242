"""Interval analysis: runs a program on intervals instead of numbers. Other analyses use its result.

Every statement is run on the intervals of the names in scope. Both branches of a decision, narrowed by its
condition, are joined. Loops are run until the intervals converge, at most as often as they may iterate. A
name that is defined on one path only is undefined after the paths join. The result holds for all inputs
within declared domains.

Sums are bounded by counting: a variable that a loop only adds to grows at most by its number of iterations
times the largest step. If that does not converge (``x += x * a``), the loop is run iteration by iteration.
(Cousot and Cousot 1977, without widening: loops here are bounded.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from typing_extensions import assert_never

from .. import domains, ir
from ..domains import Interval
from ..operations.bounds import Compared, Holding, Reversed
from ..operations.table import TABLE, infix
from ..rewrite import as_read
from ..types import BOOL, SCALARS, Struct, Value
from ..walks import element
from .intervals import Illegal
from .states import NO_STEP, State, extrapolated, join_reached, total_steps
from .values import Parts, ProgramIntervals, numbers, whole_from_floats

MAX_TRIPS = 64  # most iterations of one loop, also of a `while` loop
ROUNDS = 4  # of counting, before the analysis runs iteration by iteration

Body = tuple[ir.Stmt, ...]


@dataclass(frozen=True)
class IntervalResult:
    """For each name the interval of all its values, and for each loop variable the most iterations."""

    names: dict[str, Interval]
    trips: dict[str, int]


def analyze_intervals(program: ir.Program, *, sampled: bool = False, whole: bool = False) -> IntervalResult:
    """Run a program on intervals. With `sampled`, operations on floats are assumed to be defined, and their
    results to lie in the limits of their type: intervals cannot show that ``x - max(x)`` is not positive.
    With `whole` as well, float results get the full limits of their type, unless integers depend on floats:
    loops then converge at once.

    Raises `Illegal` if a name, a member or a result may be undefined, an operation may not be defined, a
    value may leave the limits of its type, an index may leave its array, or a loop may be longer than
    `MAX_TRIPS`.
    """
    run = _AbstractRun(program, sampled=sampled)
    run.unbounded = whole and not whole_from_floats(program.bodies)
    run.block(program.body)
    return IntervalResult(run.hull, run.trips)


def is_while_true(loop: ir.For | ir.While) -> bool:
    """Whether a loop is ``while True``."""
    return isinstance(loop, ir.While) and loop.condition == ir.Literal(True, BOOL)


class _AbstractRun(ProgramIntervals):
    """One run. `state` is None after a return, a break or a continue: unreachable code."""

    def __init__(self, program: ir.Program, *, sampled: bool) -> None:
        super().__init__(program, sampled=sampled)
        self.trips: dict[str, int] = {}
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []

    def run(self, function: ir.Function) -> None:
        outside = self.breaks, self.continues
        self.breaks, self.continues = [], []
        try:
            self.block(function.body)
        finally:
            self.breaks, self.continues = outside

    # ---- statements

    def block(self, body: Body) -> None:
        for statement in body:
            if self.state is None:
                return
            self.statement(statement)

    def statement(self, statement: ir.Stmt) -> None:
        state = self.state
        assert state is not None
        match statement:
            case ir.ThreadIndex(names):
                for name, size in zip(names, self.program.launch_dim, strict=True):
                    self.set(name.name, Interval(0, size - 1))
            case ir.Let(target, value) | ir.Variable(target, value):
                self.bind(target, value, for_good=isinstance(statement, ir.Let))
                self.reassigned(target)
            case ir.Unpack(targets, value):
                for name, parts in zip(targets, self.several(value), strict=True):
                    self.assign(name, parts)
            case ir.Assign(target, value):
                self.assign(target, self.parts(value))
            case ir.Accumulate(target, operator, value):
                self.accumulate(state, target, operator, value)
            case ir.Do(value):
                self.parts(value)
            case ir.Print(_, operands):
                for operand in operands:
                    self.parts(operand)
            case ir.Assert(condition):
                self.assume(condition, True)
            case ir.If(condition, then, orelse):
                self.of(condition)
                outcomes = ((True, then), (False, orelse))
                self.enter(join_reached([self.branch(state, condition, *outcome) for outcome in outcomes]))
            case ir.For():
                self.range_loop(statement)
            case ir.While(condition, body):
                start, end = (lambda: self.assume(condition, True)), (lambda: self.assume(condition, False))
                self.loop(statement, MAX_TRIPS, body, start, end)
            case ir.Break():
                self.breaks[-1].append(state)
                self.enter(None)
            case ir.Continue():
                self.continues[-1].append(state)
                self.enter(None)
            case ir.Return(values):
                self.returned.append((tuple(map(self.parts, values)), state))
                self.enter(None)
            case ir.Pass() | ir.Comment():
                pass
            case _:
                assert_never(statement)

    # ---- places

    def assign(self, target: ir.Place, parts: Parts) -> None:
        """A new value for a place."""
        match target:
            case ir.Name(name):
                for part, interval in parts.items():
                    self.set(name + part, interval)
                self.reassigned(target)
            case ir.Load(array, index):
                key = self.index(array, index)
                for part, interval in parts.items():
                    self.written(key + part, interval)
            case ir.Member(of) if isinstance(of.type, Struct):
                load, key = element(target), self.key(target)
                if load is not None:
                    self.index(load.array, load.index)
                for part, interval in parts.items():
                    if load is not None:
                        self.written(key + part, interval)
                    else:
                        self.names[key + part] = interval
                        self.steps()[key + part] = None
                self.forget()
            case ir.Member(of) | ir.Component(of):
                assert isinstance(of, ir.Place)
                if isinstance(target, ir.Component):
                    self.inner_index(target)
                self.assign(of, {"": self.of(as_read(of)).join(parts[""])})
            case _:
                assert_never(target)

    def steps(self) -> dict[str, Interval | None]:
        assert self.state is not None
        return self.state.steps

    def reassigned(self, target: ir.Name) -> None:
        """Note that a local was changed other than by adding to it."""
        for part in numbers(target.type):
            self.steps()[target.name + part] = None

    def inner_index(self, place: ir.Component) -> None:
        for part, size in zip(place.index, place.of.type.shape, strict=False):
            self.inside(part, size, "a vector")

    def accumulate(self, state: State, target: ir.Place, operator: str, value: ir.Expr) -> None:
        if isinstance(target, ir.Name) and operator in ("+", "-"):
            self.count(state, target, operator, self.of(value))
            return
        load = element(target)
        if isinstance(target, ir.Load) and operator in ("+", "-"):
            # Other threads add to the element too: any value within the limits is possible.
            self.of(value)
            kind = target.type
            assert isinstance(kind, Value)
            self.assign(target, {"": SCALARS[kind.scalar].limits})
            return
        operation = infix(operator, target.type, value.type)
        if operation is None or not isinstance(target.type, Value):
            raise Illegal(f"{operator}= does not take operands of these types")
        if load is not None:
            self.index(load.array, load.index)
        after = self._applied(ir.Apply(operation, (as_read(target), value), target.type))
        self.assign(target, {"": after})

    def count(self, state: State, target: ir.Name, operator: str, step: Interval) -> None:
        before = self.of(target)
        added = state.steps.get(target.name, NO_STEP)
        step = step if operator == "+" else domains.neg(step)
        after = self.limited(domains.add(before, step), target.type, target.name)
        self.set(target.name, after)
        state.steps[target.name] = None if added is None else domains.add(added, step)

    def branch(self, before: State, condition: ir.Expr, outcome: bool, body: Body) -> State | None:
        self.enter(before.copy())
        self.narrow(condition, outcome)
        self.block(body)
        return self.state

    # ---- loops

    def range_loop(self, loop: ir.For) -> None:
        start, stop = self.of(loop.start), self.of(loop.stop)
        room = stop.hi - start.lo if loop.step > 0 else start.hi - stop.lo
        trips = max(0, math.ceil(room / abs(loop.step)))
        if trips > MAX_TRIPS:
            raise Illegal(f"a loop of more than {MAX_TRIPS} iterations")
        self.trips[loop.target.name] = max(trips, self.trips.get(loop.target.name, 0))
        if trips and loop.step > 0:
            index = Interval(start.lo, max(stop.hi - 1, start.lo))
        else:
            index = Interval(min(stop.lo + 1, start.hi), start.hi)
        if trips:
            self.loop(loop, trips, loop.body, lambda: self.set(loop.target.name, index), lambda: None)

    def assume(self, condition: ir.Expr, outcome: bool) -> None:
        self.of(condition)
        self.narrow(condition, outcome)

    def loop(
        self,
        loop: ir.For | ir.While,
        trips: int,
        body: Body,
        begin: Callable[[], None],
        end: Callable[[], None],
    ) -> None:
        """Run a loop of at most `trips` iterations; `begin` comes before each, `end` when all are done."""
        entry = self.state
        assert entry is not None
        hull = dict(self.hull)
        head, left = self.counted(entry, trips, begin, body)
        if head is None:
            # Values found while counting may not be reachable.
            self.hull = hull
            head, left = self.iterated(entry, trips, begin, body)
        self.enter(head)
        end()
        after = join_reached([*([] if is_while_true(loop) else [head]), *left])
        if after is not None:
            after.steps = total_steps(entry.steps, after.steps, entry.names, trips)
        self.enter(after)

    def iteration(
        self, head: State, begin: Callable[[], None], body: Body
    ) -> tuple[State | None, list[State]]:
        """The state after an iteration that starts in `head`, and the states in which it leaves the loop."""
        continued: list[State] = []
        left: list[State] = []
        self.continues.append(continued)
        self.breaks.append(left)
        try:
            self.enter(head.copy())
            begin()
            self.block(body)
            return join_reached([self.state, *continued]), left
        finally:
            self.continues.pop()
            self.breaks.pop()

    def counted(
        self, entry: State, trips: int, begin: Callable[[], None], body: Body
    ) -> tuple[State | None, list[State]]:
        """The state at the loop's head by counting steps, and the states in which it is left; no head if
        counting does not converge."""
        hull = dict(self.hull)
        try:
            head = self.fixpoint(entry, trips, begin, body)
            if head is None:
                return None, []
            self.hull = hull
            end, left = self.iteration(head, begin, body)
            return head if end is None else head.join(end), left
        except Illegal:
            return None, []

    def fixpoint(self, entry: State, trips: int, begin: Callable[[], None], body: Body) -> State | None:
        """A state that holds at the start of every iteration; None if it is not found in a few rounds."""
        head = State(dict(entry.names), dict(entry.arrays))
        for _ in range(ROUNDS):
            end, _ = self.iteration(head, begin, body)
            if end is None:
                return head
            wider = extrapolated(entry, head, end, trips - 1)
            if (wider.names, wider.arrays) == (head.names, head.arrays):
                # Every value at the head comes from the entry or from the end of an iteration.
                head.names = {
                    n: domains.intersection(s, entry.names[n].join(end.names[n]))
                    for n, s in head.names.items()
                }
                return head
            head = wider
        return None

    def iterated(
        self, entry: State, trips: int, begin: Callable[[], None], body: Body
    ) -> tuple[State, list[State]]:
        """The same, iteration by iteration."""
        head = State(dict(entry.names), dict(entry.arrays))
        left: list[State] = []
        for _ in range(trips):
            end, leaving = self.iteration(head, begin, body)
            left += leaving
            if end is None:
                break
            joined = head.join(end)
            converged = joined.names == head.names and joined.arrays == head.arrays
            head = joined
            if converged:
                break
        # For an outer loop, every name that changed counts as changed other than by adding.
        head.steps = {n: None for n in entry.names if head.names[n] != entry.names[n] or n in head.steps}
        return head, left

    # ---- conditions

    def _applied(self, node: ir.Apply) -> Interval:
        """The interval of an operation. Operands of conditions are checked too: each operand of an ``and`` or
        an ``or`` under the assumption that the earlier ones let it be evaluated.
        """
        implied = TABLE[node.operation].tells
        if isinstance(implied, Holding):
            before = dict(self.names)
            for operand in node.operands:
                self.of(operand)
                self.narrow(operand, implied.when)
            self.names.clear()
            self.names.update(before)
            self.forget()
        else:
            for operand in node.operands:
                if isinstance(operand.type, Value) and BOOL in (node.type, operand.type):
                    self.of(operand)
        return super()._applied(node)

    def narrow(self, condition: ir.Expr, outcome: bool) -> None:
        """Restrict the intervals of names to those values that allow this outcome of a condition."""
        if isinstance(condition, ir.Chain) and outcome:
            pairs = zip(condition.operands, condition.operands[1:], strict=False)
            for comparison, pair in zip(condition.comparisons, pairs, strict=True):
                self.narrow(ir.Apply(comparison, pair, BOOL), outcome)
        if not isinstance(condition, ir.Apply):
            return
        implied = TABLE[condition.operation].tells
        match implied:
            case Holding(when):
                if outcome == when:
                    for operand in condition.operands:
                        self.narrow(operand, outcome)
            case Reversed():
                self.narrow(condition.operands[0], not outcome)
            case Compared():
                left, right = condition.operands
                whole = left.type.is_integer and right.type.is_integer
                narrowed = (implied.true if outcome else implied.false)(
                    self.of(left), self.of(right), int(whole)
                )
                for operand, interval in zip((left, right), narrowed, strict=True):
                    if operand.type.is_integer:  # beside a float it keeps whole bounds
                        interval = Interval(math.ceil(interval.lo), math.floor(interval.hi))
                    # An empty interval means that this outcome is impossible; its branch is checked anyway.
                    if isinstance(operand, ir.Name) and interval.lo <= interval.hi:
                        self.names[operand.name] = interval
                self.forget()
            case None:
                pass
            case _:
                assert_never(implied)
