"""Checks that the rows are the planned ones: shards, families, addresses, order, and rejected candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...builds.filling import replay
from ...builds.plan.plan import Candidate, Plan, ShardPlan
from ...builds.shards import order
from ...common.address import Address
from ...common.outcomes import Row
from .finding import Finding, judged, unproved
from .part import Part

PLAN = "plan"
_READ = ("id", "seed", "category", "purpose", "draw", "difficulty")


def plan(part: Part) -> Finding:
    """Made anew, the plan has these files and counts, and each file the rows of its families, in order."""
    if part.build.strange is not None:
        return unproved(PLAN, part.name, "rows", part.build.strange)
    rows = sum(entry["rows"] for entry in part.files.values())
    if isinstance(part.plan, str):
        return judged(PLAN, part.name, rows, "rows", [part.plan])
    return judged(PLAN, part.name, rows, "rows", list(_differences(part, part.plan)))


def _differences(part: Part, planned: Plan) -> Iterator[str]:
    shards = {f"{part.name}/{shard.name}": shard for shard in planned.shards}
    for name in sorted(shards.keys() - part.files.keys()):
        yield f"{name} is missing"
    for name in sorted(part.files.keys() - shards.keys()):
        yield f"{name} is not in the plan"
    counted = {
        "draws": planned.draws,
        "duplicates": planned.duplicates,
        "barred": planned.non_differentiable,
    }
    for count, found in counted.items():
        if (said := part.listed.get(count, {})) != found:
            yield f"{count} are {_total(said)} by the manifest, and {_total(found)} by the plan"
    for name, rows in stored(part):
        if name in shards:
            yield from (f"{name}: {what}" for what in _of_shard(part, shards[name], rows))


def _of_shard(part: Part, shard: ShardPlan, rows: list[Row]) -> Iterator[str]:
    addresses = [part.address(row) for row in rows]
    for row, address in zip(rows, addresses, strict=True):
        if address is None or not any(_holds(queue.candidates, address) for queue in shard.queues):
            yield f"{row['id']} is not planned for it"
    # A queue that has no candidates left gets less than its quota, and others more.
    kept, _ = replay(shard, set(filter(None, addresses)))
    whole = len(kept) == shard.rows or not shard.spares
    for queue in shard.queues:
        found = sum(address is not None and _holds(queue.candidates, address) for address in addresses)
        wanted = sum(each.address in kept for each in queue.candidates) if whole else queue.quota
        if found != wanted:
            yield f"it has {found} rows of {queue.category} instead of {wanted}"
    if rows != order(rows, shard.split, shard.index):
        yield "its rows are in another order"


def left_out(part: Part, planned: Plan) -> dict[str, tuple[Candidate, ...]]:
    """By file, the candidates that must have failed, as others are there."""
    there = {name: set(filter(None, map(part.address, rows))) for name, rows in stored(part)}
    found: dict[str, tuple[Candidate, ...]] = {}
    for shard in planned.shards:
        name = f"{part.name}/{shard.name}"
        _, found[name] = replay(shard, there.get(name, set()))
    return found


def stored(part: Part) -> Iterator[tuple[str, list[Row]]]:
    """What tells where rows live, by file."""
    return part.rows([*_READ, *([] if part.config.drawn else ["twin_of"])])


def _holds(candidates: tuple[Candidate, ...], address: Address) -> bool:
    return any(each.address == address for each in candidates)


def _total(counts: Mapping[str, Any]) -> str:
    return f"{Counter(counts).total():,} in {len(counts)} families"
