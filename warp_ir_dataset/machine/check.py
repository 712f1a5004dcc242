"""The side of the machine that asks: packs arrays and numbers for a process that it does not trust, and
reads what that left."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..common import given
from ..common.errors import Failure, UserError
from . import machine, text
from .findings import FIRST_NOTE, NAMES, RACES, TOO_LARGE, Checked, Finding, finding, unset_locals
from .text import Text

ANSWER = 4 << 20  # bytes for what is told of all passes
MOST_BYTES = 64 << 20  # of all arrays
STEPS = 20_000_000  # of all threads of a pass
FORWARD, BACKWARD, RANDOM = range(3)
# A numpy type's kind, as device.h says it; others are taken for whatever the kernel points to.
_LETTERS = {"b": "b", "f": "f", "i": "i", "u": "u"}
_NO_NUMBERS = "OSUMm"  # kinds of objects, text and dates


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel of a text: `arguments` are arrays and numbers, in order, and None for a null
    pointer."""

    kernel: str
    arguments: Sequence[Any]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int = 0
    unset: frozenset[int] = frozenset()  # positions of arrays that have no values yet
    steps: int = STEPS


@dataclass(frozen=True)
class Memory:
    """An array that lies in the shared file, which is mapped so that it is at `address`; `item` are the bytes
    of an element. A kernel may write to it only if it `changes`."""

    name: str
    address: int
    size: int
    item: int
    changes: bool


@dataclass(frozen=True)
class Placed:
    """A launch that runs once, on memory that whoever asks has placed: `arguments` are the bytes of each
    parameter, with such addresses in them. `order` is one of `passes`, and `kernel` the kernel's number."""

    arguments: Sequence[bytes]
    memory: Sequence[Memory]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    order: tuple[int, int, int, int]
    kernel: int = 0
    steps: int = 5 * STEPS  # of rows' own texts, one in 400 takes more than `STEPS` at its largest size


@dataclass
class Job:
    """All that a caged process needs, in one file of memory; to be closed."""

    launches: Sequence[Launch | Placed]
    wanted: dict[str, Any]
    pages: int
    arrays: list[np.ndarray[Any, Any]] = field(default_factory=list)
    closed: bool = field(default=False)

    def close(self) -> None:
        if not self.closed:
            os.close(self.pages)
            self.closed = True


def passes(seed: int) -> list[tuple[int, int, int, int]]:
    """Orders of threads and blocks; one in so many accesses after which another thread goes on; whether
    ``__activemask`` finds its thread alone; and a seed."""
    return [
        (FORWARD, 0, 0, seed),
        (BACKWARD, 0, 1, seed),
        (RANDOM, 7, 0, 2 * seed + 1),
        (RANDOM, 3, 1, 2 * seed + 2),
    ]


