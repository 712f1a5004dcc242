"""Findings: the rules of CUDA that a kernel breaks, in one sentence each."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

# By the numbers of runtime.cpp. Several of its kinds are one finding, with sentences of their own.
NAMES = {
    1: "write-write race",
    2: "read-write race",
    3: "write-write race",
    4: "out of bounds",
    5: "unset read",
    6: "write to an input",
    7: "divergent barrier",
    8: "deadlock",
    9: "hang",
    10: "bad mask",
    11: "trap",
    12: "misaligned access",
    13: "trap",
    14: "undefined arithmetic",
    15: "bad call",
    16: "out of bounds",
    17: "out of bounds",
    18: "write-write race",
    19: "out of bounds",
    20: "unset read",
    21: "wrong memory",
    22: "undefined arithmetic",
    23: "undefined arithmetic",
    24: "bad call",
    25: "out of bounds",
    26: "same value",
    27: "read beside atomics",
    28: "finished thread",
    29: "inactive lane",
    30: "too large",
}
LANE_USED, FIRST_NOTE, INACTIVE_LANE, TOO_LARGE = 20, 26, 29, 30
RACES = ("write-write race", "read-write race")
# The rule that each breaks, without the threads and places of a run.
RULES = {
    "write-write race": "two threads write to one place, and no barrier or fence with an atomic orders them",
    "read-write race": "a thread reads a place that another one writes, and no barrier or fence with an "
    "atomic orders them",
    "out of bounds": "a thread uses memory that is in none of the kernel's arrays",
    "unset read": "a thread reads what nobody has written: shared memory, locals and lanes that are not "
    "there have no values",
    "write to an input": "a thread writes to an array that the kernel only reads",
    "divergent barrier": "threads of a block wait at two barriers: all must reach the same one",
    "deadlock": "a thread waits for others that never come",
    "hang": "the kernel does not end within the limit of steps",
    "bad mask": "a thread calls a warp function with a mask that does not name its own lane",
    "trap": "a thread reaches a trap, a failed assertion or the end of a function that should return a value",
    "misaligned access": "an address is no multiple of the size of what is there",
    "undefined arithmetic": "an integer is divided by zero, or the least one by -1; a shift is by less than "
    "0 bits or by all; or a number is converted to a type of integers that has none of its size",
    "bad call": "a thread calls an address where no function of that type is, or printf with a format that "
    "CUDA does not have",
    "wrong memory": "an atomic is of a local variable, or __ldg or its like of memory that is not global",
}
KINDS = tuple(dict.fromkeys(name for number, name in NAMES.items() if number < FIRST_NOTE))
MAYBE_UNSET = "maybe unset"
NOTES = (*(name for number, name in NAMES.items() if FIRST_NOTE <= number < TOO_LARGE), MAYBE_UNSET)
_AT_BARRIER = 1


@dataclass(frozen=True)
class Finding:
    """A rule of CUDA that a kernel breaks, or for a note, one that it may break.

    Attributes:
        kind: Which rule: one of `KINDS`, or for a note one of `NOTES`.
        line: Line of the text, from 1; None if the place is not in the text.
        message: One sentence.
    """

    kind: str
    line: int | None
    message: str


@dataclass(frozen=True)
class Checked:
    """The result of running a kernel on the machine.

    Attributes:
        findings: Rules that it broke; empty for a kernel that is right on these arguments.
        notes: What breaks no rule, or none that shows.
        steps: Steps of all threads in the first pass, as a measure of work.
    """

    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    steps: int

    def as_json(self) -> dict[str, Any]:
        return {
            "findings": [asdict(each) for each in self.findings],
            "notes": [asdict(each) for each in self.notes],
            "steps": self.steps,
        }

    def __str__(self) -> str:
        """A table: what, kind, line, sentence."""
        rows = [("finding", each) for each in self.findings] + [("note", each) for each in self.notes]
        if not rows:
            return f"no findings in {self.steps:,} steps"
        widths = [max(len(row[1].kind) for row in rows), max(len(str(row[1].line or "-")) for row in rows)]
        lines = [
            f"{what:7}  {each.kind:{widths[0]}}  line {each.line or '-':>{widths[1]}}  {each.message}"
            for what, each in rows
        ]
        found = "1 finding" if len(self.findings) == 1 else f"{len(self.findings) or 'no'} findings"
        return "\n".join([*lines, f"{found} in {self.steps:,} steps"])


def finding(report: dict[str, Any], block: tuple[int, int, int]) -> Finding:
    """Of one report of the runtime's."""
    number = report["kind"]
    return Finding(NAMES[number], report["line"], _SENTENCES[number](report, _Names(report, block)))


_UNSET = re.compile(
    r"kernel\.cu:(\d+):\d+: warning: (variable '\w+' is )(?:used )?(uninitialized[^\n]*)(\[-W[\w-]+\])"
)


