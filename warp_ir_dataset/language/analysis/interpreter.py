"""The meaning of a tree, on numpy arrays: many inputs and all threads of a launch at once.

It is an account of what a kernel computes that shares nothing with Warp: rows must agree with it.

Floats are computed in float64 and integers in int64, whatever their type: legal programs keep every value
within its type. Not covered: the rounding of float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from typing_extensions import assert_never

from ..operations.table import TABLE
from ..program import (
    Accumulate,
    Apply,
    Assign,
    Break,
    Call,
    Component,
    Continue,
    Do,
    Expr,
    For,
    If,
    Let,
    Literal,
    Load,
    Member,
    Name,
    Place,
    Program,
    Return,
    Stmt,
    ThreadIndex,
    Variable,
    While,
)
from ..types import Struct, Value
from .flow import MAX_TRIPS

Arrays = Mapping[str, np.ndarray]
ATOMICS = {
    "atomic_add": np.add,
    "atomic_sub": np.subtract,
    "atomic_min": np.minimum,
    "atomic_max": np.maximum,
}


class Endless(Exception):
    """A `while` loop that goes on for longer than programs may."""


def interpret(program: Program, inputs: Arrays, sets: int) -> dict[str, np.ndarray]:
    """The outputs of a launch for several inputs at once.

    `inputs` hold, per input argument, an array of shape ``(sets, *argument.shape, *type.shape)``; so do the
    outputs returned. Raises `Endless` where a `while` loop does not end in `MAX_TRIPS` iterations.
    """
    run = _Run(program, sets)
    for argument in program.arguments:
        shape = (sets, *argument.shape, *argument.type.shape)
        dtype = float if argument.type.is_float else np.int64
        given = inputs[argument.name] if argument.role != "output" else np.zeros(shape)
        run.memory[argument.name] = np.array(given, dtype)
        if argument.ndim == 0:
            run.locals[argument.name] = run.memory[argument.name][:, None]
    with np.errstate(all="ignore"):
        run.block(program.body, np.ones((sets, run.threads), bool))
    return {a.name: run.memory[a.name] for a in program.arguments if a.role != "input"}


@dataclass
class _Run:
    """One launch. Values have shape ``(sets, threads, *type.shape)``, either of the first two may be 1."""

    program: Program
    sets: int
    memory: dict[str, np.ndarray] = field(default_factory=dict)
    locals: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.threads = int(np.prod(self.program.launch_dim))
        self.rows = np.arange(self.sets)[:, None]
        self.members: dict[tuple[str, str], np.ndarray] = {}
        self.returned: list[np.ndarray] = [np.zeros((self.sets, self.threads), bool)]
        self.results: list[np.ndarray | None] = [None]
        self.left: list[np.ndarray] = []  # per loop: threads that broke out
        self.skipped: list[np.ndarray] = []  # per loop: threads that continued

    # ---- statements

    def block(self, body: Sequence[Stmt], mask: np.ndarray) -> None:
        for statement in body:
            gone = self.returned[-1]
            if self.left:
                gone = gone | self.left[-1] | self.skipped[-1]
            active = mask & ~gone
            if not active.any():
                return
            self.statement(statement, active)

    def statement(self, statement: Stmt, mask: np.ndarray) -> None:
        match statement:
            case ThreadIndex(names):
                grid = np.indices(self.program.launch_dim).reshape(len(names), -1)
                for name, index in zip(names, grid, strict=True):
                    self.locals[name.name] = index[None, :]
            case Let(target, value) | Variable(target, value):
                self.bind(target, value)
            case Assign(target, value):
                self.set(target, self.value(value), mask)
            case Accumulate(target, operator, value):
                step = {"+": np.add, "-": np.subtract, "*": np.multiply}[operator]
                self.set(target, step(self.value(target), self.value(value)), mask)
            case Do(Apply(operation, (Name(array), *index, value))) if operation in ATOMICS:
                self.store(array, tuple(index), self.value(value), mask, operation)
            case If(condition, then, orelse):
                met = np.broadcast_to(self.value(condition), mask.shape)
                self.block(then, mask & met)
                self.block(orelse, mask & ~met)
            case For() | While():
                self.loop(statement, mask)
            case Break():
                self.left[-1] |= mask
            case Continue():
                self.skipped[-1] |= mask
            case Return(values):
                self.leave(values[0] if values else None, mask)
            case _:
                assert_never(statement)

    def set(self, place: Place, value: np.ndarray, mask: np.ndarray) -> None:
        match place:
            case Name():
                self.assign(place, value, mask)
            case Load(Name(array), index):
                self.store(array, index, value, mask, None)
            case Member(Name() as of, member):
                self.members[of.name, member] = value
            case Component(Name() as of, index):
                whole = np.broadcast_to(self.locals[of.name], self.shape(of.type)).copy()
                literals = (i.value for i in index if isinstance(i, Literal))
                parts: tuple[slice | int, ...] = (slice(None), slice(None), *map(int, literals))
                whole[parts] = value
                self.assign(of, whole, mask)

    def shape(self, type: Value) -> tuple[int, ...]:
        return (self.sets, self.threads, *type.shape)

    def bind(self, target: Name, value: Expr) -> None:
        if not isinstance(target.type, Struct):
            self.locals[target.name] = self.value(value)
        elif isinstance(value, Name):
            for member, _ in target.type.members:
                self.members[target.name, member] = self.members[value.name, member]

    def assign(self, target: Name, value: np.ndarray, mask: np.ndarray) -> None:
        if mask.all():
            self.locals[target.name] = value
        else:
            wide = mask.reshape(mask.shape + (1,) * (value.ndim - 2))
            self.locals[target.name] = np.where(wide, value, self.locals[target.name])

    def leave(self, value: Expr | None, mask: np.ndarray) -> None:
        if value is not None:
            result, before = self.value(value), self.results[-1]
            wide = mask.reshape(mask.shape + (1,) * (result.ndim - 2))
            self.results[-1] = np.where(wide, result, 0.0 if before is None else before)
        self.returned[-1] = self.returned[-1] | mask

    def loop(self, loop: For | While, mask: np.ndarray) -> None:
        self.left.append(np.zeros_like(mask))
        self.skipped.append(np.zeros_like(mask))
        if isinstance(loop, For):
            self.range_loop(loop, mask)
        else:
            self.while_loop(loop, mask)
        self.left.pop()
        self.skipped.pop()

    def range_loop(self, loop: For, mask: np.ndarray) -> None:
        index, stop = self.value(loop.start), self.value(loop.stop)
        while True:
            self.locals[loop.target.name] = index
            mask = mask & (index < stop) & ~self.left[-1] & ~self.returned[-1]
            if not mask.any():
                return
            self.skipped[-1][:] = False
            self.block(loop.body, mask)
            index = index + loop.step

    def while_loop(self, loop: While, mask: np.ndarray) -> None:
        for _ in range(MAX_TRIPS + 1):
            # What is not reached any more may no longer have a condition: an index may be out of bounds.
            mask = mask & ~self.left[-1] & ~self.returned[-1]
            mask = mask & self.value(loop.condition).astype(bool)
            if not mask.any():
                return
            self.skipped[-1][:] = False
            self.block(loop.body, mask)
        raise Endless(f"a while loop of more than {MAX_TRIPS} iterations")

    def store(
        self, array: str, index: tuple[Expr, ...], value: np.ndarray, mask: np.ndarray, how: str | None
    ) -> None:
        shape = mask.shape
        places = [np.broadcast_to(self.value(i), shape)[mask] for i in index]
        where = (np.broadcast_to(self.rows, shape)[mask], *places)
        values = np.broadcast_to(value, shape + value.shape[2:])[mask]
        target = self.memory[array]
        if how is None:
            target[where] = values
        else:
            ATOMICS[how].at(target, where, values)

    # ---- expressions

    def value(self, node: Expr) -> np.ndarray:
        match node:
            case Apply(operation, operands, type):
                return TABLE[operation].meaning(type, *[self.value(operand) for operand in operands])
            case Name(name):
                return self.locals[name]
            case Literal(value):
                return np.asarray(value)[None, None]
            case Load(Name(array), index):
                where = (self.rows, *[self.value(i) for i in index])
                return self.memory[array][where]
            case Member(Name(struct), member):
                return self.members[struct, member]
            case Call():
                return self.call(node)
            case _:
                assert_never(node)

    def call(self, node: Call) -> np.ndarray:
        function = next(f for f in self.program.functions if f.name == node.function)
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            self.bind(parameter, operand)
        loops = self.left, self.skipped
        self.left, self.skipped = [], []
        self.returned.append(np.zeros((self.sets, self.threads), bool))
        self.results.append(None)
        self.block(function.body, np.ones((self.sets, self.threads), bool))
        self.returned.pop()
        self.left, self.skipped = loops
        result = self.results.pop()
        assert result is not None, f"{function.name} returns nothing"
        return result
