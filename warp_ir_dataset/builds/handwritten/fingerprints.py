"""Compares kernels fast: each 5-gram of a source becomes a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2s
from itertools import chain

from ...language.python.grams import grams

DIGITS = 6  # hexadecimal, of a number of a fingerprint

Fingerprint = frozenset[str]


def fingerprint(source: str) -> Fingerprint:
    """A number for each 5-gram of a source."""
    return frozenset(blake2s(gram.encode(), digest_size=DIGITS // 2).hexdigest() for gram in grams(source))


def as_text(own: Fingerprint) -> str:
    """A fingerprint as a text, the same for equal ones."""
    return "".join(sorted(own))


def from_text(text: str) -> Fingerprint:
    """The fingerprint of such a text."""
    return frozenset(text[at : at + DIGITS] for at in range(0, len(text), DIGITS))


class Known:
    """Fingerprints that others are held against, all at once."""

    def __init__(self, fingerprints: Iterable[Iterable[str]]) -> None:
        self._sizes: list[int] = []
        self._having: dict[str, list[int]] = {}  # which of them have a number
        for place, numbers in enumerate(fingerprints):
            size = 0
            for number in numbers:
                self._having.setdefault(number, []).append(place)
                size += 1
            self._sizes.append(size)

    def has_near(self, own: Fingerprint, similarity: float) -> bool:
        """Whether one of them and `own` have that Jaccard similarity, or a higher one."""
        shared = Counter(chain.from_iterable(self._having.get(number, ()) for number in own))
        return any(
            common >= similarity * (self._sizes[place] + len(own) - common)
            for place, common in shared.items()
        )
