"""One pass over the scanned candidates: chooses the rows and spares of a build, and deals them to its files.

Families choose one after the other: first those with purposes, then random programs, for held-out splits
before those for training; then each chooses its spares, in the order of the request.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import cycle
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
        self._spares = {
            split: [self._wanted(split, hand, index) for index, hand in enumerate(self._hands(split))]
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
        spares = {name: family.spares[split] for name, family in self.families.items()}
        for hand, counts in zip(self._hands(split), self._spares[split], strict=True):
            chosen = {}
            for name, family in self.families.items():
                if name in hand:
                    own = _spares_in_order(spares[name], hand[name], family.lone_purposes(split))
                    spares[name] = own[counts[name] :]
                    chosen[name] = Chosen(len(hand[name]), [*hand[name], *own[: counts[name]]])
            yield chosen

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

    def _wanted(self, split: str, hand: Hand, index: int) -> dict[str, int]:
        """How many spares of each family shard `index` asks for: in turn, and one for each lone purpose."""
        quotas = {name: len(hand[name]) for name in self._request.categories if name in hand}
        counts = spare_counts(self._request, quotas, index)
        for name in quotas:
            lone = self.families[name].lone_purposes(split)
            counts[name] += sum(pick.address.purpose in lone for pick in hand[name])
        return counts


def _spares_in_order(spares: Sequence[Pick], rows: Sequence[Pick], lone: Set[str | None]) -> list[Pick]:
    """The spares in the order in which the shard of these rows takes them: first those of its lone purposes,
    last those of lone purposes that other shards have."""
    own = lone & {row.address.purpose for row in rows}

    def rank(spare: Pick) -> int:
        purpose = spare.address.purpose
        return 0 if purpose in own else 2 if purpose in lone else 1

    return sorted(spares, key=rank)  # stable
