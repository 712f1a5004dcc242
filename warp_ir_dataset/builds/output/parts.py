"""A build in parts, on as many machines as there are, and one folder made of them.

Parts share a plan and nothing else. A part writes its shards, and for each an entry beside the plan, which
says what a manifest will; nobody writes to a file of another's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import appearing, inside, readable, writable, write
from ...common.outcomes import Reason
from ...workers.progress import Bar, Tally
from ..batches import FOLDER as BATCHES
from ..batches import Batches
from ..check.rows import Damaged, check_file
from ..check.shape import Misshapen, check_entry, has_rows, parse_json
from ..engine import Engine
from ..plan.plan import Plan, ShardPlan
from ..plan.saved import dump, load
from ..request import Request
from ..row import schema
from ..shards import Filled, write_parquet
from .folder import Folder, batch_key, goes_on, opened, shard_name
from .manifest import MANIFEST, PLAN, file_entry, is_planned, manifest_of, parameters, versions
from .mirror import NOWHERE, Mirror

CONFIGS_FILE = "configs.json"  # in it: which configs were planned
ANEW = "plan in a new folder"
_PART = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")  # there are less than a million shards

Found = TypeVar("Found")


@dataclass(frozen=True)
class Part:
    """Part `index` of `count`: every `count`-th shard. Raises `UserError` for one that cannot be."""

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise UserError(
                f"a part must be one of 0/{self.count} to {self.count - 1}/{self.count}, not {self}"
            )

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Part:
        """``0/3`` is the first of three. Raises `UserError`."""
        if (match := _PART.fullmatch(text)) is None or not int(match[2]):
            raise UserError(
                f"a part must look like 0/3, the first of three, with at most six digits, not {text!r}"
            )
        return cls(int(match[1]), int(match[2]))


def write_plans(
    path: Path,
    requests: Sequence[Request],
    planner: Callable[[Request], Plan],
    engine: Engine,
    version: str,
    mirror: Mirror = NOWHERE,
) -> None:
    """Write the plans of requests to a new folder, for parts to fill. Raises `UserError` for a folder that
    holds anything else, before anything is planned, and when the disk refuses."""
    with opened(path, requests[0], engine, version) as folder:
        if has_rows(folder.manifest) or is_planned(path):
            raise UserError(f"{path} holds a build that was begun: choose another folder")
        files = {f"{request.config}.json": dump(planner(request)) for request in requests}
        files[CONFIGS_FILE] = json.dumps([request.config for request in requests])
        with appearing(path / PLAN) as place:
            for name, text in files.items():
                write(place / name, text)
    mirror.remove(MANIFEST)
    mirror.clear(PLAN)  # what a planner that was stopped has left
    mirror.send(*(f"{PLAN}/{name}" for name in files), MANIFEST)


def fill_part(
    path: Path, part: Part, engine: Engine, mirror: Mirror = NOWHERE, *, quiet: bool = False
) -> Iterator[tuple[str, int, float, dict[str, Any]]]:
    """Fill the shards of a part that are not there yet. Yields each config when that is done: rows made,
    seconds taken, and what a manifest will say of all its shards in this part.

    Raises `UserError` for a folder without a plan, for another engine than it was planned with, and where
    another process fills the same part, and what filling raises (see `Engine`).
    """
    parts = _Parts(path, engine, mirror)
    with parts.held(part):
        for request, shards in parts.of(part):
            begin, made = monotonic(), 0
            files = {shard_name(request, shard): parts.entry(request, shard) for shard in shards}
            missing = [shard for shard in shards if files[shard_name(request, shard)] is None]
            rows, to_do = (sum(shard.rows for shard in some) for some in (shards, missing))
            drawn = CONFIGS[request.config].drawn
            tally = Tally(f"{request.config} {part}", rows, done=rows - to_do, spares=drawn)
            batches = parts.batches(request, part)
            with engine.started(request) as fill, Bar(tally, quiet=quiet) as bar:
                for filled in fill(missing, bar.seen, batches=batches):
                    files[shard_name(request, filled.shard)] = parts.add(request, filled, batches)
                    made += len(filled.rows)
            yield request.config, made - batches.told, monotonic() - begin, files


@contextmanager
def finished(path: Path, engine: Engine, mirror: Mirror = NOWHERE) -> Iterator[Folder]:
    """A folder that has all shards of its parts in its manifest; its plan is gone when the context ends.

    Raises `UserError` as `fill_part` does, and where shards are missing.
    """
    parts = _Parts(path, engine, mirror)
    request, version = parts.plans[0].request, parts.manifest.get("version", "")
    with opened(path, request, engine, version, mirror) as folder:
        missing = left_out = 0
        for plan in parts.plans:
            entries = {shard_name(plan.request, s): parts.entry(plan.request, s) for s in plan.shards}
            files = {name: entry for name, entry in entries.items() if entry is not None}
            folder.manifest["configs"][plan.request.config] = {"files": files}
            missing += len(folder.missing(plan))
            left_out += sum(entry["rejections"].get(Reason.TIMEOUT, 0) for entry in files.values())
        if left_out and not engine.skip_faults:
            raise UserError(f"a part of {path} was filled with --skip-faults: give it here too")
        if missing:
            raise UserError(f"{path} lacks {missing} of its shards: fill all parts with --shard first")
        folder.save()
        yield folder
        shutil.rmtree(inside(path, PLAN))
        shutil.rmtree(inside(path, BATCHES), ignore_errors=True)
        mirror.clear(PLAN)
        mirror.clear(BATCHES)


class _Parts:
    """A planned folder, as `fill_part` says."""

    def __init__(self, path: Path, engine: Engine, mirror: Mirror) -> None:
        self.path = path
        self.mirror = mirror
        if not is_planned(path):
            begun = os.path.isfile(path / MANIFEST)
            advice = "it is a build already" if begun else "begin with warp-ir plan"
            raise UserError(f"{path} holds no plan: {advice}")
        self.manifest, _ = manifest_of(path)
        if self.manifest.get("versions") != versions(engine.prover.compilers):
            raise UserError(f"{path} was planned with other versions (see {MANIFEST}): install those")
        configs = self._read(CONFIGS_FILE, _configs)
        self.plans = tuple(_whole(self._read(f"{config}.json", load)) for config in configs)
        for config, plan in zip(configs, self.plans, strict=True):
            self._check_plan(config, plan, engine.skip_faults)

    def of(self, part: Part) -> Iterator[tuple[Request, list[ShardPlan]]]:
        """The shards of a part, by request."""
        turn = 0
        for plan in self.plans:
            yield (
                plan.request,
                [shard for k, shard in enumerate(plan.shards, turn) if k % part.count == part.index],
            )
            turn += len(plan.shards)

    def entry(self, request: Request, shard: ShardPlan) -> dict[str, Any] | None:
        """What a manifest will say of a shard that a part wrote; None where it is missing or damaged."""
        name = shard_name(request, shard)
        path = self._entry(name)
        if not path.exists():
            return None
        try:
            with readable(path):
                entry = parse_json(path.read_bytes())
            check_entry(name, shard.split, entry)
        except Misshapen:
            return None
        try:
            self.mirror.fetch(name)
            check_file(inside(self.path, name), request.config, entry)
        except (FileNotFoundError, Damaged):
            return None
        return entry

    def add(self, request: Request, filled: Filled, batches: Batches) -> dict[str, Any]:
        """Write a shard of a part, and its entry, which is returned. Raises `UserError` when the disk
        refuses."""
        name = shard_name(request, filled.shard)
        path, place = inside(self.path, name), self._entry(name)
        with writable(f"to {self.path}"):
            path.parent.mkdir(exist_ok=True)
            place.parent.mkdir(exist_ok=True)
        write_parquet(filled.rows, schema(request.config), path)
        entry = file_entry(path, filled.shard.split, filled.rejections)
        write(place, json.dumps(entry))
        self.mirror.send(name, f"{PLAN}/{name}.json")
        batches.drop({file.stem for file in place.parent.iterdir()})
        return entry

    def batches(self, request: Request, part: Part) -> Batches:
        """What a part has proved of a config and is in no shard yet."""
        name = f"{request.config}-{part.index}-of-{part.count}"
        return Batches(self.path, name, batch_key(self.manifest, request.config), self.mirror)

    @contextmanager
    def held(self, part: Part) -> Iterator[None]:
        """Keeps others from filling the same part."""
        lock = FileLock(inside(self.path, f"{PLAN}/{part.index}-of-{part.count}.lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"another process fills part {part} of {self.path}: wait for it") from None
        try:
            yield
        finally:
            lock.release()

    def _entry(self, name: str) -> Path:
        return inside(self.path, f"{PLAN}/{name}.json")

    def _read(self, name: str, parse: Callable[[str], Found]) -> Found:
        """A file of the plan. Raises `UserError` for one that is not as it was written."""
        path = inside(self.path, f"{PLAN}/{name}")
        with readable(path, ANEW):
            content = path.read_bytes()
        try:
            return parse(content.decode())
        except ValueError as error:
            raise UserError(f"{path} is not what warp-ir plan wrote: {ANEW}") from error

    def _check_plan(self, config: str, plan: Plan, skip_faults: bool) -> None:
        planned, asked = self.manifest.get("parameters"), parameters(plan.request, skip_faults)
        if planned == asked | {"skip_faults": True} != asked:
            raise UserError(f"{self.path} was planned with --skip-faults: give it here too")
        if plan.request.config != config or not goes_on(planned or {}, asked):
            place = self.path / PLAN / f"{config}.json"
            raise UserError(f"{place} is not the plan of what {MANIFEST} says: {ANEW}")


def _whole(plan: Plan) -> Plan:
    """A plan from its file, with what that does not say: of what is collected there are no spares."""
    drawn = CONFIGS[plan.request.config].drawn
    return replace(plan, shards=tuple(replace(shard, spares=drawn) for shard in plan.shards))


def _configs(text: str) -> list[str]:
    """The configs of a plan, in the order in which their shards are counted. Raises `ValueError`."""
    configs = json.loads(text)
    if not isinstance(configs, list) or not configs or any(str(config) not in CONFIGS for config in configs):
        raise ValueError("these are not configs")
    return sorted(set(configs))
