"""The meaning of a tree, on numpy arrays: many inputs and all threads of a launch at once.

`rehearse` runs a program and returns its outputs; `is_degenerate` uses it to see, before anything is
compiled, whether a program has something to show: outputs that are finite, vary, are not near zero, and
depend on every input. It is also an independent account of what a kernel computes, which tests hold against
Warp.

Floats are computed in float64 and integers in int64, whatever their type: ranges keep every value within
its type. Not covered: the rounding of float32.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

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
    Literal,
    Load,
    Member,
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
    Type,
    Variable,
    While,
)

Arrays = Mapping[str, np.ndarray]

Uniform = Callable[[], float]

BASES = 5  # random inputs
ENOUGH = 2  # of these, an input must change an output for so many when only it is replaced
VISIBLE = 0.004  # a relative change below this does not count; the proof's own margin is smaller
NEAR_ZERO = 0.005


def rehearse(program: Program, inputs: Arrays, sets: int) -> dict[str, np.ndarray]:
    """The outputs of a launch for several inputs at once.

    `inputs` hold, per input argument, an array of shape ``(sets, *argument.shape, *type.shape)``; so do the
    outputs returned.
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


def is_degenerate(program: Program, seed_text: str) -> bool:
    """Whether random inputs leave an output constant, near zero or not finite, or an input without effect."""
    arguments = [argument for argument in program.arguments if argument.role != "output"]
    uniform = random.Random(seed_text).random
    inputs = {a.name: _variations(a, place, len(arguments), uniform) for place, a in enumerate(arguments)}
    sets = BASES * (1 + len(arguments))
    try:
        outputs = rehearse(program, inputs, sets)
    except (np.linalg.LinAlgError, IndexError):
        return True
    moved = np.zeros((len(arguments), BASES), bool)
    for values in outputs.values():
        # Axes: what was replaced (first nothing, then each input), the base, the elements.
        table = values.reshape(1 + len(arguments), BASES, -1).astype(float)
        bases = table[0]
        if not np.isfinite(table).all() or np.abs(bases).max() <= NEAR_ZERO:
            return True
        if not _differ(bases[:1], bases[1:]).any():
            return True
        moved |= _differ(bases, table[1:])
    return bool((moved.sum(axis=1) < ENOUGH).any())


def _differ(first: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which of the last axis' arrays differ visibly."""
    size = np.abs(first) + np.abs(first).max(axis=-1, keepdims=True)
    return (np.abs(others - first) > VISIBLE * size).any(axis=-1)


def _variations(argument: Argument, place: int, count: int, uniform: Uniform) -> np.ndarray:
    """`BASES` random values, and all of them again for each argument that is replaced, this one by others."""
    bases = np.stack([_draw(argument, uniform) for _ in range(BASES)])
    others = np.stack([_draw(argument, uniform) for _ in range(BASES)])
    if bases.ndim == 1 and argument.type.is_integer:
        low, high = argument.range.lo, argument.range.hi
        others = np.where(others == bases, np.where(bases == high, low, high), others)
    return np.concatenate([others if replaced == place else bases for replaced in range(-1, count)])


def _draw(argument: Argument, uniform: Uniform) -> np.ndarray:
    shape = (*argument.shape, *argument.type.shape)
    units = np.array([uniform() for _ in range(math.prod(shape))]).reshape(shape)
    low, high = argument.range.lo, argument.range.hi
    if argument.type.is_float:
        return low + units * (high - low)
    return np.floor(low + units * (high - low + 1)).astype(np.int64)


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
                self.locals[target.name] = self.value(value)
            case Assign(target, value):
                self.assign(target, self.value(value), mask)
            case Accumulate(target, operator, value):
                step = {"+": np.add, "-": np.subtract, "*": np.multiply}[operator]
                self.assign(target, step(self.locals[target.name], self.value(value)), mask)
            case SetComponent(target, index, value):
                whole = np.broadcast_to(self.locals[target.name], self.shape(target.type)).copy()
                place: tuple[slice | int, ...] = (slice(None), slice(None), *index)
                whole[place] = self.value(value)
                self.assign(target, whole, mask)
            case NewStruct():
                pass
            case SetMember(target, member, value):
                self.members[target.name, member] = self.value(value)
            case Store(array, index, value):
                self.store(array, index, self.value(value), mask, None)
            case Atomic(operation, array, index, value):
                self.store(array, index, self.value(value), mask, operation)
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
            case Return(value):
                self.leave(value, mask)

    def shape(self, type: Type) -> tuple[int, ...]:
        return (self.sets, self.threads, *type.shape)

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
            start, stop = self.value(loop.start), self.value(loop.stop)
        for trip in range(loop.trips):
            self.skipped[-1][:] = False
            if isinstance(loop, For):
                index = start + trip * loop.step
                going = mask & (index < stop)
                self.locals[loop.target.name] = index
            else:
                going = mask & self.value(loop.condition).astype(bool)
            mask = going & ~self.left[-1] & ~self.returned[-1]
            if not mask.any():
                break
            self.block(loop.body, mask)
        self.left.pop()
        self.skipped.pop()

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
            ufunc = {"add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum}[how]
            ufunc.at(target, where, values)

    # ---- expressions

    def value(self, node: Expr) -> np.ndarray:
        match node:
            case Apply(operation, operands, type):
                return TABLE[operation].compute(type, *[self.value(operand) for operand in operands])
            case Name(name):
                return self.locals[name]
            case Literal(value):
                return np.asarray(value)[None, None]
            case Load(array, index):
                where = (self.rows, *[self.value(i) for i in index])
                return self.memory[array][where]
            case Member(struct, member):
                return self.members[struct.name, member]
            case Call():
                return self.call(node)
        raise TypeError(f"no meaning for {type(node).__name__}")

    def call(self, node: Call) -> np.ndarray:
        function = next(f for f in self.program.functions if f.name == node.function)
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            if isinstance(operand, StructName):
                for member, _ in operand.type.members:
                    self.members[parameter.name, member] = self.members[operand.name, member]
            else:
                self.locals[parameter.name] = self.value(operand)
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
