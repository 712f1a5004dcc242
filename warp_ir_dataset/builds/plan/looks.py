"""Stores the facts about a family's candidates in memory, in some thirty bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from .look import Look


class Unseen:
    """Stands for the facts of an address that will be looked at before the next round."""


UNSEEN = Unseen()

# A byte for each draw: a level in the lowest bits (0 where there is no kernel), and these.
_LEVEL, _BARRED, _WITHHELD, _KNOWN, _ASKED = 7, 8, 16, 32, 64


class Looks:
    """What is known of the draws of one family. `strictly` says what looks hold of likeness."""

    def __init__(self, strictly: bool) -> None:
        self._facts = bytearray()
        self._skeletons = array("Q")
        self._meanings = array("Q")
        self._decided = array("Q")
        self._likeness: dict[int, str] | None = {} if strictly else None

    def at(self, draw: int) -> Look | Unseen | None:
        """What is at a draw: None if there is no kernel."""
        facts = self._facts[draw] if draw < len(self._facts) else 0
        if not facts & _KNOWN:
            return UNSEEN
        level = facts & _LEVEL
        if not level:
            return None
        skeleton, meaning = f"{self._skeletons[draw]:016x}", f"{self._meanings[draw]:016x}"
        likeness = "" if self._likeness is None else self._likeness[draw]
        barred, withheld = facts & _BARRED != 0, facts & _WITHHELD != 0
        return Look(level, skeleton, meaning, barred, withheld, likeness, self._decided[draw])

    def add(self, found: Mapping[int, Look | None]) -> None:
        """Looks at draws."""
        for draw, look in found.items():
            self._reach(draw)
            if look is None:
                self._facts[draw] = _KNOWN
                continue
            self._facts[draw] = _KNOWN | look.level | _BARRED * look.barred | _WITHHELD * look.withheld
            self._skeletons[draw] = int(look.skeleton, 16)
            self._meanings[draw] = int(look.meaning, 16)
            self._decided[draw] = look.decided
            if self._likeness is not None:
                self._likeness[draw] = look.likeness

    def ask(self, draw: int) -> bool:
        """Whether a draw is neither known nor asked for yet; from now on it is."""
        self._reach(draw)
        if self._facts[draw] & (_KNOWN | _ASKED):
            return False
        self._facts[draw] |= _ASKED
        return True

    def _reach(self, draw: int) -> None:
        if (more := draw + 1 - len(self._facts)) > 0:
            more += len(self._facts) // 8
            self._facts.extend(bytes(more))
            for numbers in (self._skeletons, self._meanings, self._decided):
                numbers.frombytes(bytes(8 * more))