def unset_locals(said: str) -> tuple[list[Finding], list[Finding]]:
    """What clang says of local variables: findings for those that have no value whenever they are read,
    notes for those that may have none."""
    findings: list[Finding] = []
    notes: list[Finding] = []
    for line, which, how, flag in _UNSET.findall(said):
        sure = flag == "[-Wuninitialized]"
        message = f"{which}{how.strip()}: local variables begin without values"
        (findings if sure else notes).append(Finding(NAMES[5] if sure else MAYBE_UNSET, int(line), message))
    return findings, notes


class _Names:
    def __init__(self, report: dict[str, Any], block: tuple[int, int, int]) -> None:
        self._block = block
        self.one, self.other = self._thread(report["thread"]), self._thread(report["other"])
        self.place = f"{report['where']}, byte {report['offset']}" if report["where"] else "memory"
        line = report["other_line"]
        self.there = f" (line {line})" if line else ""

    def _thread(self, number: int) -> str:
        size = self._block[0] * self._block[1] * self._block[2]
        return f"thread {number % size} of block {number // size}"


def _bounds(report: dict[str, Any], names: _Names) -> str:
    does = "writes" if report["writes"] else "reads"
    if report["where"] == "null":
        where = "a null pointer leads"
    elif report["where"]:
        where = f"the nearest memory, {report['where']}, has no byte {report['offset']}"
    else:
        where = "no array of the kernel's is there"
    return f"{names.one} {does} {report['size']} bytes where {where}; a kernel may use its own arrays only"


_UNORDERED = "nothing orders the two: a barrier, or a fence with an atomic, would"
_SENTENCES: dict[int, Any] = {
    1: lambda r, n: f"{n.one} and {n.other}{n.there} both write to {n.place}, and {_UNORDERED}",
    2: lambda r, n: f"{n.one} and {n.other}{n.there} use {n.place}, one of them writes, and {_UNORDERED}",
    3: lambda r, n: (
        f"{n.one} and {n.other}{n.there} change {n.place}, one by an atomic and one by a plain write: "
        "atomics are atomic only among themselves"
    ),
    4: _bounds,
    5: lambda r, n: (
        f"{n.one} reads {n.place if r['where'] else 'a local array'}, which nobody has written: "
        "shared memory, locals and fresh arrays begin without values"
    ),
    6: lambda r, n: f"{n.one} writes to {n.place}, which the kernel was given as constant",
    7: lambda r, n: (
        f"{n.one} waits at this barrier and {n.other} at another{n.there}: all threads of a block must "
        "reach the same one"
    ),
    8: lambda r, n: (
        f"{n.one} waits at a barrier that threads of its block do not reach"
        if r["size"] == _AT_BARRIER
        else f"{n.one} waits with mask {r['mask']:#010x} for lanes that do not come: all lanes that a mask "
        "names must call the same function with the same mask"
    ),
    9: lambda r, n: (
        f"{n.one} does not end within the limit of steps: blocks run in any order, and none may wait for "
        "one that has not begun"
    ),
    10: lambda r, n: f"{n.one} calls with mask {r['mask']:#010x}, which does not name its own lane",
    11: lambda r, n: f"{n.one} reaches a trap, or the end of a function that should return a value",
    12: lambda r, n: (
        f"{n.one} uses an address that is no multiple of the size of what it reads or writes there"
    ),
    13: lambda r, n: f"{n.one} fails an assertion",
    14: lambda r, n: (
        f"{n.one} divides an integer by zero, or the least one by -1, which has no defined result"
    ),
    15: lambda r, n: f"{n.one} calls an address where no function of that type is",
    16: lambda r, n: (
        f"{n.one} has no more room on its stack: the calls are too deep, or the arrays too large"
    ),
    17: lambda r, n: f"{n.one} uses an index outside of an array of known size",
    18: lambda r, n: (
        f"{n.one} and {n.other}{n.there} change {n.place} by atomics of which one is for its own block only"
    ),
    19: lambda r, n: f"{n.one} uses memory that is not the kernel's",
    20: lambda r, n: (
        f"{n.one} takes the value of a lane that does not call along, which is undefined, and results "
        "depend on it"
    ),
    21: lambda r, n: (
        f"{n.one} uses {n.place if r['where'] else 'a local variable'} by a function for other memory: "
        "atomics are for global and shared memory, __ldg and its like for global memory alone"
    ),
    22: lambda r, n: f"{n.one} shifts by less than 0 bits, or by as many as the number has or more",
    23: lambda r, n: f"{n.one} converts a number to a type of integers that has none so large or so small",
    24: lambda r, n: f"{n.one} calls printf with a format that CUDA does not have",
    25: lambda r, n: f"{n.one} uses a local variable of a function that has returned",
    26: lambda r, n: f"{n.one} and {n.other}{n.there} both write to {n.place}, though the same value",
    27: lambda r, n: (
        f"{n.one} reads {n.place} beside atomics of {n.other}{n.there}, and then uses an atomic itself"
    ),
    28: lambda r, n: f"{r['size']} threads had finished when the others met at this barrier",
    29: lambda r, n: f"{n.one} takes the value of a lane that does not call along, which is undefined",
    30: lambda r, n: "the launch is too large for the machine",
}
