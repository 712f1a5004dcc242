"""Stores plans as JSON. Those of the default builds are part of the package, as planning takes seconds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ...common.address import Address
from ...common.configs import CONFIGS
from ...common.versions import source
from ...workers.pool import Pool
from ...workers.seats import cores
from ..handwritten.plan import collected
from ..request import Request
from .candidate_scan import WorkforceOf, scanning
from .plan import Candidate, Plan, Queue, ShardPlan, Shortfall, make_plan

STORED = Path(__file__).parent / "stored"
# Every change of these may change plans; of other source, those that come with another generator's version.
TEMPLATES = ("synthesis/idioms", "synthesis/composing/steps")


def planned(
    request: Request,
    *,
    workforce: WorkforceOf | None = None,
    scan_cache: Path | None = None,
    quiet: bool = False,
) -> Plan:
    """The plan of a request: a stored one, one that is made, or what is collected.

    One that is made is made with a `workforce`, one process for each core here if None. The folder
    `scan_cache`, if one is given, keeps what it finds, for the plans of other configs. One that was stored
    with other templates than there are is made anew, which a line says unless `quiet`. Raises `UserError` if
    families have too few distinct kernels or the folder cannot be written, and what `scanning` raises.
    """
    if not CONFIGS[request.config].drawn:
        return collected(request)
    if request == Request(request.config) and (plan := _stored(request, quiet)) is not None:
        return plan
    with scanning(request, workforce or partial(Pool[Any], cores()), scan_cache, quiet=quiet) as scan:
        return make_plan(request, scan)


def _stored(request: Request, quiet: bool) -> Plan | None:
    """The plan of a default request that comes with the package, if it is what would be made."""
    path = STORED / ("backward.json" if CONFIGS[request.config].adjoint else "forward.json")
    if not path.exists():
        return None
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored["made_with"] != source(TEMPLATES):
        if not quiet:
            tqdm.write("the stored plan is of other templates: planning anew", file=sys.stderr)
        return None
    plan = _parsed(stored)
    plan = replace(plan, request=replace(plan.request, config=request.config))
    return plan if plan.request == request else None


def dump(plan: Plan) -> str:
    """A plan as compact JSON, the same text for the same plan. Keeps addresses only, no programs."""
    return json.dumps(
        {
            "made_with": source(TEMPLATES),
            "request": asdict(plan.request),
            "shards": [[s.split, s.index, s.count, [_told(q) for q in s.queues]] for s in plan.shards],
            "draws": plan.draws,
            "duplicates": plan.duplicates,
            "non_differentiable": plan.non_differentiable,
            "shortfalls": [asdict(shortfall) for shortfall in plan.shortfalls],
        },
        separators=(",", ":"),
    )


def load(text: str) -> Plan:
    """The plan that `dump` wrote. Raises `ValueError` for anything that it did not write."""
    try:
        return _parsed(json.loads(text))
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("this is not a plan") from error


def _parsed(data: Any) -> Plan:
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
        non_differentiable=data["non_differentiable"],
        shortfalls=tuple(Shortfall(**shortfall) for shortfall in data["shortfalls"]),
    )


def _told(queue: Queue) -> list[Any]:
    purposes = sorted({purpose for purpose in _purposes(queue) if purpose is not None})
    places = [None if purpose is None else purposes.index(purpose) for purpose in _purposes(queue)]
    return [queue.category, queue.quota, purposes, places, _draws(queue), _decided(queue)]


def _purposes(queue: Queue) -> list[str | None]:
    return [candidate.address.purpose for candidate in queue.candidates]


def _draws(queue: Queue) -> list[int]:
    return [candidate.address.draw for candidate in queue.candidates]


def _decided(queue: Queue) -> list[int]:
    return [candidate.decided for candidate in queue.candidates]


def _queue(
    seed: int,
    category: str,
    quota: int,
    purposes: list[str],
    places: list[int | None],
    draws: list[int],
    decided: list[int],
) -> Queue:
    candidates = []
    for place, draw, code in zip(places, draws, decided, strict=True):
        purpose = None if place is None else purposes[place]
        candidates.append(Candidate(Address(seed, category, draw, purpose), decided=code))
    return Queue(category, quota, tuple(candidates))
