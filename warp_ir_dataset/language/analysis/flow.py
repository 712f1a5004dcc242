"""A program run on intervals instead of numbers: one abstract interpretation that others ask.

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

from .. import domains
from ..domains import Interval
from ..operations.bounds import Compared, Condition, Holding, Reversed
from ..operations.table import TABLE
from ..program import (
    Accumulate,
    Apply,
    Argument,
    Assign,
    Atomic,
    Break,
    Call,
    Continue,
    Expr,
    For,
    If,
    Let,
    Load,
    Name,
    NewStruct,
    Program,
    Return,
    SetComponent,
    SetMember,
    Stmt,
    Store,
    StructName,
    ThreadIndex,
    Variable,
    While,
)
from ..types import SCALARS, Value
from .intervals import Illegal, Spans
from .states import NO_STEP, State, grown, join_reached, total_steps

MAX_TRIPS = 64  # iterations of one loop; `while` loops are given as many
SLACK = 1e-6  # bounds are computed in floating point
ROUNDS = 4  # after which counting is given up

Body = tuple[Stmt, ...]


@dataclass(frozen=True)
class Flow:
    """What was found: for each name every value it ever takes, and by loop variable the most iterations."""

    names: dict[str, Interval]
    trips: dict[str, int]


def flow(program: Program) -> Flow:
    """Run a program on intervals.

    Raises `Illegal` where a name, a member or a result may be undefined, an operation may not be defined, a
    value may leave the limits of its type, an index its array, or a loop may be longer than `MAX_TRIPS`.
    """
    run = _Run(program)
    run.block(program.body)
    return Flow(run.hull, run.trips)


class _Run(Spans):
    """One run. `state` is None behind a return, a break or a continue."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.by_name: dict[str, Argument] = {a.name: a for a in program.arguments}
        self.functions = {function.name: function for function in program.functions}
        self.calling: list[str] = []
        self.hull: dict[str, Interval] = {}
        self.trips: dict[str, int] = {}
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []
        self.returned: list[Interval] = []
        self.state: State | None = None
        self.enter(State())
        for argument in program.arguments:
            if argument.ndim:
                self.arrays[argument.name] = argument.domain
            else:
                self.set(argument.name, argument.domain)

    def enter(self, state: State | None) -> None:
        """Go on from a state."""
        self.state = state
        if state is not None:
            self.names, self.members, self.arrays = state.names, state.members, state.arrays
        self.forget()

    def set(self, name: str, span: Interval) -> None:
        self.names[name] = span
        self.hull[name] = span.join(self.hull[name]) if name in self.hull else span
        self.forget()

    # ---- expressions

    def of(self, node: Expr) -> Interval:
        try:
            return super().of(node)
        except KeyError as missing:
            raise Illegal(f"{missing} may be read before it is defined") from None

    def loaded(self, node: Load) -> Interval:
        self.index(node.array, node.index)
        return self.arrays[node.array]

    def index(self, array: str, index: tuple[Expr, ...]) -> None:
        argument = self.by_name[array]
        for part, size in zip(index, argument.shape, strict=True):
            if not self.of(part).within(Interval(0, size - 1)):
                raise Illegal(f"an index of {array} may be out of bounds")

    def called(self, node: Call) -> Interval:
        """What a function returns for these operands."""
        if node.function in self.calling:
            raise Illegal(f"{node.function} calls itself")
        function = self.functions[node.function]
        inside = State()
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            self.hand_over(inside, parameter, operand)
        outside = (self.state, self.returned, self.breaks, self.continues, self._known)
        self.returned, self.breaks, self.continues, self._known = [], [], [], {}
        self.calling.append(function.name)
        try:
            self.enter(inside)
            self.hull |= {name: s.join(self.hull.get(name, s)) for name, s in inside.names.items()}
            self.block(function.body)
            if self.state is not None or not self.returned:
                raise Illegal(f"{function.name} may end without a value")
            return domains.joined(self.returned)
        finally:
            self.calling.pop()
            state, self.returned, self.breaks, self.continues, known = outside
            self.enter(state)
            self._known = known

    def hand_over(self, inside: State, parameter: Name | StructName, operand: Expr | StructName) -> None:
        """Give a function's parameter its value."""
        if isinstance(operand, StructName):
            for member, _ in operand.type.members:
                if (operand.name, member) in self.members:
                    inside.members[parameter.name, member] = self.members[operand.name, member]
        else:
            inside.names[parameter.name] = self.of(operand)

    def holds(self, condition: Condition, operands: tuple[Expr, ...]) -> bool:
        """Whether a condition holds, rounding of bounds aside."""
        return condition(self.of, *operands) or condition(self._tightened, *operands)

    def _tightened(self, node: Expr) -> Interval:
        span = self.of(node)
        if not node.type.is_float or span.width <= 0:
            return span
        slack = min(SLACK * max(span.magnitude, 1.0), span.width / 2)
        return Interval(span.lo + slack, span.hi - slack)

    def check_limits(self, span: Interval, type: Value, what: str) -> None:
        if type.is_float:
            span = domains.scale(span, 1 - SLACK)
        super().check_limits(span, type, what)

    # ---- statements

    def block(self, body: Body) -> None:
        for statement in body:
            if self.state is None:
                return
            self.statement(statement)

    def statement(self, statement: Stmt) -> None:
        state = self.state
        assert state is not None
        match statement:
            case ThreadIndex(names):
                for name, size in zip(names, self.program.launch_dim, strict=True):
                    self.set(name.name, Interval(0, size - 1))
            case Let(target, value) | Variable(target, value) | Assign(target, value):
                self.set(target.name, self.of(value))
                state.steps[target.name] = None
            case Accumulate(target, operator, value):
                self.accumulate(state, target, operator, self.of(value))
            case SetComponent(target, _, value):
                self.set(target.name, self.of(target).join(self.of(value)))
                state.steps[target.name] = None
            case SetMember(target, member, value):
                self.members[target.name, member] = self.of(value)
                self.forget()
            case Store(array, index, value) | Atomic(_, array, index, value):
                self.index(array, index)
                self.store(statement, self.of(value))
            case If(condition, then, orelse):
                self.of(condition)
                self.enter(
                    join_reached(
                        [self.arm(state, condition, True, then), self.arm(state, condition, False, orelse)]
                    )
                )
            case For():
                self.range_loop(statement)
            case While(condition, body):
                self.loop(
                    MAX_TRIPS, body, lambda: self.meet(condition, True), lambda: self.meet(condition, False)
                )
            case Break():
                self.breaks[-1].append(state)
                self.enter(None)
            case Continue():
                self.continues[-1].append(state)
                self.enter(None)
            case Return(value):
                if value is not None:
                    self.returned.append(self.of(value))
                self.enter(None)
            case NewStruct():
                pass
            case _:
                assert_never(statement)

    def accumulate(self, state: State, target: Name, operator: str, step: Interval) -> None:
        before = self.of(target)
        added = state.steps.get(target.name, NO_STEP)
        if operator == "*":
            after, added = domains.mul(before, step), None
        else:
            step = step if operator == "+" else domains.neg(step)
            after = domains.add(before, step)
            added = None if added is None else domains.add(added, step)
        self.check_limits(after, target.type, target.name)
        self.set(target.name, after)
        state.steps[target.name] = added

    def store(self, statement: Store | Atomic, value: Interval) -> None:
        """What is read again later includes what was stored."""
        argument = self.by_name[statement.array]
        if argument.role == "inout":
            # An atomic adds to what other threads add: nothing is known of the element then.
            known = value if isinstance(statement, Store) else SCALARS[argument.type.scalar].limits
            self.arrays[argument.name] = self.arrays[argument.name].join(known)
            self.forget()

    def arm(self, before: State, condition: Expr, outcome: bool, body: Body) -> State | None:
        self.enter(before.copy())
        self.narrow(condition, outcome)
        self.block(body)
        return self.state

    # ---- loops

    def range_loop(self, loop: For) -> None:
        start, stop = self.of(loop.start), self.of(loop.stop)
        trips = max(0, math.ceil((stop.hi - start.lo) / loop.step))
        if trips > MAX_TRIPS:
            raise Illegal(f"a loop of more than {MAX_TRIPS} iterations")
        self.trips[loop.target.name] = max(trips, self.trips.get(loop.target.name, 0))
        if trips:
            index = Interval(start.lo, max(stop.hi - 1, start.lo))
            self.loop(trips, loop.body, lambda: self.set(loop.target.name, index), lambda: None)

    def meet(self, condition: Expr, outcome: bool) -> None:
        self.of(condition)
        self.narrow(condition, outcome)

    def loop(self, trips: int, body: Body, begin: Callable[[], None], end: Callable[[], None]) -> None:
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
        after = join_reached([head, *left])
        assert after is not None
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
        head = State(dict(entry.names), dict(entry.members), dict(entry.arrays))
        for _ in range(ROUNDS):
            end, _ = self.iteration(head, begin, body)
            if end is None:
                return head
            wider = grown(entry, head, end, trips - 1)
            if (wider.names, wider.members, wider.arrays) == (head.names, head.members, head.arrays):
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
        head = State(dict(entry.names), dict(entry.members), dict(entry.arrays))
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

    def narrow(self, condition: Expr, outcome: bool) -> None:
        """Keep of the names' intervals what goes with a condition's outcome."""
        if not isinstance(condition, Apply):
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
                whole = left.type.is_integer
                kept = (tells.true if outcome else tells.false)(self.of(left), self.of(right), int(whole))
                for operand, span in zip((left, right), kept, strict=True):
                    # An empty interval: this outcome never comes. What follows is checked all the same.
                    if isinstance(operand, Name) and span.lo <= span.hi:
                        self.names[operand.name] = span
                self.forget()
            case None:
                pass
            case _:
                assert_never(tells)
