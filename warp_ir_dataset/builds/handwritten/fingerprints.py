"""Compares kernels fast: each 5-gram of a source becomes a number."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
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
    return frozenset(re.findall("." * DIGITS, text))


def are_near(one: Fingerprint, other: Fingerprint, similarity: float) -> bool:
    """Whether two have that Jaccard similarity, or a higher one."""
    few, many = sorted((len(one), len(other)))
    if few < similarity * many:
        return False
    common = len(one & other)
    return common >= similarity * (few + many - common)


class Known:
    """Fingerprints that others are held against, all at once."""

    def __init__(self, fingerprints: Iterable[Iterable[str]] = ()) -> None:
        self._sizes: list[int] = []
        self._having: dict[str, list[int]] = defaultdict(list)  # which of them have a number
        for each in fingerprints:
            self.add(each)

    def add(self, fingerprint: Iterable[str]) -> None:
        """Hold later ones against this one, too."""
        numbers = [*fingerprint]
        for number in numbers:
            self._having[number].append(len(self._sizes))
        self._sizes.append(len(numbers))

    def has_near(self, own: Fingerprint, similarity: float) -> bool:
        """Whether one of them and `own` have that Jaccard similarity, or a higher one."""
        shared = Counter(chain.from_iterable(self._having.get(number, ()) for number in own))
        return any(
            common >= similarity * (self._sizes[place] + len(own) - common)
            for place, common in shared.items()
        )
