"""A prove function for tests of the pool and of shards: candidates that do as they are told, without Warp."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import BatchFailed, Reason, Rejected
from warp_ir_dataset.workers.task import Task

PROVE = "toys.acts:prove"
SHOUT = "toys.acts:shout"
TASK = Task(PROVE, ("cuda", "sm_80"))


@dataclass(frozen=True)
class Toy:
    """A candidate. `compiling` and `running` name what it does in these steps, `diary` is where it tells."""

    address: Address
    running: str = "pass"
    compiling: str = "pass"
    diary: str = ""
    module: str = ""

    def __str__(self) -> str:
        return str(self.address)


def toy(
    draw: int,
    running: str = "pass",
    compiling: str = "pass",
    diary: object = "",
    category: str = "arithmetic",
    module: str = "",
) -> Any:
    """A candidate; pools and shards look at nothing but its name."""
    return Toy(Address(7, category, draw), running, compiling, str(diary), module)


def row(candidate: Toy) -> dict[str, Any]:
    address = candidate.address
    return {
        "seed": address.seed,
        "category": address.category,
        "purpose": address.purpose,
        "draw": address.draw,
        "difficulty": address.draw % 5 + 1,
    }


def prove(
    candidates: Sequence[Toy], config: str, arch: str, notify: Callable[[int], None]
) -> list[dict[str, Any] | Rejected]:
    notify(-1)
    for candidate in candidates:
        _act(candidate.compiling, candidate)
    outcomes: list[dict[str, Any] | Rejected] = []
    for index, candidate in enumerate(candidates):
        notify(index)
        rejected = _act(candidate.running, candidate)
        outcomes.append(rejected or {**row(candidate), "target": f"{config} {arch}"})
    return outcomes


def shout(items: Sequence[str], *arguments: Any) -> list[dict[str, Any]]:
    """Another task: its items are words, and it is given anything."""
    *given, notify = arguments
    notify(-1)
    if "bad" in items:
        raise BatchFailed("not that one") if len(items) > 1 else ValueError("not me")
    return [{"said": item.upper(), "given": given} for item in items]


def _act(what: str, candidate: Toy) -> Rejected | None:
    if what == "reject":
        return Rejected(Reason.NEAR_ZERO, "as told")
    if what != "pass":
        if candidate.diary:
            with Path(candidate.diary).open("a") as diary:
                diary.write(f"{os.getpid()} {os.environ['TMPDIR']}\n")
        ACTS[what](candidate)
    return None


def _refuse(candidate: Toy) -> NoReturn:
    raise BatchFailed(f"{candidate.address} does not compile")


def _misbehave(candidate: Toy) -> NoReturn:
    raise ZeroDivisionError("a bug of ours")


def _complain(candidate: Toy) -> NoReturn:
    raise UserError("this arch is unknown")


def _die(candidate: Toy) -> None:
    print("last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def _die_once(candidate: Toy) -> None:
    if len(Path(candidate.diary).read_text().splitlines()) == 1:
        _die(candidate)


def _be_killed(candidate: Toy) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _be_killed_twice(candidate: Toy) -> None:
    if len(Path(candidate.diary).read_text().splitlines()) <= 2:
        _be_killed(candidate)


def _be_killed_once(candidate: Toy) -> None:
    if len(Path(candidate.diary).read_text().splitlines()) == 1:
        _be_killed(candidate)


def _hang(candidate: Toy) -> None:
    native = ctypes.CDLL(None)
    while True:
        native.pause()


def _fork(candidate: Toy) -> None:
    child = os.fork()
    if child == 0:
        signal.pause()
    with Path(candidate.diary).open("a") as diary:
        diary.write(f"{child} {os.environ['TMPDIR']}\n")
    os.waitpid(child, 0)


def _litter(candidate: Toy) -> None:
    folder = Path(os.environ["TMPDIR"])
    for number in itertools.count():
        (folder / str(number)).touch()


def _interrupt(candidate: Toy) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _chatter(candidate: Toy) -> None:
    print("noise on the standard output", flush=True)
    os.write(1, b"\x00\xff" * 1000)
    os.write(2, b"\x00\xff" * 1000)


ACTS: dict[str, Callable[[Toy], None]] = {
    "refuse": _refuse,
    "misbehave": _misbehave,
    "complain": _complain,
    "die": _die,
    "die_once": _die_once,
    "be_killed": _be_killed,
    "be_killed_twice": _be_killed_twice,
    "be_killed_once": _be_killed_once,
    "hang": _hang,
    "fork": _fork,
    "litter": _litter,
    "interrupt": _interrupt,
    "chatter": _chatter,
}
