"""Runs a typed tree on numpy arrays: many inputs, and all threads of a launch, at once.

It shares no code with Warp; what Warp makes of a row must agree with it.

Floats are computed in float64 and integers in int64, whatever their type: legal programs keep every value
within its type. Unsigned integers wrap around, and so do conversions of integers. All threads run each
statement together if that makes no difference. If threads read elements that others write, or use the result
of an atomic, the launch is run again with one thread after another, in the order of Warp's CPU device.

Not covered: the rounding of float32, unless a `Rounding` models it; the results of races on a GPU; new arrays
as members of structs in arrays; the text that is printed, and whether an assertion holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy import count_nonzero
from typing_extensions import assert_never

from .. import ir
from ..operations.rounding import Rounding
from ..operations.table import TABLE
from . import memory as m
from .coverage import Coverage
from .evaluation import Evaluation
from .interval_analysis import MAX_TRIPS
from .memory import Datum, ThreadConflict

Arrays = Mapping[str, np.ndarray]


class NonTerminating(Exception):
    """A `while` loop runs for more than `MAX_TRIPS` iterations."""


def interpret(
    program: ir.Program,
    inputs: Arrays,
    sets: int,
    coverage: Coverage | None = None,
    orders: np.ndarray | None = None,
    rounding: Rounding | None = None,
) -> dict[str, np.ndarray]:
    """The outputs of a launch for several inputs at once; `sets` is their number. `coverage`, made for the
    same number, records the outcomes. If the order of threads matters, they run first to last, or in `orders`
    of shape ``(sets, threads)``: those of each set in an order of its own. Results are exact, or have the
    errors of `rounding`.

    `inputs` hold, for every leaf of an input or inout argument (`Argument.leaves`), an array of shape
    ``(sets, *leaf.shape, *leaf.type.shape)``; so do the outputs returned, for leaves that are outputs or
    inout. Raises `NonTerminating` if a `while` loop does not end in `MAX_TRIPS` iterations, and `IndexError`
    for an index outside an array.
    """
    with np.errstate(all="ignore"):
        for together in (True, False):
            try:
                return _launch(program, inputs, sets, together, coverage, orders, rounding)
            except ThreadConflict:
                if coverage is not None:
                    coverage.forget()
        # Even one thread after another fails where the array that a thread uses depends on the inputs:
        # each input then has a launch of its own.
        each = [
            _launch(
                program,
                {name: array[s : s + 1] for name, array in inputs.items()},
                1,
                False,
                coverage and coverage.of(s),
                None if orders is None else orders[s : s + 1],
                rounding,
            )
            for s in range(sets)
        ]
        return {name: np.concatenate([outputs[name] for outputs in each]) for name in each[0]}


def is_race_free(program: ir.Program, inputs: Arrays, sets: int) -> bool:
    """Whether on these inputs no thread accesses an element that another one writes, so their order does not
    matter. Inputs and exceptions are those of `interpret`."""
    memory, outputs = memory_and_outputs(program, inputs, sets)
    run = Run(program, sets, memory, watched=outputs.values())
    with np.errstate(all="ignore"):
        try:
            run.execute()
        except ThreadConflict:
            return False
    return not any(m.conflict(array, done, run.indices, alone=False) for array, done in run.watched.values())


def interpret_in_lockstep(program: ir.Program, inputs: Arrays, sets: int) -> dict[str, np.ndarray]:
    """The outputs of a launch whose threads all run each statement together, whatever they share: each reads
    before any of them writes, as threads of a GPU's warp do. If several store to one element, the last one
    counts.

    Inputs, outputs and exceptions are those of `interpret`, and `ThreadConflict` if a thread uses the result
    of an atomic.
    """
    memory, outputs = memory_and_outputs(program, inputs, sets)
    with np.errstate(all="ignore"):
        Run(program, sets, memory).execute()
    return outputs


def memory_and_outputs(
    program: ir.Program, inputs: Arrays, sets: int
) -> tuple[dict[str, Datum], dict[str, np.ndarray]]:
    """The memory of the arguments before a launch, and the part of it that the launch may write, by leaf."""
    memory = {a.name: m.memory_of(a, inputs, sets) for a in program.arguments}
    leaves = (leaf for argument in program.arguments for leaf in argument.leaves)
    return memory, {leaf.name: m.leaf_memory(memory, leaf) for leaf in leaves if leaf.role != "input"}


def _launch(
    program: ir.Program,
    inputs: Arrays,
    sets: int,
    together: bool,
    coverage: Coverage | None,
    orders: np.ndarray | None,
    rounding: Rounding | None,
) -> dict[str, np.ndarray]:
    """One launch. Raises `ThreadConflict` if its threads must run one after another, or its inputs one by
    one."""
    memory, outputs = memory_and_outputs(program, inputs, sets)
    if together:
        Run(program, sets, memory, None, outputs.values(), coverage, rounding).execute_together()
    else:
        threads = range(int(np.prod(program.launch_dim)))
        for thread in threads if orders is None else orders.T:
            Run(program, sets, memory, thread, (), coverage, rounding).execute()
    return outputs


class Run(Evaluation):
    """Runs the statements of a program, one after another."""

    def execute(self) -> None:
        self.block(self.program.body, self.active)

    def execute_together(self) -> None:
        """Run all threads together. Raises `ThreadConflict` if the order of threads matters."""
        try:
            self.execute()
        except (IndexError, NonTerminating):
            if self.conflict():  # in order it may not fail
                raise ThreadConflict from None
            raise
        if self.conflict():
            raise ThreadConflict

    def conflict(self) -> bool:
        return any(m.conflict(memory, accesses, self.indices) for memory, accesses in self.watched.values())

    # ---- statements

    def block(self, body: Sequence[ir.Stmt], mask: np.ndarray) -> None:
        for statement in body:
            gone = self.returned[-1]
            if self.left:
                gone = gone | self.left[-1] | self.skipped[-1]
            active = mask & ~gone
            if not count_nonzero(active):
                return
            self.active = active
            self.statement(statement, active)

    def statement(self, statement: ir.Stmt, mask: np.ndarray) -> None:
        match statement:
            case ir.Let(target, value) | ir.Variable(target, value):
                self.define(target, self.value(value), mask)
            case ir.Assign(target, value):
                self.set(target, self.value(value), mask)
            case ir.Accumulate(target, operator, value):
                self.accumulate(target, operator, self.value(value), value.type, mask)
            case ir.If(condition, then, orelse):
                holds = np.broadcast_to(self.value(condition), mask.shape)
                holds = holds.astype(bool, copy=False)
                if self.coverage is not None:
                    self.coverage.decided(statement, holds, mask)
                self.block(then, mask & holds)
                self.block(orelse, mask & ~holds)
            case ir.For() | ir.While():
                self.loop(statement, mask)
            case ir.ThreadIndex(names):
                self.index(names)
            case ir.Unpack(targets, value):
                for target, result in zip(targets, self.value(value), strict=True):
                    self.define(target, result, mask)
            case ir.Do(value):
                self.do(value)
            case ir.Break():
                self.left[-1] |= mask
            case ir.Continue():
                self.skipped[-1] |= mask
            case ir.Return(values):
                self.leave(tuple(self.value(value) for value in values), mask)
            case ir.Print(_, values):
                for value in values:  # a function that is called there may write to an array
                    self.value(value)
            case ir.Assert(condition):
                self.value(condition)
            case ir.Pass() | ir.Comment():
                pass
            case _:
                assert_never(statement)

    def index(self, names: tuple[ir.Name, ...]) -> None:
        grid = np.indices(self.program.launch_dim).reshape(len(self.program.launch_dim), 1, -1)
        if self.thread is not None:
            grid = grid[:, 0, np.atleast_1d(self.thread), None]
        self.indices = list(grid)
        for name, index in zip(names, grid, strict=False):
            self.locals[name.name] = index

    def do(self, value: ir.Expr) -> None:
        if isinstance(value, ir.Apply) and (row := TABLE[value.operation]).changed:
            self.change(row, value, wanted=False)
        else:
            self.value(value)

    def leave(self, results: tuple[Datum, ...], mask: np.ndarray) -> None:
        before = self.results[-1]
        if before is not None:
            results = tuple(m.merged(mask, new, old) for new, old in zip(results, before, strict=True))
        self.results[-1] = results
        self.returned[-1] = self.returned[-1] | mask

    # ---- loops

    def loop(self, loop: ir.For | ir.While, mask: np.ndarray) -> None:
        self.left.append(np.zeros_like(mask))
        self.skipped.append(np.zeros_like(mask))
        began = self.range_loop(loop, mask) if isinstance(loop, ir.For) else self.while_loop(loop, mask)
        left = self.left.pop()
        if self.coverage is not None:
            self.coverage.looped(loop, mask, began, left | self.returned[-1])
        self.skipped.pop()

    def range_loop(self, loop: ir.For, mask: np.ndarray) -> np.ndarray:
        """Runs a loop, and returns which threads began an iteration."""
        start, stop = self.value(loop.start), self.value(loop.stop)
        index, before = start, self.locals.get(loop.target.name)
        trips = np.zeros(mask.shape, np.int64)
        while True:
            inside = index < stop if loop.step > 0 else index > stop
            mask = mask & inside & ~self.left[-1] & ~self.returned[-1]
            if not count_nonzero(mask):
                break
            self.locals[loop.target.name] = index
            self.skipped[-1][:] = False
            trips += mask
            self.block(loop.body, mask)
            index = index + loop.step
        # After the loop the variable has the value of each thread's last iteration.
        last = start + (trips - 1) * loop.step
        self.locals[loop.target.name] = last if before is None else np.where(trips > 0, last, before)
        return trips > 0

    def while_loop(self, loop: ir.While, mask: np.ndarray) -> np.ndarray:
        began = np.zeros_like(mask)
        for _ in range(MAX_TRIPS + 1):
            # Threads that have left must not evaluate the condition: an index may be out of bounds.
            mask = mask & ~self.left[-1] & ~self.returned[-1]
            self.active = mask
            if count_nonzero(mask):
                mask = mask & self.value(loop.condition).astype(bool)
            if not count_nonzero(mask):
                return began
            began |= mask
            self.skipped[-1][:] = False
            self.block(loop.body, mask)
        raise NonTerminating(f"a while loop of more than {MAX_TRIPS} iterations")
