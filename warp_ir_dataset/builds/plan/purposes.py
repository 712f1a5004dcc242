"""Plans a family with purposes: purposes take turns, and each one's name decides its split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, islice

from ...common.address import Address
from ...common.configs import SPLITS
from ...language.identity import purpose_group, split_of
from ...synthesis.idioms import IDIOMS
from ...synthesis.sampling import address_of
from ..request import Request
from .claims import Claims
from .looks import Unseen
from .quota import Drawing, Pick, Picks, Spill, enough
from .survey import Survey

# Draws of one purpose in a row that give no new kernel, after which it counts as dry.
PATIENCE = 20


class PurposePicker(Drawing):
    """Keeps, for each split, the first draws of the purposes in it that are new.

    Purposes of another difficulty than the request's take no part, nor do kernels of theirs that are more
    difficult because others are put together with them; nor, where there are adjoints, those that are not
    differentiable.
    """

    def __init__(
        self, request: Request, category: str, claims: Claims, survey: Survey, turn: int = 0
    ) -> None:
        super().__init__(request, category, claims, survey, turn)
        low, high = request.difficulty
        self.templates = IDIOMS[category]
        self.turns: dict[str, list[int]] = {split: [] for split in SPLITS}
        for place, template in enumerate(self.templates):
            if low <= template.level <= high and (template.differentiable or not self._adjoint):
                self.turns[split_of(purpose_group(template.purpose))].append(place)
        self.streams = {split: self._stream(split) for split in SPLITS}
        # Where the stream of a split is: draws of each of its purposes, vain ones of those that are not dry.
        self.numbers = dict.fromkeys(SPLITS, 0)
        self.fruitless = {split: dict.fromkeys(self.turns[split], 0) for split in SPLITS}

    def address(self, draw: int) -> Address:
        """That of a draw of this family, whose purposes take turns."""
        return address_of(self.request.seed, self.category, draw)

    def share(self, split: str) -> Fraction:
        """The part of the family's purposes that are in a split."""
        count = sum(map(len, self.turns.values()))
        return Fraction(len(self.turns[split]), count) if count else Fraction(0)

    def fill(self, wanted: dict[str, int]) -> Iterator[None]:
        """Keep as many picks of each split, or what there is."""
        yield from self._take(wanted, self.kept)
        if lacking := sum(self.lacking(wanted).values()):
            hardest = max(template.level for template in self.templates)
            self.spilled.append(Spill(self.category, hardest, lacking))

    def lacking(self, wanted: dict[str, int]) -> dict[str, int]:
        """How many picks of each split there are too few."""
        return {split: rows - len(self.kept[split]) for split, rows in wanted.items()}

    def fill_spares(self, need: dict[str, int]) -> Iterator[None]:
        """As many more of each split, or what there is."""
        return self._take(need, self.spare)

    def levels(self, split: str) -> Counter[int]:
        return Counter(pick.level for pick in self.kept[split])

    def _take(self, wanted: dict[str, int], into: dict[str, Picks]) -> Iterator[None]:
        """The next picks of each split, fewer where its purposes are dry."""
        left = dict(wanted)
        for split in wanted:
            while left[split]:
                try:
                    found = next(self.streams[split])
                except StopIteration:
                    break
                if found is None:
                    for other, rows in left.items():
                        self._want(other, rows)
                    yield
                else:
                    into[split].add(found)
                    left[split] -= 1
            left[split] = 0

    def _want(self, split: str, rows: int) -> None:
        """Have so many draws looked at that as many as `rows` of them may be new."""
        ahead = (
            number * len(self.templates) + turn
            for number in count(self.numbers[split])
            for turn in self.fruitless[split]
        )
        if self.fruitless[split]:
            self.survey.want(map(self.address, islice(ahead, enough(rows, self.new, self.draws))))

    def _stream(self, split: str) -> Iterator[Pick | None]:
        """New kernels of a split's purposes, in turn, until all of them are dry; then those that are too like
        these. None wherever a draw is unseen."""
        fruitless = self.fruitless[split]
        while fruitless:
            for turn in tuple(fruitless):
                draw = self.numbers[split] * len(self.templates) + turn
                while isinstance(found := self.fresh(draw, turn), Unseen):
                    yield None
                if found is not None:
                    fruitless[turn] = 0
                    yield Pick(found.level, draw)
                    continue
                fruitless[turn] += 1
                if fruitless[turn] == PATIENCE:
                    del fruitless[turn]
            self.numbers[split] += 1
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
                    if not self.is_taken(look):
                        self.take(look)
                        self.duplicates -= 1
                        left -= 1
                        yield Pick(look.level, draw)