def job(
    source: str, launches: Sequence[Launch], seed: int = 0, *, flags: Mapping[str, str] | None = None
) -> Job:
    """Raises `UserError` for a text, a name or arguments that the machine does not take."""
    read = text.read(source)
    kernels = list(dict.fromkeys(launch.kernel for launch in launches))
    wanted = _wanted(read, [machine.Kernel(each) for each in kernels])
    arrays, rows = _arrays(launches)
    at = 0
    for row in rows:
        row["offset"] = at
        at += -(-row["size"] // 64) * 64
    wanted |= {"arrays": rows, "flags": dict(flags or {}), "pages": 0, "placed": False}
    orders = passes(seed)
    for launch in launches:
        places, used = [], []
        for value in launch.arguments:
            index = next((i for i, each in enumerate(arrays) if each is value), None)
            places.append(index if index is not None else _number(value))
            used.append(index)
        results: list[list[int | None]] = []
        for _ in orders:
            results.append([])
            for index, array in enumerate(arrays):
                wants = index in used
                results[-1].append(at if wants else None)
                at += -(-array.nbytes // 64) * 64 if wants else 0
        wanted["launches"].append(
            {
                "kernel": kernels.index(launch.kernel),
                "parameters": places,
                "is_array": [
                    index is not None or value is None
                    for index, value in zip(used, launch.arguments, strict=True)
                ],
                "grid": launch.grid,
                "block": launch.block,
                "shared": launch.shared,
                "passes": orders,
                "arrays": [index for index in range(len(arrays)) if index in used],
                "results": results,
                "steps": launch.steps,
                "unset": sorted({index for i in launch.unset if (index := used[i]) is not None}),
            }
        )
    wanted["answer"] = at
    wanted["patterns"] |= any(_PATTERN in array.tobytes() for array in arrays)
    pages = os.memfd_create("arrays", os.MFD_CLOEXEC)
    os.ftruncate(pages, at + ANSWER)
    for row, array in zip(rows, arrays, strict=True):
        os.pwrite(pages, array.tobytes(), row["offset"])
    return Job(launches, wanted, pages, arrays)


def placed_job(
    read: Text, before: Text, kernel: machine.Kernel, launches: Sequence[Placed], pages: int, start: int
) -> Job:
    """The launches of one kernel of a text, behind another one, up to the first with a finding. In the file
    `pages` the `ANSWER` bytes from `start` on are for what is told. Raises `UserError` for a name that is
    none."""
    return _placed(_wanted(read, [kernel], before), launches, pages, start)


def placed_job_of_warp(
    unit: str,
    entries: Sequence[str],
    launches: Sequence[Placed],
    pages: int,
    start: int,
    *,
    racing: bool = False,
    goes_on: bool = False,
    tiles: bool = True,
) -> Job:
    """The same of a `unit` with Warp's headers, whose kernels have these `entries`. If they may be `racing`,
    no race is told; if it `goes_on`, all launches run; and without `tiles`, it may not use Warp's."""
    wanted = _asked("", unit, entries) | {"of_warp": True, "goes_on": goes_on, "tiles": tiles}
    if racing:
        wanted["ignored"] = [number for number, name in NAMES.items() if name in RACES]
    return _placed(wanted, launches, pages, start)


def _placed(wanted: dict[str, Any], launches: Sequence[Placed], pages: int, start: int) -> Job:
    wanted |= {"arrays": [], "flags": {}, "pages": start, "answer": 0, "placed": True}
    for launch in launches:
        first = len(wanted["arrays"])
        wanted["arrays"] += [
            {"name": each.name, "address": each.address, "size": each.size, "item": each.item}
            for each in launch.memory
        ]
        wanted["launches"].append(
            {
                "kernel": launch.kernel,
                "parameters": [each.hex() for each in launch.arguments],
                "grid": launch.grid,
                "block": launch.block,
                "shared": 0,
                "passes": [launch.order],
                "arrays": [*range(first, len(wanted["arrays"]))],
                "inputs": [first + i for i, each in enumerate(launch.memory) if not each.changes],
                "results": [[]],
                "steps": launch.steps,
            }
        )
    return Job(launches, wanted, pages)


def _wanted(read: Text, kernels: Sequence[machine.Kernel], before: Text | None = None) -> dict[str, Any]:
    """What any job says of its text."""
    gate, unit = machine.units(read, kernels, before)
    return _asked(gate, unit, [each.name for each in kernels]) | {
        "dynamic": sorted(read.dynamic),
        "ones": any(text.may_fill_with_ones(each) for each in (read, before) if each),
    }


# Numbers by which a text may make the pattern that clang fills whole numbers with.
_PATTERNS = re.compile(r"0[xX][0-9a-fA-F']*(?:[aA]{2}|55)|\b(?:170|85|1431655765|1431655766|2863311530)\b")
_PATTERN = b"\xaa" * 4


def _asked(gate: str, unit: str, kernels: Sequence[str]) -> dict[str, Any]:
    return {
        "gate": gate,
        "unit": unit,
        "of_warp": False,
        "ones": True,
        "patterns": _PATTERNS.search(unit) is not None,
        "goes_on": False,
        "ignored": [],
        "kernels": list(kernels),
        "token": secrets.token_hex(16),
        "answer_size": ANSWER,
        "launches": [],
    }


def _arrays(launches: Sequence[Launch]) -> tuple[list[np.ndarray[Any, Any]], list[dict[str, Any]]]:
    arrays: list[np.ndarray[Any, Any]] = []
    rows = []
    for launch in launches:
        for position, value in enumerate(launch.arguments, 1):
            if not isinstance(value, np.ndarray) or any(each is value for each in arrays):
                continue
            name = f"argument {position}"
            if value.dtype.kind in _NO_NUMBERS or not value.flags.c_contiguous:
                raise UserError(
                    f"{name} must be a contiguous array of numbers: copy it with numpy.ascontiguousarray"
                )
            if any(np.shares_memory(each, value) for each in arrays):
                raise UserError(f"{name} shares memory with another array: give the same array, or a copy")
            arrays.append(value)
            letter = _LETTERS.get(value.dtype.kind, "o")
            rows.append({"size": value.nbytes, "item": value.dtype.itemsize, "letter": letter, "name": name})
    whole = sum(each.nbytes for each in arrays)
    if whole > MOST_BYTES:
        raise UserError(f"arrays must have at most {MOST_BYTES:,} bytes together, not {whole:,}")
    return arrays, rows


def _number(value: Any) -> int | float | bool | None:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if value is None:
        return None
    raise UserError(f"an argument must be an array of numpy's or a number, not {given.shown(value)}")


_SPECIFIED = re.compile(r"((?:u?int|float)\d+|bool)\*(\d{1,15})(?:=(\S+))?")
_DRAWN = 100  # of whole numbers, the least that is not drawn


def parsed(said: str, seed: int = 0) -> Any:
    """An argument as the command line has it: ``3``, ``2.5``, ``null``, ``float32*1000`` with drawn values,
    ``int32*64=0``, ``@x.npy``. Raises `UserError`."""
    if said == "null":
        return None
    for number in (int, float):
        with suppress(ValueError):
            return number(said)
    if said.startswith("@"):
        try:
            return np.load(said[1:], allow_pickle=False)
        except OSError as error:
            raise UserError(f"{said[1:]} cannot be read: {error.strerror or error}") from None
        except (ValueError, EOFError, MemoryError):
            raise UserError(f"{said[1:]} holds no array of numbers that numpy.save wrote") from None
    found = _SPECIFIED.fullmatch(said)
    if found is None:
        raise UserError(
            f"an argument is a number, float32*1000, int32*64=0, @x.npy or null, not {given.shown(said)}"
        )
    try:
        kind = np.dtype(found[1])
        if int(found[2]) * kind.itemsize > MOST_BYTES:
            raise UserError(f"{said}: arrays must have at most {MOST_BYTES:,} bytes together")
        if found[3] is not None:
            return np.full(int(found[2]), float(found[3]) if kind.kind == "f" else int(found[3]), kind)
    except (TypeError, ValueError, OverflowError) as error:
        whole = f"{found[3]} is no value of {found[1]}" if found[3] else f"there are no {found[1]}"
        raise error if isinstance(error, UserError) else UserError(f"{said}: {whole}") from None
    drawn = np.random.default_rng(seed)
    shape = int(found[2])
    return (
        drawn.uniform(-1, 1, shape)
        if kind.kind == "f"
        else drawn.integers(0, 2 if kind.kind == "b" else _DRAWN, shape)
    ).astype(kind)


def size(name: str, value: Any, most: int, each: Sequence[int]) -> tuple[int, int, int]:
    """Grid or block: a number, or up to three. Raises `UserError`."""
    several = value if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(several) <= 3:
        raise UserError(f"{name} must have one to three numbers, not {len(several)}")
    whole = [given.whole(name, one, 1, high) for one, high in zip(several, each, strict=False)]
    x, y, z = (*whole, 1, 1)[:3]
    if x * y * z > most:
        raise UserError(f"{name} must have at most {most:,} in all, not {x * y * z:,}")
    return x, y, z


@dataclass(frozen=True)
class Seen:
    """What became of a launch: what was seen in all passes, the arrays that were given, and how each pass
    left them; None for those of other launches; and how many accesses to locals were announced in the first
    pass."""

    checked: Checked
    given: list[np.ndarray[Any, Any]]
    arrays: list[list[np.ndarray[Any, Any] | None]]
    locals: int
    audited: int  # accesses of all passes that an audit saw, and of those, the ones that were not announced
    unannounced: int


def seen(done: Job, said: str = "") -> list[Seen]:
    """What the caged process left, for each launch; of what clang `said`, the locals that are read without
    a value. Raises `Failure` where that is not whole."""
    found = []
    rows = zip(done.wanted["launches"], _told(done), reported(done, said), strict=True)
    for asked, told, checked in rows:
        arrays: list[list[np.ndarray[Any, Any] | None]] = []
        for row in asked["results"]:
            arrays.append([])
            for array, at in zip(done.arrays, row, strict=True):
                if at is None:
                    arrays[-1].append(None)
                    continue
                raw = os.pread(done.pages, array.nbytes, at)
                arrays[-1].append(np.frombuffer(raw, array.dtype).reshape(array.shape))
        audited, unannounced = (sum(each[name] for each in told) for name in ("audited", "unannounced"))
        found.append(Seen(checked, done.arrays, arrays, told[0]["locals"], audited, unannounced))
    return found


def reported(done: Job, said: str = "") -> list[Checked]:
    """What was seen in each launch, up to the first with a finding if no more was asked for. Raises `Failure`
    where that is not whole."""
    unset = unset_locals(said)
    found = [
        _checked(told, launch.block, unset) for launch, told in zip(done.launches, _told(done), strict=False)
    ]
    if len(found) < len(done.launches) and not (found and found[-1].findings):
        raise Failure("the machine did not come to its end: this says nothing of the kernel")
    return found


def _told(done: Job) -> list[list[dict[str, Any]]]:
    """What is told of each pass of each launch."""
    body = _answer(done)
    if body.get("token") != done.wanted["token"]:
        raise Failure("the machine did not come to its end: this says nothing of the kernel")
    found: list[list[dict[str, Any]]] = body["launches"]
    if not all(each["whole"] for told in found for each in told):
        raise Failure("the machine's own memory was written to: this says nothing of the kernel")
    return found


def _answer(done: Job) -> dict[str, Any]:
    at = done.wanted["pages"] + done.wanted["answer"]
    length = int.from_bytes(os.pread(done.pages, 8, at), "little")
    if not 0 < length <= ANSWER - 8:
        return {}
    try:
        found = json.loads(os.pread(done.pages, length, at + 8))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _checked(
    told: Sequence[dict[str, Any]], block: tuple[int, int, int], unset: tuple[list[Finding], list[Finding]]
) -> Checked:
    findings, notes = ({(each.kind, each.line): each for each in some} for some in unset)
    for each in told:
        for report in each["reports"]:
            if report["kind"] == TOO_LARGE:
                raise UserError(
                    "the launch is too large for the machine: take fewer threads, or fewer fences"
                )
            made = finding(report, block)
            (findings if report["kind"] < FIRST_NOTE else notes).setdefault((made.kind, made.line), made)
        if each["stopped"] and not findings:
            raise Failure("the machine stopped without a reason: this says nothing of the kernel")
    ordered = sorted(findings.values(), key=_place), sorted(notes.values(), key=_place)
    return Checked(tuple(ordered[0]), tuple(ordered[1]), told[0]["steps"])


def _place(found: Finding) -> tuple[int, str]:
    return found.line or 0, found.kind
