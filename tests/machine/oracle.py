"""Tells right kernels from wrong ones without the machine: by what happens before what, over many schedules.

A kernel's unit runs on `tracer.cpp`, which judges nothing and shares no code with the machine's runtime: it
keeps all threads of all blocks alive at once and writes down their steps in the order that a schedule asks
for. Here each access gets the set of steps that happened before it, and a kernel is wrong if in any
schedule two threads use a place, one of them writes, and neither came before the other. The memory model is
the one of docs/machine.md; so are the exceptions.

Schedules are all orders of up to four threads (a share of those of more), 90 of those that let another
thread go first at one point, and 70 drawn ones. So the label is bounded: a fault that needs more
preemptions and that no drawn schedule meets is not found.
"""

from __future__ import annotations

import ctypes
import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from machine.cases import Drawn

from warp_ir_dataset.compilers import warp
from warp_ir_dataset.machine import check, machine, text
from warp_ir_dataset.machine.objects import Object

READ, WRITE, ATOMIC, BLOCK_ATOMIC, FENCE, BLOCK_FENCE, ARRIVE, LEAVE = range(8)
OUTCOMES = (
    "whole", "out of bounds", "trap", "divergent barrier", "deadlock", "hang", "bad mask",
    "write to an input",
)  # fmt: skip
_EVENT = np.dtype(
    [("thread", "u4"), ("what", "u4"), ("place", "u8"), ("size", "u4"), ("group", "u4"), ("value", "u8", 2)]
)
_MOST_EVENTS, _MOST_THREADS = 6000, 8
_CONTROL, _LOCALS, _STORE = 256 << 10, 64 << 10, 16 << 10
_u32, _u64, _p = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


class _Region(ctypes.Structure):
    _fields_ = [("low", _p), ("high", _p), ("kind", _u64)]


class _Config(ctypes.Structure):
    _fields_ = [
        ("grid", _u32 * 3),
        ("block", _u32 * 3),
        *((name, _p) for name in ("call", "arguments", "index", "regions")),
        ("regions_count", _u64),
        ("events", _p),
        ("most_events", _u64),
        ("events_count", _u64),
        *((name, _p) for name in ("order", "switch_at", "switch_to")),
        ("switches", _u64),
        ("seed", _u64),
        ("chance", _u64),
        ("lone", _u64),
        *((name, _p) for name in ("control", "locals", "stores")),
        *((name, _u64) for name in ("control_size", "locals_size", "store_size", "outcome")),
    ]


@dataclass(frozen=True)
class Schedule:
    """Who goes first, whom else from a decision on, and how often another is drawn."""

    order: tuple[int, ...]
    switches: tuple[tuple[int, int], ...] = ()
    chance: int = 0
    seed: int = 0
    lone: bool = False


