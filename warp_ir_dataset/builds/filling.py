"""Fills shards with rows from a pool of workers."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from ..common.address import Address
from ..common.configs import Config
from ..common.errors import Failure
from ..common.outcomes import Outcome, Reason, Rejected, Row
from ..workers.task import Workforce
from .plan.plan import Candidate, ShardPlan
from .shards import Filled, order

BATCH_SIZE = 50  # a module costs a tenth of a second in each compiler; a hundred gave nothing more
LAST_BATCH_SIZE = 5
# Candidates that become PTX together. NVRTC orders the instructions of some kernels by what else is in a
# module, so the plan fixes that, and neither workers nor the size of a batch.
MODULE_SIZE = 20


def module_size_of(config: Config) -> int:
    """How many candidates become PTX together; one where there is none."""
    return MODULE_SIZE if config.cuda else 1


def ptx_modules(shard: ShardPlan, size: int) -> Mapping[Address, str]:
    """The PTX module of each candidate: `size` of those that are tried at first, or half of them where
    that is less, so that two workers share a short shard; spares by themselves."""
    first = [each for queue in shard.queues for each in queue.candidates[: queue.quota]]
    size = min(size, -(-len(first) // 2))
    spare = [each for queue in shard.queues for each in queue.candidates[queue.quota :]]
    found = {each.address: f"{shard.name} {place // size}" for place, each in enumerate(first)}
    return found | {each.address: str(each) for each in spare}


def replay(shard: ShardPlan, passed: Collection[Address]) -> tuple[set[Address], tuple[Candidate, ...]]:
    """What of a shard's candidates become rows where those that passed are known, and which failed."""
    filling = _Filling(shard, 1)
    rows: set[Address] = set()
    failed: list[Candidate] = []
    trials = deque(filling.first())
    try:
        while trials:
            trial = trials.popleft()
            if trial.candidate.address in passed:
                rows.add(trial.candidate.address)
                trials.extend(filling.take(trial, {}))
            else:
                failed.append(trial.candidate)
                trials.extend(filling.take(trial, Rejected(Reason.COMPILE_ERROR, "")))
    except Shortage:
        pass  # there are too few rows
    return rows, tuple(failed)


class Shortage(Failure):
    """So many candidates failed that a shard cannot be filled; the message is one line."""


class Units(Protocol):
    """What became of candidates before, and where that is kept (see `output.files`)."""

    def known(self, shard: ShardPlan) -> dict[str, Outcome]:
        """The outcomes of those candidates of a shard that were tried before, by their names."""

    def keep(self, shard: ShardPlan, tried: Sequence[tuple[Candidate, Outcome]]) -> None:
        """Keep what became of candidates of a shard."""


class Fill(Protocol):
    """Fills shards, in any order (see `fill`)."""

    def __call__(
        self,
        shards: Iterable[ShardPlan],
        on_outcome: Callable[[Candidate, Outcome], None],
        /,
        *,
        units: Units | None = None,
    ) -> Iterator[Filled]: ...


def fill(
    pool: Workforce,
    shards: Iterable[ShardPlan],
    on_outcome: Callable[[Candidate, Outcome], None] = lambda candidate, outcome: None,
    *,
    module_size: int,
    batch_size: int = BATCH_SIZE,
    units: Units | None = None,
) -> Iterator[Filled]:
    """Yield each shard with its rows in final order and its rejections, as soon as it is full.

    A queue gives the first `quota` of its candidates that pass, in its order: whenever one fails, its next
    spare is tried. What queues lack then, those that are left over in the others give, in a fixed order. So
    neither batches, nor workers, nor the other shards change what is in a shard. No batch tears `module_size`
    candidates apart that become PTX together (see `ptx_modules`). `on_outcome` hears of every candidate, also
    of those whose outcome `units` knew; what is proved now is kept there. Raises `Shortage` where a shard
    runs out of spares, and what `Pool.results` and `units` raise.
    """
    line = _Line((_Filling(shard, module_size) for shard in shards), on_outcome, units)
    line.submit(pool, batch_size)
    yield from line.full()
    for trials, outcomes in pool.results():
        line.take(trials, outcomes)
        line.submit(pool, batch_size)  # first, so that the pool is busy while ours is used
        yield from line.full()


