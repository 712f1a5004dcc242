"""Kernels that each break one rule, or would use one hole: without one of the machine's guards, one of them
is not found out. The machine gives no verdict before all of them were."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..compilers import cuda_on_cpu, warp
from .check import ANSWER, RANDOM, Job, Launch, Memory, Placed, Seen, passes, placed_job_of_warp
from .findings import Checked

_GRID, _BLOCK = (2, 1, 1), (32, 1, 1)

# What should be found, by kernels that all take an array of 64 ints and one of 64 that they only read.
WANTED: dict[str, str | None] = {
    "right": None,
    "tells_reads_and_writes": "read-write race",
    "tells_a_read_before_a_write": "read-write race",
    "tells_volatile": "read-write race",
    "tells_copies": "write-write race",
    "tells_locals": "out of bounds",
    "bounds_of_locals": "out of bounds",
    "bounds_of_arrays": "out of bounds",
    "bounds_of_members": "out of bounds",
    "bounds_of_shared": "out of bounds",
    "bounds_of_arguments": "out of bounds",
    "input": "write to an input",
    "fills_locals": "unset read",
    "counts_steps": "hang",
    "counts_empty_steps": "hang",
    "no_function": "bad call",
    "another_function": "bad call",
    "divides": "undefined arithmetic",
    "deep": "out of bounds",
    "wide_frame": "out of bounds",
    "aligned": "misaligned access",
    "aligned_words": "misaligned access",
    "returns_nothing": "trap",
    "returns_locals": "out of bounds",
    "shifts": "undefined arithmetic",
    "converts": "undefined arithmetic",
    "adds_to_locals": "wrong memory",
    "loads_of_shared": "wrong memory",
    "formats": "bad call",
    "unset": "unset read",
    "diverges": "divergent barrier",
    "waits": "deadlock",
    "masks": "bad mask",
}
TEXT = Path(__file__).with_name("selftest.cu").read_text(encoding="utf-8")
# Its frame is as wide as a stack and its guard, and would end in another thread's; code that looks for that
# has no line.
_WITHOUT_LINE = "wide_frame"
# Clang tells of the local that has no value in this line, whichever kernel runs.
_NEVER_SET = TEXT[: TEXT.index("never_set")].count("\n") + 1


# What clang must refuse: what is no access that anybody could announce, and what is none of CUDA's.
_REFUSED = {
    "assembly": '__device__ void wm_nothing() { asm("nop"); }',
    "a call of the host's": "int wm_host() { return 1; } __device__ int wm_calls() { return wm_host(); }",
    "the address of a local": "__device__ int* wm_gone() { int a = 1; return &a; }",
    "a reference that is left": "__device__ int wm_left() { const int& r = std::min(1, 2); return r; }",
}


def refused(wanted: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Jobs of the same kernels beside what clang must refuse, by its names."""
    return {
        name: wanted | {"gate": "", "unit": f"{wanted['unit']}{code}\n"} for name, code in _REFUSED.items()
    }


# The same of kernels behind Warp's headers.
WANTED_OF_WARP: dict[str, str | None] = {
    "right": None,
    "atomics": None,
    "tiles": None,
    "fills_locals": None,
    "tells_reads_and_writes": "read-write race",
    "tells_a_read_before_a_write": "read-write race",
    "tells_volatile": "read-write race",
    "tells_copies": "write-write race",
    "tells_what_is_beside_atomics": "write-write race",
    "bounds_of_locals": "out of bounds",
    "bounds_of_arrays": "out of bounds",
    "bounds_of_arguments": "out of bounds",
    "input": "write to an input",
    "counts_steps": "hang",
    "counts_empty_steps": "hang",
    "deep": "out of bounds",
    "returns_locals": "out of bounds",
    "shifts": "undefined arithmetic",
    "converts": "undefined arithmetic",
    "aligned": "misaligned access",
    "adds_to_locals": "wrong memory",
    "formats": "bad call",
}
TEXT_OF_WARP = Path(__file__).with_name("selftest_of_warp.cu").read_text(encoding="utf-8")
_PAGE = 4096
PLACES = tuple(0x2000_0000_0000 + number * 2 * _PAGE for number in range(2))  # where both arrays lie
_MEMORY = [Memory(name, place, 256, 4, name == "y") for name, place in zip("yx", PLACES, strict=True)]


def probes() -> list[Launch]:
    y, x = np.zeros(64, np.int32), np.zeros(64, np.int32)
    return [Launch(kernel, (y, x), _GRID, _BLOCK, steps=100_000) for kernel in WANTED]


def job_of_warp() -> Job:
    """The kernels behind Warp's headers; the first two pages of its file are those of the arrays."""
    launches = []
    for number in range(len(WANTED_OF_WARP)):
        order = next(each for each in passes(0) if each[0] == RANDOM)
        arguments = [place.to_bytes(8, "little") for place in PLACES]
        launches.append(Placed(arguments, _MEMORY, _GRID, _BLOCK, order, number, steps=100_000))
    pages = os.memfd_create("arrays", os.MFD_CLOEXEC)
    os.ftruncate(pages, len(PLACES) * _PAGE + ANSWER)
    entries = [f"probe_{name}" for name in WANTED_OF_WARP]
    unit = warp.preamble("cpu") + cuda_on_cpu.prelude_on_machine("_test") + TEXT_OF_WARP
    for name, entry in zip(WANTED_OF_WARP, entries, strict=True):
        unit += cuda_on_cpu.called_on_machine(["int* y", "const int* x"], f"{name}(y, x)", entry, "_test")
    return placed_job_of_warp(unit, entries, launches, pages, len(PLACES) * _PAGE, goes_on=True)


def failing(found: Sequence[Seen]) -> str | None:
    """The first kernel that was not judged as it should be, with what was found; None if all were."""
    for (name, kind), seen in zip(WANTED.items(), found, strict=True):
        told = tuple(each for each in seen.checked.findings if each.line != _NEVER_SET)
        wrong = failing_of({name: kind}, [replace(seen.checked, findings=told)])
        if wrong is None and not seen.locals:
            wrong = f"{name} (no locals)"
        if wrong is None and len(told) == len(seen.checked.findings):
            wrong = f"{name} (a local without a value)"
        if wrong is None and name != _WITHOUT_LINE and any(each.line is None for each in told):
            wrong = f"{name} (no line)"
        if wrong is not None:
            return wrong
    return None


def failing_of(wanted: Mapping[str, str | None], found: Sequence[Checked]) -> str | None:
    """The same, for what was `wanted`."""
    for (kernel, kind), checked in zip(wanted.items(), found, strict=True):
        kinds = {each.kind for each in checked.findings}
        # Who spins on a volatile word lets others go on.
        wrong = ("hang" in kinds) != (kind == "hang")
        if wrong or (kind is None and kinds) or (kind is not None and kind not in kinds):
            return f"{kernel} ({', '.join(sorted(kinds)) or 'nothing'})"
    return None
