"""The values of the interpreter: numbers, structs, and arrays with views of them.

Numbers are numpy arrays of shape ``(sets, threads, *type.shape)``, either of the first two may be 1. A struct
is a dict of its members, never changed but replaced: it is copied where it is assigned, as Warp does it. An
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

Datum: TypeAlias = Any  # numbers, a dict, or a Reference: the node's type says which
Memory: TypeAlias = Any  # an array, or a dict of memories
Where = tuple[np.ndarray, ...]

OUTSIDE = 2**40  # an index that no array has
_PARTS: Mapping[str, int | slice] = {"x": 0, "y": 1, "z": 2, "w": 3, "p": slice(0, 3), "q": slice(3, 7)}


class Meeting(Exception):
    """Threads depend on what others do: they must run one after another."""


# ---- numbers and structs


def carrier(type: Type) -> np.dtype:
    """What numbers of a type are computed in."""
    assert isinstance(type, Value)
    row = SCALARS[type.scalar]
    if row.kind == "float":
        return np.dtype(float)
    wide = row.kind == "unsigned" and np.dtype(row.numpy).itemsize == 8
    return np.dtype(row.numpy if wide or row.kind == "truth" else np.int64)


def wrapped(type: Value, values: np.ndarray) -> np.ndarray:
    """Integers as their type holds them: what does not fit wraps around."""
    return values.astype(numpy_type(type)).astype(carrier(type))


def zeros(type: Type) -> Datum:
    """The value of a struct that is given no members, or of a member."""
    if isinstance(type, Struct):
        return {name: zeros(member) for name, member in type.members}
    if isinstance(type, Array):
        return Reference(np.zeros((1,) + (0,) * type.ndim), (0,) * type.ndim)
    return np.zeros((1, 1, *type.shape), carrier(type))


def merged(mask: np.ndarray, new: Datum, old: Datum) -> Datum:
    """`new` for the threads of the mask, `old` for the others. Raises `Meeting` for different arrays."""
    if new is old:
        return old
    if isinstance(new, dict):
        return {name: merged(mask, value, old[name]) for name, value in new.items()}
    if isinstance(new, Reference):
        raise Meeting
    return np.where(mask.reshape(mask.shape + (1,) * (new.ndim - 2)), new, old)


def part_index(name: str) -> tuple[Any, ...]:
    """Where in a value a named part is: ``x``, ``zyx``, a transform's ``p`` and ``q``."""
    return (_PARTS[name],) if len(name) == 1 else ([_PARTS[letter] for letter in name],)


def part(whole: Datum, name: str) -> Datum:
    """A struct's member, or ``v.x``, ``v.zyx``, ``pose.p``."""
    if isinstance(whole, dict):
        return whole[name]
    place = (..., *part_index(name))
    return whole[place]


