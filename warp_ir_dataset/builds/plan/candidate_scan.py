"""Scans the candidates of a build in bulk, here or in workers, and keeps their facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from ...common.address import Address
from ...common.files import writable
from ...synthesis.difficulty import LEVELS
from ...workers.progress import Bar, Words
from ...workers.task import Task, Workforce
from ..request import Request
from .facts import Facts, facts_of, scan
from .scan_cache import ScanCache

BATCH_SIZE = 64  # a second of work or two: a cluster takes some milliseconds for a batch of any size
SHARE = 16  # batches of a scan for each worker, if so many are smaller: workers end together
AHEAD = 2  # batches that are submitted at a time for each worker
WORDS = Words("candidates", "to examine", "are examined")

# The draws of each level among any twenty in a row.
_PLACES = {level: [place for place, each in enumerate(LEVELS) if each == level] for level in LEVELS}


class StreamKey(NamedTuple):
    """The name of a stream: a purpose, whose template has this level, or a kind of random programs at one
    level."""

    category: str
    level: int
    purpose: str | None

    def address(self, seed: int, number: int) -> Address:
        """The address of candidate `number` of the stream."""
        if self.purpose is not None:
            return Address(seed, self.category, number, self.purpose)
        places = _PLACES[self.level]
        whole, rest = divmod(number, len(places))
        return Address(seed, self.category, whole * len(LEVELS) + places[rest])


Place = tuple[StreamKey, int]  # a stream, and the number of a candidate in it
Found = Mapping[Place, Facts | None]
# Yields what is found at places, of which there are so many, in any order.
Scanner = Callable[[Iterator[Place], int], Iterator[Found]]
WorkforceOf = Callable[[Task], AbstractContextManager[Workforce]]  # such as `Engine.workforce`


class CandidateScan:
    """The facts of the first candidates of each stream. Without a `scanner` this process finds them."""

    def __init__(
        self, request: Request, scanner: Scanner | None = None, cache: ScanCache | None = None
    ) -> None:
        self._request = request
        self._scanner = scanner or self._scan_here
        self._cache = cache
        self._cached: dict[str, dict[Address, Facts | None]] = {}  # by category, what no stream has yet
        self._facts: dict[StreamKey, list[Facts | None]] = {}

    def facts(self, key: StreamKey) -> Sequence[Facts | None]:
        """Facts of the first candidates of a stream, None for one without a kernel. At first those in the
        cache."""
        if key not in self._facts:
            cached = self._cached_of(key.category)
            self._facts[key] = []
            for number in count():
                address = self._address((key, number))
                if address not in cached:
                    break
                self._facts[key].append(cached.pop(address))
        return self._facts[key]

    def extend(self, more: Mapping[StreamKey, int]) -> None:
        """Scan so many more candidates of each stream. Raises what the scanner raises."""
        unknown: dict[StreamKey, list[int]] = defaultdict(list)
        for key, extra in more.items():
            facts, cached = self._facts[key], self._cached_of(key.category)
            for number in range(len(facts), len(facts) + extra):
                address = self._address((key, number))
                if address not in cached:
                    unknown[key].append(number)
                facts.append(cached.pop(address, None))
        places = ((key, number) for key, numbers in unknown.items() for number in numbers)
        for found in self._scanner(places, sum(map(len, unknown.values()))):
            if self._cache is not None:
                self._cache.add({self._address(place): each for place, each in found.items()})
            for (key, number), each in found.items():
                self._facts[key][number] = each

    def _address(self, place: Place) -> Address:
        key, number = place
        return key.address(self._request.seed, number)

    def _cached_of(self, category: str) -> dict[Address, Facts | None]:
        if category not in self._cached:
            self._cached[category] = {} if self._cache is None else self._cache.read(category)
        return self._cached[category]

    def _scan_here(self, places: Iterator[Place], _: int) -> Iterator[Found]:
        for place in places:
            yield {place: facts_of(self._address(place), self._request.num_kernels)}


@contextmanager
def scanning(
    request: Request, workforce: WorkforceOf, folder: Path | None = None, *, quiet: bool = False
) -> Iterator[CandidateScan]:
    """A scan by a workforce, which is started when there is work and ends with the context; `folder` keeps
    what it finds.

    One process at a time uses a folder, others wait. Entering it raises `UserError` if `folder` cannot be
    written. Scanning raises what starting a workforce and `Pool.results` raise.
    """
    task = Task(f"{scan.__module__}:{scan.__name__}", (str(request.num_kernels),))
    with _Scanners(partial(workforce, task), request, quiet) as scanners:
        if folder is None:
            yield CandidateScan(request, scanners.found)
            return
        cache = ScanCache(folder, request)
        lock = FileLock(folder / "lock")
        with writable(f"to {folder}"):
            lock.acquire()
        try:
            yield CandidateScan(request, scanners.found, cache)
        finally:
            lock.release()


class _Scanners:
    """Workers that scan, and one bar over all scans. They start when there is work."""

    def __init__(
        self, workforce: Callable[[], AbstractContextManager[Workforce]], request: Request, quiet: bool
    ) -> None:
        self._workforce = workforce
        self._seed = request.seed
        self._bar = Bar(f"planning {request.config}", 0, words=WORDS, quiet=quiet)
        self._started = ExitStack()
        self._pool: Workforce | None = None

    def __enter__(self) -> _Scanners:
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    def found(self, places: Iterator[Place], total: int) -> Iterator[Found]:
        """The facts at places, batch by batch. If sampling a kernel kills its worker, there is none."""
        if not total:
            return
        self._bar.total += total
        if self._pool is None:
            self._pool = self._started.enter_context(self._workforce())
            self._started.enter_context(self._bar)
        size = max(1, min(BATCH_SIZE, total // (SHARE * self._pool.workers)))
        batches = iter(lambda: tuple(islice(places, size)), ())
        self._submit(batches)
        for batch, outcomes in self._pool.results():
            self._submit(batches)
            for place in batch:
                self._bar.seen(place, {})
            pairs = zip(batch, outcomes, strict=True)
            yield {place: facts if isinstance(facts, Facts) else None for place, facts in pairs}

    def _submit(self, batches: Iterator[tuple[Place, ...]]) -> None:
        """Keep batches ahead for all workers that there are by now."""
        assert self._pool is not None
        while self._pool.pending < AHEAD * self._pool.workers and (batch := next(batches, None)):
            self._pool.submit(batch, [key.address(self._seed, number) for key, number in batch])
