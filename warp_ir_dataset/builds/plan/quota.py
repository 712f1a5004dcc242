"""Plans a family by quotas: goes through its draws, and keeps those that a split and difficulty still need.

A family has an endless stream of draws per difficulty. A draw is looked at once; if its split is full
already, it is surplus and may become a spare.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import NamedTuple

from ...common.address import Address
from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...language.identity import split_of
from ...synthesis.difficulty import LEVELS
from ..handwritten.fingerprints import Known, from_text
from ..request import Request
from .apart import NEAR, Apart
from .claims import Claimant, Claims
from .look import Look
from .looks import Unseen
from .sizes import PARTS
from .survey import Survey

# Draws in a row that fill nothing, after which a family's stream of one difficulty counts as dry.
PATIENCE = 200

# The levels that give spares, and the rows that the hardest level lacks. Middle levels have the most to
# spare.
SPARE_LEVELS = (4, 3, 5)
REFILL = (*SPARE_LEVELS, 2, 1)

MARGIN = 0.5  # standard deviations, roughly, by which a round asks for more kernels than it expects to need
LEAST_HOPE = 0.2  # a lower bound for the expected yield, so that no round looks at far too many kernels


@dataclass(frozen=True)
class Spill:
    """`rows` that difficulty `level` of a family was to give and could not."""

    category: str
    level: int
    rows: int


class Pick(NamedTuple):
    """A draw for a row, and its difficulty."""

    level: int
    draw: int


class Picks:
    """Picks in the order in which they were made, in nine bytes each."""

    def __init__(self) -> None:
        self._levels, self._draws = bytearray(), array("Q")

    def __len__(self) -> int:
        return len(self._draws)

    def __iter__(self) -> Iterator[Pick]:
        return map(Pick, self._levels, self._draws)

    def of(self, level: int) -> Iterator[int]:
        """The draws of one difficulty."""
        return (draw for own, draw in zip(self._levels, self._draws, strict=True) if own == level)

    def add(self, pick: Pick) -> None:
        self._levels.append(pick.level)
        self._draws.append(pick.draw)

    def move(self, most: int, into: Picks) -> int:
        """Give the first ones to others, `most` of them; returns how many."""
        into._levels += self._levels[:most]
        into._draws += self._draws[:most]
        moved = len(self._draws[:most])
        del self._levels[:most], self._draws[:most]
        return moved


class Drawing:
    """A walk through one family: what is kept of its draws, by split, and how many became nothing.

    Its rows are chosen in its `turn` among the families, its spares in another one, behind those of all.
    Methods that return an iterator of None walk: they pause wherever a draw is unseen.
    """

    def __init__(
        self, request: Request, category: str, claims: Claims, survey: Survey, turn: int = 0
    ) -> None:
        self.request = request
        self.category = category
        self.claims = claims
        self.claimant = Claimant(turn)
        self.survey = survey
        self.kept = {split: Picks() for split in SPLITS}
        self.spare = {split: Picks() for split in SPLITS}
        self.spilled: list[Spill] = []
        self.draws = self.duplicates = self.barred = self.new = 0
        self.apart = Apart(request.num_kernels)
        self.alike: dict[int | None, list[tuple[int, Look]]] = defaultdict(
            list
        )  # refused for that alone, by purpose
        self._adjoint = CONFIGS[request.config].adjoint
        self._before: list[Claimant] = []

    def address(self, draw: int) -> Address:
        """That of a draw of this family."""
        return Address(self.request.seed, self.category, draw)

    def fresh(self, draw: int, purpose: int | None = None) -> Look | Unseen | None:
        """A draw's kernel; None where it cannot be in this build, or is not apart from others of its
        purpose."""
        look = self.survey.at(self.address(draw))
        if isinstance(look, Unseen):
            return look
        self.draws += 1
        low, high = self.request.difficulty
        if look is None or not low <= look.level <= high:
            return None
        # A barred kernel does not use its skeleton up: other literals may make shorter loops.
        if self._adjoint and look.barred:
            self.barred += 1
            return None
        if look.withheld or self.is_taken(look):
            self.duplicates += 1
            return None
        if not self.apart.takes(look.likeness, purpose):
            self.duplicates += 1
            self.alike[purpose].append((draw, look))
            return None
        self.take(look)
        self.new += 1
        return look

    def is_taken(self, look: Look) -> bool:
        """Whether the build has the kernel already, in whatever spelling and with whatever literals."""
        return any(self.claims.is_taken(each, self.claimant) for each in (look.skeleton, look.meaning))

    def take(self, look: Look) -> None:
        """Claim a kernel that is not taken."""
        # Both, since a build promises that it has neither twice. One meaning may have several skeletons.
        for each in (look.skeleton, look.meaning):
            self.claims.take(each, self.claimant)

    def choose_on(self, turn: int) -> None:
        """What is claimed from now on is claimed in a later turn."""
        self._before.append(self.claimant)
        self.claimant = Claimant(turn)

    @property
    def holds(self) -> bool:
        """Whether the walk would go as it went, by what the families before it have now."""
        return all(map(self.claims.hold, (*self._before, self.claimant)))

    def withdraw(self) -> None:
        """Give up all claims: the family is walked anew."""
        for claimant in (*self._before, self.claimant):
            claimant.void = True

    def forget(self) -> None:
        """Free the memory that only choosing needs, after the last draw."""
        self.alike.clear()
        self.apart = Apart(self.request.num_kernels)


def enough(rows: float, new: int, draws: int) -> int:
    """So many draws that mostly `rows` of them are new, where so far `new` of so many were: at first it is a
    guess."""
    hope = max(LEAST_HOPE, (new + 8) / (draws + 10))
    return ceil((rows + MARGIN * sqrt(rows)) / hope)


class Picker(Drawing):
    """A grown family: walks its stream of draws of each difficulty, and keeps what the splits ask for."""

    def __init__(
        self, request: Request, category: str, claims: Claims, survey: Survey, turn: int = 0
    ) -> None:
        super().__init__(request, category, claims, survey, turn)
        low, high = request.difficulty
        self.passed = dict.fromkeys(range(low, high + 1), 0)  # of the draws of each difficulty
        # Of these, the new kernels: the easiest level runs dry first, and says nothing of the others.
        self.gave = dict.fromkeys(self.passed, 0)
        self.surplus: dict[tuple[str, int], Picks] = defaultdict(Picks)
        self._held_out: Known | None = None  # what kernels for training must be unlike

    def share(self, split: str) -> Fraction:
        """The part of the family's kernels that are in a split."""
        return Fraction(PARTS[split], sum(PARTS.values()))

    def fill(self, wanted: dict[str, Counter[int]]) -> Iterator[None]:
        """Keep `wanted[split][level]` picks; what a dry level lacks is asked of the next. Raises `UserError`
        where all are dry."""
        need = yield from self._fill(wanted)
        self._use_alike(need)
        if any(need.values()):
            low, high = self.request.difficulty
            raise UserError(
                f"family {self.category!r} has too few distinct kernels of difficulty {low} to {high} for "
                f"num_kernels {self.request.num_kernels}: ask for fewer, for more categories or for a wider "
                "difficulty span"
            )

    def keep_apart(self, held_out: Known) -> Iterator[None]:
        """Give up rows for training that are near duplicates of what is held out, for others; they stay where
        there are none. Later ones are held against it, too."""
        self._held_out = held_out
        train = SPLITS[0]
        self.kept[train], near = self._parted(self.kept[train])
        for level in self.passed:
            self.surplus[train, level], _ = self._parted(self.surplus[train, level])
        wanted = {split: Counter[int]() for split in SPLITS}
        wanted[train].update(pick.level for pick in near)
        need = yield from self._fill(wanted)
        near.move(need[train], self.kept[train])
        self.duplicates += len(near)

    def _parted(self, picks: Picks) -> tuple[Picks, Picks]:
        """Those that are unlike all that is held out, and the others."""
        unlike, near = Picks(), Picks()
        for pick in picks:
            look = self.survey.at(self.address(pick.draw))
            assert isinstance(look, Look)
            (near if self._is_near_held_out(look) else unlike).add(pick)
        return unlike, near

    def forget(self) -> None:
        super().forget()
        self._held_out = None

    def _is_near_held_out(self, look: Look) -> bool:
        return self._held_out is not None and self._held_out.has_near(from_text(look.likeness), NEAR)

    def fill_spares(self, need: dict[str, int]) -> Iterator[None]:
        """As many more of each split, or what there is."""
        return self._refill(dict(need), self.spare)

    def _fill(self, wanted: dict[str, Counter[int]]) -> Generator[None, None, dict[str, int]]:
        """Keep what is `wanted`, or what there is; returns what is not there."""
        need = dict.fromkeys(SPLITS, 0)
        later = {level: {split: wanted[split][level] for split in SPLITS} for level in self.passed}
        for level in self.passed:
            for split, rows in later.pop(level).items():
                need[split] += rows
            self._use_surplus(level, need, self.kept)
            yield from self._draw(level, need, self.kept, later)
            if lacking := sum(need.values()):
                self.spilled.append(Spill(self.category, level, lacking))
        yield from self._refill(need, self.kept)
        return need

    def _refill(self, need: dict[str, int], into: dict[str, Picks]) -> Iterator[None]:
        """First what was drawn in vain at the usual levels, then whatever any level still gives."""
        for level in SPARE_LEVELS:
            self._use_surplus(level, need, into)
        for level in REFILL:
            if level in self.passed:
                self._use_surplus(level, need, into)
                yield from self._draw(level, need, into, {})

    def _use_surplus(self, level: int, need: dict[str, int], into: dict[str, Picks]) -> None:
        for split in SPLITS:
            need[split] -= self.surplus[split, level].move(need[split], into[split])

    def _use_alike(self, need: dict[str, int]) -> None:
        """Near duplicates, where there is nothing else: better than no build."""
        for draw, look in self.alike[None]:
            split = split_of(look.meaning)
            if need[split] and not self.is_taken(look):
                self.take(look)
                self.duplicates -= 1
                need[split] -= 1
                self.kept[split].add(Pick(look.level, draw))

    def _draw(
        self, level: int, need: dict[str, int], into: dict[str, Picks], later: dict[int, dict[str, int]]
    ) -> Iterator[None]:
        """Draw at one level until nothing is needed, or the level is dry. Counts `need` down. `later` is what
        other levels will be asked for."""
        fruitless = 0
        while any(need.values()) and fruitless < PATIENCE:
            draw = _draw_of(level, self.passed[level])
            while isinstance(found := self.fresh(draw), Unseen):
                for other, rows in {level: need, **later}.items():
                    self._want(other, rows)
                yield
            self.passed[level] += 1
            fruitless += 1
            if found is None:
                continue
            split = split_of(found.meaning)
            if split == SPLITS[0] and self._is_near_held_out(found):
                self.duplicates += 1
                continue
            self.gave[level] += 1
            if need[split]:
                need[split] -= 1
                into[split].add(Pick(level, draw))
                fruitless = 0
            else:
                self.surplus[split, level].add(Pick(level, draw))

    def _want(self, level: int, need: dict[str, int]) -> None:
        """Have so many draws looked at that what is needed may be among them."""
        most = float(max(rows / self.share(split) for split, rows in need.items()))
        start = self.passed[level]
        ahead = range(start, start + enough(most, self.gave[level], start))
        self.survey.want(self.address(_draw_of(level, number)) for number in ahead)


_PLACES = {level: [place for place, each in enumerate(LEVELS) if each == level] for level in LEVELS}


def _draw_of(level: int, number: int) -> int:
    """Draw `number` of a family's draws of one difficulty."""
    places = _PLACES[level]
    whole, rest = divmod(number, len(places))
    return whole * len(LEVELS) + places[rest]
