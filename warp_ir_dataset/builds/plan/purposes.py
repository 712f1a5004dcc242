"""One idiom family's walk through its draws: purposes take turns, each in the split that its name decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from ...common.configs import SPLITS
from ...language.identity import purpose_group, split_of
from ...synthesis.idioms import IDIOMS
from ..request import Request
from .quota import Drawing, Pick, Spill

# Draws of one purpose in a row that give no new kernel, after which it counts as dry.
PATIENCE = 12


class PurposePicker(Drawing):
    """Keeps, for each split, the first draws of the purposes in it that are new.

    Purposes of another difficulty than the request's take no part, nor do kernels of theirs that are more
    difficult because others are put together with them.
    """

    def __init__(self, request: Request, category: str, seen: set[str]) -> None:
        super().__init__(request, category, seen)
        low, high = request.difficulty
        self.pages = IDIOMS[category]
        self.turns: dict[str, list[int]] = {split: [] for split in SPLITS}
        for turn, page in enumerate(self.pages):
            if low <= page.level <= high:
                self.turns[split_of(purpose_group(page.purpose))].append(turn)
        self.streams = {split: self._stream(split) for split in SPLITS}

    def share(self, split: str) -> Fraction:
        """The part of the family's purposes that are in a split."""
        count = sum(map(len, self.turns.values()))
        return Fraction(len(self.turns[split]), count) if count else Fraction(0)

    def fill(self, wanted: dict[str, int]) -> dict[str, int]:
        """Keep as many picks of each split; returns how many are lacking."""
        lacking = {}
        for split, rows in wanted.items():
            self.kept[split] = self._next(split, rows)
            lacking[split] = rows - len(self.kept[split])
        if any(lacking.values()):
            hardest = max(page.level for page in self.pages)
            self.spilled.append(Spill(self.category, hardest, sum(lacking.values())))
        return lacking

    def spares(self, need: dict[str, int]) -> dict[str, list[Pick]]:
        """As many more of each split, or what there is: where purposes are dry, near duplicates, as a build
        that runs short of kernels ends."""
        found = {split: self._next(split, rows) for split, rows in need.items()}
        for split, rows in need.items():
            found[split] += islice(self._stream(split, apart=False), rows - len(found[split]))
        return found

    def levels(self, split: str) -> Counter[int]:
        return Counter(pick.level for pick in self.kept[split])

    def _next(self, split: str, rows: int) -> list[Pick]:
        return [pick for pick, _ in zip(self.streams[split], range(rows), strict=False)]

    def _stream(self, split: str, *, apart: bool = True) -> Iterator[Pick]:
        """New kernels of a split's purposes, in turn, until all of them are dry."""
        patience = PATIENCE if apart else 2 * PATIENCE  # what was kept before is not new
        fruitless = dict.fromkeys(self.turns[split], 0)
        number = 0
        while fruitless:
            for turn in tuple(fruitless):
                draw = number * len(self.pages) + turn
                if (found := self.fresh(draw, apart=apart)) is not None:
                    fruitless[turn] = 0
                    yield Pick(found.level, draw)
                    continue
                fruitless[turn] += 1
                if fruitless[turn] == patience:
                    del fruitless[turn]
            number += 1
