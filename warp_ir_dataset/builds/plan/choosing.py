"""Chooses the rows and spares of a build, in rounds: each round looks at more candidates.

Families choose one after the other: first those with purposes, then random ones; then each chooses its
spares, in the order of the request. In a round all of them go on side by side, as far as facts are known. A
family that loses a skeleton to an earlier one starts again (see `Claims`). So a round takes time for new
candidates only. There are two exceptions: if random kernels must not be near those of other families, each
family waits for the earlier ones; and if those for training must not be near held-out ones, random families
choose their rows once more.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, cycle, islice, product
from typing import NamedTuple

from ...common.configs import SPLITS
from ...common.errors import UserError
from ...synthesis.difficulty import MIX
from ...synthesis.idioms import IDIOMS
from ..handwritten.fingerprints import Fingerprint, Known, from_text
from ..request import Request
from .apart import Apart, all_apart, splits_apart
from .claims import Claims
from .look import Look
from .mix import Pickers, levels, quotas
from .purposes import PurposePicker
from .quota import Picker
from .sizes import shard_counts
from .spares import spare_counts
from .survey import Survey

SHORT = 10  # times as many rows as the first shard for training have those behind it

Hand = dict[str, "array[int]"]  # the draws of one shard, per family


class Chosen(NamedTuple):
    """The draws of a family for one shard: the first `quota` for rows, the others are spares."""

    quota: int
    draws: array[int]


class Choosing:
    """The planning of all families of a request: call `go_on` once a round, until each has its rows and
    spares."""

    def __init__(self, request: Request, survey: Survey) -> None:
        self.request = request
        self._survey = survey
        self._claims = Claims()
        grown = [name for name in request.categories if name not in IDIOMS]
        purposes = [name for name in request.categories if name in IDIOMS]
        self._turns = {name: turn for turn, name in enumerate((*purposes, *grown))}
        every = {name: self._picker(name) for name in request.categories}
        self.pickers: Pickers = {
            name: picker for name, picker in every.items() if any(map(picker.share, SPLITS))
        }
        self._purposes = [name for name in purposes if name in self.pickers]
        self._grown = grown
        self._before: dict[str, tuple[Fingerprint, ...]] = {}  # what a grown family must be unlike
        self._rows = quotas(request, self.pickers)
        self._mix: dict[tuple[str, str], Counter[int]] | None = None
        self._spares: dict[str, list[Counter[str]]] | None = None  # by split and shard, those of each family
        self._parts = splits_apart(request.num_kernels)  # training rows of grown families from held-out ones
        self._held_out: Known | None = None  # of grown families, once these have chosen rows
        self._walks: dict[str, Iterator[None]] = {}  # of this stage
        self._refused: dict[str, UserError] = {}

    def go_on(self) -> bool | None:
        """True once all is chosen, None where that needs more than is known. Raises `UserError` where, as far
        as is known, families have too few distinct kernels."""
        if self._mix is None:
            if not self._walked(self._purposes, self._filling):
                return None
            self._mix = self._what_lacks()
            self._walks.clear()
        if self._held_out is None:
            if not self._walked(self._grown, self._filling, all_apart(self.request.num_kernels)):
                return None
            self._held_out = Known(self._told_held_out())
            self._walks.clear()
        if self._spares is None:
            if self._parts and not self._walked(self._grown, self._keeping_apart):
                return None
            self._spares = {split: [self._wanted(hand) for hand in self._hands(split)] for split in SPLITS}
            self._walks.clear()
        return self._walked(tuple(self.pickers), self._filling_spares) or None

    def shards(self, split: str) -> Iterator[dict[str, Chosen]]:
        """What was chosen for each shard of a split, family by family."""
        assert self._spares is not None
        spares = {name: (pick.draw for pick in picker.spare[split]) for name, picker in self.pickers.items()}
        for hand, counts in zip(self._hands(split), self._spares[split], strict=True):
            quotas = {name: len(draws) for name, draws in hand.items()}
            for name, draws in hand.items():
                draws.extend(islice(spares[name], counts[name]))
            yield {name: Chosen(quotas[name], hand[name]) for name in self.pickers if name in hand}

    def forget(self) -> None:
        """Give up the memory that only choosing needs."""
        self._claims.clear()
        self._held_out = None
        for picker in self.pickers.values():
            picker.forget()

    # ---- walks

    def _walked(
        self, names: Sequence[str], begin: Callable[[str], Iterator[None]], one_by_one: bool = False
    ) -> bool:
        """Let families go on, in turn; returns whether all are there. `one_by_one` each waits for the one
        before it."""
        waiting = False
        for name in names:
            if name in self._walks and not self.pickers[name].holds:
                self._restart(name)
            if name not in self._walks:
                self._walks[name] = begin(name)
            try:
                for _ in self._walks[name]:
                    waiting = True
                    break
            except UserError as error:
                self._refused[name] = error
            if waiting and one_by_one:
                break
        if not waiting and self._refused:
            raise next(self._refused[name] for name in names if name in self._refused)
        return not waiting

    def _restart(self, name: str) -> None:
        self.pickers[name].withdraw()
        self.pickers[name] = self._picker(name)
        self._refused.pop(name, None)
        del self._walks[name]
        # What it did in earlier stages it does again.
        if self._held_out is not None:
            self._at_once(self._filling(name))
        if self._spares is not None and self._parts and name in self._grown:
            self._at_once(self._keeping_apart(name))

    def _at_once(self, walk: Iterator[None]) -> None:
        for _ in walk:
            raise AssertionError("all of it is known")

    def _picker(self, name: str) -> Picker | PurposePicker:
        make = PurposePicker if name in IDIOMS else Picker
        return make(self.request, name, self._claims, self._survey, self._turns[name])

    def _filling(self, name: str) -> Iterator[None]:
        picker = self.pickers[name]
        if isinstance(picker, PurposePicker):
            return picker.fill({split: self._rows[split][name] for split in SPLITS})
        assert self._mix is not None
        if all_apart(self.request.num_kernels):
            # Not what earlier families take for spares, which is known only where a family is walked anew.
            if name not in self._before:
                before = (self.pickers[other].apart.grown for other in self._grown[: self._grown.index(name)])
                self._before[name] = tuple(chain.from_iterable(before))
            picker.apart = Apart(self.request.num_kernels, self._before[name])
        return picker.fill({split: self._mix[split, name] for split in SPLITS})

    def _told_held_out(self) -> Iterator[Fingerprint]:
        """Of rows of grown families that are held out, where training rows are held against them."""
        if not self._parts:
            return
        for name, split in product(self._grown, SPLITS[1:]):
            for pick in self.pickers[name].kept[split]:
                look = self._survey.at(self.pickers[name].address(pick.draw))
                assert isinstance(look, Look)
                yield from_text(look.likeness)

    def _keeping_apart(self, name: str) -> Iterator[None]:
        picker = self.pickers[name]
        assert isinstance(picker, Picker) and self._held_out is not None
        picker.choose_on(len(self._turns) + self._turns[name])
        return picker.keep_apart(self._held_out)

    def _filling_spares(self, name: str) -> Iterator[None]:
        assert self._spares is not None
        need = {split: sum(counts[name] for counts in shards) for split, shards in self._spares.items()}
        self.pickers[name].choose_on(2 * len(self._turns) + self.request.categories.index(name))
        return self.pickers[name].fill_spares(need)

    def _what_lacks(self) -> dict[tuple[str, str], Counter[int]]:
        """Rows of grown families by split, family and difficulty, beside those with purposes."""
        purposes = {name: p for name in self._purposes if isinstance(p := self.pickers[name], PurposePicker)}
        grown = {name: p for name in self._grown if isinstance(p := self.pickers[name], Picker)}
        lacking: Counter[str] = Counter()
        for name, picker in purposes.items():
            lacking.update(picker.lacking({split: self._rows[split][name] for split in SPLITS}))
        return levels(self.request, self._rows, purposes, grown, lacking)

    # ---- dealing to shards

    def _hands(self, split: str) -> list[Hand]:
        """Deal a split's rows to its shards in turn, level by level and family by family, so that each shard
        has its share of the rows and of every level, within one, and of every family nearly so. The first
        shard for training has a small share: who streams a build that is not made yet waits for that one."""
        hands: list[Hand] = [
            defaultdict(lambda: array("Q")) for _ in range(shard_counts(self.request)[split])
        ]
        turns = cycle([*hands[1:] * SHORT, hands[0]] if split == SPLITS[0] else hands)
        for level in MIX:
            for name, picker in self.pickers.items():
                for draw, hand in zip(picker.kept[split].of(level), turns, strict=False):
                    hand[name].append(draw)
        return hands

    def _wanted(self, hand: Hand) -> Counter[str]:
        """How many spares of each family a shard asks for."""
        return spare_counts(
            self.request, {name: len(hand[name]) for name in self.request.categories if name in hand}
        )
