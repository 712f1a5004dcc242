"""Whether the rows are those that were planned: shards, families, addresses, order, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...builds.plan.plan import Candidate, Plan, ShardPlan
from ...builds.shards import order
from ...common.address import Address
from ...common.outcomes import Row
from .finding import Finding, judged, unproved
from .part import Part

PLAN = "plan"
_COUNTED = ("draws", "duplicates", "barred")
_READ = ("id", "seed", "category", "draw", "difficulty")


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
    for count in _COUNTED:
        if (said := part.listed.get(count, {})) != (found := getattr(planned, count)):
            yield f"{count} are {_total(said)} by the manifest, and {_total(found)} by the plan"
    for name, rows in stored(part):
        if name in shards:
            yield from (f"{name}: {what}" for what in _of_shard(part, shards[name], rows))


def _of_shard(part: Part, shard: ShardPlan, rows: list[Row]) -> Iterator[str]:
    addresses = [part.address(row) for row in rows]
    for row, address in zip(rows, addresses, strict=True):
        if address is None or not any(_holds(queue.candidates, address) for queue in shard.queues):
            yield f"{row['id']} is not planned for it"
    for queue in shard.queues:
        found = sum(address is not None and _holds(queue.candidates, address) for address in addresses)
        if found != queue.quota if shard.spares else found > queue.quota:
            yield f"it has {found} rows of {queue.category} instead of {queue.quota}"
    if rows != order(rows, shard.split, shard.index):
        yield "its rows are in another order"


def left_out(part: Part, planned: Plan) -> dict[str, tuple[Candidate, ...]]:
    """By file, the candidates that must have failed: of each queue those before its last row, or all that are
    no rows where there are no spares."""
    there = {name: {part.address(row) for row in rows} for name, rows in stored(part)}
    found: dict[str, tuple[Candidate, ...]] = {}
    for shard in planned.shards:
        name = f"{part.name}/{shard.name}"
        rows = there.get(name, set())
        missing: list[Candidate] = []
        for queue in shard.queues:
            places = [place for place, each in enumerate(queue.candidates) if each.address in rows]
            tried = queue.candidates[: max(places, default=-1) + 1] if shard.spares else queue.candidates
            missing += [each for each in tried if each.address not in rows]
        found[name] = tuple(missing)
    return found


def stored(part: Part) -> Iterator[tuple[str, list[Row]]]:
    """What tells where rows live, by file."""
    return part.rows([*_READ, *([] if part.config.drawn else ["twin_of"])])


def _holds(candidates: tuple[Candidate, ...], address: Address) -> bool:
    return any(each.address == address for each in candidates)


def _total(counts: Mapping[str, Any]) -> str:
    return f"{Counter(counts).total():,} in {len(counts)} families"
