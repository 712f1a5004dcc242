"""Random choices that are the same on every machine and in every Python version."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T")
_WEIGHT = itemgetter(1)


class Rng:
    """A stream of choices that depends on `text` alone.

    Only `random.Random.random` is used: Python promises its sequence for a given seed, and makes no such
    promise for `choice`, `shuffle` or `sample`.
    """

    def __init__(self, text: str) -> None:
        digest = hashlib.sha256(text.encode()).digest()
        self._uniform = random.Random(int.from_bytes(digest[:16], "big")).random

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self._uniform() * n)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        return self._uniform() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One item out of (item, weight) pairs."""
        # `fsum`: since Python 3.12 `sum` rounds otherwise than before.
        point = self._uniform() * math.fsum(map(_WEIGHT, items))
        for item, weight in items:
            point -= weight
            if point < 0:
                return item
        return items[-1][0]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items (all of them where there are fewer), in random order."""
        return self.shuffled(items)[:count]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        pool = list(items)
        for last in range(len(pool) - 1, 0, -1):
            other = self.below(last + 1)
            pool[last], pool[other] = pool[other], pool[last]
        return pool


def rendezvous(items: Iterable[T], name: Callable[[T], str], text: str) -> T:
    """One of several items, as `text` decides. If another one joins them, the choice stays, or falls on it
    (rendezvous hashing: Thaler and Ravishankar, 1996)."""
    return max(items, key=lambda item: hashlib.sha256(f"{text}/{name(item)}".encode()).digest())
