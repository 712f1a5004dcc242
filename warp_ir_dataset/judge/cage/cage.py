"""Starts the sandbox and sends it jobs: the judge's side, which talks to the fork server (`nursery`)."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import asdict, replace
from types import TracebackType

from ...common.environment import passed_on
from ...common.errors import UserError
from . import job as messages
from .job import (
    LOAD_PATIENCE,
    PATIENCE,
    TEXT_BYTES,
    Asked,
    Ended,
    Job,
    Launches,
    Short,
    Source,
    Translated,
)
from .walls import WALLS

ATTEMPTS = 2
START_SECONDS = 120.0
GRACE_SECONDS = 30.0  # beside a job's own limits; then the nursery itself is taken for lost


class Cage:
    """Runs jobs one after the other, each in a process of its own. Belongs to one process.

    Raises `UserError` where a wall is missing on this system, unless `allow_weaker`. Walls in `without` are
    taken for missing.
    """

    missing: dict[str, str]  # why this system has no such wall, by the walls it lacks
    _ready: bool

    def __init__(self, *, allow_weaker: bool = False, without: Sequence[str] = ()) -> None:
        self._without = ",".join(without)
        self._has_compiled = False  # this nursery, or one before
        self._allow_weaker = allow_weaker
        self._start()

    def __enter__(self) -> Cage:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()
        self._remove()

    @property
    def process_id(self) -> int:
        """That of the nursery, which all caged processes are children of."""
        return self._process.pid

    def run(self, job: Job, pages: int) -> Ended:
        """How a job ended, which works on the file of `pages`. When this returns, no process is left that
        could write there. Raises `Short` where there is no process for it, `OSError` where this machine has
        no memory or no descriptor left, and `RuntimeError` where the nursery never started."""
        return self._ask("run", job, pages)

    def translate(self, asked: Source) -> Ended | Translated:
        """What Warp makes of a source, or how that ended. See `run`."""
        text = os.memfd_create("text", os.MFD_CLOEXEC)
        try:
            ended = self._ask("translate", asked, text)
            if ended.end != "ran":
                return replace(ended, loaded=False)
            left = os.pread(text, TEXT_BYTES + 1, 0)
        finally:
            os.close(text)
        if len(left) > TEXT_BYTES:
            return Ended("memory", False, "")
        return _text(left) or Ended("crash", False, "there is no text")

    def launch(self, job: Launches, pages: int) -> Ended:
        """How launches on the machine ended, which leaves what it saw in the file of `pages`; see `run`."""
        return self._ask("launch of warp" if job.wanted["of_warp"] else "launch", job, pages)

    def _ask(self, task: str, job: Asked, *shared: int) -> Ended:
        with messages.written(job) as wanted:
            for _ in range(ATTEMPTS):
                os.lseek(wanted, 0, os.SEEK_SET)
                with contextlib.suppress(EOFError, OSError):
                    ended = self._answer(task, job, wanted, *shared)
                    if ended.end == "short":
                        raise Short(ended.said)
                    return ended
                # Somebody else ended the nursery, or it hangs: once, that is no fault of the job's.
                self._start_again()
        raise Short("the process that starts cages ended", lost=True)

    def _start_again(self) -> None:
        """Raises `Short`: the nursery has started before."""
        self.close()
        try:
            self._start()
        except (OSError, RuntimeError) as error:
            raise Short(str(error)) from error

    def _answer(self, task: str, job: Asked, *descriptors: int) -> Ended:
        limits = job.limits
        if not self._ready:
            self._stream.settimeout(START_SECONDS)
            try:
                messages.receive(self._stream)
            except (EOFError, OSError):
                said = "the process that starts cages cannot compile"
                raise (Short if self._has_compiled else RuntimeError)(said) from None
            self._ready = self._has_compiled = True
        seconds = LOAD_PATIENCE * limits.load_seconds + PATIENCE * limits.run_seconds
        self._stream.settimeout(seconds + GRACE_SECONDS)
        messages.send(self._stream, {"task": task, "limits": asdict(limits)}, descriptors)
        answer, _ = messages.receive(self._stream)
        return Ended(**answer)

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        folder = tempfile.mkdtemp(prefix="answer-")
        nursery = f"{__package__}.nursery"
        command = [sys.executable, "-m", nursery, str(theirs.fileno()), self._without, folder]
        with theirs, contextlib.ExitStack() as failed:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
            failed.callback(ours.close)
            # What Warp says while it starts, and nothing else, would be written to its output.
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=folder,  # nothing of the user's may be in it: see `NEUTRAL`
                # What it leaves when it is killed goes with the folder.
                env={**passed_on(), "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "TMPDIR": folder},
            )
            failed.pop_all()
        # Runs at the latest when the interpreter exits, for a cage that nobody closed.
        self._remove = weakref.finalize(self, _remove, self._process, folder, os.getpid())
        self._stream = ours
        self._ready = False
        try:
            self.missing = messages.receive(ours)[0]["missing"]
        except EOFError:
            self.close()
            raise RuntimeError("the process that starts cages did not start") from None
        needed = {name: why for name, why in self.missing.items() if WALLS[name].needed}
        if needed and not self._allow_weaker:
            self.close()
            told = "; ".join(
                f"{name} ({why}), which keeps {WALLS[name].keeps}" for name, why in needed.items()
            )
            raise UserError(
                f"this system lacks walls of the cage that answers are run in: {told}. "
                "Answers that you trust can be judged all the same with allow_weaker_sandbox=True"
            )


_cages: dict[tuple[bool, tuple[str, ...]], Cage] = {}


def kept_cage(allow_weaker: bool = False, without: tuple[str, ...] = ()) -> Cage:
    """The one of this process, which is kept. Raises `UserError` where a wall of the sandbox is missing."""
    key = (allow_weaker, without)
    if key not in _cages:
        _cages[key] = Cage(allow_weaker=allow_weaker, without=without)
    return _cages[key]


def _text(left: bytes) -> Translated | None:
    """What a process says that it translated, in which a module had a hand; None for what is no text."""
    try:
        found = json.loads(left)
    except (ValueError, RecursionError):
        return None
    match found:
        case [str() as name, str() as body] if name.isascii() and name.isidentifier():
            return Translated(name, body)
    return None


def _remove(process: subprocess.Popen[bytes], folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a fork holds a copy of the cage, but it is not its own
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
