"""Engines, which run the work of a build (planning, filling shards), and provers, which make rows."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from ..common.configs import CONFIGS
from ..common.environment import NEUTRAL, search_path
from ..common.errors import UserError
from ..compilers.architectures import capability
from ..workers.cluster import ClusterPool
from ..workers.pool import Pool
from ..workers.seats import cores
from ..workers.task import Task, Workforce
from .filling import BATCH_SIZE, Fill, fill, module_size_of
from .request import Request

TOOLCHAIN = "warp_ir_dataset.compilers.warp"  # run as a child; nothing here imports Warp


@functools.cache
def _toolchain() -> dict[str, Any]:
    """What a child process says of Warp, clang and NVRTC: Warp never runs in this one."""
    environment = {**os.environ, "PYTHONPATH": search_path()}
    command = [sys.executable, "-m", TOOLCHAIN]
    child = subprocess.run(command, capture_output=True, text=True, cwd=NEUTRAL, env=environment)
    if child.returncode:
        last = (child.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UserError(f"Warp does not start: {last}")
    facts: dict[str, Any] = json.loads(child.stdout)
    return facts


def compilers() -> dict[str, str]:
    """Versions and options of clang and NVRTC."""
    versions: dict[str, str] = _toolchain()["compilers"]
    return versions


def architectures() -> list[int]:
    """The compute capabilities that NVRTC compiles for; none without CUDA support."""
    capabilities: list[int] = _toolchain()["architectures"]
    return capabilities


@dataclass(frozen=True)
class Prover:
    """What makes rows of candidates, wherever an engine runs it.

    `function` is that of a `Task`, its arguments a config and an architecture. `compilers` tells the versions
    and options of what its rows depend on besides this package, Warp and pyarrow; a manifest lists them.
    `architectures` tells what it compiles for, if that can be told before it is asked to.
    """

    function: str
    compilers: Callable[[], Mapping[str, str]]
    architectures: Callable[[], Sequence[int]] | None = None

    def task(self, request: Request) -> Task:
        return Task(self.function, (request.config, request.arch))

    def check(self, request: Request) -> None:
        """Raise `UserError` for a request that cannot be compiled here, before it is planned."""
        if CONFIGS[request.config].cuda and self.architectures is not None:
            capability(request.arch, self.architectures())


WARP = Prover("warp_ir_dataset.builds.produce:produce", compilers, architectures)


class Engine(Protocol):
    """Plans and fills shards, on this machine or on many. Neither plans, nor rows, nor their order depend on
    which."""

    @property
    def prover(self) -> Prover: ...

    @property
    def skip_faults(self) -> bool:
        """Whether kernels that never end are left out, which may change rows, instead of ending a build."""

    def workforce(self, task: Task) -> AbstractContextManager[Workforce]:
        """Who does any task while the context lasts, such as the scans of planning. None of its faults is
        skipped: a plan with an item missing would be another one."""

    def started(self, request: Request) -> AbstractContextManager[Fill]:
        """What fills shards of a request while the context lasts.

        Filling raises `Shortage` where too few candidates pass, `Fault` and `WorkerError` for processes that
        fail, and `UserError` for what cannot be. Entering starts processes in the background, if any, and
        waits for none.
        """


def fill_from(pool: Workforce, request: Request, batch_size: int = BATCH_SIZE) -> Fill:
    """What fills shards of a request with what a pool proves: the same for every engine."""
    return partial(fill, pool, batch_size=batch_size, module_size=module_size_of(CONFIGS[request.config]))


@dataclass(frozen=True)
class LocalEngine:
    """Processes of this machine, ended with the context. `workers` is how many, as many as cores if None.

    `batch_size` is how many kernels are compiled together, more where that would tear a unit of PTX apart; it
    does not change the rows.
    """

    workers: int | None = None
    batch_size: int = BATCH_SIZE
    skip_faults: bool = False
    prover: Prover = WARP

    def workforce(self, task: Task, *, skip_faults: bool | None = None) -> AbstractContextManager[Workforce]:
        workers = cores() if self.workers is None else self.workers
        return Pool[Any](workers, task, skip_faults=skip_faults)

    @contextmanager
    def started(self, request: Request) -> Iterator[Fill]:
        with self.workforce(self.prover.task(request), skip_faults=self.skip_faults) as pool:
            yield fill_from(pool, request, self.batch_size)


@dataclass(frozen=True)
class RayEngine:
    """The machines of a Ray cluster, which must have this package installed. What to scan for a plan is
    chosen here, and shards are written here.

    `address` is the cluster's; without it, that which ``RAY_ADDRESS`` names, or one that runs on this
    machine, or a new one here of `workers` processes. A machine that is lost costs the batches it was busy
    with, one that joins late is used.
    """

    address: str | None = None
    workers: int | None = None
    batch_size: int = BATCH_SIZE
    skip_faults: bool = False
    prover: Prover = WARP

    def workforce(self, task: Task, *, skip_faults: bool | None = None) -> AbstractContextManager[Workforce]:
        return ClusterPool[Any](task, address=self.address, cores=self.workers, skip_faults=skip_faults)

    @contextmanager
    def started(self, request: Request) -> Iterator[Fill]:
        with self.workforce(self.prover.task(request), skip_faults=self.skip_faults) as pool:
            yield fill_from(pool, request, self.batch_size)
