"""Finds near duplicates: computes the exact similarity of kernels, not an estimate (see `grams`)."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from math import ceil

import numpy as np

from ..language.python.grams import grams

THRESHOLDS = (0.7, 0.8)
RARE = 16  # rare 5-grams, at most, that sources must share to be compared
CACHED = 20_000  # sources, of which each takes some 2 kB


def chosen(ids: Iterable[str], most: int) -> np.ndarray:
    """Which of some rows stand for all: bool, one per id. Those whose ids have the smallest hashes, so that
    nobody's order or luck decides; every one where there are no more than `most`."""
    hashes = np.fromiter((_hash(id) for id in ids), dtype=np.uint64)
    if len(hashes) <= most:
        return np.ones(len(hashes), dtype=bool)
    chosen = np.zeros(len(hashes), dtype=bool)
    chosen[np.argsort(hashes, kind="stable")[:most]] = True
    return chosen


def _hash(id: str) -> int:
    return int.from_bytes(blake2b(id.encode(), digest_size=8).digest(), "big")


class Vocabulary:
    """Numbers for 5-grams, so that a source is a short array of int32 instead of a set of strings."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._encoded: dict[str, np.ndarray] = {}  # configs share most of their kernels

    def encode(self, source: str) -> np.ndarray:
        """The numbers of a source's 5-grams, each once, in no order; new ones get theirs."""
        if (encoded := self._encoded.get(source)) is None:
            numbers = self._numbers
            found = [numbers.setdefault(gram, len(numbers)) for gram in grams(source)]
            encoded = np.array(found, dtype=np.int32)
            if len(self._encoded) < CACHED:
                self._encoded[source] = encoded
        return encoded

    def known(self, source: str) -> tuple[np.ndarray, int]:
        """The numbers of those of a source's 5-grams that have one, and how many 5-grams it has: what is only
        compared with encoded sources need not stay in memory."""
        if (encoded := self._encoded.get(source)) is not None:
            return encoded, len(encoded)
        numbers, own = self._numbers, grams(source)
        return np.array([numbers[gram] for gram in own if gram in numbers], dtype=np.int32), len(own)


class Corpus:
    """Encoded sources to compare others with, indexed by their 5-grams."""

    def __init__(self, sources: Sequence[np.ndarray]) -> None:
        self._sizes = np.array([len(source) for source in sources], dtype=np.int64)
        members = np.concatenate([*sources, np.empty(0, dtype=np.int32)])
        # Where each 5-gram's sources begin in `owners`, which lists them by 5-gram.
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(members))))
        self._owners = np.repeat(np.arange(len(sources)), self._sizes)[np.argsort(members, kind="stable")]

    def similarities(self, source: np.ndarray, size: int | None = None) -> np.ndarray:
        """The Jaccard similarity of `source` with each of the corpus: float64, one per source. `size` is how
        many 5-grams it has, where `source` lacks those that are not in the corpus."""
        known = source[source < len(self._starts) - 1]
        found = [self._owners[self._starts[gram] : self._starts[gram + 1]] for gram in known]
        shared = np.bincount(np.concatenate([*found, self._owners[:0]]), minlength=len(self._sizes))
        return shared / (self._sizes + (len(source) if size is None else size) - shared)


class Nearest:
    """How near a stream of sources comes to each of a few, of which alone something is kept."""

    def __init__(self, few: Sequence[np.ndarray]) -> None:
        self._corpus = Corpus(few)
        self._best = np.full(len(few), -1.0)

    def see(self, source: np.ndarray, size: int | None = None) -> np.ndarray:
        """Compare one of the stream (as in `Corpus.similarities`) with each of the few. Returns the places of
        those to which it is nearer than all before it."""
        similarities = self._corpus.similarities(source, size)
        nearer = np.flatnonzero(similarities > self._best)
        self._best[nearer] = similarities[nearer]
        return nearer

    @property
    def similarities(self) -> list[float]:
        """The highest similarity of each of the few with one of the stream; zero where it is empty."""
        highest: list[float] = np.maximum(self._best, 0.0).tolist()
        return highest


def survivors(
    sources: Sequence[np.ndarray], threshold: float, seen: Callable[[], object] = lambda: None
) -> list[int]:
    """Which sources stay when each that is as alike as `threshold` to one kept before it goes. The threshold
    is positive; `seen` is called once for each source.

    Two sources that are alike share rare 5-grams, too: of n 5-grams, all but t·n may be missing where the
    similarity is t at least, so of the n - t·n + k rarest of each, k are shared. Whoever shares fewer is not
    looked at (the prefix filter: Chaudhuri, Ganti and Kaushik, "A Primitive Operator for Similarity Joins in
    Data Cleaning", ICDE 2006; for k above one: Wang, Li and Feng, "Can We Beat the Prefix Filtering?", SIGMOD
    2012).
    """
    counts = np.zeros(
        1 + max((int(source.max(initial=-1)) for source in sources), default=-1), dtype=np.int64
    )
    for source in sources:  # put together they would take as much memory again
        counts[source] += 1
    rarity = np.argsort(np.argsort(counts, kind="stable"))  # the same order for all, whatever is as rare
    sizes = np.array([len(source) for source in sources], dtype=np.int64)
    own = np.zeros(len(counts), dtype=bool)
    keepers: dict[int, array[int]] = defaultdict(lambda: array("q"))  # by 5-gram among the rarest of these
    kept = []
    for number, source in enumerate(sources):
        seen()
        size = len(source)
        least = ceil(threshold * size - 1e-9)
        both = min(RARE, least)
        rarest = source[np.argsort(rarity[source])][: size - least + both].tolist()
        found = [np.frombuffer(keepers[gram], dtype=np.int64) for gram in rarest if gram in keepers]
        near = np.flatnonzero(np.bincount(np.concatenate([*found, counts[:0]])) >= both)
        near = near[(sizes[near] >= least) & (sizes[near] <= size / threshold + 1e-9)]
        if len(near):
            own[source] = True
            begins = np.cumsum(sizes[near]) - sizes[near]
            shared = np.add.reduceat(
                own[np.concatenate([sources[k] for k in near.tolist()])], begins, dtype=np.int64
            )
            own[source] = False
            if (shared / (sizes[near] + size - shared) >= threshold).any():
                continue
        kept.append(number)
        del found  # what lies in use cannot grow
        for gram in rarest:
            keepers[gram].append(number)
    return kept
