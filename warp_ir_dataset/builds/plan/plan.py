"""Which kernels make a build: addresses per split, shard and family, no skeleton twice.

A plan is a pure function of its request. Families are equal within one in every split, splits hold
80/10/10 of the rows exactly, and difficulties keep their mix. A skeleton decides the split of its kernel,
so a family is drawn from until each of its cells is full. Compilation may still refuse a few kernels:
every shard has spares of each family.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

from ...common.address import Address
from ...common.configs import CONFIGS, SPLITS
from ...language.program import Program
from ...synthesis.difficulty import MIX, dealt
from ..request import Request
from .quota import Pick, Picker, Spill

STORED = Path(__file__).parent / "stored"

PARTS = {"train": 8, "validation": 1, "test": 1}

# Up to three in a hundred candidates fail their proof (where there are gradients). With these spares a queue
# runs short about once in a million.
SPARE_SHARE = 10  # one spare for as many rows
MIN_SPARES = 4

# `datasets` accepts files of unknown size up to this number in a split.
SMALL_SHARDS = 15
LARGE_SHARD_ROWS = 1000


@dataclass(frozen=True)
class Candidate:
    """A kernel to try. `program` stands in for what the address would give."""

    address: Address
    program: Program | None = None


@dataclass(frozen=True)
class Queue:
    """The candidates of one family in one shard: the first `quota` that pass are its rows."""

    category: str
    quota: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class ShardPlan:
    """One file: shard `index` of the `count` of its split."""

    split: str
    index: int
    count: int
    queues: tuple[Queue, ...]

    @property
    def rows(self) -> int:
        return sum(queue.quota for queue in self.queues)


@dataclass(frozen=True)
class Plan:
    """`draws` counts what was drawn; of these `duplicates` had a skeleton already in the build, and
    `barred` cannot be differentiated. All three are per family."""

    request: Request
    shards: tuple[ShardPlan, ...]
    draws: dict[str, int]
    duplicates: dict[str, int]
    barred: dict[str, int]
    spilled: tuple[Spill, ...]


def make_plan(request: Request) -> Plan:
    """Draws until every quota is full. Raises `UserError` where a family has too few distinct kernels."""
    seen: set[str] = set()
    pickers = {category: Picker(request, category, seen) for category in request.categories}
    mix = _mix(request)
    for category, picker in pickers.items():
        picker.fill({split: mix[split, category] for split in SPLITS})
    counts = shard_counts(request)
    dealt_rows = {split: _deal(pickers, split, counts[split]) for split in SPLITS}
    spares = {category: _spares(picker, dealt_rows) for category, picker in pickers.items()}
    shards = (
        ShardPlan(split, index, counts[split], _queues(request, rows, spares, split))
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


def planned(request: Request) -> Plan:
    """The plan of a request. The default ones come with the package: making one takes seconds."""
    path = STORED / ("backward.json" if CONFIGS[request.config].adjoint else "forward.json")
    if request == Request(request.config) and path.exists():
        plan = load(path.read_text(encoding="utf-8"))
        # What is stored was made with these families; a plan does not depend on the target.
        if replace(plan.request, config=request.config) == request:
            return replace(plan, request=request)
    return make_plan(request)


# ---- sizes


def split_sizes(request: Request) -> dict[str, int]:
    """Rows per split: 80, 10 and 10 %, by largest remainder. Needs no planning."""
    total = sum(PARTS.values())
    sizes = {split: request.num_kernels * part // total for split, part in PARTS.items()}
    missing = request.num_kernels - sum(sizes.values())
    # Sorting is stable, so train comes first among equals.
    by_remainder = sorted(PARTS, key=lambda split: -(request.num_kernels * PARTS[split] % total))
    for split in by_remainder[:missing]:
        sizes[split] += 1
    return sizes


def shard_counts(request: Request) -> dict[str, int]:
    """Files per split. Needs no planning."""
    small = CONFIGS[request.config].shard_rows
    return {
        split: max(min(SMALL_SHARDS, -(-rows // small)), -(-rows // LARGE_SHARD_ROWS))
        for split, rows in split_sizes(request).items()
    }


def _mix(request: Request) -> dict[tuple[str, str], Counter[int]]:
    """Rows of each difficulty, per split and family.

    Seats are dealt to the families in turn, on from one split to the next: so a family's rows are equal
    within one in each split, and in all of them together. Difficulties run on from family to family, so
    that small cells do not all round the same way.
    """
    low, high = request.difficulty
    parts = {level: part for level, part in MIX.items() if low <= level <= high}
    mix: dict[tuple[str, str], Counter[int]] = {}
    seat = 0
    for split, size in split_sizes(request).items():
        families = request.categories
        rows = Counter(families[k % len(families)] for k in range(seat, seat + size))
        seat += size
        levels = dealt(parts)
        for category in families:
            mix[split, category] = Counter(islice(levels, rows[category]))
    return mix


# ---- dealing to shards

_Rows = dict[str, list[Pick]]  # of one shard, per family


def _deal(pickers: dict[str, Picker], split: str, shards: int) -> list[_Rows]:
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


def _spares(picker: Picker, dealt_rows: dict[str, list[_Rows]]) -> dict[str, Iterator[Pick]]:
    """Spares of one family for all shards, per split, to be handed out in the order of the shards."""
    need = {
        split: sum(spare_count(len(rows[picker.category])) for rows in hands if rows[picker.category])
        for split, hands in dealt_rows.items()
    }
    return {split: iter(picks) for split, picks in picker.spares(need).items()}


def spare_count(quota: int) -> int:
    """Spares of a family in a shard that holds `quota` rows of it."""
    return MIN_SPARES + -(-quota // SPARE_SHARE)


def _queues(
    request: Request, rows: _Rows, spares: dict[str, dict[str, Iterator[Pick]]], split: str
) -> tuple[Queue, ...]:
    queues = []
    for category in request.categories:
        quota = len(rows[category])
        if quota:
            picks = [*rows[category], *islice(spares[category][split], spare_count(quota))]
            addresses = (Address(request.seed, category, pick.draw) for pick in picks)
            queues.append(Queue(category, quota, tuple(map(Candidate, addresses))))
    return tuple(queues)


# ---- plans on disk


def dump(plan: Plan) -> str:
    """A plan as compact JSON, the same text for the same plan. Keeps addresses only, no programs."""
    return json.dumps(
        {
            "request": asdict(plan.request),
            "shards": [
                [s.split, s.index, s.count, [[q.category, q.quota, _draws(q)] for q in s.queues]]
                for s in plan.shards
            ],
            "draws": plan.draws,
            "duplicates": plan.duplicates,
            "barred": plan.barred,
            "spilled": [asdict(spill) for spill in plan.spilled],
        },
        separators=(",", ":"),
    )


def load(text: str) -> Plan:
    """The plan that `dump` wrote."""
    data = json.loads(text)
    request = Request(**data["request"])
    shards = (
        ShardPlan(split, index, shard_count, tuple(_queue(request.seed, *queue) for queue in queues))
        for split, index, shard_count, queues in data["shards"]
    )
    return Plan(
        request=request,
        shards=tuple(shards),
        draws=data["draws"],
        duplicates=data["duplicates"],
        barred=data["barred"],
        spilled=tuple(Spill(**spill) for spill in data["spilled"]),
    )


def _draws(queue: Queue) -> list[int]:
    return [candidate.address.draw for candidate in queue.candidates]


def _queue(seed: int, category: str, quota: int, draws: list[int]) -> Queue:
    return Queue(category, quota, tuple(Candidate(Address(seed, category, draw)) for draw in draws))
