"""Builds in parts on several machines, and joins the parts in one folder.

Parts share a plan and nothing else. A part writes its shards, and beside the plan an entry for each, which
the manifest will contain. No part writes to a file of another part.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import appearing, inside, readable, writable, write
from ...common.outcomes import Reason
from ...common.versions import source
from ...workers.progress import Bar, Tally
from ..batches import FOLDER as BATCHES
from ..batches import Batches
from ..check.rows import Damaged, check_file
from ..check.shape import Misshapen, check_entry, has_rows, parse_json
from ..engine import Engine
from ..plan.plan import Plan, ShardPlan
from ..plan.saved import dump
from ..request import Request
from ..row import schema
from ..shards import Filled, write_parquet
from .folder import DONE, Folder, batch_key, goes_on, opened, shard_name
from .index import Index
from .manifest import MANIFEST, PLAN, file_entry, is_planned, manifest_of, parameters, versions
from .mirror import NOWHERE, Mirror
from .written import note_written

CONFIGS_FILE = "configs.json"  # in it: which configs were planned
ANEW = "plan in a new folder"
NAMED = 3  # of shards that are missing
_SAID = {"plan", "parts", "entry"}
_LOCK = re.compile(r"([0-9]{1,6})-of-([0-9]{1,6})\.lock")
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
    with opened(path, requests[0], engine, version, mirror) as folder:
        if has_rows(folder.manifest):
            raise UserError(f"{path} holds a build that was begun: choose another folder")
        texts = {request.config: dump(planner(request)) for request in requests}
        files = {f"{config}.json": text for config, text in texts.items()}
        files[CONFIGS_FILE] = Index.of(texts).dump()
        with appearing(path / PLAN) as place:
            for name, text in files.items():
                write(place / name, text)
    mirror.remove(MANIFEST)
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
            parts.forget(request, missing)
            rows, to_do = (sum(shard.rows for shard in some) for some in (shards, missing))
            drawn = CONFIGS[request.config].drawn
            tally = Tally(f"{request.config} {part}", rows, done=rows - to_do, spares=drawn)
            batches = parts.batches(request, part)
            with engine.started(request) as fill, Bar(tally, quiet=quiet) as bar:
                for filled in fill(missing, bar.seen, batches=batches):
                    files[shard_name(request, filled.shard)] = parts.add(request, filled, part, batches)
                    made += len(filled.rows)
            yield request.config, made - batches.told, monotonic() - begin, files


@contextmanager
def finished(
    path: Path, engine: Engine, mirror: Mirror = NOWHERE
) -> Iterator[tuple[Folder, dict[str, float]]]:
    """A folder that has all shards of its parts in its manifest, and the seconds that checking them took, by
    config; its plan is gone when the context ends.

    Raises `UserError` as `fill_part` does, and, before anything is touched, where shards are missing or
    somebody fills a part.
    """
    parts = _Parts(path, engine, mirror)
    request, version = parts.plans[0].request, parts.manifest.get("version", "")
    with parts.all_held():
        files, seconds = parts.files()
        entries = [entry for own in files.values() for entry in own.values()]
        left_out = any(Reason.TIMEOUT in entry["rejections"] for entry in entries)
        if left_out and not engine.skip_faults:
            raise UserError(f"a part of {path} was filled with --skip-faults: give it here too")
        with opened(path, request, engine, version, mirror, in_parts=True) as folder:
            for plan in parts.plans:
                folder.take(plan, files[plan.request.config])
            folder.save()
            yield folder, seconds
            # At once, as half a plan is none: whoever is stopped from here on leaves a whole build.
            with writable(f"to {path}"):
                inside(path, PLAN).replace(inside(path, DONE))
            for done in (DONE, BATCHES):
                shutil.rmtree(inside(path, done), ignore_errors=True)
            mirror.remove(f"{PLAN}/{CONFIGS_FILE}")
            mirror.clear(PLAN)
            mirror.clear(BATCHES)


class _Parts:
    """A planned folder, as `fill_part` says."""

    def __init__(self, path: Path, engine: Engine, mirror: Mirror) -> None:
        self.path = path
        self.mirror = mirror
        if not is_planned(path):
            begun = os.path.isfile(path / MANIFEST) and has_rows(manifest_of(path)[0])
            advice = "it is a build already" if begun else "begin with warp-ir plan"
            raise UserError(f"{path} holds no plan: {advice}")
        self.manifest, _ = manifest_of(path)
        if self.manifest.get("versions") != versions(engine.prover.compilers):
            raise UserError(f"{path} was planned with other versions (see {MANIFEST}): install those")
        self._index = self._read(CONFIGS_FILE, Index.load)
        if self._index.source != source():
            raise UserError(
                f"{path} was planned by generator {self._index.source}, and {source()} is installed here: "
                "install the same"
            )
        self.plans = tuple(
            _whole(self._read(f"{config}.json", partial(self._index.plan, config)))
            for config in self._index.configs
        )
        for config, plan in zip(self._index.configs, self.plans, strict=True):
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

    def files(self) -> tuple[dict[str, dict[str, dict[str, Any]]], dict[str, float]]:
        """What a manifest will say of all shards, by config, and the seconds that checking them took. Raises
        `UserError` where some are missing."""
        found: dict[str, dict[str, dict[str, Any]]] = {}
        seconds: dict[str, float] = {}
        missing: dict[int, str] = {}
        counts: set[int] = set()  # of parts, as those who filled some had it
        turn = 0
        for plan in self.plans:
            begin, own = monotonic(), found.setdefault(plan.request.config, {})
            for k, shard in enumerate(plan.shards, turn):
                name = shard_name(plan.request, shard)
                if (said := self._said(plan.request, shard)) is None:
                    missing[k] = name
                else:
                    own[name], count = said
                    counts.add(count)
            turn += len(plan.shards)
            seconds[plan.request.config] = monotonic() - begin
        if missing:
            raise UserError(f"{self.path} lacks {_lacking(missing, counts)}")
        return found, seconds

    def entry(self, request: Request, shard: ShardPlan) -> dict[str, Any] | None:
        """What a manifest will say of a shard that a part wrote; None where it is missing or damaged. Raises
        `UserError` for one that was made from another plan."""
        said = self._said(request, shard)
        return said and said[0]

    def _said(self, request: Request, shard: ShardPlan) -> tuple[dict[str, Any], int] | None:
        """The same, and how many parts there were."""
        name = shard_name(request, shard)
        path = self._entry(name)
        if not path.exists():
            return None
        try:
            with readable(path):
                said = parse_json(path.read_bytes())
            if not isinstance(said, dict) or said.keys() != _SAID or type(said["parts"]) is not int:
                raise Misshapen("it is no entry")
            entry = said["entry"]
            check_entry(name, shard.split, entry)
        except Misshapen:
            return None
        wrong = f"{path} is not of this plan"
        if said["plan"] != self._index.stamp(self.manifest, name):
            raise UserError(f"{wrong}: remove it, and fill its part again")
        if entry["rows"] > shard.rows or (shard.spares and entry["rows"] < shard.rows):
            rows = f"{entry['rows']} rows instead of {shard.rows}"
            raise UserError(f"{wrong}, with {rows}: remove it, and fill its part again")
        try:
            self.mirror.fetch(name)
            check_file(inside(self.path, name), request.config, entry)
        except (FileNotFoundError, Damaged):
            return None
        return entry, said["parts"]

    def forget(self, request: Request, missing: Iterable[ShardPlan]) -> None:
        """Remove the entries of shards that are missing or damaged: what is in `batches` of a shard that has
        one would be taken for done."""
        with writable(f"to {self.path / PLAN}"):
            for shard in missing:
                self._entry(shard_name(request, shard)).unlink(missing_ok=True)

    def add(self, request: Request, filled: Filled, part: Part, batches: Batches) -> dict[str, Any]:
        """Write a shard of a part, and its entry, which is returned. Raises `UserError` when the disk
        refuses."""
        name = shard_name(request, filled.shard)
        path, place = inside(self.path, name), self._entry(name)
        with writable(f"to {self.path}"):
            path.parent.mkdir(exist_ok=True)
            place.parent.mkdir(exist_ok=True)
        write_parquet(filled.rows, schema(request.config), path)
        entry = file_entry(path, filled.shard.split, filled.rejections)
        if not batches.strange:
            note_written(entry["sha256"])
        said = {"plan": self._index.stamp(self.manifest, name), "parts": part.count, "entry": entry}
        write(place, json.dumps(said))
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
        with writable(f"to {self.path / PLAN}"):
            try:
                lock.acquire(timeout=0)
            except Timeout:
                raise UserError(f"another process fills part {part} of {self.path}: wait for it") from None
        try:
            if not inside(self.path, f"{PLAN}/{CONFIGS_FILE}").exists():
                # It was finished since it was read, and the lock has made the plan's folder again.
                shutil.rmtree(inside(self.path, PLAN))
                raise UserError(f"{self.path} holds no plan any more: it is a build already")
            yield
        finally:
            lock.release()

    @contextmanager
    def all_held(self) -> Iterator[None]:
        """Holds the locks of all parts that were begun, so that no other process fills one."""
        with ExitStack() as stack:
            for path in sorted(inside(self.path, PLAN).glob("*.lock")):
                if match := _LOCK.fullmatch(path.name):
                    stack.enter_context(self.held(Part(int(match[1]), int(match[2]))))
            yield

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


def _lacking(missing: Mapping[int, str], counts: Set[int]) -> str:
    """Which shards, by their turns, are missing, and who makes them, where there is one number of parts."""
    named = list(missing.values())[:NAMED]
    more = len(missing) - len(named)
    said = f"{len(missing)} of its shards: fill all parts with --shard first: {', '.join(named)}"
    said += f" and {more} more" if more else ""
    if len(counts) != 1:
        return said
    (count,) = counts
    parts = sorted({turn % count for turn in missing})
    options = ", ".join(f"--shard {Part(index, count)}" for index in parts[:NAMED])
    return f"{said} (made by {options}{', ...' if len(parts) > NAMED else ''})"