class Tracer:
    """The tracer, compiled and loaded, in a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="warp-ir-tracer-")
        place = Path(self._folder.name)
        self._files = tuple(str(place / name) for name in ("unit.cpp", "unit.o", "unit.ptx"))
        source, target = place / "tracer.cpp", place / "tracer.o"
        source.write_text(Path(__file__).with_name("tracer.cpp").read_text())
        warp.build_runtime(str(source), str(target))
        self.library = warp.load_at(str(target))
        ours = {each.name for each in Object(target.read_bytes()).symbols if each.section}
        self._addresses = {
            name: self.library.address(name) if name in ours else address
            for name, address in machine._addresses().items()
            if name in ours or name.startswith("wm_c_") or not name.startswith(("wm_", "__"))
        }
        self.control = np.zeros(_MOST_THREADS * _CONTROL, np.uint8)
        self.locals = np.zeros(_MOST_THREADS * _LOCALS, np.uint8)
        self.stores = np.zeros(_MOST_THREADS * _STORE, np.uint8)
        self.events = np.zeros(_MOST_EVENTS, _EVENT)

    def close(self) -> None:
        self._folder.cleanup()

    def unit(self, drawn: Drawn) -> machine.Unit:
        read = text.read(drawn.text)
        _, unit = machine.units(read, [machine.Kernel(drawn.kernel)])
        kept = machine._addresses
        machine._addresses = lambda: self._addresses  # type: ignore[assignment]
        try:
            return machine.Unit("", unit, read.dynamic, [drawn.kernel], self._files)
        finally:
            machine._addresses = kept


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy at an address that is good for all vectors."""
    room = np.zeros(array.nbytes + 128, np.uint8)
    start = -room.ctypes.data % 64
    place = room[start : start + max(array.nbytes, 1)]
    copy = np.frombuffer(place[: array.nbytes].data, array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Traced:
    """One launch of a kernel on a tracer, to be run by many schedules."""

    def __init__(self, tracer: Tracer, drawn: Drawn) -> None:
        self._tracer, self._drawn = tracer, drawn
        self.unit = tracer.unit(drawn)
        self.grid = check.size("grid", drawn.grid, 8, (8, 8, 8))
        self.block = check.size("block", drawn.block, 8, (8, 8, 8))
        self.threads = int(np.prod(self.grid) * np.prod(self.block))
        assert self.threads <= _MOST_THREADS
        self._slots = np.zeros(machine.SLOT * machine.SLOTS, np.uint8)
        self._arrays: list[tuple[np.ndarray, np.ndarray]] = []
        regions = [(self.unit.library.address("wm_index"), 48, 2)]
        for place, value in enumerate(drawn.arguments):
            regions += self._argument(place, value)
        device = {at: size for _, at, size in self.unit.device if size}
        self._device = {at: ctypes.string_at(at, size) for at, size in device.items()}
        regions += [(at, size, 0) for at, size in device.items()]
        shared = [(at, size) for _, at, size in self.unit.shared if size]
        if drawn.shared:
            shared.append((self.unit.library.address("wm_dynamic"), drawn.shared))
        assert sum(size for _, size in shared) <= _STORE
        regions += [(at, size, 1) for at, size in shared]
        regions += [(low, high - low, 2) for low, high in self.unit.constants]
        self._regions = (_Region * len(regions))(*(_Region(low, low + size, k) for low, size, k in regions))

    def close(self) -> None:
        self.unit.library.unload()

    def _argument(self, place: int, value: Any) -> list[tuple[int, int, int]]:
        at = machine.SLOT * place
        pointer, constant, letter, size = self.unit.parameters(0)[place]
        if not pointer:
            packed = machine._packed(value, letter, size)
            self._slots[at : at + len(packed)] = np.frombuffer(packed, np.uint8)
            return []
        if value is None:
            self._slots[at : at + 8] = 0
            return []
        array = aligned(value)
        self._arrays.append((array, value))
        self._slots[at : at + 8] = np.frombuffer(array.ctypes.data.to_bytes(8, "little"), np.uint8)
        return [(array.ctypes.data, array.nbytes, 2 if constant else 0)]

    def run(self, schedule: Schedule) -> tuple[str, np.ndarray]:
        """How it ended, and its steps."""
        tracer = self._tracer
        for array, value in self._arrays:
            array[...] = value
        for at, initial in self._device.items():
            ctypes.memmove(at, initial, len(initial))
        tracer.stores[:] = 0xCB
        order = (_u32 * self.threads)(*schedule.order)
        at = (_u32 * max(1, len(schedule.switches)))(*(when for when, _ in schedule.switches))
        to = (_u32 * max(1, len(schedule.switches)))(*(who for _, who in schedule.switches))
        config = _Config(
            (_u32 * 3)(*self.grid),
            (_u32 * 3)(*self.block),
            self.unit.library.address("wm_call_0"),
            self._slots.ctypes.data,
            self.unit.library.address("wm_index"),
            ctypes.addressof(self._regions),
            len(self._regions),
            tracer.events.ctypes.data,
            _MOST_EVENTS,
            0,
            *(ctypes.addressof(each) for each in (order, at, to)),
            len(schedule.switches),
            schedule.seed,
            schedule.chance,
            schedule.lone,
            *(each.ctypes.data for each in (tracer.control, tracer.locals, tracer.stores)),
            *(_CONTROL, _LOCALS, _STORE, 0),
        )
        ctypes.CFUNCTYPE(None, _p)(tracer.library.address("or_run"))(ctypes.addressof(config))
        return OUTCOMES[config.outcome], tracer.events[: config.events_count].copy()

    def schedules(self, steps: int, seed: int) -> Iterator[Schedule]:
        """After the first of them, which took so many steps; about 200."""
        rng = np.random.default_rng(seed)
        threads = tuple(range(self.threads))
        orders = list(itertools.permutations(threads)) if self.threads <= 4 else [threads, threads[::-1]]
        while len(orders) < 24:
            orders.append(tuple(int(each) for each in rng.permutation(threads)))
        for number, order in enumerate(orders):
            yield Schedule(order, lone=number % 2 == 1)
        points = [(when, who) for when in range(steps) for who in threads]
        if len(points) > 90:
            points = [points[i] for i in sorted(rng.choice(len(points), 90, replace=False))]
        for point in points:
            yield Schedule(threads, (point,))
        for number in range(70):
            chance = (1, 2, 4, 8)[number % 4]
            yield Schedule(threads, chance=chance, seed=seed + number + 1, lone=number % 2 == 1)


def label(tracer: Tracer, drawn: Drawn, seed: int = 0) -> str | None:
    """What is wrong with a kernel in one of many schedules; None if nothing is."""
    traced = Traced(tracer, drawn)
    try:
        known = set()
        first = Schedule(tuple(range(traced.threads)))
        _, events = traced.run(first)
        for schedule in itertools.chain([first], traced.schedules(len(events), seed)):
            outcome, events = traced.run(schedule)
            if outcome != OUTCOMES[0]:
                return outcome
            key = _key(events)
            if key not in known:
                known.add(key)
                if (found := broken(events, int(np.prod(traced.block)))) is not None:
                    return found
    finally:
        traced.close()
    return None


def _key(events: np.ndarray) -> bytes:
    """The same for traces in which the same happens before the same: what each thread does, and in which
    order all pass the steps that order."""
    ordering = events["what"] >= ATOMIC
    by_thread = events[np.argsort(events["thread"], kind="stable")]
    return by_thread.tobytes() + b"|" + events["thread"][ordering].tobytes()


def broken(events: np.ndarray, in_block: int) -> str | None:
    """The rule that a trace breaks, by the definition."""
    return _Trace(events, in_block).broken()


@dataclass
class _Place:
    """Steps that used a place, as sets of bits."""

    reads: int = 0
    writes: int = 0
    atomics: int = 0
    block_atomics: int = 0


class _Trace:
    def __init__(self, events: np.ndarray, in_block: int) -> None:
        self.rows = [
            tuple(int(v) for v in row) for row in zip(*(events[n] for n in _EVENT.names[:5]), strict=True)
        ]
        self.values = events["value"]
        self.in_block = in_block
        used = events[events["what"] <= BLOCK_ATOMIC]
        self.grain = 4 if not ((used["place"] % 4).any() or (used["size"] % 4).any()) else 1
        self.past: list[int] = []  # of each step, all that happened before it
        self.last: dict[int, int] = {}  # of each thread, its last step and all before that
        self.block_of = [row[0] // in_block for row in self.rows]
        self.of_block: dict[int, int] = {}  # steps
        self.fences: dict[
            int, dict[int, int]
        ] = {}  # of each thread, what was before its last fence of a kind
        self.released: dict[int, tuple[int, dict[int, int]]] = {}  # by address: to all, and to a block
        self.places: dict[tuple[int, int], _Place] = {}
        self.arrived: dict[int, int] = {}
        self.own: dict[int, int] = {}  # steps of each thread

    def broken(self) -> str | None:
        self._next()
        number = 0
        while number < len(self.rows):
            thread, what, place, size, group = self.rows[number]
            if what == LEAVE:
                number = self._leave(number, group)
                continue
            self._step(number, thread)
            if what == ARRIVE:
                self.arrived[thread] = self.past[number] | 1 << number
            elif what in (FENCE, BLOCK_FENCE):
                kinds = self.fences.setdefault(thread, {})
                kinds[BLOCK_FENCE] = self.past[number]
                if what == FENCE:
                    kinds[FENCE] = self.past[number]
            elif what <= BLOCK_ATOMIC:
                if what >= ATOMIC:
                    self._acquire(number, what, place)
                if (found := self._access(number, what, place, size, group)) is not None:
                    return found
                if what >= ATOMIC:
                    self._release(number, what, place)
            number += 1
        return None

    def _step(self, number: int, thread: int) -> None:
        self.past.append(self.last.get(thread, 0))
        self.last[thread] = self.past[number] | 1 << number
        block = self.block_of[number]
        self.of_block[block] = self.of_block.get(block, 0) | 1 << number
        self.own[thread] = self.own.get(thread, 0) | 1 << number

    def _leave(self, number: int, group: int) -> int:
        """All that leave together know what each of them knew."""
        end = number
        while end < len(self.rows) and self.rows[end][1] == LEAVE and self.rows[end][4] == group:
            end += 1
        members = [self.rows[i][0] for i in range(number, end)]
        together = 0
        for thread in members:
            together |= self.arrived[thread]
        for i, thread in enumerate(members, number):
            self._step(i, thread)
            self.past[i] |= together
            self.last[thread] |= together
        return end

    def _acquire(self, number: int, what: int, place: int) -> None:
        to_all, to_block = self.released.get(place, (0, {}))
        seen = to_block.get(self.block_of[number], 0) | (to_all if what == ATOMIC else 0)
        self.past[number] |= seen
        self.last[self.rows[number][0]] |= seen

    def _release(self, number: int, what: int, place: int) -> None:
        kinds = self.fences.get(self.rows[number][0], {})
        to_all, to_block = self.released.get(place, (0, {}))
        block = self.block_of[number]
        to_block = to_block | {block: to_block.get(block, 0) | kinds.get(BLOCK_FENCE, 0)}
        self.released[place] = (to_all | (kinds.get(FENCE, 0) if what == ATOMIC else 0), to_block)

    def _next(self) -> None:
        """Of each step, the next one of its thread that is no fence."""
        self.next: list[int | None] = [None] * len(self.rows)
        after: dict[int, int] = {}
        for number in range(len(self.rows) - 1, -1, -1):
            thread, what = self.rows[number][:2]
            self.next[number] = after.get(thread)
            if what not in (FENCE, BLOCK_FENCE):
                after[thread] = number

    def _access(self, number: int, what: int, place: int, size: int, group: int) -> str | None:
        block = self.block_of[number]
        unordered = ~(self.past[number] | self.own[self.rows[number][0]])
        unset = 0
        for at in range(place // self.grain, (place + size) // self.grain):
            used = self.places.get((group, at))
            if used is None:
                used = self.places[group, at] = _Place()
            unset += not (used.writes or used.atomics or used.block_atomics)
            others = used.writes
            if what != READ:
                others |= used.reads
            inside, everywhere = used.block_atomics, used.atomics
            if what == ATOMIC:
                others |= inside & ~self.of_block[block]
            elif what == BLOCK_ATOMIC:
                others |= (inside | everywhere) & ~self.of_block[block]
            else:
                others |= inside | everywhere
            if others & unordered and (found := self._race(number, others & unordered, at * self.grain)):
                return found
            bit = 1 << number
            if what == READ:
                used.reads |= bit
            elif what == WRITE:
                used.writes |= bit
            elif what == ATOMIC:
                used.atomics |= bit
            else:
                used.block_atomics |= bit
        whole = size // self.grain
        if group != 0xFFFFFFFF and what != WRITE and (unset == whole if size > 16 else unset):
            return "unset read"
        return None

    def _race(self, number: int, others: int, at: int) -> str | None:
        while others:
            other = (others & -others).bit_length() - 1
            others &= others - 1
            kinds = {self.rows[number][1], self.rows[other][1]}
            if kinds == {WRITE} and self._same(number, other, at):
                continue
            if READ in kinds and kinds & {ATOMIC, BLOCK_ATOMIC} and self._guesses(number, other):
                continue
            return "read-write race" if READ in kinds else "write-write race"
        return None

    def _same(self, one: int, other: int, at: int) -> bool:
        """Whether two writes leave the same in a place."""
        held = []
        for number in (one, other):
            _, _, place, size, _ = self.rows[number]
            if size > 16:
                return False
            first = at - place
            held.append(self.values[number].tobytes()[first : first + self.grain])
        return held[0] == held[1]

    def _guesses(self, one: int, other: int) -> bool:
        """Whether the read of the two only guesses what the next atomic of its thread asks for."""
        read = one if self.rows[one][1] == READ else other
        after = self.next[read]
        return (
            after is not None
            and self.rows[after][1] in (ATOMIC, BLOCK_ATOMIC)
            and self.rows[after][2] == self.rows[read][2]
        )
