"""Kernels that each break one rule, or would use one hole: without one of the machine's guards, one of them
is not found out. The machine gives no verdict before all of them were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .check import Launch, Seen

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
    "long_double": None,
    "aligned": "misaligned access",
    "returns_nothing": "trap",
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


def with_assembly(wanted: dict[str, Any]) -> dict[str, Any]:
    """A job of the same kernels beside assembly, which clang must refuse: it is no access that anybody could
    announce."""
    return wanted | {"gate": "", "unit": wanted["unit"] + '__device__ void wm_nothing() { asm("nop"); }\n'}


def probes() -> list[Launch]:
    y, x = np.zeros(64, np.int32), np.zeros(64, np.int32)
    return [Launch(kernel, (y, x), _GRID, _BLOCK, steps=100_000) for kernel in WANTED]


def failing(found: Sequence[Seen]) -> str | None:
    """The first kernel that was not judged as it should be, with what was found; None if all were."""
    for (kernel, kind), seen in zip(WANTED.items(), found, strict=True):
        told = [each for each in seen.checked.findings if each.line != _NEVER_SET]
        kinds = {each.kind for each in told}
        # Who spins on a volatile word lets others go on; and locals were announced, if any were.
        wrong = ("hang" in kinds) != (kind == "hang") or not seen.locals
        wrong |= len(told) == len(seen.checked.findings)
        wrong |= kernel != _WITHOUT_LINE and any(each.line is None for each in told)
        if wrong or (kind is None and kinds) or (kind is not None and kind not in kinds):
            return f"{kernel} ({', '.join(sorted(kinds)) or 'nothing'})"
    return None
