"""The values of the interpreter: numbers, structs, and arrays with views of them.

Numbers are numpy arrays of shape ``(sets, threads, *type.shape)``, either of the first two may be 1. A struct
is a dict of its members, never changed but replaced: an assignment copies it, as in Warp. An
array is a `Reference` to memory of shape ``(sets, *array.shape, *type.shape)``; the memory of an array of
structs is a dict of the memories of its members.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .. import ir
from ..types import SCALARS, Array, Struct, Type, Value, numpy_type

Datum: TypeAlias = Any  # numbers, a dict, or a Reference, by the node's type
Memory: TypeAlias = Any  # an array, or a dict of memories
Where = tuple[np.ndarray, ...]

OUTSIDE = 2**40  # an index that no array has
_PARTS: Mapping[str, int | slice] = {"x": 0, "y": 1, "z": 2, "w": 3, "p": slice(0, 3), "q": slice(3, 7)}


class ThreadConflict(Exception):
    """Threads depend on each other's writes: they must run one after another."""


# ---- numbers and structs


def carrier(type: Type) -> np.dtype:
    """The numpy type in which numbers of a type are computed."""
    assert isinstance(type, Value)
    row = SCALARS[type.scalar]
    if row.kind == "float":
        return np.dtype(float)
    wide = row.kind == "unsigned" and np.dtype(row.numpy).itemsize == 8
    return np.dtype(row.numpy if wide or row.kind == "truth" else np.int64)


def wrapped(type: Value, values: np.ndarray) -> np.ndarray:
    """Integers in the range of their type: others wrap around."""
    return values.astype(numpy_type(type)).astype(carrier(type))


def zeros(type: Type) -> Datum:
    """The value zero of a type."""
    if isinstance(type, Struct):
        return {name: zeros(member) for name, member in type.members}
    if isinstance(type, Array):
        return Reference(np.zeros((1,) + (0,) * type.ndim), (0,) * type.ndim)
    return np.zeros((1, 1, *type.shape), carrier(type))


def merged(mask: np.ndarray, new: Datum, old: Datum) -> Datum:
    """`new` for the threads of the mask, `old` for the others. Raises `ThreadConflict` for different
    arrays."""
    if new is old:
        return old
    if isinstance(new, dict):
        return {name: merged(mask, value, old[name]) for name, value in new.items()}
    if isinstance(new, Reference):
        raise ThreadConflict
    return np.where(mask.reshape(mask.shape + (1,) * (new.ndim - 2)), new, old)


def part_index(name: str) -> tuple[Any, ...]:
    """The index of a named part in a value: ``x``, ``zyx``, a transform's ``p`` and ``q``."""
    return (_PARTS[name],) if len(name) == 1 else ([_PARTS[letter] for letter in name],)


def part(whole: Datum, name: str) -> Datum:
    """A struct's member, or ``v.x``, ``v.zyx``, ``pose.p``."""
    if isinstance(whole, dict):
        return whole[name]
    place = (..., *part_index(name))
    return whole[place]


def component(whole: np.ndarray, index: Sequence[Any]) -> np.ndarray:
    """A component of a vector or matrix of shape ``(sets, threads, ...)``, or a row; see `with_component`."""
    picked: np.ndarray = whole[_inside(whole, index)]
    return picked


def with_component(whole: np.ndarray, index: Sequence[Any], value: np.ndarray) -> np.ndarray:
    """A copy of a vector or matrix of shape ``(sets, threads, ...)`` with a new component, or a new row.

    Each index is a number, a slice, or an array: another component in every thread.
    """
    whole = whole.copy()
    whole[_inside(whole, index)] = value
    return whole


def _inside(whole: np.ndarray, index: Sequence[Any]) -> tuple[Any, ...]:
    if any(isinstance(i, np.ndarray) for i in index):
        return (*np.ogrid[: whole.shape[0], : whole.shape[1]], *index)
    return (slice(None), slice(None), *index)


# ---- arrays


