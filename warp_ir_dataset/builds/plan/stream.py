"""Reads the candidates of one stream in order, and takes those that are new to the build."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

from ...common.address import Address
from ...common.configs import CONFIGS
from ...language.identity import purpose_group, split_of
from ..request import Request
from .candidate_scan import StreamKey
from .facts import Facts
from .near_duplicates import NearDuplicateFilter


class Pick(NamedTuple):
    """A candidate that was chosen; `decided` and `text` are those of its `Facts`."""

    level: int
    address: Address
    decided: int
    text: str


class Taken:
    """The kernels that a pass has chosen, of all families."""

    def __init__(self, rows: int) -> None:
        self._hashes: set[str] = set()
        self.near_duplicates = NearDuplicateFilter(rows)

    def has(self, facts: Facts) -> bool:
        """Whether the build has the kernel already, in whatever style and with whatever literals."""
        return facts.skeleton in self._hashes or facts.meaning in self._hashes

    def add(self, facts: Facts) -> None:
        # Both, since a build promises that it has neither twice. One meaning may have several skeletons.
        self._hashes |= {facts.skeleton, facts.meaning}


class Stream:
    """One pass over a stream. `scanned` are the facts of its first candidates.

    `vain` counts the last candidates in a row that gave nothing to the split that asked. After `patience` of
    them the stream is `dry` and not read any further. `useless` counts all that serve no split. `lacking`
    counts, by split, the candidates that were assumed behind those scanned.
    """

    def __init__(
        self, key: StreamKey, scanned: Sequence[Facts | None], request: Request, taken: Taken, patience: int
    ) -> None:
        self.key = key
        self.position = self.useless = self.duplicates = self.non_differentiable = 0
        self.dry = False
        self.lacking: Counter[str] = Counter()
        self._scanned = scanned
        self._seed = request.seed
        self._levels = range(request.difficulty[0], request.difficulty[1] + 1)
        self._adjoint = CONFIGS[request.config].adjoint
        self._taken = taken
        self.patience = patience
        self.vain = 0
        # Numbers of candidates, by split: those that nothing needed so far, and refused near duplicates.
        self._waiting: dict[str, deque[int]] = defaultdict(deque)
        self._near: dict[str, deque[int]] = defaultdict(deque)
        self._split = split_of(purpose_group(key.purpose)) if key.purpose is not None else None

    def take(self, split: str, count: int) -> list[Pick]:
        """The next new candidates of a split: `count` of them, or all there are."""
        found = self.take_waiting(split, count)
        while len(found) < count and not self.dry:
            if (pick := self.read(split)) is not None:
                found.append(pick)
        return found

    def take_waiting(self, split: str, count: int) -> list[Pick]:
        """The same, but only what was read already."""
        found: list[Pick] = []
        waiting = self._waiting[split]
        while waiting and len(found) < count:
            number = waiting.popleft()
            if self._admits(number, split):
                found.append(self._pick(number))
        return found

    def read(self, split: str) -> Pick | None:
        """The next candidate, if it is new and of this split. Of another split it waits there."""
        number = self.position
        if number == len(self._scanned):
            self.lacking[split] += 1
            return Pick(self.key.level, self.key.address(self._seed, number), 0, "")
        self.position += 1
        pick = None
        facts = self._scanned[number]
        if not self._is_usable(facts):
            self.useless += 1
        elif (own := self._split or split_of(facts.meaning)) != split:
            self._waiting[own].append(number)
        elif self._admits(number, split):
            pick = self._pick(number)
        self.vain = self.vain + 1 if pick is None else 0
        self.dry = self.vain >= self.patience
        return pick

    def take_near(self, split: str) -> Pick | None:
        """A near duplicate, though none that repeats a kernel."""
        near = self._near[split]
        while near:
            number = near.popleft()
            facts = self._facts(number)
            if not self._taken.has(facts):
                self._taken.add(facts)
                self.duplicates -= 1
                return self._pick(number)
        return None

    def _is_usable(self, facts: Facts | None) -> TypeGuard[Facts]:
        if facts is None or facts.level not in self._levels:
            return False
        # Its skeleton may come again: other literals may make shorter loops.
        if self._adjoint and facts.non_differentiable:
            self.non_differentiable += 1
            return False
        if facts.withheld:
            self.duplicates += 1
            return False
        return True

    def _admits(self, number: int, split: str) -> bool:
        facts = self._facts(number)
        if not self._taken.has(facts):
            if self._taken.near_duplicates.admits(facts.fingerprint, self.key.purpose, split):
                self._taken.add(facts)
                return True
            self._near[split].append(number)
        self.duplicates += 1
        self.useless += 1
        return False

    def _facts(self, number: int) -> Facts:
        facts = self._scanned[number]
        assert facts is not None
        return facts

    def _pick(self, number: int) -> Pick:
        facts = self._facts(number)
        return Pick(facts.level, self.key.address(self._seed, number), facts.decided, facts.text)
