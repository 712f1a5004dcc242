"""One pool of workers per process, kept between shards, and a limit on the workers of the whole machine.

Processes that open shards at the same time (`num_proc`, DataLoader workers) share the machine's cores by
locking seats. A process that is itself one of several takes one seat, any other as many as are free.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .pool import Pool
from .task import Task

IDLE_SECONDS = 10.0
POLL_SECONDS = 0.1


class _Workshop:
    """The pool of this process; whoever holds `busy` may use or replace it."""

    def __init__(self) -> None:
        self.busy = threading.Lock()
        self.pool: Pool[Any] | None = None
        self.kind: tuple[Task, int] | None = None
        self.used_until = 0.0

    def ready(self, task: Task, workers: int) -> Pool[Any]:
        """The pool that was kept, if it is of this kind, or a new one."""
        kind = (task, workers)
        if self.pool is None or self.kind != kind:
            self.close()
            self.pool, self.kind = Pool(workers, task), kind
            threading.Thread(target=self._close_when_idle, args=(self.pool,), daemon=True).start()
        return self.pool

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()
            self.pool = None

    def _close_when_idle(self, pool: Pool[Any]) -> None:
        while self.pool is pool:
            time.sleep(IDLE_SECONDS / 10)
            with self.busy:
                if self.pool is pool and time.monotonic() - self.used_until > IDLE_SECONDS:
                    self.close()


_workshop = _Workshop()
_inherited: list[_Workshop] = []


@contextmanager
def borrowed(task: Task, seats: Path) -> Iterator[Pool[Any]]:
    """This process's pool for a task, one caller at a time; `seats` is the folder of the machine's seats."""
    workshop = _workshop
    with workshop.busy, _seated(seats, 1 if is_one_of_several() else cores()) as workers:
        try:
            yield workshop.ready(task, workers)
        except BaseException:
            workshop.close()
            raise
        finally:
            workshop.used_until = time.monotonic()


def close() -> None:
    """End this process's workers; the next borrower gets new ones."""
    _workshop.close()


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _seated(folder: Path, wanted: int) -> Iterator[int]:
    """Hold from one to `wanted` of the machine's seats; waits for the first."""
    taken: list[FileLock] = []
    try:
        while not taken:
            for seat in range(cores()):
                lock = FileLock(folder / f"seat-{seat}.lock", thread_local=False)
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    continue
                taken.append(lock)
                if len(taken) == wanted:
                    break
            else:
                if not taken:
                    time.sleep(POLL_SECONDS)
        yield len(taken)
    finally:
        for lock in taken:
            lock.release()


def is_one_of_several() -> bool:
    """Whether `multiprocessing`, or the `multiprocess` that `datasets` uses, started this process."""
    multiprocess = sys.modules.get("multiprocess")
    return multiprocessing.parent_process() is not None or (
        multiprocess is not None and multiprocess.parent_process() is not None
    )


def _start_afresh() -> None:
    """In a fork the parent's pool is not ours, and its lock may be held by a thread that is not here."""
    global _workshop
    _inherited.append(_workshop)  # kept, so that nothing of the parent's is finalised here
    _workshop = _Workshop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
atexit.register(close)
