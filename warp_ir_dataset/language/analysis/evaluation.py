"""The half of the interpreter that evaluates expressions and places; `interpreter` runs statements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy import count_nonzero
from typing_extensions import assert_never

from .. import ir
from ..operations.rounding import Rounding
from ..operations.row import Operation
from ..operations.spelling import AND, OR, Conditional, Infix
from ..operations.table import TABLE, infix
from ..types import BOOL, UNSIGNED_INTEGERS, Array, Scalar, Struct, Type, Value
from ..walks import element
from . import memory as m
from .coverage import NOTED, Coverage
from .memory import Cell, Datum, Memory, Reference, ThreadConflict, Where

# Operators by which threads may change one element of an array in any order.
_AUGMENTED: Mapping[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}
_SUMS: Mapping[str, np.ufunc] = {"+": np.add, "-": np.subtract}
# Operations whose first operand decides which others are evaluated.
_SHORT = frozenset(
    name
    for name, row in TABLE.items()
    if isinstance(row.spelling, Conditional)
    or (isinstance(row.spelling, Infix) and row.spelling.precedence in (AND, OR))
)
_WRAPPING = frozenset(UNSIGNED_INTEGERS)
_WIDE = frozenset(name for name in _WRAPPING if m.carrier(Scalar(name)) == np.uint64)
_DROPPED = np.zeros((1, 1))  # the result of an atomic that no statement uses


class Evaluation(ABC):
    """A launch, or one thread of it, at some statement: `thread` is its number, for all sets or for each.

    Values have shape ``(sets, threads, *type.shape)``, either of the first two may be 1. `active` are the
    threads that run the statement; results of other threads are dropped.
    """

    def __init__(
        self,
        program: ir.Program,
        sets: int,
        memory: Mapping[str, Memory],
        thread: int | np.ndarray | None = None,
        watched: Iterable[np.ndarray] = (),
        coverage: Coverage | None = None,
        rounding: Rounding | None = None,
    ) -> None:
        self.program = program
        self.sets = sets
        self.thread = thread
        self.coverage = coverage
        self.rounding = rounding
        self.threads = int(np.prod(program.launch_dim)) if thread is None else 1
        self.rows = np.arange(sets)[:, None]
        self.indices: list[np.ndarray] = []
        self.watched: dict[int, tuple[np.ndarray, list[m.MemoryAccess]]] = {id(a): (a, []) for a in watched}
        self.functions: dict[int, ir.Function] = {}
        self.returned: list[np.ndarray] = [np.zeros((sets, self.threads), bool)]
        self.results: list[tuple[Datum, ...] | None] = [None]
        self.left: list[np.ndarray] = []  # per loop: threads that broke out
        self.skipped: list[np.ndarray] = []  # per loop: threads that continued
        self.active = np.ones((sets, self.threads), bool)
        self.locals: dict[str, Datum] = {}
        self.locals |= {constant.name: self.value(constant.value) for constant in program.constants}
        self.constants = dict(self.locals)
        for argument in program.arguments:
            self.locals[argument.name] = self.argument_value(argument, memory[argument.name])

    def argument_value(self, argument: ir.Argument, memory: Memory) -> Datum:
        """An argument's value."""
        if argument.shape:
            return Reference(memory, argument.shape)
        struct = isinstance(argument.type, Struct)
        return self.read_memory(memory, (), argument.type) if struct else memory[:, None]

    @abstractmethod
    def block(self, body: Sequence[ir.Stmt], mask: np.ndarray) -> None:
        """Run statements, for the threads of the mask."""

    # ---- places

    def define(self, target: ir.Name, value: Datum, mask: np.ndarray) -> None:
        """Define a local, new or from the iteration before: threads that have left a loop keep their old
        value."""
        if target.name in self.locals:
            self.assign(target, value, mask)
        else:
            self.locals[target.name] = value

    def assign(self, target: ir.Name, value: Datum, mask: np.ndarray) -> None:
        if count_nonzero(mask) == mask.size:
            self.locals[target.name] = value
        else:
            self.locals[target.name] = m.merged(mask, value, self.locals[target.name])

    def set(self, place: ir.Place, value: Datum, mask: np.ndarray) -> None:
        """Assign a value to a place, for the threads of the mask."""
        if isinstance(place, ir.Name):
            self.assign(place, value, mask)
            return
        if element(place) is not None:
            self.store(self.cell(place), value, mask)
            return
        assert isinstance(place, (ir.Member, ir.Component)) and isinstance(place.of, ir.Place)
        whole = self.current(place.of)
        if isinstance(whole, dict):
            assert isinstance(place, ir.Member)
            whole = {**whole, place.member: value}
        else:
            index = (
                m.part_index(place.member) if isinstance(place, ir.Member) else self.component(place.index)
            )
            whole = self.with_component(whole, index, value)
        self.set(place.of, whole, mask)

    def with_component(self, whole: np.ndarray, index: tuple[Any, ...], value: np.ndarray) -> np.ndarray:
        whole = np.broadcast_to(whole, (self.sets, self.threads, *whole.shape[2:]))
        try:
            return m.with_component(whole, index, value)
        except IndexError:
            return m.with_component(whole, [self.harmless(i) for i in index], value)

    def component(self, index: tuple[ir.Expr, ...]) -> tuple[Any, ...]:
        return tuple(int(i.value) if isinstance(i, ir.Literal) else self.value(i) for i in index)

    def current(self, place: ir.Place) -> Datum:
        """The value of a place."""
        if not isinstance(place, ir.Component):
            return self.value(place)
        whole, index = self.current(place.of), self.component(place.index)
        whole = np.broadcast_to(whole, (self.sets, self.threads, *whole.shape[2:]))
        return m.component(whole, index)

    def accumulate(self, place: ir.Place, operator: str, value: Datum, type: Type, mask: np.ndarray) -> None:
        ufunc = _AUGMENTED.get(operator)
        if ufunc is not None and element(place) is not None:
            self.store(self.cell(place), value, mask, ufunc)
        else:
            self.set(place, self.stepped(place, operator, value, type), mask)

    def stepped(self, place: ir.Place, operator: str, value: Datum, type: Type) -> Datum:
        """``place operator value``."""
        before, step = self.current(place), _SUMS.get(operator)
        if step is not None:
            result = step(before, value)
            if self.rounding is not None:
                result = self.rounding.result(place.type, result)
            return self.wrapped(place.type, result)
        operation = infix(operator, place.type, type)
        assert operation is not None, f"{operator}= of other types"
        return self.wrapped(place.type, self.applied(TABLE[operation], place.type, [before, value]))

    # ---- memory

    def cell(self, place: ir.Expr | ir.Place) -> Cell:
        """The memory of an element of an array, or of a part of it."""
        if isinstance(place, ir.Load):
            reference = self.value(place.array)
            return Cell(reference.memory, reference.where([self.value(i) for i in place.index]), place.type)
        assert isinstance(place, (ir.Member, ir.Component)), f"{place} is in no array"
        whole = self.cell(place.of)
        if isinstance(place, ir.Member):
            return whole.member(place.member, place.type)
        return whole.component(self.component(place.index), place.type)

    def read_memory(self, memory: Memory, where: Where, type: Type, tail: tuple[Any, ...] = ()) -> Datum:
        """The value at a place in memory."""
        if isinstance(type, Struct):
            return {name: self.read_memory(memory[name], where, member) for name, member in type.members}
        if isinstance(type, Array):
            return m.member_array(memory, type, where)
        watch = self.watched.get(id(memory))
        if watch is not None:
            watch[1].append(m.MemoryAccess(m.READ, where, self.active))
        place = (self.rows, *where, *tail)
        try:
            return memory[place]
        except IndexError:
            return memory[tuple(map(self.harmless, place))]

    def store(self, cell: Cell, value: Datum, mask: np.ndarray, ufunc: np.ufunc | None = None) -> None:
        if isinstance(cell.type, Struct):
            for name, type in cell.type.members:
                self.store(cell.member(name, type), value[name], mask)
        elif isinstance(cell.type, Array):
            if value.memory is not cell.memory:
                raise NotImplementedError("another array for a struct's member in an array")
        else:
            self.write(cell, value, mask, ufunc)

    def write(self, cell: Cell, value: np.ndarray, mask: np.ndarray, ufunc: np.ufunc | None) -> None:
        memory, shape = cell.memory, mask.shape
        watch = self.watched.get(id(memory))
        if watch is not None:
            how = np.add if ufunc is np.subtract else ufunc or m.WRITE
            watch[1].append(m.MemoryAccess(how, cell.where, mask))
        places = [
            i if isinstance(i, slice) else np.broadcast_to(i, shape)[mask] for i in (*cell.where, *cell.tail)
        ]
        at = (np.broadcast_to(self.rows, shape)[mask], *places)
        values = np.broadcast_to(value, shape + value.shape[2:])[mask]
        if ufunc is None:
            memory[at] = values
        else:
            ufunc.at(memory, at, values)
            if isinstance(cell.type, Value) and cell.type.scalar in _WRAPPING:
                memory[at] = m.wrapped(cell.type, memory[at])

    def harmless(self, values: Any) -> Any:
        """The values, with those of inactive threads replaced by that of an active one."""
        if not isinstance(values, np.ndarray):
            return values
        shape, tail = self.active.shape, values.shape[2:]
        values = np.broadcast_to(values, shape + tail)
        first = tuple(np.argwhere(self.active)[0])
        return np.where(self.active.reshape(shape + (1,) * len(tail)), values, values[first])

    # ---- expressions

    def value(self, node: ir.Expr) -> Datum:
        match node:
            case ir.Apply(operation, operands, type):
                row = TABLE[operation]
                if operation in _SHORT:
                    return self.short(row, node)
                if row.changed:
                    return self.change(row, node, wanted=True)
                values = [self.operand(operand) for operand in operands]
                if self.coverage is not None and operation in NOTED:
                    self.coverage.applied(node, values, self.active)
                try:
                    result = self.applied(row, type, values)
                except (np.linalg.LinAlgError, IndexError):
                    result = self.applied(row, type, [*map(self.harmless, values)])
                if type.scalar in _WRAPPING or row.converts:
                    return self.wrapped(type, result)
                return result
            case ir.Name(name):
                return self.locals[name]
            case ir.Literal(value, type):
                return np.asarray(value, np.uint64 if type.scalar in _WIDE else None)[None, None]
            case ir.Load(array, index, type):
                reference = self.value(array)
                where = reference.where([self.value(i) for i in index])
                return self.read_memory(reference.memory, where, type)
            case ir.Member(of, member):
                if element(node) is None:
                    return m.part(self.value(of), member)
                cell = self.cell(node)
                return self.read_memory(cell.memory, cell.where, cell.type, cell.tail)
            case ir.Call():
                return self.call(node)
            case ir.Chain(comparisons, operands):
                values = [self.value(operand) for operand in operands]
                pairs = zip(comparisons, values, values[1:], strict=False)
                results = [TABLE[name].meaning(BOOL, a, b) for name, a, b in pairs]
                if self.coverage is not None:
                    self.coverage.chained(node, values, results, self.active)
                return reduce(np.logical_and, results)
            case ir.New(type, operands):
                if not operands:
                    return m.zeros(type)
                return {name: self.value(v) for (name, _), v in zip(type.members, operands, strict=True)}
            case ir.View(array, index):
                return self.value(array).view([self.selected(i) for i in index])
            case ir.Shape(array, axis):
                return self.value(array).size(axis)
            case _:
                assert_never(node)

    def applied(self, row: Operation, type: Type, values: list[Any]) -> Any:
        if self.rounding is None:
            return row.meaning(type, *values)
        return self.rounding.apply(row, type, values, self.active)

    def operand(self, node: ir.Expr) -> np.ndarray:
        """An operand's value; of an array, all elements, after the axes of inputs and threads."""
        value = self.value(node)
        if not isinstance(value, Reference):
            numbers: np.ndarray = value
            return numbers
        assert not isinstance(value.memory, dict), "no operation reads an array of structs"
        where = value.whole()
        watch = self.watched.get(id(value.memory))
        if watch is not None:
            raise ThreadConflict  # another thread may write to any element
        place = (self.rows.reshape(-1, *(1,) * (where[0].ndim - 1)), *where)
        elements: np.ndarray = value.memory[place]
        return elements

    def selected(self, index: ir.Expr | ir.Slice) -> Datum:
        if not isinstance(index, ir.Slice):
            return self.value(index)
        ends = (index.start, index.stop, index.step)
        return tuple(None if end is None else self.value(end) for end in ends)

    def wrapped(self, type: Type, values: np.ndarray) -> np.ndarray:
        """A result in the range of its type: integers wrap."""
        return m.wrapped(type, values) if isinstance(type, Value) and type.is_integer else values

    def short(self, row: Operation, node: ir.Apply) -> Datum:
        """``and``, ``or`` and ``a if c else b``: evaluate each operand for the threads that need it."""
        outer = self.active
        first, *others = node.operands
        decisive = self.value(first)
        holds = np.asarray(decisive, bool)
        if isinstance(row.spelling, Infix):
            masks = [outer & (holds if row.spelling.symbol == "and" else ~holds)]
            if self.coverage is not None:
                self.coverage.operand_evaluated(node, 0, holds, outer)
        else:
            masks = [outer & holds, outer & ~holds]
            if self.coverage is not None:
                self.coverage.decided(node, holds, outer)
        values = []
        for operand, mask in zip(others, masks, strict=True):
            self.active = mask
            values.append(self.value(operand) if count_nonzero(mask) else None)
        if self.coverage is not None and len(values) == 1 and values[0] is not None:
            self.coverage.operand_evaluated(node, 1, values[0], masks[0])
        self.active = outer
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return known[0] if known else decisive
        return row.meaning(node.type, decisive, *values)

    def change(self, row: Operation, node: ir.Apply, wanted: bool) -> Datum:
        """Run an operation that changes an operand: an element of an array, or a variable."""
        place = row.changed[0]
        target = node.operands[place]
        if not isinstance(target.type, Array):
            result, *after = row.meaning(node.type, *[self.operand(operand) for operand in node.operands])
            for changed, value in zip(row.changed, after, strict=True):
                target = node.operands[changed]
                assert isinstance(target, ir.Place)
                self.set(target, self.wrapped(target.type, value), self.active)
            return result
        split = place + 1 + target.type.ndim
        reference, element_type = self.value(target), target.type.element
        where = reference.where([self.value(i) for i in node.operands[place + 1 : split]])
        cell = Cell(reference.memory, where, element_type)
        values = [self.value(operand) for operand in node.operands[split:]]
        if self.thread is None:
            if wanted or row.commutes is None:
                raise ThreadConflict
            self.store(cell, values[0], self.active, row.commutes)
            return _DROPPED
        before = self.read_memory(cell.memory, where, element_type)
        _, after = row.meaning(element_type, before, *values)
        self.store(cell, self.wrapped(element_type, after), self.active)
        return before

    def call(self, node: ir.Call) -> Datum:
        function = self.functions.get(id(node))
        if function is None:
            function = self.functions[id(node)] = self.program.called(node)
        inner = dict(self.constants)
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            inner[parameter.name] = self.value(operand)
        outer = self.locals, self.left, self.skipped, self.active
        self.locals, self.left, self.skipped = inner, [], []
        self.returned.append(np.zeros((self.sets, self.threads), bool))
        self.results.append(None)
        self.block(function.body, self.active)
        self.returned.pop()
        self.locals, self.left, self.skipped, self.active = outer
        results = self.results.pop()
        if isinstance(node.type, (Value, Struct, Array)):
            assert results, f"{function.name} returns nothing"
            return results[0]
        return results
