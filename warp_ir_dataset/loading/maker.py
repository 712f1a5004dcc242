"""Makes files of rows that are read through `load_dataset` and are not in the cache yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from ..builds.engine import WARP, Engine, Prover, fill_from
from ..builds.filling import Fill
from ..builds.plan.plan import Plan
from ..builds.plan.saved import planned
from ..builds.request import Request
from ..common.caches import root
from ..workers.pool import Pool
from ..workers.seats import borrowed, cores
from ..workers.task import Task, Workforce


@dataclass(frozen=True)
class SharedEngine:
    """The one pool of this process, kept between shards, on as many of the machine's seats as are free.

    `skip_faults` is always off: a cached file must have the same rows on every machine.
    """

    prover: Prover = WARP

    @property
    def skip_faults(self) -> bool:
        return False

    def workforce(self, task: Task) -> AbstractContextManager[Workforce]:
        return Pool[Any](cores(), task)  # the one pool is kept for filling meanwhile

    @contextmanager
    def started(self, request: Request) -> Iterator[Fill]:
        with borrowed(self.prover.task(request), root()) as pool:
            yield fill_from(pool, request)


def shared_plan(request: Request) -> Plan:
    """The plan of a request. What is seen of kernels meanwhile is kept in the cache, for all configs."""
    from datasets.utils import are_progress_bars_disabled

    return planned(request, scan_cache=root() / "scanned", quiet=are_progress_bars_disabled())


@dataclass(frozen=True)
class Maker:
    """An engine, and what plans the builds whose shards it fills."""

    engine: Engine = SharedEngine()
    planner: Callable[[Request], Plan] = shared_plan


_makers = [Maker()]  # the last one is at work


def maker() -> Maker:
    """Who makes the shards of this process, and of those forked from it."""
    return _makers[-1]


@contextmanager
def made_by(other: Maker) -> Iterator[None]:
    """Let another make them until the context ends. What it makes goes into the same cache: shards of other
    rows need another one (see `caches.root`)."""
    _makers.append(other)
    try:
        yield
    finally:
        _makers.pop()
