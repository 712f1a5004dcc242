"""Engines of toy rows: the local one, with workers, and one that makes them in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from toys.rows import COMPILERS
from warp_ir_dataset.builds.engine import Fill, LocalEngine, Prover, fill_from
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.workers.task import Task, Workforce

PROVER = Prover("toys.rows:prove", lambda: COMPILERS)
ENGINE = LocalEngine(prover=PROVER)


class HerePool:
    """Does a task where it is asked to, batch by batch, the last one first."""

    workers = 1

    def __init__(self, task: Task) -> None:
        self.task = task
        self.batches: list[tuple[Any, tuple[Any, ...]]] = []

    @property
    def pending(self) -> int:
        return len(self.batches)

    def submit(self, tag: Any, items: Sequence[Any]) -> None:
        self.batches.append((tag, tuple(items)))

    def results(self) -> Iterator[tuple[Any, list[Any]]]:
        function = self.task.load()
        while self.batches:
            tag, items = self.batches.pop()
            yield tag, function(items, *self.task.arguments, lambda index: None)


@dataclass(frozen=True)
class HereEngine:
    """`asked` lists what it was started for."""

    prover: Prover = PROVER
    skip_faults: bool = False
    asked: list[Request] = field(default_factory=list, compare=False)

    def workforce(self, task: Task) -> AbstractContextManager[Workforce]:
        pool: Workforce = HerePool(task)
        return nullcontext(pool)

    @contextmanager
    def started(self, request: Request) -> Iterator[Fill]:
        self.asked.append(request)
        yield fill_from(HerePool(self.prover.task(request)), request, batch_size=7)
