"""One idiom family's walk through its draws: purposes take turns, each in the split that its name decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from ...common.configs import SPLITS
from ...language.identity import purpose_group, split_of
from ...synthesis.idioms import IDIOMS
from ..request import Request
from .quota import Drawing, Pick, Spill
from .survey import Survey, Unseen

# Draws of one purpose in a row that give no new kernel, after which it counts as dry.
PATIENCE = 12


class PurposePicker(Drawing):
    """Keeps, for each split, the first draws of the purposes in it that are new.

    Purposes of another difficulty than the request's take no part, nor do kernels of theirs that are more
    difficult because others are put together with them.
    """

    def __init__(self, request: Request, category: str, seen: set[str], survey: Survey) -> None:
        super().__init__(request, category, seen, survey)
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
        """As many more of each split, or what there is."""
        return {split: self._next(split, rows) for split, rows in need.items()}

    def levels(self, split: str) -> Counter[int]:
        return Counter(pick.level for pick in self.kept[split])

    def _next(self, split: str, rows: int) -> list[Pick]:
        """The next picks of a split, fewer where its purposes are dry. Of draws that nobody has looked at yet
        so many are asked for that enough of them may be new."""
        picks: list[Pick] = []
        hoped = 0.0
        while hoped < rows and (pick := next(self.streams[split], None)) is not None:
            hoped += self.hope if pick.unseen else 1
            picks.append(pick)
        return picks[:rows]

    def _stream(self, split: str) -> Iterator[Pick]:
        """New kernels of a split's purposes, in turn, until all of them are dry; then those that are too like
        these."""
        fruitless = dict.fromkeys(self.turns[split], 0)
        number = 0
        while fruitless:
            for turn in tuple(fruitless):
                draw = number * len(self.pages) + turn
                if (found := self.fresh(draw, turn)) is not None:
                    fruitless[turn] = 0
                    if isinstance(found, Unseen):
                        yield Pick(self.pages[turn].level, draw, unseen=True)
                    else:
                        yield Pick(found.level, draw)
                    continue
                fruitless[turn] += 1
                if fruitless[turn] == PATIENCE:
                    del fruitless[turn]
            number += 1
        yield from self._alike(split)

    def _alike(self, split: str) -> Iterator[Pick]:
        """Near duplicates of what a split's purposes gave, in turn: better than another family's rows, as
        long as there are not more of them than of the others."""
        refused = {turn: list(reversed(self.alike[turn])) for turn in self.turns[split]}
        left = self.new
        while left and any(refused.values()):
            for draws in refused.values():
                if left and draws:
                    draw, look = draws.pop()
                    if look.skeleton not in self.seen:
                        self.seen.add(look.skeleton)
                        self.duplicates -= 1
                        left -= 1
                        yield Pick(look.level, draw)
