"""Keeps kernels of one family from being near duplicates of each other, though none repeats another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from ...synthesis.idioms import IDIOMS
from ..handwritten.fingerprints import Fingerprint, from_text

ALL_APART = 5_000  # rows of a build in which no two are near duplicates
# Rows of one in which none for training is a near duplicate of one that is held out. The more these are, the
# more of all kernels are near one of them.
SPLITS_APART = 25_000
NEAR = 0.65  # Jaccard similarity: others count tokens a little differently, and call 0.7 a near duplicate


def all_apart(rows: int) -> bool:
    """Whether no two of so many rows may be near duplicates."""
    return rows <= ALL_APART


def splits_apart(rows: int) -> bool:
    """Whether that is asked of training rows and held-out ones only. Purposes have their splits: it concerns
    grown kernels."""
    return ALL_APART < rows <= SPLITS_APART


def is_strict(rows: int, category: str) -> bool:
    """Whether kernels of a family are told from near duplicates, for which a look must hold more."""
    return all_apart(rows) or (splits_apart(rows) and category not in IDIOMS)


class Apart:
    """The kernels of one family that a build has looked at, by their purpose; grown ones have none.

    In a build of up to `ALL_APART` rows none is near another one, nor one of `others`, grown kernels of other
    families. In a larger one grown ones for training are held against those held out when these are known
    (see `Picker.keep_apart`).
    """

    def __init__(self, rows: int, others: Iterable[Fingerprint] = ()) -> None:
        self.strictly = all_apart(rows)
        self._others = tuple(others)
        self._fingerprints: dict[int | None, list[Fingerprint]] = defaultdict(list)

    @property
    def grown(self) -> tuple[Fingerprint, ...]:
        """Of the kernels without a purpose, where others are held against them."""
        return tuple(self._fingerprints[None])

    def takes(self, likeness: str, purpose: int | None) -> bool:
        """Whether a kernel is unlike all before it; if so, later ones are held against it. `likeness` is that
        of a `Look`, `purpose` a number for it."""
        if not self.strictly:
            return True
        before = self._fingerprints[purpose]
        own = from_text(likeness)
        alone = not any(_near(own, other) for other in chain(self._others, before))
        if alone:
            before.append(own)
        return alone


def _near(one: Fingerprint, other: Fingerprint) -> bool:
    few, many = sorted((len(one), len(other)))
    if few < NEAR * many:
        return False
    shared = len(one & other)
    return shared >= NEAR * (len(one) + len(other) - shared)
