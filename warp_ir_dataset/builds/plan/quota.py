"""A family's walk through its draws, and that of a grown one: keeps what each split and difficulty asks for.

A family has an endless stream of draws per difficulty. A draw is looked at once; where its split is full
already it is surplus, and may become a spare.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from math import ceil

from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...language.identity import split_of
from ...synthesis.difficulty import difficulty_of
from ..request import Request
from .apart import Apart
from .look import Look
from .sizes import PARTS
from .survey import Survey, Unseen

# Draws in a row that fill nothing, after which a family's stream of one difficulty counts as dry.
PATIENCE = 200

# Where spares, and what the hardest level lacks, come from. The middle of the mix never runs dry first.
SPARE_LEVELS = (4, 3, 5)
REFILL = (*SPARE_LEVELS, 2, 1)

LEAST_HOPE = 0.1  # so that no round looks at ever so many kernels in vain


@dataclass(frozen=True)
class Spill:
    """`rows` that difficulty `level` of a family was to give and could not."""

    category: str
    level: int
    rows: int


@dataclass(frozen=True, slots=True)
class Pick:
    """A draw for a row. One that is `unseen` is a guess, in a round that is not the last."""

    level: int
    draw: int
    unseen: bool = False


class Drawing:
    """One family: what is kept of its draws, by split, and how many became nothing."""

    def __init__(self, request: Request, category: str, seen: set[str], survey: Survey) -> None:
        self.request = request
        self.category = category
        self.seen = seen  # skeletons of all families of the build
        self.survey = survey
        self.kept: dict[str, list[Pick]] = {split: [] for split in SPLITS}
        self.spilled: list[Spill] = []
        self.draws = self.duplicates = self.barred = self.new = 0
        self.apart = Apart(request.num_kernels)
        self.alike: dict[int | None, list[tuple[int, Look]]] = defaultdict(
            list
        )  # refused for that alone, by purpose

    def fresh(self, draw: int, purpose: int | None = None) -> Look | Unseen | None:
        """A draw's kernel; None where it cannot be in this build, or is not apart from others of its
        purpose."""
        look = self.survey.at(self.category, draw)
        if isinstance(look, Unseen):
            return look
        self.draws += 1
        low, high = self.request.difficulty
        if look is None or not low <= look.level <= high:
            return None
        # A barred kernel does not use its skeleton up: other literals may make shorter loops.
        if CONFIGS[self.request.config].adjoint and look.barred:
            self.barred += 1
            return None
        if look.skeleton in self.seen or look.withheld:
            self.duplicates += 1
            return None
        if not self.apart.takes(look.likeness, purpose):
            self.duplicates += 1
            if self.apart.strictly:  # others are the same in other spelling: nobody wants them back
                self.alike[purpose].append((draw, look))
            return None
        self.seen.add(look.skeleton)
        self.new += 1
        return look

    def forget(self) -> None:
        """Give up the memory that only choosing needs: nothing is drawn any more."""
        self.seen.clear()
        self.alike.clear()
        self.apart = Apart(self.request.num_kernels)

    @property
    def hope(self) -> float:
        """The part of draws that will be new, as far as can be said: the first ones are a guess."""
        return max(LEAST_HOPE, (self.new + 8) / (self.draws + 10))


class Picker(Drawing):
    """A grown family: walks its stream of draws of each difficulty, and keeps what the splits ask for."""

    def __init__(self, request: Request, category: str, seen: set[str], survey: Survey) -> None:
        super().__init__(request, category, seen, survey)
        low, high = request.difficulty
        self.streams = {level: _stream(level) for level in range(low, high + 1)}
        self.surplus: dict[tuple[str, int], list[Pick]] = defaultdict(list)

    def share(self, split: str) -> Fraction:
        """The part of the family's kernels that are in a split."""
        return Fraction(PARTS[split], sum(PARTS.values()))

    def fill(self, wanted: dict[str, Counter[int]]) -> None:
        """Keep `wanted[split][level]` picks; what a dry level lacks is asked of the next."""
        need = dict.fromkeys(SPLITS, 0)
        for level in self.streams:
            for split in SPLITS:
                need[split] += wanted[split][level]
            self._draw(level, need, self.kept)
            if lacking := sum(need.values()):
                self.spilled.append(Spill(self.category, level, lacking))
        self._refill(need, self.kept)
        if any(need.values()):
            low, high = self.request.difficulty
            raise UserError(
                f"family {self.category!r} has too few distinct kernels of difficulty {low} to {high} for "
                f"num_kernels {self.request.num_kernels}: ask for fewer, for more categories or for a wider "
                "difficulty span"
            )

    def spares(self, need: dict[str, int]) -> dict[str, list[Pick]]:
        """As many more of each split, or what there is."""
        found: dict[str, list[Pick]] = {split: [] for split in SPLITS}
        self._refill(dict(need), found)
        return found

    def _refill(self, need: dict[str, int], into: dict[str, list[Pick]]) -> None:
        """First what was drawn in vain at the usual levels, then whatever any level still gives."""
        for level in SPARE_LEVELS:
            self._use_surplus(level, need, into)
        for level in REFILL:
            if level in self.streams:
                self._use_surplus(level, need, into)
                self._draw(level, need, into)

    def _use_surplus(self, level: int, need: dict[str, int], into: dict[str, list[Pick]]) -> None:
        for split in SPLITS:
            spare = self.surplus[split, level]
            taken = spare[: need[split]]
            del spare[: need[split]]
            into[split] += taken
            need[split] -= len(taken)

    def _draw(self, level: int, need: dict[str, int], into: dict[str, list[Pick]]) -> None:
        """Draw at one level until nothing is needed, or the level is dry. Counts `need` down."""
        fruitless = 0
        while any(need.values()) and fruitless < PATIENCE:
            fruitless += 1
            draw = next(self.streams[level])
            found = self.fresh(draw)
            if found is None:
                continue
            if isinstance(found, Unseen):
                self._assume(level, draw, need, into)
                return
            split = split_of(found.skeleton)
            if need[split]:
                need[split] -= 1
                into[split].append(Pick(level, draw))
                fruitless = 0
            else:
                self.surplus[split, level].append(Pick(level, draw))

    def _assume(self, level: int, draw: int, need: dict[str, int], into: dict[str, list[Pick]]) -> None:
        """All that is needed, as if it were found from `draw` on; a later round tells."""
        most = max(rows / self.share(split) for split, rows in need.items())
        ahead = islice(self.streams[level], ceil(most / self.hope))
        self.survey.want(self.category, ahead)
        for split, rows in need.items():
            into[split] += [Pick(level, draw)] * rows
            need[split] = 0


def _stream(level: int) -> Iterator[int]:
    """The numbers of a family's draws of one difficulty."""
    return (draw for draw in count() if difficulty_of(draw) == level)
