"""The plan of a build: the addresses of its kernels by split, shard and family. No skeleton is in it twice.

A plan is a pure function of its request. Families are equal within one over the build, splits hold 80/10/10
of the rows exactly, and difficulties keep their mix (`mix`). Its purpose decides the split of a kernel, its
skeleton that of one without: so a family is drawn from until each of its cells is full. A few kernels fail
their proof: every shard has spares (`spares`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...common.address import Address
from ...common.configs import SPLITS
from ...synthesis.sample import Sample
from ..request import Request
from .choosing import Choosing, Chosen
from .mix import Pickers
from .quota import Spill
from .sizes import file_name, shard_counts
from .survey import Survey


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel to try. `drawn` stands in for what the address would give; `unit` names those that become PTX
    together, which now and then decides the order of its instructions; `decided` is the code of what was
    decided when it was drawn for the plan (see `synthesis.decisions`)."""

    address: Address
    drawn: Sample | None = None
    unit: str = ""
    decided: int = 0

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
    choosing = Choosing(request, told)
    told.rounds(choosing.go_on)
    choosing.forget()
    counts = shard_counts(request)
    shards = (
        ShardPlan(split, index, counts[split], _queues(told, choosing.pickers, chosen))
        for split in SPLITS
        for index, chosen in enumerate(choosing.shards(split))
    )
    pickers, filled = choosing.pickers, tuple(shards)
    told.forget()
    return Plan(
        request=request,
        shards=filled,
        draws={category: picker.draws for category, picker in pickers.items()},
        duplicates={category: picker.duplicates for category, picker in pickers.items()},
        barred={category: picker.barred for category, picker in pickers.items()},
        spilled=tuple(spill for picker in pickers.values() for spill in picker.spilled),
    )


def _queues(told: Survey, pickers: Pickers, shard: Mapping[str, Chosen]) -> tuple[Queue, ...]:
    found = []
    for category, chosen in shard.items():
        addresses = map(pickers[category].address, chosen.draws)
        candidates = tuple(Candidate(address, decided=told.decided(address)) for address in addresses)
        found.append(Queue(category, chosen.quota, candidates))
    return tuple(found)
