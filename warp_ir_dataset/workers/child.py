"""The pool's side of one worker process, and the jobs that it sends."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..common.environment import passed_on, search_path
from ..common.files import writable
from .task import Task
from .worker import WHOLE_BATCH, Channel

Item = TypeVar("Item")

LOG_TAIL = 4000


@dataclass
class Batch(Generic[Item]):
    """What was submitted, and its outcomes so far."""

    tag: Any
    items: tuple[Item, ...]
    outcomes: list[Any] = field(init=False)
    missing: int = field(init=False)

    def __post_init__(self) -> None:
        self.missing = len(self.items)
        self.outcomes = [None] * self.missing


@dataclass(frozen=True)
class Job(Generic[Item]):
    """The part of a batch that a child gets at once. `again` says that a process was lost while it did all of
    this."""

    batch: Batch[Item]
    indices: tuple[int, ...]
    again: bool = False

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self.batch.items[index] for index in self.indices)

    def halves(self) -> tuple[Job[Item], Job[Item]]:
        """Two jobs, about as large, of whole modules if it has several."""
        count = len(self.indices)
        between = range(1, count)
        cuts = [at for at in between if self._module(self.indices[at - 1]) != self._module(self.indices[at])]
        cut = min(cuts or between, key=lambda at: abs(2 * at - count))
        return Job(self.batch, self.indices[:cut]), Job(self.batch, self.indices[cut:])

    @property
    def is_one_module(self) -> bool:
        return len({self._module(index) for index in self.indices}) == 1

    def _module(self, index: int) -> object:
        """What an item's `module` names, where it has one; else it is one by itself."""
        return getattr(self.batch.items[index], "module", None) or index

    def without(self, suspect: int) -> Job[Item] | None:
        others = tuple(index for index in self.indices if index != suspect)
        return Job(self.batch, others) if others else None


class Child(Generic[Item]):
    """A worker process with a temporary folder of its own."""

    def __init__(self, task: Task) -> None:
        self.ready = False
        self.job: Job[Item] | None = None
        self.busy_with = WHOLE_BATCH
        self.silence = 0.0
        self.said = ""
        with writable("temporary files", "make room, or point TMPDIR elsewhere"):
            folder = tempfile.mkdtemp(prefix="warp-ir-")
        self._log = Path(folder, "log")
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours)
        arguments = [str(theirs.fileno()), str(os.getpid()), folder, task.function, *task.arguments]
        with theirs, self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "warp_ir_dataset.workers.worker", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,  # "-m" puts this first on the path: nothing of the user's may be in it
                env=_environment(folder, passed_on() if task.of_others else {**os.environ}),
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # a Ctrl-C in the terminal is for the pool alone
            )
        self._process = process
        # Runs at the latest when the interpreter exits, for a pool that nobody closed.
        self._remove = weakref.finalize(self, _remove, process, folder, os.getpid())

    def begin(self, job: Job[Item]) -> None:
        self.job = job
        self.busy_with = WHOLE_BATCH
        self.silence = 0.0
        with contextlib.suppress(ConnectionError):  # it is dead: listening to it will tell
            self.channel.send("batch", job.items)

    def finish(self) -> Job[Item]:
        assert self.job is not None
        job, self.job = self.job, None
        return job

    @property
    def suspect(self) -> int | None:
        """The index in its batch of the one item that the child is busy with, if it is one."""
        assert self.job is not None
        if len(self.job.indices) == 1:
            return self.job.indices[0]
        return None if self.busy_with == WHOLE_BATCH else self.job.indices[self.busy_with]

    @property
    def last_line(self) -> str:
        return self.said.splitlines()[-1][:200] if self.said else ""

    def end(self) -> int:
        """Kill the process unless it is dead already; return how it ended, as `Popen.returncode`."""
        with contextlib.suppress(FileNotFoundError), self._log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_TAIL))
            self.said = log.read().decode(errors="replace").strip()
        self._remove()
        self.channel.stream.close()
        return self._process.returncode


def _remove(process: subprocess.Popen[bytes], folder: str, owner: int) -> None:
    if os.getpid() != owner:  # a fork holds a copy of the child, but it is not its own
        return
    interrupt = None
    while True:
        try:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # it leads a session: its forks too
            process.wait()
            shutil.rmtree(folder, ignore_errors=True)
            break
        except KeyboardInterrupt as impatience:  # a second Ctrl-C must not leave what NVRTC keeps there
            interrupt = impatience
    if interrupt is not None:
        raise interrupt


def _environment(folder: str, given: dict[str, str]) -> dict[str, str]:
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    own_folder = {"TMPDIR": folder, "WARP_CACHE_PATH": str(Path(folder, "warp"))}
    return {**given, **one_thread, **own_folder, "PYTHONPATH": search_path()}


def describe(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    return f"killed by {signal.Signals(-status).name}"
