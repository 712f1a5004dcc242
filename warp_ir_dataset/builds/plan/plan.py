"""The plan of a build: the addresses of its kernels by split, shard and family. No skeleton is in it twice.

A plan is a pure function of its request. Families are equal within one over the build, splits hold 80/10/10
of the rows exactly, and difficulties keep their mix (`mix`). Its purpose decides the split of a kernel, its
skeleton that of one without: so a family is drawn from until each of its cells is full. A few kernels fail
their proof: every shard has spares (`spares`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...common.address import Address
from ...common.configs import SPLITS
from ...common.errors import UserError
from ..request import Request
from .candidate_scan import CandidateScan
from .choose import Chosen, Pass
from .sizes import file_name, shard_counts
from .stream import Pick


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel to try. `module` names those that become PTX together, which now and then decides the order of
    its instructions. `text` is the sample that was made for the plan, if this process made it (see
    `synthesis.sample_text`); `decided` makes it faster to sample it again (see `synthesis.memo`)."""

    address: Address
    module: str = ""
    decided: int = 0
    text: str = field(default="", compare=False, repr=False)

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
class Shortfall:
    """`rows` that difficulty `level` of a family was to give and could not; others gave them."""

    category: str
    level: int
    rows: int


@dataclass(frozen=True)
class Plan:
    """`draws` counts the candidates that were read; of these `duplicates` had a skeleton already in the build
    or come near another kernel of it, or near one that people wrote; `non_differentiable` ones cannot be in a
    config with gradients. All three are per family."""

    request: Request
    shards: tuple[ShardPlan, ...]
    draws: dict[str, int]
    duplicates: dict[str, int]
    non_differentiable: dict[str, int]
    shortfalls: tuple[Shortfall, ...]

    @property
    def rows(self) -> int:
        return sum(shard.rows for shard in self.shards)


def make_plan(request: Request, scan: CandidateScan | None = None) -> Plan:
    """Scan candidates and choose among them until nothing is missing. Raises `UserError` if families have too
    few distinct kernels, and what the scan raises.

    The plan is the same with any `scan`; without one candidates are scanned here, one by one.
    """
    scan = scan or CandidateScan(request)
    while True:
        made, refusal = Pass(request, scan), None
        try:
            made.choose()
        except UserError as error:
            refusal = error  # perhaps more candidates are enough
        if missing := made.missing():
            scan.extend(missing)
        elif refusal is not None:
            raise refusal
        else:
            return _plan(request, made)


def _plan(request: Request, made: Pass) -> Plan:
    counts = shard_counts(request)
    shards = (
        ShardPlan(split, index, counts[split], _queues(chosen))
        for split in SPLITS
        for index, chosen in enumerate(made.shards(split))
    )
    families = made.families.items()
    return Plan(
        request=request,
        shards=tuple(shards),
        draws={name: sum(stream.position for stream in family.streams) for name, family in families},
        duplicates={name: sum(stream.duplicates for stream in family.streams) for name, family in families},
        non_differentiable={
            name: sum(stream.non_differentiable for stream in family.streams) for name, family in families
        },
        shortfalls=tuple(
            Shortfall(name, level, rows)
            for name, family in families
            for level, rows in family.shortfalls.items()
        ),
    )


def _queues(shard: Mapping[str, Chosen]) -> tuple[Queue, ...]:
    return tuple(
        Queue(category, quota, tuple(map(_candidate, picks))) for category, (quota, picks) in shard.items()
    )


def _candidate(pick: Pick) -> Candidate:
    return Candidate(pick.address, decided=pick.decided, text=pick.text)
