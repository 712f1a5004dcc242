"""Runs a task for batches of items in child processes, and finds the item that made a batch fail.

One thread, one loop: hand batches to idle children, listen to all of them, end those that have been
silent for too long. Warp never runs in the caller's process, and `multiprocessing` is not used: children
are plain subprocesses, so a pool works in daemonic workers and in scripts without a ``__main__`` guard.

What becomes of a batch that fails as a whole: its halves are tried, down to the item that fails.

A batch whose process is lost is tried again in a fresh process, as it was: items that become PTX together
may become other rows apart. If that process is lost, too:

- It was killed from outside, as for its memory: that says nothing of an item. Halves of whole modules are
  tried; a single module stops the build.
- It was busy with the whole batch: the halves are tried.
- It was busy with one item: that is tried alone in a fresh process, the others together without it. If the
  item kills this process, too, it is rejected. If it is silent for too long again, it stops the build, or is
  rejected if faults are skipped.

A process that is killed from outside before it is ready is started again, as often as there are workers.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Generic, NoReturn

from ..common.errors import Failure, UserError
from ..common.given import whole
from ..common.outcomes import Outcome, Reason, Rejected
from .child import Batch, Child, Item, Job, describe
from .task import Task
from .worker import WHOLE_BATCH

START_SECONDS = 120.0
COMPILE_SECONDS = 30.0  # times the batch's size plus two: the first compilation prepares headers
RUN_SECONDS = 60.0
TICK_SECONDS = 0.25
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
NEEDED_SPACE = 200 << 20  # bytes; NVRTC alone keeps a header of 76 MB there


class Fault(Failure):
    """An item never ends, or its process is killed from outside; the message is one line."""


class WorkerError(Failure):
    """A bug of ours, or a child that does not start; the message ends with what the child said."""


class Pool(Generic[Item]):
    """Child processes that do a task for items; they are reused until the pool is closed.

    `workers` children start in the background at once. `skip_faults` says whether faults are left out, None
    that nobody could ask for that. A pool belongs to the process that made it and to one thread at a time.
    After an exception out of `results` it is closed.
    """

    def __init__(
        self,
        workers: int,
        task: Task,
        *,
        skip_faults: bool | None = False,
        compile_seconds: float = COMPILE_SECONDS,
        run_seconds: float = RUN_SECONDS,
    ) -> None:
        self.workers = whole("workers", workers, 1)
        self.skip_faults = skip_faults
        self._task = task
        self._compile_seconds = compile_seconds
        self._run_seconds = run_seconds
        self._owner = os.getpid()
        self._jobs: deque[Job[Item]] = deque()
        self._finished: deque[Batch[Item]] = deque()
        self._pending = 0
        self._stillborn = 0  # killed from outside since the last one that was ready
        self._selector = selectors.DefaultSelector()
        self._children: list[Child[Item]] = []
        for _ in range(self.workers):
            self._start()

    def __enter__(self) -> Pool[Item]:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill the children and remove their folders; what was pending is forgotten."""
        if os.getpid() == self._owner:
            while self._children:
                self._children.pop().end()
            self._selector.close()

    @property
    def pending(self) -> int:
        """How many batches were submitted and not yet yielded."""
        return self._pending

    def submit(self, tag: Any, items: Sequence[Item]) -> None:
        """Queue a batch; `results` will yield it under `tag`."""
        self._check_usable()
        batch = Batch(tag, tuple(items))
        self._pending += 1
        if batch.missing:
            self._jobs.append(Job(batch, tuple(range(batch.missing))))
        else:
            self._finished.append(batch)

    def results(self) -> Iterator[tuple[Any, list[Outcome]]]:
        """Yield ``(tag, outcomes)`` of each batch as it is done, until none is pending.

        Batches may be submitted meanwhile. `outcomes` are in the order of the batch's items: a row,
        or why there is none. Raises `Fault`, `WorkerError`, and `UserError` if a child says so.
        """
        while self._pending:
            self._check_usable()
            try:
                while not self._finished:
                    self._hand_out()
                    self._listen()
            except BaseException:
                self.close()
                raise
            batch = self._finished.popleft()
            self._pending -= 1
            yield batch.tag, batch.outcomes

    def _check_usable(self) -> None:
        if os.getpid() != self._owner:
            raise RuntimeError("a pool cannot be used in a process forked from the one that made it")
        if not self._children:
            raise RuntimeError("the pool is closed")

    def _start(self) -> Child[Item]:
        child: Child[Item] = Child(self._task)
        self._children.append(child)
        self._selector.register(child.channel, selectors.EVENT_READ, child)
        return child

    def _hand_out(self) -> None:
        for child in self._children:
            if self._jobs and child.ready and child.job is None:
                child.begin(self._jobs.popleft())

    def _listen(self) -> None:
        before = time.monotonic()
        for key, _ in self._selector.select(TICK_SECONDS):
            self._hear(key.data)
        # Only time spent here counts as a child's silence, and little of it at once: a stopped process, a
        # suspended machine or a slow consumer of our results must not look like an endless kernel.
        waited = min(time.monotonic() - before, 2 * TICK_SECONDS)
        for child in tuple(self._children):
            child.silence += waited
            if child.silence > self._patience(child):
                self._lost(child)

    def _patience(self, child: Child[Item]) -> float:
        if not child.ready:
            return START_SECONDS
        if child.job is None:
            return float("inf")
        if child.busy_with == WHOLE_BATCH:
            return self._compile_seconds * (len(child.job.indices) + 2)
        return self._run_seconds

    def _hear(self, child: Child[Item]) -> None:
        try:
            messages = child.channel.receive()
        except EOFError:
            self._lost(child)
            return
        child.silence = 0.0
        for kind, content in messages:
            if kind == "ready":
                child.ready = True
                self._stillborn = 0
                if child.job:
                    child.begin(child.job)
            elif kind == "running":
                child.busy_with = content
            elif kind == "user_error":
                raise UserError(content)
            elif kind == "bug":
                self._raise_bug(child, content)
            else:
                self._settle(child.finish(), kind, content)

    def _settle(self, job: Job[Item], kind: str, content: Any) -> None:
        """A child answered."""
        if kind == "results":
            for index, outcome in zip(job.indices, content, strict=True):
                self._decide(job.batch, index, outcome)
        elif len(job.indices) == 1:
            self._decide(job.batch, job.indices[0], Rejected(Reason.COMPILE_ERROR, content))
        else:
            self._jobs.extendleft(reversed(job.halves()))

    def _lost(self, child: Child[Item]) -> None:
        """A child died, or was silent for too long and must."""
        self._children.remove(child)
        self._selector.unregister(child.channel)
        status = child.end()
        if not child.ready:
            self._stillborn += 1
            by_us = child.silence > START_SECONDS
            if by_us or -status not in FROM_OUTSIDE or self._stillborn > self.workers:
                raise WorkerError(f"a worker did not start ({describe(status)}):\n{child.said}")
        replacement = self._start()
        if not child.ready:
            replacement.job = child.job
        elif child.job is not None:
            replacement.job = self._next_try(child.job, child, status)

    def _next_try(self, job: Job[Item], child: Child[Item], status: int) -> Job[Item] | None:
        """What the process in the place of a lost child does of the child's job, as it says above."""
        if not job.again:
            return replace(job, again=True)
        suspect, why = child.suspect, self._what_happened(child, status)
        silent = child.silence > self._patience(child)
        killed = not silent and -status in FROM_OUTSIDE
        if killed and job.is_one_module:
            self._stop(job, why, "fewer --workers if memory was short" if -status == signal.SIGKILL else "")
        if killed or suspect is None:
            first, second = job.halves()
            self._jobs.appendleft(second)
            return first
        if (others := job.without(suspect)) is not None:
            self._jobs.appendleft(others)
            return Job(job.batch, (suspect,), again=True)
        if silent and not self.skip_faults:
            self._stop(job, why, "" if self.skip_faults is None else "--skip-faults to leave it out")
        self._decide(job.batch, suspect, Rejected(Reason.TIMEOUT if silent else Reason.CRASH, why))
        return None

    def _what_happened(self, child: Child[Item], status: int) -> str:
        compiling = child.busy_with == WHOLE_BATCH
        patience = self._patience(child)
        if child.silence > patience:
            return f"did not {'compile' if compiling else 'end'} within {patience:g} s"
        end = f"{describe(status)} while {'compiling' if compiling else 'running'}"
        return f"{end}: {child.last_line}" if child.last_line else end

    def _stop(self, job: Job[Item], why: str, advice: str) -> NoReturn:
        first, last = job.items[0], job.items[-1]
        what = f"kernel {first}" if len(job.items) == 1 else f"kernels {first} to {last}"
        raise Fault(f"{what}: {why}{advice and f'; rerun with {advice}'}")

    def _decide(self, batch: Batch[Item], index: int, outcome: Outcome) -> None:
        if isinstance(outcome, Rejected) and outcome.reason in (Reason.COMPILE_ERROR, Reason.CRASH):
            _check_space()  # a full disk looks like this too, and must not choose rows
        batch.outcomes[index] = outcome
        batch.missing -= 1
        if not batch.missing:
            self._finished.append(batch)

    def _raise_bug(self, child: Child[Item], traceback: str) -> NoReturn:
        if child.job is None:
            raise WorkerError(f"a worker did not start:\n{traceback}")
        _check_space()
        index = child.suspect
        items = child.job.items if index is None else (child.job.batch.items[index],)
        names = ", ".join(map(str, items))
        raise WorkerError(f"proving {names} failed:\n{traceback}")


def _check_space() -> None:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < NEEDED_SPACE:
        need = f"compilers need {NEEDED_SPACE >> 20} MiB"
        raise UserError(
            f"{folder} has {free >> 20} MiB left and {need}: make room, or point TMPDIR elsewhere"
        )