def component(whole: np.ndarray, index: Sequence[Any]) -> np.ndarray:
    """A component of a vector or matrix of shape ``(sets, threads, ...)``, or a row; see `with_component`."""
    return whole[_inside(whole, index)]


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
    """What a view keeps of a dimension, for each thread: `count` elements from `start` on, `step` apart."""

    start: np.ndarray
    step: np.ndarray
    count: np.ndarray

    def element(self, index: np.ndarray) -> np.ndarray:
        index = np.where(index < 0, index + self.count, index)
        inside = (index >= 0) & (index < self.count)
        return np.where(inside, self.start + self.step * index, OUTSIDE)

    def sliced(self, start: Datum, stop: Datum, step: Datum) -> Range:
        """As Python slices: ends outside are moved to the end, negative ones count from there."""
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

    `kept` are an index or a `Range` for each of the memory's dimensions; None is all of it.
    """

    memory: Memory
    shape: tuple[int, ...]
    kept: tuple[np.ndarray | Range, ...] | None = None

    @property
    def _dimensions(self) -> tuple[np.ndarray | Range, ...]:
        if self.kept is not None:
            return self.kept
        return tuple(Range(_number(0), _number(1), _number(size)) for size in self.shape)

    def where(self, index: Sequence[np.ndarray]) -> Where:
        """Where in memory an element is."""
        if self.kept is None:
            return tuple(index)
        given = iter(index)
        return tuple(kept.element(next(given)) if isinstance(kept, Range) else kept for kept in self.kept)

    def view(self, index: Sequence[np.ndarray | tuple[Datum, Datum, Datum]]) -> Reference:
        """The part that indices and slices (start, stop and step, or None) leave; they are for its first
        dimensions."""
        given = iter(index)
        return Reference(self.memory, self.shape, tuple(_viewed(kept, given) for kept in self._dimensions))

    def whole(self) -> tuple[np.ndarray, ...]:
        """Where in memory all of its elements are, behind an axis for the threads.

        Raises `Meeting` for a part whose size the thread decides.
        """
        kept = [dimension for dimension in self._dimensions if isinstance(dimension, Range)]
        counts = [np.unique(dimension.count) for dimension in kept]
        if any(count.size > 1 for count in counts):
            raise Meeting
        axes = iter(np.ogrid[tuple(slice(int(count[0])) for count in counts)])
        raised = (..., *(None,) * len(kept))
        return tuple(
            k.start[raised] + k.step[raised] * next(axes) if isinstance(k, Range) else k[raised]
            for k in self._dimensions
        )

    def size(self, axis: int) -> np.ndarray:
        return [kept.count for kept in self._dimensions if isinstance(kept, Range)][axis]


def _viewed(kept: np.ndarray | Range, given: Iterator[Any]) -> np.ndarray | Range:
    if isinstance(kept, np.ndarray):
        return kept
    index = next(given, None)
    if index is None:
        return kept
    return kept.sliced(*index) if isinstance(index, tuple) else kept.element(index)


def _number(value: int) -> np.ndarray:
    return np.asarray(value)[None, None]


def member_array(memory: Memory, type: Array, where: Where) -> Reference:
    """An array that is a member of a struct, or of one in an array: of the element `where`."""
    leaf, dimensions = memory, len(where) + type.ndim
    while isinstance(leaf, dict):
        leaf = next(iter(leaf.values()))
    shape = leaf.shape[1 : 1 + dimensions]
    whole = Reference(memory, shape)
    return whole.view(where) if where else whole


def memory_of(argument: ir.Argument, inputs: Mapping[str, np.ndarray], sets: int) -> Memory:
    """An argument's memory: what is given for an input, zeros for an output."""
    memory: dict[str, Any] = {}
    for leaf in argument.leaves:
        shape = (sets, *leaf.shape, *leaf.type.shape)
        given = np.zeros(shape) if argument.role == "output" else inputs[leaf.name]
        *path, last = leaf.name.split(".")
        inner = memory
        for name in path:
            inner = inner.setdefault(name, {})
        inner[last] = np.array(given, carrier(leaf.type))
    return memory[argument.name]


def leaf_memory(memory: Mapping[str, Memory], leaf: ir.Argument) -> np.ndarray:
    found: Memory = memory
    for name in leaf.name.split("."):
        found = found[name]
    return found


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


# ---- who touched what


READ, WRITE = "read", "write"


@dataclass(frozen=True)
class Access:
    """Elements that the threads of `mask` read, wrote, or changed in a way that commutes: see `how`."""

    how: object
    where: Where
    mask: np.ndarray


def meet(
    memory: np.ndarray, accesses: Sequence[Access], threads: Sequence[np.ndarray], *, alone: bool = True
) -> bool:
    """Whether the order of threads matters for an array: one writes an element that another one writes or
    reads, or they change it in two ways.

    `threads` are the thread's indices, as the kernel's first statement gave them. With `alone` a single
    statement that writes makes no difference: side by side, the last thread wins there as it does in order.
    """
    kinds = list(dict.fromkeys(access.how for access in accesses))
    if len(accesses) < 1 + alone or (len(kinds) == 1 and WRITE not in kinds):
        return False
    keys = {tuple(_position(index, access.where) for index in threads) for access in accesses}
    if len(keys) == 1 and threads and -1 not in next(iter(keys)):
        return False  # all by the thread's own index
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


def _touched(access: Access, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Elements by their place in memory, and the threads that touched them."""
    sets, threads = np.nonzero(access.mask)
    places = [np.broadcast_to(index, access.mask.shape)[access.mask] for index in access.where]
    return np.ravel_multi_index((sets, *places), shape, mode="wrap"), threads


def _position(index: np.ndarray, where: Where) -> int:
    return next((place for place, other in enumerate(where) if other is index), -1)
