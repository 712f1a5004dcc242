"""Cores that are shared by locks, and the one pool of a process."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from warp_ir_dataset.workers import seats
from warp_ir_dataset.workers.task import Task

TASK = Task("nobody:loads")


class Idle:
    """A pool without processes."""

    def __init__(self, workers: int, task: Task) -> None:
        self.workers, self.task, self.closed = workers, task, 0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(autouse=True)
def three_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(seats, "cores", lambda: 3)
    monkeypatch.setattr(seats, "Pool", Idle)
    monkeypatch.setattr(seats, "_workshop", seats._Workshop())
    monkeypatch.setattr(seats, "IDLE_SECONDS", 1000.0)
    yield
    seats.close()


def test_the_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert seats.cores() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert seats.cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert seats.cores() == 1


def test_there_are_as_many_seats_as_cores(tmp_path: Path) -> None:
    with seats._seated(tmp_path, 2) as first, seats._seated(tmp_path, 2) as second:
        assert (first, second) == (2, 1)
    with seats._seated(tmp_path, 9) as taken:
        assert taken == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"seat-{seat}.lock" for seat in range(3)]


def test_who_finds_no_seat_waits_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    held = seats._seated(tmp_path, 3)
    held.__enter__()

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            held.__exit__(None, None, None)

    monkeypatch.setattr(seats.time, "sleep", sleep)
    with seats._seated(tmp_path, 1) as taken:
        assert taken == 1
    assert waited == [seats.POLL_SECONDS] * 2


def test_one_pool_is_kept_for_a_task(tmp_path: Path) -> None:
    with seats.borrowed(TASK, tmp_path) as first:
        assert first.workers == 3
    with seats.borrowed(TASK, tmp_path) as again:
        assert again is first
    with seats.borrowed(Task("another:task"), tmp_path) as other:
        assert other is not first and first.closed == 1  # type: ignore[attr-defined]
    seats.close()
    seats.close()
    assert other.closed == 1  # type: ignore[attr-defined]
    with seats.borrowed(Task("another:task"), tmp_path) as fresh:
        assert fresh is not other


def test_fewer_seats_are_another_pool(tmp_path: Path) -> None:
    with seats.borrowed(TASK, tmp_path) as first:
        pass
    with seats._seated(tmp_path, 1), seats.borrowed(TASK, tmp_path) as second:
        assert second is not first and second.workers == 2


def test_a_pool_that_something_was_raised_in_is_not_used_again(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), seats.borrowed(TASK, tmp_path) as pool:
        raise KeyboardInterrupt
    assert pool.closed == 1  # type: ignore[attr-defined]
    with seats.borrowed(TASK, tmp_path) as other:
        assert other is not pool and other.workers == 3


def test_one_of_several_processes_has_one_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not seats.is_one_of_several()
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    assert seats.is_one_of_several()
    with seats.borrowed(TASK, tmp_path) as pool:
        assert pool.workers == 1
    monkeypatch.undo()
    for parent in (None, object()):
        fake: Any = SimpleNamespace(parent_process=lambda parent=parent: parent)
        monkeypatch.setitem(sys.modules, "multiprocess", fake)
        assert seats.is_one_of_several() == (parent is not None)


def test_an_idle_pool_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    workshop = seats._Workshop()
    now = [100.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += 600.0

    monkeypatch.setattr(seats, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: now[0]))
    pool: Any = Idle(1, TASK)
    workshop.pool, workshop.used_until = pool, 100.0
    workshop._close_when_idle(pool)
    assert slept == [100.0, 100.0] and pool.closed == 1 and workshop.pool is None
    other: Any = Idle(1, TASK)
    workshop.pool = other
    workshop._close_when_idle(pool)  # it is another by now
    assert other.closed == 0 and len(slept) == 2
