"""The fork server of the sandbox: starts Warp and compiles headers once. It never has an expected value.

Started as ``python -m warp_ir_dataset.judge.cage.nursery`` by `cage.Cage`, it does one job at a time and
answers with how the process ended. It ends with its parent, and with it what it forked and the folder it
works in; when `Cage` ends it, that removes the folder.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from ...compilers import units, warp
from ...compilers.units import Member
from ...machine import machine
from . import job as messages
from . import system, walls
from .caged import FILES, PREFIX, caged, launching, translating
from .job import ANSWER, LOAD_PATIENCE, PATIENCE, Ended, Limits

SAID = 64 << 10  # bytes of what a compiler says that are read
_FIRST = """import warp as wp


@wp.kernel
def first(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    wp.printf("%d\\n", i)
    y[i] = x[i] + 1.0
"""


def main() -> NoReturn:
    descriptor, without, folder = int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3]
    signal.signal(signal.SIGTERM, partial(_end, folder))
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent to decide about
    stream = socket.socket(fileno=descriptor)
    missing = walls.missing(without)
    built = [name for name in walls.WALLS if name not in missing]
    messages.send(stream, {"missing": missing})
    _warm_up()
    messages.send(stream, {"ready": True})
    with contextlib.suppress(EOFError):
        while True:
            asked, descriptors = messages.receive(stream)
            ended = _do(asked["task"], Limits(**asked["limits"]), descriptors, built, folder)
            for each in descriptors:
                os.close(each)
            messages.send(stream, ended)
    _end(folder)


def _end(folder: str, *_signal: object) -> NoReturn:
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _warm_up() -> None:
    """Compile once: the precompiled header is made, and all that is loaded late is there for who is
    forked."""
    for name in ("cmath", "fractions", "statistics", "unicodedata", "numpy.fft", "numpy.polynomial"):
        importlib.import_module(name)
    warp.declared()
    text = warp.translate(_FIRST, "first", backward=False, cuda=False)
    warp.compile_native(units.native_unit([Member(PREFIX, text)]), filled=True).unload()


_COMPILING: dict[str, Callable[..., NoReturn]] = {
    "run": caged,
    "launch": launching,
    "launch of warp": launching,
}


@dataclass
class _Watched:
    """A forked process, what it said, and how it was ended by us."""

    process: int
    status: int
    errors: int
    said: bytearray = field(default_factory=bytearray)
    told: bytearray = field(default_factory=bytearray)
    end: messages.End = "ran"
    code: int = 0
    seconds: float = 0.0  # of CPU

    @property
    def news(self) -> dict[str, object]:
        """What the process told of itself: nothing, unless it is whole."""
        try:
            found = json.loads(self.told)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def _do(task: str, limits: Limits, given: Sequence[int], built: Sequence[str], folder: str) -> Ended:
    try:
        if task.startswith("launch"):
            machine.warm_up(folder)
        watched = _forked(task, given, built, folder)
    except OSError as error:
        return Ended("short", False, error.strerror or str(error))
    status, errors = watched.status, watched.errors
    try:
        _watch(watched, limits, to_first_error=task in ("run", "launch of warp"))
    finally:
        os.close(status)
        os.close(errors)
    if task == "translate":  # no compiler is there: whatever is printed, the answer prints
        watched.said.clear()
    ended = _told(watched, limits)
    if task == "launch" and ended.end in ("ran", "refused") and watched.said:
        # Compilers may only have warned of what is refused: the reason is the last line.
        return replace(ended, said=f"{watched.said.decode(errors='replace')}\n{ended.said}")
    return ended


def _forked(task: str, given: Sequence[int], built: Sequence[str], folder: str) -> _Watched:
    """A new process that does a task. Raises `OSError`, and then leaves nothing open."""
    for name in FILES:
        Path(folder, name).unlink(missing_ok=True)
        Path(folder, name).touch()
    with contextlib.ExitStack() as opened:

        def pipe() -> tuple[int, int]:
            ends = os.pipe()
            for end in ends:
                opened.callback(os.close, end)
            return ends

        (status, status_end), (errors, errors_end) = pipe(), pipe()
        parent = os.getpid()
        process = os.fork()
        if not process:
            if task == "translate":
                translating(given, status_end, errors_end, built, parent)
            _COMPILING[task](given, status_end, errors_end, built, folder, parent)
        opened.pop_all()
    os.close(status_end)
    os.close(errors_end)
    return _Watched(process, status, errors)


def _watch(watched: _Watched, limits: Limits, *, to_first_error: bool) -> None:
    """Wait for the end of a process, and bring it about: out of time, or at the compiler's first error."""
    handle = os.pidfd_open(watched.process)
    listening = {handle, watched.status, watched.errors}
    running, deadline = False, time.monotonic() + LOAD_PATIENCE * limits.load_seconds
    try:
        while True:
            left = deadline - time.monotonic()
            ready, _, _ = select.select(listening, [], [], max(left, 0.0))
            if not ready:
                watched.end = "timeout"
                break
            for descriptor, heard in ((watched.errors, watched.said), (watched.status, watched.told)):
                if descriptor in ready:
                    received = os.read(descriptor, SAID)
                    heard += received[: SAID - len(heard)]
                    if not received:
                        listening.discard(descriptor)
            if not running and watched.news.get("loaded"):  # believed once: it can only be said too early
                running, deadline = True, time.monotonic() + PATIENCE * limits.run_seconds
            if to_first_error and _compiler_error(watched.said):
                watched.end = "refused"
                break
            if ready == [handle]:
                break
    finally:
        os.close(handle)
        with contextlib.suppress(ProcessLookupError):
            os.kill(watched.process, signal.SIGKILL)
        _, status, used = os.wait4(watched.process, 0)
        watched.code, watched.seconds = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def _compiler_error(said: bytearray) -> str | None:
    """The first error among whole lines of what a compiler says."""
    return warp.error_line(said[: said.rfind(b"\n") + 1].decode(errors="replace"), ANSWER)


def _told(watched: _Watched, limits: Limits) -> Ended:
    news = watched.news
    loaded = bool(news.get("loaded"))
    if watched.end == "timeout":
        return Ended("timeout", loaded, "")
    if (line := _compiler_error(watched.said)) is not None and not loaded:
        return Ended("refused", False, line)
    if "refused" in news:
        return Ended("refused", False, str(news["refused"]))
    if "memory" in news or any(words in watched.said for words in _TOO_MUCH):
        return Ended("memory", loaded, "")
    seconds = limits.run_seconds if loaded else limits.load_seconds
    if watched.code == -signal.SIGKILL and watched.seconds < seconds:  # by the system, for its memory
        return Ended("memory", loaded, "")
    if watched.code in (-signal.SIGXCPU, -signal.SIGKILL):  # the second one if the first is not heeded
        return Ended("timeout", loaded, "")
    if watched.code < 0:
        return Ended("crash", loaded, signal.Signals(-watched.code).name)
    if not loaded:  # a compiler, or a module, that ended the process
        return Ended("crash", False, f"exit status {watched.code}")
    return Ended("ran", True, "")


# What LLVM says of memory, and of files that get longer than is allowed.
_TOO_MUCH = (b"out of memory", b"bad_alloc", b"File too large")


if __name__ == "__main__":
    main()
