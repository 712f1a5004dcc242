"""Keeps near duplicates out of a build, as far as its size leaves enough other kernels."""

from __future__ import annotations

from collections import defaultdict

from ...common.configs import SPLITS
from ...synthesis.idioms import IDIOMS
from ..handwritten.fingerprints import Fingerprint, Known, are_near, from_text

ALL_ROWS = 5_000  # rows of a build in which no two kernels are near duplicates
# Rows of one in which no kernel for training is a near duplicate of one that is held out. The more these are,
# the more of all kernels are near one of them.
ACROSS_SPLITS = 25_000
NEAR = 0.65  # Jaccard similarity: others count tokens a little differently, and call 0.7 a near duplicate


def needs_fingerprint(rows: int, category: str) -> bool:
    """Whether kernels of a family are compared in a build of so many rows."""
    return rows <= ALL_ROWS or (rows <= ACROSS_SPLITS and category not in IDIOMS)


class NearDuplicateFilter:
    """Compares candidates with the kernels that a build has.

    In a build of up to `ALL_ROWS` rows, kernels of one purpose are compared with each other, and random
    programs with each other. In one of up to `ACROSS_SPLITS` random programs for training are compared with
    those that are held out, which therefore are chosen first; purposes are never in two splits.
    """

    def __init__(self, rows: int) -> None:
        self._all = rows <= ALL_ROWS
        self._across_splits = ALL_ROWS < rows <= ACROSS_SPLITS
        self._random = Known()
        self._of_purpose: dict[str, list[Fingerprint]] = defaultdict(list)

    def admits(self, fingerprint: str, purpose: str | None, split: str) -> bool:
        """Whether a kernel is no near duplicate; if so, later ones are compared with it."""
        if purpose is not None:
            return not self._all or self._admits_of_purpose(from_text(fingerprint), purpose)
        if not (self._all or self._across_splits):
            return True
        own, is_training = from_text(fingerprint), split == SPLITS[0]
        if (self._all or is_training) and self._random.has_near(own, NEAR):
            return False
        if self._all or not is_training:
            self._random.add(own)
        return True

    def _admits_of_purpose(self, own: Fingerprint, purpose: str) -> bool:
        others = self._of_purpose[purpose]  # a few, so an index would cost more than it saves
        if any(are_near(own, other, NEAR) for other in others):
            return False
        others.append(own)
        return True
