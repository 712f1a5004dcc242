"""Runs statements symbolically, for the strong canonical form.

Both arms of a branch are run, and each result becomes a choice between the two. A loop's body is run once,
for an arbitrary iteration, or as often as the loop iterates if that is only a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from typing_extensions import assert_never

from .. import program as p
from ..program import Program, Stmt
from ..types import Several
from .held import Held, Record, Reference, State
from .nodes import Loop
from .places import Places
from .reach import arrays_written, assigned, forwards

MOST_TRIPS = 4  # of a loop between literals that is run as often as it runs

BROKEN, CONTINUED, RETURNED = JUMPS = ("%broken", "%continued", "%returned")

# What may end a block before its end.
JUMPING = (p.If, p.For, p.While, p.Break, p.Continue, p.Return)

Run = Callable[[State], None]
Test = Callable[[State], int]


class _Long(Exception):
    """A loop that runs often, or nobody knows how often."""


class Running(Places):
    """Runs the statements of a program's kernel, and of functions where they are called."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.depth = 0  # of loops
        self.counters = 0  # of loops that count
        self.calls: list[p.Function] = []  # under way
        self.arrays: tuple[int, ...] = ()  # the arguments that are arrays

    def fresh_locals(self) -> dict[str, Held]:
        locals: dict[str, Held] = dict.fromkeys(JUMPS, self.graph.false)
        state = State(locals, {})
        for constant in self.program.constants:
            locals[constant.name] = self.value(constant.value, state)
        return locals

    # ---- blocks and branches

    def block(self, body: tuple[Stmt, ...], state: State) -> None:
        for at, statement in enumerate(body, 1):
            self.statement(statement, state)
            if isinstance(statement, JUMPING):
                goes_on = self.goes_on(state)
                if goes_on != self.graph.true:
                    if rest := body[at:]:
                        self.resumed(goes_on, lambda inner: self.block(rest, inner), state)
                    return

    def goes_on(self, state: State) -> int:
        return self.graph.opposite(self.graph.either(*(self.flag(state, jump) for jump in JUMPS)))

    def flag(self, state: State, jump: str) -> int:
        found = state.locals[jump]
        assert isinstance(found, int)
        return found

    def resumed(self, goes_on: int, run: Run, state: State) -> None:
        """Run what comes after statements that may have jumped away: locals are what they are if none did."""

        def unhindered(inner: State) -> None:
            for name, held in inner.locals.items():
                if isinstance(held, int):
                    inner.locals[name] = self.graph.where(held, goes_on)
            inner.locals.update(dict.fromkeys(JUMPS, self.graph.false))
            run(inner)

        self.branch(goes_on, unhindered, None, state)

    def branch(self, condition: int, then: Run, orelse: Run | None, state: State) -> None:
        if condition == self.graph.true:
            then(state)
        elif condition == self.graph.false:
            if orelse is not None:
                orelse(state)
        else:
            other = state.copy()
            then(state)
            if orelse is not None:
                orelse(other)
            self.merge(condition, state, other)

    def merge(self, condition: int, state: State, other: State) -> None:
        """Make `state` what it is after a branch. A local of one arm is not used where it has no value."""
        for name, held in other.locals.items():
            mine = state.locals.get(name)
            state.locals[name] = held if mine is None else self.chosen(condition, mine, held)
        for number, memory in other.memory.items():
            state.memory[number] = self.graph.chosen(condition, state.memory[number], memory)

    # ---- statements

    def statement(self, statement: Stmt, state: State) -> None:
        match statement:
            case p.Let(target, value) | p.Variable(target, value):
                state.locals[target.name] = self.value(value, state)
            case p.Assign(target, value):
                self.assign(target, self.value(value, state), state)
            case p.Accumulate():
                self.accumulate(statement, state)
            case p.If(condition, then, orelse):
                self.branch(
                    self.truth(self.value(condition, state)),
                    lambda inner: self.block(then, inner),
                    lambda inner: self.block(orelse, inner),
                    state,
                )
            case p.For():
                self.for_loop(statement, state)
            case p.While(condition):
                self.loop(
                    statement,
                    assigned((statement,)),
                    lambda inner: self.truth(self.value(condition, inner)),
                    lambda inner: self.iteration(statement.body, inner),
                    state,
                    MOST_TRIPS,
                )
            case p.Do(value):
                self.value(value, state)
            case p.Unpack(targets, value):
                for target, held in zip(targets, self.several(value, state), strict=True):
                    state.locals[target.name] = held
            case p.ThreadIndex(names):
                for number, name in enumerate(names):
                    state.locals[name.name] = self.graph.leaf(f"thread{number} of {len(names)}")
            case p.Return(values):
                given = [self.value(value, state) for value in values]
                state.locals.update((f"%value{number}", held) for number, held in enumerate(given))
                state.locals[RETURNED] = self.graph.true
            case p.Break():
                state.locals[BROKEN] = self.graph.true
            case p.Continue():
                state.locals[CONTINUED] = self.graph.true
            case p.Print() | p.Assert() | p.Pass() | p.Comment():
                pass
            case _:
                assert_never(statement)

    def several(self, value: p.Call | p.Apply, state: State) -> Iterable[Held]:
        found = self.value(value, state)
        if isinstance(value, p.Call):
            return found
        assert isinstance(value.type, Several)
        return [self.graph.apply(f"result{number}", found) for number in range(len(value.type.types))]

    def call(self, node: p.Call, state: State) -> Any:
        """Run a function in place. One that calls itself is left as it is."""
        function = self.program.called(node)
        held = [self.value(operand, state) for operand in node.operands]
        if function in self.calls:
            flat = [part for each in held for part in self.flat(each)]
            return self.graph.apply(f"call{self.calls.index(function)}", *flat, *state.memory.values())
        inner = State(self.fresh_locals(), state.memory)
        inner.locals.update((name.name, each) for name, each in zip(function.parameters, held, strict=True))
        self.calls.append(function)
        self.block(function.body, inner)
        self.calls.pop()
        state.memory = inner.memory
        undefined = self.graph.leaf("undefined")
        if isinstance(function.type, Several):
            count = len(function.type.types)
            return [inner.locals.get(f"%value{number}", undefined) for number in range(count)]
        return inner.locals.get("%value0", undefined)

    # ---- loops

    def for_loop(self, loop: p.For, state: State) -> None:
        loop = forwards(loop, self.program, in_kernel=not self.calls)
        graph, scalar = self.graph, loop.target.type.scalar
        self.word(loop.target.type)
        start, stop = self.nodes((loop.start, loop.stop), state)
        # What the body assigns to the loop's name does not change how often the loop runs.
        index = f"%index{self.counters}"
        self.counters += 1

        def enters(inner: State) -> int:
            at = self.flag(inner, index)
            ends = (stop, at) if loop.step > 0 else (at, stop)
            return graph.positive(scalar, graph.added(scalar, *ends, -1))

        def once(inner: State) -> None:
            at = self.flag(inner, index)
            inner.locals[loop.target.name] = at
            self.iteration(loop.body, inner)
            inner.locals[index] = graph.added(scalar, at, graph.literal(scalar, loop.step))

        first, last = graph.whole(start), graph.whole(stop)
        known = first is not None and last is not None
        short = known and len(range(first, last, loop.step)) <= MOST_TRIPS  # type: ignore[arg-type]
        state.locals[index] = start
        carried = (index, *assigned((loop,)))
        self.loop(loop, carried, enters, once, state, MOST_TRIPS if short else 0)

    def iteration(self, body: tuple[Stmt, ...], state: State) -> None:
        self.block(body, state)
        state.locals[CONTINUED] = self.graph.false

    def loop(
        self,
        loop: p.For | p.While,
        carried: Sequence[str],
        enters: Test,
        once: Run,
        state: State,
        most: int,
    ) -> None:
        """`carried` are the locals that an iteration may change, `most` how often it is worth writing out."""
        attempt = state.copy()
        try:
            self.written_out(enters, once, most, attempt)
        except _Long:
            self.around_once(loop, carried, enters, once, state)
        else:
            state.locals, state.memory = attempt.locals, attempt.memory
        state.locals[BROKEN] = self.graph.false

    def written_out(self, enters: Test, once: Run, most: int, state: State) -> None:
        """Run a loop as often as it runs. Raises `_Long` where that is not known, or more than `most`."""
        entered = enters(state)
        if entered == self.graph.false:
            return
        if entered != self.graph.true or not most:
            raise _Long
        once(state)
        goes_on = self.goes_on(state)
        if goes_on != self.graph.false:
            self.resumed(goes_on, lambda inner: self.written_out(enters, once, most - 1, inner), state)

    def around_once(
        self, whole: p.For | p.While, carried: Sequence[str], enters: Test, once: Run, state: State
    ) -> None:
        """Run one arbitrary iteration, with a symbol as its index."""
        graph, number = self.graph, len(self.graph.loops)
        loop = Loop(self.depth)
        graph.loops.append(loop)
        self.depth += 1
        inner = state.copy()
        for name in carried:
            if name in inner.locals:
                inner.locals[name] = self.around(number, inner.locals[name])
        for memory in arrays_written(whole.body, self.program, state.locals, state.memory):
            inner.memory[memory] = graph.around(number, inner.memory[memory])
        before = inner.copy()
        entered = enters(inner)
        self.branch(entered, once, None, inner)
        left = graph.either(self.flag(inner, BROKEN), self.flag(inner, RETURNED))
        loop.stays = graph.both(entered, graph.opposite(left))
        for name, held in inner.locals.items():
            self.close(number, before.locals.get(name), held)
            state.locals[name] = self.left(number, held)
        for memory, node in inner.memory.items():
            self.close(number, before.memory[memory], node)
            (state.memory[memory],) = self.flat(self.left(number, node))
        self.depth -= 1

    def around(self, loop: int, held: Held) -> Held:
        if isinstance(held, Record):
            return Record(tuple(self.around(loop, member) for member in held.members))
        if isinstance(held, Reference):
            node = self.graph.apply("view", held.node, *held.index)
            return Reference(self.arrays, self.graph.around(loop, node))
        return self.graph.around(loop, held)

    def close(self, number: int, before: Held | None, held: Held) -> None:
        """Say what a local is in the next iteration, which there is only where the loop goes on."""
        if before is None:
            return
        loop = self.graph.loops[number]
        for around, node in zip(self.flat(before), self.flat(held), strict=False):
            if around in loop.starts:
                loop.nexts[around] = self.graph.where(node, loop.stays)

    def left(self, number: int, held: Held) -> Held:
        graph = self.graph
        if isinstance(held, Record):
            return Record(tuple(self.left(number, member) for member in held.members))
        if isinstance(held, Reference):
            return Reference(held.memories, graph.left(number, held.node), held.index)
        loop = graph.loops[number]
        if loop.nexts.get(held) == held:
            return loop.starts[held]
        return graph.left(number, graph.where(held, graph.opposite(loop.stays)))
