"""A family's walk through its draws, and that of a grown one: keeps what each split and difficulty asks for.

A family has an endless stream of draws per difficulty. A draw is looked at once; where its split is full
already it is surplus, and may become a spare.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from ...common.address import Address
from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...language.analysis.gradients import gradient_bar
from ...language.identity import identify, split_of
from ...synthesis.difficulty import difficulty_of
from ...synthesis.draw import draw as draw_at
from ...synthesis.pages.perform import Barren
from ..handwritten.withheld import is_withheld
from ..request import Request
from .apart import Apart
from .sizes import PARTS

# Draws in a row that fill nothing, after which a family's stream of one difficulty counts as dry.
PATIENCE = 200

# Where spares, and what the hardest level lacks, come from. The middle of the mix never runs dry first.
SPARE_LEVELS = (4, 3, 5)
REFILL = (*SPARE_LEVELS, 2, 1)


@dataclass(frozen=True)
class Spill:
    """`rows` that difficulty `level` of a family was to give and could not."""

    category: str
    level: int
    rows: int


@dataclass(frozen=True)
class Pick:
    level: int
    draw: int


@dataclass(frozen=True)
class Fresh:
    """A kernel that is new in its build: its skeleton, and its difficulty."""

    skeleton: str
    level: int


class Drawing:
    """One family: what is kept of its draws, by split, and how many became nothing."""

    def __init__(self, request: Request, category: str, seen: set[str]) -> None:
        self.request = request
        self.category = category
        self.seen = seen  # skeletons of all families of the build
        self.kept: dict[str, list[Pick]] = {split: [] for split in SPLITS}
        self.spilled: list[Spill] = []
        self.draws = self.duplicates = self.barred = 0
        self.apart = Apart(request.num_kernels)

    def fresh(self, draw: int, *, apart: bool = True) -> Fresh | None:
        """What a draw's kernel is; None where it cannot be in this build, or is to be `apart` from others of
        its purpose and is not."""
        self.draws += 1
        try:
            drawn = draw_at(Address(self.request.seed, self.category, draw))
        except Barren:
            return None
        program = drawn.program
        low, high = self.request.difficulty
        if not low <= drawn.difficulty <= high:
            return None
        # A barred kernel does not use its skeleton up: other literals may make shorter loops.
        if CONFIGS[self.request.config].adjoint and gradient_bar(program) is not None:
            self.barred += 1
            return None
        skeleton = identify(program).skeleton
        if skeleton in self.seen or is_withheld(program) or (apart and not self.apart.takes(drawn)):
            self.duplicates += 1
            return None
        self.seen.add(skeleton)
        return Fresh(skeleton, drawn.difficulty)


class Picker(Drawing):
    """A grown family: walks its stream of draws of each difficulty, and keeps what the splits ask for."""

    def __init__(self, request: Request, category: str, seen: set[str]) -> None:
        super().__init__(request, category, seen)
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

    def spares(self, need: dict[str, int]) -> dict[str, list[Pick]]:
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
        if any(need.values()):
            low, high = self.request.difficulty
            raise UserError(
                f"family {self.category!r} has too few distinct kernels of difficulty {low} to {high} for "
                f"num_kernels {self.request.num_kernels}: ask for fewer, for more categories or for a wider "
                "difficulty span"
            )

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
            split = split_of(found.skeleton)
            if need[split]:
                need[split] -= 1
                into[split].append(Pick(level, draw))
                fruitless = 0
            else:
                self.surplus[split, level].append(Pick(level, draw))


def _stream(level: int) -> Iterator[int]:
    """The numbers of a family's draws of one difficulty."""
    return (draw for draw in count() if difficulty_of(draw) == level)
