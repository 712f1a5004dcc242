"""Near duplicates: how alike two kernels are, exact and not an estimate by hashing (see `grams`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from ..language.python.grams import grams

THRESHOLDS = (0.7, 0.8)

PARTS = (0.3, 0.6, 0.8, 1.0)  # of the 5-grams of a source, the rarest first, by which its nearest is sought


class Vocabulary:
    """Numbers for 5-grams, so that a source is a short array of int64 instead of a set of strings."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._encoded: dict[str, np.ndarray] = {}  # configs share most of their kernels

    def encode(self, source: str) -> np.ndarray:
        """The numbers of a source's 5-grams, each once, in no order."""
        if source not in self._encoded:
            numbers = self._numbers
            found = [numbers.setdefault(gram, len(numbers)) for gram in grams(source)]
            self._encoded[source] = np.array(found, dtype=np.int64)
        return self._encoded[source]


class Corpus:
    """Encoded sources to compare others with, indexed by their 5-grams.

    Two sources that are alike share rare 5-grams, too: of n 5-grams, all but t·n may be missing where the
    similarity is t at least, so one of the n - t·n + 1 rarest is shared. Whoever shares none is not looked
    at (the prefix filter: Chaudhuri, Ganti and Kaushik, "A Primitive Operator for Similarity Joins in Data
    Cleaning", ICDE 2006).
    """

    def __init__(self, sources: Sequence[np.ndarray]) -> None:
        self._sources = sources
        self._sizes = np.array([len(source) for source in sources], dtype=np.int64)
        members = np.concatenate([*sources, np.empty(0, dtype=np.int64)])
        # Where each 5-gram's sources begin in `owners`, which lists them by 5-gram.
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(members))))
        self._owners = np.repeat(np.arange(len(sources)), self._sizes)[np.argsort(members, kind="stable")]

    def similarities(self, source: np.ndarray) -> np.ndarray:
        """The Jaccard similarity of `source` with each of the corpus: float64, one per source."""
        known = source[source < len(self._starts) - 1]
        found = [self._owners[self._starts[gram] : self._starts[gram + 1]] for gram in known]
        shared = np.bincount(np.concatenate([*found, self._owners[:0]]), minlength=len(self._sizes))
        return shared / (self._sizes + len(source) - shared)

    def alike(self, source: np.ndarray, threshold: float) -> np.ndarray:
        """Which sources have at least this Jaccard similarity with `source`, in order. The threshold is
        positive."""
        least = ceil(threshold * len(source) - 1e-9)
        seen, bounds = self._seen(source, len(source) - least + 1)
        some = seen[bounds >= threshold]
        return some[[self._similarity(source, place) >= threshold for place in some]]

    def nearest(self, source: np.ndarray) -> float:
        """The highest Jaccard similarity of `source` with one of the corpus; zero for an empty corpus."""
        best = 0.0
        for part in PARTS:
            rarest = ceil(part * len(source))
            seen, bounds = self._seen(source, rarest)
            for place in np.argsort(-bounds, kind="stable"):
                if bounds[place] <= best:
                    break
                best = max(best, self._similarity(source, seen[place]))
            # Who shares none of these shares the others at most.
            if len(source) - rarest <= best * len(source):
                break
        return best

    def _seen(self, source: np.ndarray, rarest: int) -> tuple[np.ndarray, np.ndarray]:
        """The sources that have one of the `rarest` 5-grams of `source`, and how alike they are at most."""
        known = source[source < len(self._starts) - 1]
        known = known[np.argsort(self._starts[known + 1] - self._starts[known], kind="stable")]
        # Those that no source has are the rarest.
        rare = known[: max(0, rarest - (len(source) - len(known)))]
        found = [self._owners[self._starts[gram] : self._starts[gram + 1]] for gram in rare]
        seen, shared = np.unique(np.concatenate([*found, self._owners[:0]]), return_counts=True)
        most = shared + (len(known) - len(rare))
        return seen, most / np.maximum(self._sizes[seen] + len(source) - most, most)

    def _similarity(self, source: np.ndarray, place: int) -> float:
        other = self._sources[place]
        shared = len(np.intersect1d(source, other, assume_unique=True))
        return shared / (len(source) + len(other) - shared)


def survivors(sources: Sequence[np.ndarray], threshold: float) -> list[int]:
    """Which sources stay when each that is as alike as `threshold` to one kept before it goes."""
    corpus = Corpus(sources)
    kept = np.zeros(len(sources), dtype=bool)
    for number, source in enumerate(sources):
        kept[number] = not kept[corpus.alike(source, threshold)].any()
    return np.flatnonzero(kept).tolist()
