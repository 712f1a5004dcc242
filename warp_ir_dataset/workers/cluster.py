"""A pool of worker processes on a Ray cluster, with the interface of `Pool`.

Ray finds a machine for every batch, and another one when a machine or a process is lost. There a `Pool` of
one child does the work, so that bad items are found and blamed as they are on one machine. Items go there
and their outcomes come back: machines share nothing else.
"""

from __future__ import annotations

import logging
import platform
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Generic

from ..common.errors import UserError
from ..common.given import whole
from ..common.outcomes import Outcome
from ..common.versions import source, warp_version
from .child import Item
from .pool import Fault, Pool, WorkerError
from .task import Task

RETRIES = 5  # a batch may lose so many machines
TICK_SECONDS = 1.0
_STOPS = {stop.__name__: stop for stop in (Fault, WorkerError, UserError)}


class ClusterPool(Generic[Item]):
    """Does a task for batches of items on a Ray cluster.

    `address` is that of a cluster, as `ray.init` takes it; without one, that which ``RAY_ADDRESS`` names, or
    one that runs on this machine, or a new one here, of `cores` cores, that ends with the pool. A process is
    in one cluster at a time: a pool that is opened while another one is open uses the cluster of that. Raises
    `UserError` where Ray is not installed or does not answer.
    """

    def __init__(
        self,
        task: Task,
        *,
        address: str | None = None,
        cores: int | None = None,
        skip_faults: bool | None = False,
    ) -> None:
        self._ray = _connected(address, cores)
        _open.append(self)
        self._task = task
        self._skip_faults = skip_faults
        self._versions = _versions()
        self._work = self._ray.remote(num_cpus=1, max_retries=RETRIES)(_work)
        self._tags: dict[Any, Any] = {}

    def __enter__(self) -> ClusterPool[Item]:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget what was pending. The last pool leaves the cluster, which ends what is still at work."""
        self._tags.clear()
        if self in _open:
            _open.remove(self)
            if not _open:
                self._ray.shutdown()

    @property
    def workers(self) -> int:
        """How many cores the cluster has by now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def pending(self) -> int:
        """How many batches were submitted and not yet yielded."""
        return len(self._tags)

    def submit(self, tag: Any, items: Sequence[Item]) -> None:
        """Queue a batch; `results` will yield it under `tag`."""
        self._tags[self._work.remote(self._task, self._skip_faults, tuple(items), self._versions)] = tag

    def results(self) -> Iterator[tuple[Any, list[Outcome]]]:
        """Yield ``(tag, outcomes)`` of each batch as it is done, until none is pending, as `Pool` does.

        Raises what that raises, and `WorkerError` where the cluster fails.
        """
        said = False
        while self._tags:
            references = list(self._tags)
            done, _ = self._ray.wait(references, timeout=TICK_SECONDS)
            if not done and not said and not self._ray.cluster_resources().get("CPU"):
                _log.warning("the Ray cluster has no core to lend: waiting for a machine to join it")
                said = True
            if done:  # and all others that are: a large cluster has many, and to ask for each is slow
                done, _ = self._ray.wait(references, num_returns=len(references), timeout=0)
            for reference in done:
                yield self._tags.pop(reference), self._outcomes(reference)

    def _outcomes(self, reference: Any) -> list[Outcome]:
        try:
            stop, answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [
                type(error).__name__
            ]
            raise WorkerError(f"the cluster failed: {lines[-1]}") from None
        if stop is not None:
            raise _STOPS[stop](answer)
        outcomes: list[Outcome] = answer
        return outcomes


_log = logging.getLogger(__name__)
_open: list[ClusterPool[Any]] = []  # of this process


def _connected(address: str | None, cores: int | None) -> Any:
    try:
        import ray
    except ImportError:
        raise UserError("Ray is not installed: pip install '.[cluster]' in the checkout adds it") from None
    if address is not None and cores is not None:
        raise UserError("a cluster that has an address has the cores it has: leave out the number of workers")
    if cores is not None:
        whole("workers", cores, 1)
    if _open:
        return ray
    here: dict[str, Any] = {} if address or cores is None else {"num_cpus": cores}
    before = signal.getsignal(signal.SIGTERM)
    try:
        _knock(address)  # Ray itself tries for minutes
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **here)
    except (ray.exceptions.RayError, OSError, ValueError, RuntimeError) as error:
        where = f"at {address!r}" if address else "here"
        raise UserError(f"no Ray cluster answers {where}: {str(error).strip().splitlines()[0]}") from None
    finally:
        # Ray puts a handler of its own in the place of any other, which ends the process without a word.
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
    return ray


def _knock(address: str | None) -> None:
    """Raise `OSError` where an address is a host's and a port's, and nobody listens."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), TICK_SECONDS * 5).close()


def _versions() -> tuple[str, ...]:
    """What rows depend on, and what pickles do."""
    return (
        f"Python {'.'.join(platform.python_version_tuple()[:2])}",
        f"Warp {warp_version()}",
        f"generator {source()}",
    )


# This process's own pools, of which Ray uses one for batch after batch.
_kept: dict[tuple[Task, bool | None], Pool[Any]] = {}


def _work(
    task: Task, skip_faults: bool | None, items: Sequence[Any], versions: tuple[str, ...]
) -> tuple[str | None, Any]:
    """Run where Ray wants it: the outcomes, or which exception stops the build and what it says."""
    own = _versions()
    if here := ", ".join(sorted(set(own) - set(versions))):
        wanted = ", ".join(sorted(set(versions) - set(own)))
        return "UserError", f"{platform.node()} has {here} where this machine has {wanted}: install the same"
    if (task, skip_faults) not in _kept:
        while _kept:
            _kept.popitem()[1].close()
        _kept[task, skip_faults] = Pool(1, task, skip_faults=skip_faults)
    pool = _kept[task, skip_faults]
    try:
        pool.submit(None, items)
        [(_, outcomes)] = pool.results()
    except tuple(_STOPS.values()) as stop:
        del _kept[task, skip_faults]  # it is closed
        name = next(name for name, kind in _STOPS.items() if isinstance(stop, kind))
        return name, str(stop)
    return None, outcomes