class _Line:
    """Shards that are being filled, and the trials that wait for a worker."""

    def __init__(
        self,
        fillings: Iterator[_Filling],
        on_outcome: Callable[[Candidate, Outcome], None],
        units: Units | None,
    ) -> None:
        self._fillings, self._on_outcome, self._units = fillings, on_outcome, units
        self._waiting: deque[_Trial] = deque()
        self._full: list[_Filling] = []

    def submit(self, pool: Workforce, batch_size: int) -> None:
        """Keep two batches a worker in the pool; smaller ones at the end, so that all workers end
        together."""
        waiting = self._waiting
        while pool.pending < 2 * pool.workers:
            while len(waiting) < pool.workers * batch_size and (filling := next(self._fillings, None)):
                if self._units is not None:
                    filling.known = self._units.known(filling.shard)
                waiting.extend(self._untried(filling.first()))
            if not waiting:
                return
            share = max(LAST_BATCH_SIZE, -(-len(waiting) // pool.workers))
            trials = _taken(waiting, min(batch_size, share))
            pool.submit(trials, [trial.candidate for trial in trials])

    def take(self, trials: Sequence[_Trial], outcomes: Sequence[Outcome]) -> None:
        """Take what a worker found. A batch may be of several shards: each gets a unit of its own."""
        tried: dict[str, tuple[ShardPlan, list[tuple[Candidate, Outcome]]]] = {}
        for trial, outcome in zip(trials, outcomes, strict=True):
            shard = trial.filling.shard
            tried.setdefault(shard.name, (shard, []))[1].append((trial.candidate, outcome))
        if self._units is not None:
            for shard, unit in tried.values():
                self._units.keep(shard, unit)
        for trial, outcome in zip(trials, outcomes, strict=True):
            self._waiting.extendleft(self._untried(self._taken(trial, outcome)))

    def full(self) -> Iterator[Filled]:
        """The shards that are full by now."""
        while self._full:
            filling = self._full.pop(0)
            rows = order(filling.rows, filling.shard.split, filling.shard.index)
            yield Filled(filling.shard, rows, filling.rejections)

    def _untried(self, trials: list[_Trial]) -> list[_Trial]:
        """Those of the trials whose outcome is not known, and those that follow from what is known."""
        found, left = [], deque(trials)
        while left:
            trial = left.popleft()
            outcome = trial.filling.known.pop(str(trial.candidate), None)
            if outcome is None:
                found.append(trial)
            else:
                left.extend(self._taken(trial, outcome))
        return found

    def _taken(self, trial: _Trial, outcome: Outcome) -> list[_Trial]:
        self._on_outcome(trial.candidate, outcome)
        spares = trial.filling.take(trial, outcome)
        if not trial.filling.missing:
            self._full.append(trial.filling)
        return spares


def _taken(waiting: deque[_Trial], most: int) -> list[_Trial]:
    """The first trials in whole modules: one, or as many as are no more than `most` trials."""
    trials: list[_Trial] = []
    for _, module in groupby(waiting, lambda trial: trial.candidate.module):
        together = list(module)
        if trials and len(trials) + len(together) > most:
            break
        trials += together
    for _ in trials:
        waiting.popleft()
    return trials


@dataclass(frozen=True)
class _Trial:
    """A candidate that is being tried for a queue of a shard, or in place of one that any queue lacks."""

    filling: _Filling
    queue: int | None
    candidate: Candidate


class _Filling:
    """A shard on its way to being full."""

    def __init__(self, shard: ShardPlan, module_size: int) -> None:
        self.shard = shard
        self.rows: list[Row] = []
        self.rejections: Counter[Reason] = Counter()
        self.known: dict[str, Outcome] = {}
        self.missing = sum(queue.quota for queue in shard.queues)
        self._tried = 0
        self._lacking = 0  # of those missing, so many are in no queue any more
        named = ptx_modules(shard, module_size)
        self._untried = [
            deque(replace(each, module=named[each.address]) for each in queue.candidates)
            for queue in shard.queues
        ]

    def first(self) -> list[_Trial]:
        """As many candidates of each queue as it must give rows."""
        return [self._next(at) for at, queue in enumerate(self.shard.queues) for _ in range(queue.quota)]

    def take(self, trial: _Trial, outcome: Outcome) -> list[_Trial]:
        """Keep a row, or count why there is none; returns the spares to try now."""
        if not isinstance(outcome, Rejected):
            self.rows.append(outcome)
            self.missing -= 1
        else:
            self.rejections[outcome.reason] += 1
            if not self.shard.spares:
                self.missing -= 1
            elif trial.queue is not None and self._untried[trial.queue]:
                return [self._next(trial.queue)]
            else:
                self._lacking += 1
        # What is left over is known when no queue tries any of its own.
        return self._left_over() if self._lacking == self.missing else []

    def _next(self, at: int) -> _Trial:
        self._tried += 1
        return _Trial(self, at, self._untried[at].popleft())

    def _left_over(self) -> list[_Trial]:
        """Spares for all that is lacking, each of the queue that has most left, the first of several."""
        found = []
        while self._lacking:
            at = max(range(len(self._untried)), key=lambda at: (len(self._untried[at]), -at), default=0)
            if not self._untried or not self._untried[at]:
                raise self._shortage()
            found.append(replace(self._next(at), queue=None))
            self._lacking -= 1
        return found

    def _shortage(self) -> Shortage:
        shard = self.shard
        counts = ", ".join(
            f"{reason.value.replace('_', ' ')} ({n:,})" for reason, n in sorted(self.rejections.items())
        )
        return Shortage(
            f"shard {shard.index} of {shard.count} of {shard.split} needs {shard.rows} rows, and too few of"
            f" {self._tried} candidates passed their proof: {counts}"
        )
