"""Keeps the kernels of a family apart: no skeleton is twice in a build, and yet they may be all too alike."""

from __future__ import annotations

from collections import defaultdict

from ...language.identity import identify_meaning
from ...language.python.grams import grams
from ...language.python.write import write
from ...synthesis.drawn import Drawn

ALL_APART = 5_000  # rows of a build in which no two are near duplicates
NEAR = 0.65  # Jaccard similarity: others count tokens a little differently, and call 0.7 a near duplicate


class Apart:
    """The kernels of one family that a build has looked at, by their purpose; grown ones have none.

    In a build of up to `ALL_APART` rows none is near another one. In a larger one those of a purpose differ
    in what they mean, and not in spelling alone.
    """

    def __init__(self, rows: int) -> None:
        self._strictly = rows <= ALL_APART
        self._grams: dict[str | None, list[frozenset[str]]] = defaultdict(list)
        self._meanings: set[str] = set()

    def takes(self, drawn: Drawn) -> bool:
        """Whether a kernel is unlike all before it; if so, later ones are held against it."""
        if self._strictly:
            own, others = frozenset(grams(write(drawn.program))), self._grams[drawn.purpose]
            alone = not any(len(own & other) >= NEAR * len(own | other) for other in others)
            if alone:
                others.append(own)
            return alone
        if drawn.purpose is None:
            return True
        meaning = identify_meaning(drawn.program).skeleton
        alone = meaning not in self._meanings
        self._meanings.add(meaning)
        return alone
