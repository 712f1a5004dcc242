"""The facts about addresses that are known so far; looks at more of them in rounds, here or in workers.

Planning needs the facts of one address after another, and the next address depends on the facts of the last.
So it works in rounds: each family goes on until it needs an address that nobody has looked at yet. Before the
next round, workers look at these addresses, and at those that families will probably need. In the last round
nothing is missing. The plan does not depend on the order of looks, or on the number of workers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TypeVar, overload

from filelock import FileLock

from ...common.address import Address
from ...common.errors import UserError
from ...common.files import writable
from ...workers.progress import Bar, Tally, Words
from ...workers.task import Task, Workforce
from ..request import Request
from .apart import is_strict
from .ledger import Ledger
from .look import Look, look
from .looks import Looks, Unseen

BATCH_SIZE = 64  # a second of work or two: a cluster takes some milliseconds for a batch of any size
SHARE = 16  # batches of a round for each worker, where so many are smaller: workers end together
AHEAD = 2  # batches that are submitted at a time for each worker
WORDS = Words("candidates", "to examine", "are examined")

Chosen = TypeVar("Chosen")
Found = Mapping[Address, Look | None]
Stream = tuple[str, str | None]  # the category and the purpose of addresses that differ in their draws
WorkforceOf = Callable[[Task], AbstractContextManager[Workforce]]  # such as `Engine.workforce`


class Wanted(Sequence[Address]):
    """Addresses to look at, of a million of which few exist at a time: by category and purpose, draws."""

    def __init__(self, seed: int, draws: Mapping[Stream, array[int]]) -> None:
        self._seed = seed
        self._draws = tuple(draws.items())
        self._ends = tuple(accumulate(len(own) for _, own in self._draws))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> Address: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Address]: ...
    def __getitem__(self, place: int | slice) -> Address | Sequence[Address]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        stream = bisect_right(self._ends, place)
        (category, purpose), draws = self._draws[stream]
        return Address(self._seed, category, draws[place - self._ends[stream]], purpose)


class Survey:
    """What the addresses of a build hold. `at` tells it; `rounds` has looked at those that it could not tell.

    Without `looked`, which yields what addresses hold as soon as that is known, in any order, each is looked
    at when it is asked for, in this process.
    """

    def __init__(
        self,
        request: Request,
        looked: Callable[[Sequence[Address]], Iterator[Found]] | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.seed = request.seed
        self._rows = request.num_kernels
        self._looked = looked
        self._ledger = ledger
        self._known: dict[Stream, Looks] = {}
        self._read: set[str] = set()  # categories that the ledger was asked for
        self._wanted: dict[Stream, array[int]] = defaultdict(lambda: array("Q"))

    def at(self, address: Address) -> Look | Unseen | None:
        """What is at an address: None if there is no kernel. One that is unseen is looked at before the next
        round."""
        known = self._of(address)
        found = known.at(address.draw)
        if isinstance(found, Unseen):
            if self._looked is None:
                found = look(address, strictly=is_strict(self._rows, address.category))
                known.add({address.draw: found})
            else:
                self.want((address,))
        return found

    def decided(self, address: Address) -> int:
        """The decisions of a draw that was chosen."""
        found = self._of(address).at(address.draw)
        assert isinstance(found, Look)
        return found.decided

    def want(self, addresses: Iterable[Address]) -> None:
        """Have addresses looked at before the next round: they are likely to be asked for."""
        if self._looked is not None:
            for address in addresses:
                if self._of(address).ask(address.draw):
                    self._wanted[_stream(address)].append(address.draw)

    def rounds(self, choose: Callable[[], Chosen | None]) -> Chosen:
        """What `choose` returns once it asks for nothing that is not known. Until then it is called again, to
        go on, and may return None. Raises what it raises when all is known."""
        while True:
            chosen, error = None, None
            try:
                chosen = choose()
            except UserError as refused:
                error = refused  # perhaps it knew too little
            wanted = Wanted(self.seed, self._wanted)
            if not wanted:
                if error is not None:
                    raise error
                assert chosen is not None
                return chosen
            self._wanted.clear()
            self._look(wanted)

    def forget(self) -> None:
        """Give up what is known: choosing asks no more."""
        self._known.clear()

    def _look(self, wanted: Sequence[Address]) -> None:
        assert self._looked is not None
        for found in self._looked(wanted):
            if self._ledger is not None:
                self._ledger.add(found)
            for address, there in found.items():
                self._of(address).add({address.draw: there})

    def _of(self, address: Address) -> Looks:
        """What is known of the draws of an address's purpose, on disk too."""
        category = address.category
        if self._ledger is not None and category not in self._read:
            self._read.add(category)
            for known, there in self._ledger.read(category).items():
                self._of(known).add({known.draw: there})
        stream = _stream(address)
        if stream not in self._known:
            self._known[stream] = Looks(is_strict(self._rows, category))
        return self._known[stream]


@contextmanager
def surveying(
    request: Request, workforce: WorkforceOf, folder: Path | None = None, *, quiet: bool = False
) -> Iterator[Survey]:
    """A survey by a workforce, which is started when there is work and ends with the context; `folder` keeps
    what it finds.

    One process at a time uses a folder, others wait. Entering it raises `UserError` where `folder` cannot be
    written. Looking raises what starting a workforce and `Pool.results` raise.
    """
    task = Task(f"{look.__module__}:look_at", (str(request.num_kernels),))
    with _Lookers(partial(workforce, task), f"planning {request.config}", quiet) as lookers:
        if folder is None:
            yield Survey(request, lookers.looked)
            return
        ledger = Ledger(folder, request)
        lock = FileLock(folder / "lock")
        with writable(f"to {folder}"):
            lock.acquire()
        try:
            yield Survey(request, lookers.looked, ledger)
        finally:
            lock.release()


class _Lookers:
    """Workers that look at addresses, and one bar over all rounds. They start when there is work."""

    def __init__(
        self, workforce: Callable[[], AbstractContextManager[Workforce]], title: str, quiet: bool
    ) -> None:
        self._workforce = workforce
        self._tally = Tally(title, 0, words=WORDS)
        self._bar = Bar(self._tally, quiet=quiet)
        self._started = ExitStack()
        self._pool: Workforce | None = None

    def __enter__(self) -> _Lookers:
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    def looked(self, wanted: Sequence[Address]) -> Iterator[Found]:
        """The facts of the kernels at addresses, batch by batch. If drawing a kernel kills its worker, there
        is none."""
        self._tally.rows += len(wanted)
        if self._pool is None:
            self._pool = self._started.enter_context(self._workforce())
            self._started.enter_context(self._bar)
        size = max(1, min(BATCH_SIZE, len(wanted) // (SHARE * self._pool.workers)))
        batches = (tuple(wanted[start : start + size]) for start in range(0, len(wanted), size))
        _submit(self._pool, batches)
        for batch, outcomes in self._pool.results():
            _submit(self._pool, batches)
            for address in batch:
                self._bar.seen(address, {})
            pairs = zip(batch, outcomes, strict=True)
            yield {address: there if isinstance(there, Look) else None for address, there in pairs}


def _stream(address: Address) -> Stream:
    return address.category, address.purpose


def _submit(pool: Workforce, batches: Iterator[tuple[Address, ...]]) -> None:
    """Keep batches ahead for all workers that there are by now."""
    while pool.pending < AHEAD * pool.workers and (batch := next(batches, None)):
        pool.submit(batch, batch)
