"""What is known of addresses so far, and rounds of looking at more of them, here or in workers.

Choosing a plan asks for one address after the other, and what it asks for next depends on what it was told.
So it is done in rounds: an address that nobody has looked at yet counts as a new kernel for the time being,
and is looked at before the next round. The last round meets none, and is the plan: the same, whoever looked
at what, and when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from ...common.address import Address
from ...common.errors import UserError
from ...workers.pool import Pool
from ...workers.progress import Bar, Tally, Words
from ...workers.task import Task
from ..request import Request
from .apart import is_strict
from .ledger import Ledger
from .look import Look, look

BATCH_SIZE = 16
IN_MEMORY = 500_000  # looks, some 120 MB
WORDS = Words("kernels", "to look at", "are looked at")

Chosen = TypeVar("Chosen")


class Unseen:
    """What is known of an address that is to be looked at before the next round."""


UNSEEN = Unseen()

Found = Mapping[Address, Look | None]


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
        self._here = partial(look, strictly=is_strict(request.num_kernels))
        self._looked = looked
        self._ledger = ledger
        self._known: dict[str, dict[int, Look | None]] = {}
        self._wanted: dict[Address, None] = {}

    def at(self, category: str, draw: int) -> Look | Unseen | None:
        """What is at an address: None if there is no kernel."""
        known = self._of(category)
        if draw in known:
            return known[draw]
        address = Address(self.seed, category, draw)
        if self._looked is None:
            known[draw] = self._here(address)
            return known[draw]
        self._wanted[address] = None
        return UNSEEN

    def want(self, category: str, draws: Iterable[int]) -> None:
        """Have addresses looked at before the next round: they are likely to be asked for."""
        known = self._of(category)
        self._wanted |= dict.fromkeys(
            Address(self.seed, category, draw) for draw in draws if draw not in known
        )

    @property
    def complete(self) -> bool:
        """Whether all that was asked for in this round could be told."""
        return not self._wanted

    def rounds(self, choose: Callable[[], Chosen | None]) -> Chosen:
        """What `choose` returns once it asks for nothing that is not known. Until then it is called anew, and
        may return None. Raises what it raises when all is known."""
        while True:
            chosen, error = None, None
            try:
                chosen = choose()
            except UserError as refused:
                error = refused  # perhaps it knew too little
            if not self._wanted:
                if error is not None:
                    raise error
                assert chosen is not None
                return chosen
            self._look(tuple(self._wanted))

    def _look(self, wanted: Sequence[Address]) -> None:
        assert self._looked is not None
        self._wanted = {}
        for found in self._looked(wanted):
            if self._ledger is not None:
                self._ledger.add(found)
            for address, there in found.items():
                if self._ledger is None or address.category in self._known:
                    self._of(address.category)[address.draw] = there

    def _of(self, category: str) -> dict[int, Look | None]:
        """What is known of a family. Of a large build some are in memory, and all on disk."""
        if category not in self._known:
            if self._ledger is None:
                self._known[category] = {}
            else:
                while sum(map(len, self._known.values())) > IN_MEMORY:
                    del self._known[next(iter(self._known))]
                self._known[category] = self._ledger.read(category)
        return self._known[category]


@contextmanager
def surveying(
    request: Request, workers: int, folder: Path | None = None, *, quiet: bool = False
) -> Iterator[Survey]:
    """A survey by child processes, which end with the context; `folder` keeps what they find.

    One process at a time uses a folder, others wait. Entering it raises `UserError` where `folder` cannot be
    written. Looking raises what `Pool.results` raises.
    """
    strictly = is_strict(request.num_kernels)
    task = Task(f"{look.__module__}:look_at", ("yes" if strictly else "no",))
    with _Lookers(task, workers, f"planning {request.config}", quiet) as lookers:
        if folder is None:
            yield Survey(request, lookers.looked)
            return
        ledger = Ledger(folder, request.seed, strictly)
        with FileLock(folder / "lock"):
            yield Survey(request, lookers.looked, ledger)


class _Lookers:
    """Workers that look at addresses, and one bar over all rounds. They start when there is work."""

    def __init__(self, task: Task, workers: int, title: str, quiet: bool) -> None:
        self._task, self._workers = task, workers
        self._tally = Tally(title, 0, words=WORDS)
        self._bar = Bar(self._tally, quiet=quiet)
        self._started = ExitStack()
        self._pool: Pool[Address] | None = None

    def __enter__(self) -> _Lookers:
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    def looked(self, wanted: Sequence[Address]) -> Iterator[Found]:
        """What addresses hold, batch by batch. What ends its worker holds no kernel."""
        self._tally.rows += len(wanted)
        if self._pool is None:
            self._pool = self._started.enter_context(Pool(self._workers, self._task))
            self._started.enter_context(self._bar)
        size = max(1, min(BATCH_SIZE, len(wanted) // (2 * self._workers)))
        for start in range(0, len(wanted), size):
            batch = tuple(wanted[start : start + size])
            self._pool.submit(batch, batch)
        for batch, outcomes in self._pool.results():
            for address in batch:
                self._bar.seen(address, {})
            pairs = zip(batch, outcomes, strict=True)
            yield {address: there if isinstance(there, Look) else None for address, there in pairs}
