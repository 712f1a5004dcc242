"""Interval analysis: runs a program on intervals instead of numbers. Other analyses use its result.

Every statement is run on the intervals of the names in scope; both arms of a branch, narrowed by its
condition, are joined; loops are run until nothing new comes, at most as often as they may iterate. What is
defined on one path only is not defined behind it. The result holds for all inputs within declared domains.

Sums are bounded by counting: a variable that a loop only adds to grows at most by its number of iterations
times the largest step. Where that does not settle (``x += x * a``), the loop is run iteration by iteration.
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
from .states import NO_STEP, State, grown, join_reached, total_steps
from .values import Parts, Values, numbers, whole_from_floats

MAX_TRIPS = 64  # iterations of one loop; `while` loops are given as many
ROUNDS = 4  # after which counting is given up

Body = tuple[ir.Stmt, ...]


@dataclass(frozen=True)
class Flow:
    """What was found: for each name every value it ever takes, and by loop variable the most iterations."""

    names: dict[str, Interval]
    trips: dict[str, int]


def flow(program: ir.Program, *, sampled: bool = False, whole: bool = False) -> Flow:
    """Run a program on intervals. With `sampled`, operations on floats are taken to be defined, and their
    results to lie in the limits of their type: intervals cannot see that ``x - max(x)`` is not positive. With
    `whole` as well, these may be anything in there, unless whole numbers follow from floats: loops then
    settle at once.

    Raises `Illegal` where a name, a member or a result may be undefined, an operation may not be defined, a
    value may leave the limits of its type, an index its array, or a loop may be longer than `MAX_TRIPS`.
    """
    run = _Run(program, sampled=sampled)
    run.unbounded = whole and not whole_from_floats(program.bodies)
    run.block(program.body)
    return Flow(run.hull, run.trips)


def is_endless(loop: ir.For | ir.While) -> bool:
    """Whether a loop says that it never ends by itself: ``while True``."""
    return isinstance(loop, ir.While) and loop.condition == ir.Literal(True, BOOL)


class _Run(Values):
    """One run. `state` is None behind a return, a break or a continue."""

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
                    self.give(name, parts)
            case ir.Assign(target, value):
                self.give(target, self.parts(value))
            case ir.Accumulate(target, operator, value):
                self.accumulate(state, target, operator, value)
            case ir.Do(value):
                self.parts(value)
            case ir.Print(_, operands):
                for operand in operands:
                    self.parts(operand)
            case ir.Assert(condition):
                self.meet(condition, True)
            case ir.If(condition, then, orelse):
                self.of(condition)
                arms = [self.arm(state, condition, True, then), self.arm(state, condition, False, orelse)]
                self.enter(join_reached(arms))
            case ir.For():
                self.range_loop(statement)
            case ir.While(condition, body):
                start, end = (lambda: self.meet(condition, True)), (lambda: self.meet(condition, False))
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

    def give(self, target: ir.Place, parts: Parts) -> None:
        """A new value for a place."""
        match target:
            case ir.Name(name):
                for part, span in parts.items():
                    self.set(name + part, span)
                self.reassigned(target)
            case ir.Load(array, index):
                key = self.index(array, index)
                for part, span in parts.items():
                    self.written(key + part, span)
            case ir.Member(of) if isinstance(of.type, Struct):
                held, key = element(target), self.key(target)
                if held is not None:
                    self.index(held.array, held.index)
                for part, span in parts.items():
                    if held is not None:
                        self.written(key + part, span)
                    else:
                        self.names[key + part] = span
                        self.steps()[key + part] = None
                self.forget()
            case ir.Member(of) | ir.Component(of):
                assert isinstance(of, ir.Place)
                if isinstance(target, ir.Component):
                    self.inner_index(target)
                self.give(of, {"": self.of(as_read(of)).join(parts[""])})
            case _:
                assert_never(target)

    def steps(self) -> dict[str, Interval | None]:
        assert self.state is not None
        return self.state.steps

    def reassigned(self, target: ir.Name) -> None:
        """A local was changed otherwise than by adding to it."""
        for part in numbers(target.type):
            self.steps()[target.name + part] = None

    def inner_index(self, place: ir.Component) -> None:
        for part, size in zip(place.index, place.of.type.shape, strict=False):
            self.inside(part, size, "a vector")

    def accumulate(self, state: State, target: ir.Place, operator: str, value: ir.Expr) -> None:
        if isinstance(target, ir.Name) and operator in ("+", "-"):
            self.count(state, target, operator, self.of(value))
            return
        held = element(target)
        if isinstance(target, ir.Load) and operator in ("+", "-"):
            # An atomic adds to what other threads add: nothing is known of the element then.
            self.of(value)
            kind = target.type
            assert isinstance(kind, Value)
            self.give(target, {"": SCALARS[kind.scalar].limits})
            return
        operation = infix(operator, target.type, value.type)
        if operation is None or not isinstance(target.type, Value):
            raise Illegal(f"{operator}= does not take operands of these types")
        if held is not None:
            self.index(held.array, held.index)
        after = self._applied(ir.Apply(operation, (as_read(target), value), target.type))
        self.give(target, {"": after})

    def count(self, state: State, target: ir.Name, operator: str, step: Interval) -> None:
        before = self.of(target)
        added = state.steps.get(target.name, NO_STEP)
        step = step if operator == "+" else domains.neg(step)
        after = self.limited(domains.add(before, step), target.type, target.name)
        self.set(target.name, after)
        state.steps[target.name] = None if added is None else domains.add(added, step)

    def arm(self, before: State, condition: ir.Expr, outcome: bool, body: Body) -> State | None:
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

    def meet(self, condition: ir.Expr, outcome: bool) -> None:
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
            # What counting has met on its way need not be reached.
            self.hull = hull
            head, left = self.iterated(entry, trips, begin, body)
        self.enter(head)
        end()
        after = join_reached([*([] if is_endless(loop) else [head]), *left])
        if after is not None:
            after.steps = total_steps(entry.steps, after.steps, entry.names, trips)
        self.enter(after)

    def iteration(
        self, head: State, begin: Callable[[], None], body: Body
    ) -> tuple[State | None, list[State]]:
        """The state behind an iteration that starts in `head`, and the states in which it leaves the loop."""
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
        """The loop's head by counting steps, and where it is left; no head where that does not settle."""
        hull = dict(self.hull)
        try:
            head = self.settled(entry, trips, begin, body)
            if head is None:
                return None, []
            self.hull = hull
            end, left = self.iteration(head, begin, body)
            return head if end is None else head.join(end), left
        except Illegal:
            return None, []

    def settled(self, entry: State, trips: int, begin: Callable[[], None], body: Body) -> State | None:
        """What holds at the start of every iteration; None where that is not found in a few rounds."""
        head = State(dict(entry.names), dict(entry.arrays))
        for _ in range(ROUNDS):
            end, _ = self.iteration(head, begin, body)
            if end is None:
                return head
            wider = grown(entry, head, end, trips - 1)
            if (wider.names, wider.arrays) == (head.names, head.arrays):
                # The loop's head is met with what it starts from or what an iteration ends in: no more.
                head.names = {
                    n: domains.meet(s, entry.names[n].join(end.names[n])) for n, s in head.names.items()
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
            settled = joined.names == head.names and joined.arrays == head.arrays
            head = joined
            if settled:
                break
        # A name that changed at all was not merely added to, as far as an outer loop can tell.
        head.steps = {n: None for n in entry.names if head.names[n] != entry.names[n] or n in head.steps}
        return head, left

    # ---- conditions

    def _applied(self, node: ir.Apply) -> Interval:
        """What is found of an operation. Of a truth value nothing is, and yet what is in it is looked at,
        behind an ``and`` or an ``or`` where it gets as far as that.
        """
        tells = TABLE[node.operation].tells
        if isinstance(tells, Holding):
            before = dict(self.names)
            for operand in node.operands:
                self.of(operand)
                self.narrow(operand, tells.when)
            self.names.clear()
            self.names.update(before)
            self.forget()
        else:
            for operand in node.operands:
                if isinstance(operand.type, Value) and BOOL in (node.type, operand.type):
                    self.of(operand)
        return super()._applied(node)

    def narrow(self, condition: ir.Expr, outcome: bool) -> None:
        """Keep of the names' intervals what goes with a condition's outcome."""
        if isinstance(condition, ir.Chain) and outcome:
            pairs = zip(condition.operands, condition.operands[1:], strict=False)
            for comparison, pair in zip(condition.comparisons, pairs, strict=True):
                self.narrow(ir.Apply(comparison, pair, BOOL), outcome)
        if not isinstance(condition, ir.Apply):
            return
        tells = TABLE[condition.operation].tells
        match tells:
            case Holding(when):
                if outcome == when:
                    for operand in condition.operands:
                        self.narrow(operand, outcome)
            case Reversed():
                self.narrow(condition.operands[0], not outcome)
            case Compared():
                left, right = condition.operands
                whole = left.type.is_integer and right.type.is_integer
                kept = (tells.true if outcome else tells.false)(self.of(left), self.of(right), int(whole))
                for operand, span in zip((left, right), kept, strict=True):
                    if operand.type.is_integer:  # beside a float it keeps whole bounds
                        span = Interval(math.ceil(span.lo), math.floor(span.hi))
                    # An empty interval: this outcome never comes. What follows is checked all the same.
                    if isinstance(operand, ir.Name) and span.lo <= span.hi:
                        self.names[operand.name] = span
                self.forget()
            case None:
                pass
            case _:
                assert_never(tells)
