"""One pass over the scanned candidates: chooses the rows and spares of a build, and deals them to its files.

Families choose one after the other: first those with purposes, then random programs, for held-out splits
before those for training; then each chooses its spares, in the order of the request.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import cycle, islice
from typing import NamedTuple

from ...common.configs import SPLITS
from ...synthesis.difficulty import MIX
from ...synthesis.idioms import IDIOMS
from ..request import Request
from .candidate_scan import CandidateScan, StreamKey
from .families import PurposeFamily, RandomFamily
from .mix import levels, quotas
from .sizes import shard_counts
from .spares import spare_counts
from .stream import Pick, Taken

Hand = dict[str, list[Pick]]  # the rows of one shard, per family


class Chosen(NamedTuple):
    """The picks of a family for one shard: the first `quota` for rows, the others are spares."""

    quota: int
    picks: list[Pick]


class Pass:
    """Reads all streams from their starts. `choose` first; what it chose is a plan unless something is
    `missing`."""

    def __init__(self, request: Request, scan: CandidateScan) -> None:
        self._request = request
        taken = Taken(request.num_kernels)
        self.families: dict[str, PurposeFamily | RandomFamily] = {}
        for name in request.categories:
            family = (PurposeFamily if name in IDIOMS else RandomFamily)(request, name, scan, taken)
            if any(map(family.share, SPLITS)):
                self.families[name] = family
        families = self.families.items()
        self._purposes = {name: family for name, family in families if isinstance(family, PurposeFamily)}
        self._random = {name: family for name, family in families if isinstance(family, RandomFamily)}
        self._lone: set[str | None] = set()
        self._spares: dict[str, list[dict[str, int]]] = {}  # by split and shard, those of each family

    def choose(self) -> None:
        """Choose rows and spares. Raises `UserError` if families have too few distinct kernels; one that is
        raised while something is missing says nothing."""
        rows = quotas(self._request, self.families)
        lacking: Counter[str] = Counter()
        for name, purposes in self._purposes.items():
            lacking += purposes.fill({split: rows[split][name] for split in SPLITS})
        mix = levels(self._request, rows, self._purposes, self._random, lacking)
        for splits in (SPLITS[1:], SPLITS[:1]):
            for name, random in self._random.items():
                random.fill({split: mix[split, name] for split in splits})
        self._lone = {
            purpose
            for family in self._purposes.values()
            for split in SPLITS
            for purpose in family.lone_purposes(split)
        }
        self._spares = {
            split: [self._wanted(hand, index) for index, hand in enumerate(self._hands(split))]
            for split in SPLITS
        }
        for name, family in self.families.items():
            family.fill_spares(
                {
                    split: sum(counts.get(name, 0) for counts in shards)
                    for split, shards in self._spares.items()
                }
            )

    def missing(self) -> dict[StreamKey, int]:
        """How many more candidates of each stream to scan before the next pass."""
        return dict(more for family in self.families.values() for more in family.missing())

    def shards(self, split: str) -> Iterator[dict[str, Chosen]]:
        """What was chosen for each shard of a split, family by family."""
        spares = {name: _Spares(family.spares[split], self._lone) for name, family in self.families.items()}
        for hand, counts in zip(self._hands(split), self._spares[split], strict=True):
            yield {
                name: Chosen(len(hand[name]), [*hand[name], *spares[name].take(hand[name], counts[name])])
                for name in self.families
                if name in hand
            }

    def _hands(self, split: str) -> list[Hand]:
        """Deal a split's rows to its shards in turn, level by level and family by family, so that each shard
        has its share of the rows and of every level, within one, and of every family nearly so."""
        hands: list[Hand] = [defaultdict(list) for _ in range(shard_counts(self._request)[split])]
        turns = cycle(hands)
        for level in MIX:
            for name, family in self.families.items():
                own = (pick for pick in family.rows[split] if pick.level == level)
                for pick, hand in zip(own, turns, strict=False):
                    hand[name].append(pick)
        return hands

    def _wanted(self, hand: Hand, index: int) -> dict[str, int]:
        """How many spares of each family shard `index` asks for: in turn, and one for each lone purpose."""
        quotas = {name: len(hand[name]) for name in self._request.categories if name in hand}
        counts = spare_counts(self._request, quotas, index)
        return {name: counts[name] + len(_purposes(hand[name]) & self._lone) for name in quotas}


class _Spares:
    """The spares of a family in a split, for its shards in turn. Those of a lone purpose wait for its row."""

    def __init__(self, spares: Sequence[Pick], lone: Set[str | None]) -> None:
        self._of_lone: dict[str | None, Pick] = {}
        for spare in spares:
            if spare.address.purpose in lone:
                self._of_lone.setdefault(spare.address.purpose, spare)
        reserved = {spare.address for spare in self._of_lone.values()}
        self._others = iter([spare for spare in spares if spare.address not in reserved])

    def take(self, rows: Sequence[Pick], count: int) -> list[Pick]:
        """At most `count` spares for the shard of these rows."""
        purposes = _purposes(rows)
        own = [self._of_lone.pop(purpose) for purpose in [*self._of_lone] if purpose in purposes]
        return [*own, *islice(self._others, count - len(own))]


def _purposes(picks: Sequence[Pick]) -> set[str | None]:
    return {pick.address.purpose for pick in picks}
