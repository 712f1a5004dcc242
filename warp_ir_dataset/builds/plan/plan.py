"""Which kernels make a build: addresses per split, shard and family, no skeleton twice.

A plan is a pure function of its request. Families are equal within one over the build, splits hold 80/10/10
of the rows exactly, and difficulties keep their mix (`mix`). Its purpose decides the split of a kernel, its
skeleton that of one without: so a family is drawn from until each of its cells is full. A few kernels fail
their proof: every shard has spares (`spares`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ...common.address import Address
from ...common.configs import SPLITS
from ...synthesis.drawn import Drawn
from ...synthesis.idioms import IDIOMS
from ..request import Request
from .mix import Pickers, levels, quotas
from .purposes import PurposePicker
from .quota import Pick, Picker, Spill
from .sizes import file_name, shard_counts
from .spares import spare_counts
from .survey import Survey


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel to try. `drawn` stands in for what the address would give."""

    address: Address
    drawn: Drawn | None = None

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True)
class Queue:
    """The candidates of one family in one shard: the first `quota` that pass are its rows. Where fewer pass,
    what other families of the shard have left over fills it (see `builds.filling`)."""

    category: str
    quota: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class ShardPlan:
    """One file: shard `index` of the `count` of its split. Without `spares` it holds those of its candidates
    that pass, be they fewer than its queues ask for."""

    split: str
    index: int
    count: int
    queues: tuple[Queue, ...]
    spares: bool = True

    @property
    def name(self) -> str:
        """What its file is called, in the folder of its config."""
        return file_name(self.split, self.index, self.count)

    @property
    def rows(self) -> int:
        return sum(queue.quota for queue in self.queues)


@dataclass(frozen=True)
class Plan:
    """`draws` counts what was drawn; of these `duplicates` had a skeleton already in the build or
    come near a kernel that people wrote, and `barred` cannot be differentiated. All three are per family."""

    request: Request
    shards: tuple[ShardPlan, ...]
    draws: dict[str, int]
    duplicates: dict[str, int]
    barred: dict[str, int]
    spilled: tuple[Spill, ...]

    @property
    def rows(self) -> int:
        return sum(shard.rows for shard in self.shards)


def make_plan(request: Request, survey: Survey | None = None) -> Plan:
    """Draws until every quota is full. Raises `UserError` where families have too few distinct kernels.

    The plan is the same with any `survey`, which tells what addresses hold; without one they are looked at
    here, one by one.
    """
    told = survey or Survey(request)
    return told.rounds(lambda: _chosen(request, told))


def _chosen(request: Request, survey: Survey) -> Plan | None:
    """A plan by what is known of addresses; None where that does not reach to the last row."""
    pickers = _filled(request, survey)
    if not survey.complete:
        return None
    counts = shard_counts(request)
    dealt_rows = {split: _deal(pickers, split, counts[split]) for split in SPLITS}
    wanted = {split: [_wanted(request, rows) for rows in hands] for split, hands in dealt_rows.items()}
    spares = _spares(pickers, wanted)
    for picker in pickers.values():
        picker.forget()
    shards = (
        ShardPlan(split, index, counts[split], _queues(request, rows, wanted[split][index], spares, split))
        for split in SPLITS
        for index, rows in enumerate(dealt_rows[split])
    )
    return Plan(
        request=request,
        shards=tuple(shards),
        draws={category: picker.draws for category, picker in pickers.items()},
        duplicates={category: picker.duplicates for category, picker in pickers.items()},
        barred={category: picker.barred for category, picker in pickers.items()},
        spilled=tuple(spill for picker in pickers.values() for spill in picker.spilled),
    )


def _filled(request: Request, survey: Survey) -> Pickers:
    """All families of a request, each with its rows."""
    seen: set[str] = set()
    purposes = {
        name: PurposePicker(request, name, seen, survey) for name in request.categories if name in IDIOMS
    }
    purposes = {name: picker for name, picker in purposes.items() if any(picker.turns.values())}
    grown = {name: Picker(request, name, seen, survey) for name in request.categories if name not in IDIOMS}
    both: Pickers = {**purposes, **grown}
    pickers = {name: both[name] for name in request.categories if name in both}
    rows = quotas(request, pickers)
    lacking = dict.fromkeys(SPLITS, 0)
    for name, purpose in purposes.items():
        for split, missing in purpose.fill({split: rows[split][name] for split in SPLITS}).items():
            lacking[split] += missing
    mix = levels(request, rows, purposes, grown, lacking)
    for name, picker in grown.items():
        picker.fill({split: mix[split, name] for split in SPLITS})
    return pickers


# ---- dealing to shards

_Rows = dict[str, list[Pick]]  # of one shard, per family
Counts = Counter[str]  # of one shard, per family


def _deal(pickers: Pickers, split: str, shards: int) -> list[_Rows]:
    """Deal a split's rows to its shards in turn, level by level and family by family, so that each shard
    has its share of the rows and of every level, within one, and of every family nearly so."""
    hands: list[_Rows] = [defaultdict(list) for _ in range(shards)]
    cards = [
        (pick.level, order, pick)
        for order, picker in enumerate(pickers.values())
        for pick in picker.kept[split]
    ]
    cards.sort(key=lambda card: card[:2])
    names = tuple(pickers)
    for turn, (_, order, pick) in enumerate(cards):
        hands[turn % shards][names[order]].append(pick)
    return hands


def _wanted(request: Request, rows: _Rows) -> Counts:
    """How many spares of each family a shard asks for."""
    return spare_counts(request, {name: len(rows[name]) for name in request.categories if rows[name]})


def _spares(pickers: Pickers, counts: dict[str, list[Counts]]) -> dict[str, dict[str, Iterator[Pick]]]:
    """Spares of each family and split, to be handed out in the order of the shards."""
    found = {}
    for category, picker in pickers.items():
        need = {split: sum(hand[category] for hand in hands) for split, hands in counts.items()}
        found[category] = {split: iter(picks) for split, picks in picker.spares(need).items()}
    return found


def _queues(
    request: Request, rows: _Rows, counts: Counts, spares: dict[str, dict[str, Iterator[Pick]]], split: str
) -> tuple[Queue, ...]:
    queues = []
    for category in request.categories:
        if quota := len(rows[category]):
            picks = [*rows[category], *islice(spares[category][split], counts[category])]
            addresses = (Address(request.seed, category, pick.draw) for pick in picks)
            queues.append(Queue(category, quota, tuple(map(Candidate, addresses))))
    return tuple(queues)