@dataclass(frozen=True)
class Range:
    """The part of a dimension in a view, for each thread: `count` elements from `start` on, `step` apart."""

    start: np.ndarray
    step: np.ndarray
    count: np.ndarray

    def element(self, index: np.ndarray) -> np.ndarray:
        index = np.where(index < 0, index + self.count, index)
        inside = (index >= 0) & (index < self.count)
        return np.where(inside, self.start + self.step * index, OUTSIDE)

    def sliced(self, start: Datum, stop: Datum, step: Datum) -> Range:
        """The range of a slice, as in Python: ends outside are moved to the end, negative ones count from
        there."""
        step = _number(1) if step is None else step
        forward = step > 0
        first, last = np.where(forward, 0, -1), np.where(forward, self.count, self.count - 1)
        low = np.where(forward, first, last) if start is None else self._end(start, first, last)
        high = np.where(forward, last, first) if stop is None else self._end(stop, first, last)
        count = np.maximum(0, -((low - high) // step))
        return Range(self.start + self.step * low, self.step * step, count)

    def _end(self, end: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        return np.clip(np.where(end < 0, end + self.count, end), first, last)


@dataclass(frozen=True)
class Reference:
    """An array as the threads see it: memory of `shape`, or a part of it.

    `selection` has an index or a `Range` for each of the memory's dimensions; None is all of it.
    """

    memory: Memory
    shape: tuple[int, ...]
    selection: tuple[np.ndarray | Range, ...] | None = None

    @property
    def _dimensions(self) -> tuple[np.ndarray | Range, ...]:
        if self.selection is not None:
            return self.selection
        return tuple(Range(_number(0), _number(1), _number(size)) for size in self.shape)

    def where(self, index: Sequence[np.ndarray]) -> Where:
        """The indices of an element in memory."""
        if self.selection is None:
            return tuple(index)
        remaining = iter(index)
        return tuple(s.element(next(remaining)) if isinstance(s, Range) else s for s in self.selection)

    def view(self, index: Sequence[np.ndarray | tuple[Datum, Datum, Datum]]) -> Reference:
        """The part that indices and slices (start, stop and step, or None) of the first dimensions select."""
        remaining = iter(index)
        selection = tuple(_viewed(dimension, remaining) for dimension in self._dimensions)
        return Reference(self.memory, self.shape, selection)

    def whole(self) -> tuple[np.ndarray, ...]:
        """The indices of all its elements in memory, after an axis for the threads.

        Raises `ThreadConflict` for a part whose size depends on the thread.
        """
        ranges = [dimension for dimension in self._dimensions if isinstance(dimension, Range)]
        counts = [np.unique(dimension.count) for dimension in ranges]
        if any(count.size > 1 for count in counts):
            raise ThreadConflict
        axes = iter(np.ogrid[tuple(slice(int(count[0])) for count in counts)])
        raised = (..., *(None,) * len(ranges))
        return tuple(
            k.start[raised] + k.step[raised] * next(axes) if isinstance(k, Range) else k[raised]
            for k in self._dimensions
        )

    def size(self, axis: int) -> np.ndarray:
        return [dimension.count for dimension in self._dimensions if isinstance(dimension, Range)][axis]


def _viewed(dimension: np.ndarray | Range, remaining: Iterator[Any]) -> np.ndarray | Range:
    if isinstance(dimension, np.ndarray):
        return dimension
    index = next(remaining, None)
    if index is None:
        return dimension
    return dimension.sliced(*index) if isinstance(index, tuple) else dimension.element(index)


def _number(value: int) -> np.ndarray:
    return np.asarray(value)[None, None]


def member_array(memory: Memory, type: Array, where: Where) -> Reference:
    """An array that is a member of a struct, or of the struct at `where` in an array."""
    leaf, dimensions = memory, len(where) + type.ndim
    while isinstance(leaf, dict):
        leaf = next(iter(leaf.values()))
    shape = leaf.shape[1 : 1 + dimensions]
    whole = Reference(memory, shape)
    return whole.view(where) if where else whole


def memory_of(argument: ir.Argument, inputs: Mapping[str, np.ndarray], sets: int) -> Memory:
    """An argument's memory: the values of an input, zeros for an output."""
    memory: dict[str, Any] = {}
    for leaf in argument.leaves:
        shape = (sets, *leaf.shape, *leaf.type.shape)
        values = np.zeros(shape) if argument.role == "output" else inputs[leaf.name]
        *path, last = leaf.name.split(".")
        inner = memory
        for name in path:
            inner = inner.setdefault(name, {})
        inner[last] = np.array(values, carrier(leaf.type))
    return memory[argument.name]


def leaf_memory(memory: Mapping[str, Memory], leaf: ir.Argument) -> np.ndarray:
    *path, last = leaf.name.split(".")
    inner: Memory = memory
    for name in path:
        inner = inner[name]
    values: np.ndarray = inner[last]
    return values


@dataclass(frozen=True)
class Cell:
    """A place in memory: an element of an array, a member of it, or a component: `tail`."""

    memory: Memory
    where: Where
    type: Type
    tail: tuple[Any, ...] = ()

    def member(self, name: str, type: Type) -> Cell:
        if isinstance(self.memory, dict):
            return Cell(self.memory[name], self.where, type)
        return self.component(part_index(name), type)

    def component(self, index: Sequence[Any], type: Type) -> Cell:
        if self.tail and isinstance(self.tail[-1], slice):
            return Cell(self.memory, self.where, type, (*self.tail[:-1], self.tail[-1].start + index[0]))
        return Cell(self.memory, self.where, type, (*self.tail, *index))


# ---- accesses


READ, WRITE = "read", "write"


@dataclass(frozen=True)
class MemoryAccess:
    """Elements that the threads of `mask` accessed; `how` is READ, WRITE or the numpy function of a commuting
    change."""

    how: object
    where: Where
    mask: np.ndarray


def conflict(
    memory: np.ndarray, accesses: Sequence[MemoryAccess], threads: Sequence[np.ndarray], *, alone: bool = True
) -> bool:
    """Whether the order of threads matters for an array: one writes an element that another one writes or
    reads, or they change it by different functions.

    `threads` are the thread indices that the kernel's first statement defined. With `alone` a single
    statement that writes is no conflict: the last thread wins there in either order of execution.
    """
    kinds = list(dict.fromkeys(access.how for access in accesses))
    if len(accesses) < 1 + alone or (len(kinds) == 1 and WRITE not in kinds):
        return False
    keys = {tuple(_position(index, access.where) for index in threads) for access in accesses}
    if len(keys) == 1 and threads and -1 not in next(iter(keys)):
        return False  # each thread only accesses its own index
    size = int(np.prod(shape := memory.shape[: 1 + len(accesses[0].where)]))
    parts = [_touched(access, shape) for access in accesses]
    element, owner = (np.concatenate(column) for column in zip(*parts, strict=True))
    kind = np.repeat([kinds.index(access.how) for access in accesses], [len(e) for e, _ in parts])
    last = np.empty(size, np.int64)
    last[element] = owner
    shared = np.zeros(size, bool)
    shared[element[last[element] != owner]] = True
    chosen = shared[element]
    element, kind = element[chosen], kind[chosen]
    last[element] = kind
    written = WRITE in kinds and (kind == kinds.index(WRITE)).any()
    return bool(written or (last[element] != kind).any())


def _touched(access: MemoryAccess, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The flat indices of the elements, and the threads that accessed them."""
    sets, threads = np.nonzero(access.mask)
    places = [np.broadcast_to(index, access.mask.shape)[access.mask] for index in access.where]
    return np.ravel_multi_index((sets, *places), shape, mode="wrap"), threads


def _position(index: np.ndarray, where: Where) -> int:
    return next((place for place, other in enumerate(where) if other is index), -1)
