"""Fills shards with rows from a pool of workers."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..common.outcomes import Outcome, Reason, Rejected, Row
from .plan.plan import Candidate, ShardPlan
from .shards import Filled, order

BATCH_SIZE = 20
LAST_BATCH_SIZE = 5


class Workforce(Protocol):
    """Who proves candidates: a `Pool` of processes here, or a `ClusterPool` of machines."""

    @property
    def workers(self) -> int: ...

    @property
    def pending(self) -> int: ...

    def submit(self, tag: Any, items: Sequence[Candidate]) -> None: ...

    def results(self) -> Iterator[tuple[Any, list[Outcome]]]: ...


class Shortage(RuntimeError):
    """So many candidates failed that a shard cannot be filled; the message is one line."""


def fill(
    pool: Workforce,
    shards: Iterable[ShardPlan],
    on_outcome: Callable[[Candidate, Outcome], None] = lambda candidate, outcome: None,
    *,
    batch_size: int = BATCH_SIZE,
) -> Iterator[Filled]:
    """Yield each shard with its rows in final order and its rejections, as soon as it is full.

    A queue gives the first `quota` of its candidates that pass, in its order: whenever one fails, its next
    spare is tried. So neither batches, nor workers, nor the other shards change what is in a shard.
    `on_outcome` hears of every candidate tried. Raises `Shortage` where a queue runs out of spares, and
    what `Pool.results` raises.
    """
    fillings = (_Filling(shard) for shard in shards)
    waiting: deque[_Trial] = deque()
    _submit(pool, fillings, waiting, batch_size)
    for trials, outcomes in pool.results():
        full = []
        for trial, outcome in zip(trials, outcomes, strict=True):
            on_outcome(trial.candidate, outcome)
            if spare := trial.filling.take(trial, outcome):
                waiting.appendleft(spare)
            elif not trial.filling.missing:
                full.append(trial.filling)
        _submit(pool, fillings, waiting, batch_size)  # first, so that the pool is busy while ours is used
        for filling in full:
            rows = order(filling.rows, filling.shard.split, filling.shard.index)
            yield Filled(filling.shard, rows, filling.rejections)


def _submit(pool: Workforce, fillings: Iterator[_Filling], waiting: deque[_Trial], batch_size: int) -> None:
    """Keep two batches a worker in the pool; smaller ones at the end, so that all workers end together."""
    while pool.pending < 2 * pool.workers:
        while len(waiting) < pool.workers * batch_size and (filling := next(fillings, None)):
            waiting.extend(filling.first())
        if not waiting:
            return
        share = max(LAST_BATCH_SIZE, -(-len(waiting) // pool.workers))
        trials = [waiting.popleft() for _ in range(min(batch_size, share, len(waiting)))]
        pool.submit(trials, [trial.candidate for trial in trials])


@dataclass(frozen=True)
class _Trial:
    """A candidate that is being tried for a queue of a shard."""

    filling: _Filling
    queue: int
    candidate: Candidate


class _Filling:
    """A shard on its way to being full."""

    def __init__(self, shard: ShardPlan) -> None:
        self.shard = shard
        self.rows: list[Row] = []
        self.rejections: Counter[Reason] = Counter()
        self.missing = sum(queue.quota for queue in shard.queues)
        self._untried = [iter(queue.candidates) for queue in shard.queues]
        self._rejected: list[Counter[Reason]] = [Counter() for _ in shard.queues]

    def first(self) -> list[_Trial]:
        """As many candidates of each queue as it must give rows."""
        return [self._next(at) for at, queue in enumerate(self.shard.queues) for _ in range(queue.quota)]

    def take(self, trial: _Trial, outcome: Outcome) -> _Trial | None:
        """Keep a row, or count why there is none and return the spare to try in its place, if any."""
        if isinstance(outcome, Rejected):
            self._rejected[trial.queue][outcome.reason] += 1
            self.rejections[outcome.reason] += 1
            if self.shard.spares:
                return self._next(trial.queue)
        else:
            self.rows.append(outcome)
        self.missing -= 1
        return None

    def _next(self, at: int) -> _Trial:
        candidate = next(self._untried[at], None)
        if candidate is None:
            queue, shard = self.shard.queues[at], self.shard
            counts = ", ".join(f"{n} {reason.value}" for reason, n in sorted(self._rejected[at].items()))
            raise Shortage(
                f"shard {shard.index} of {shard.count} of {shard.split} needs {queue.quota} rows of"
                f" {queue.category}, and too few of {len(queue.candidates)} candidates passed: {counts}"
            )
        return _Trial(self, at, candidate)
