"""The files of one config of a build: the plan, finished files of rows, and units of unfinished ones.

A unit holds what became of some candidates of one file that were tried together. When a file is full, it is
written, then its record, which the manifest will quote; then its units are removed. Whatever is there is
done, whoever made it: so a build goes on after any stop, and any number of parts share it. What is damaged,
or was made from another plan, counts as missing and is made again.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ...common.configs import CONFIGS
from ...common.outcomes import Outcome, Reason, Rejected
from ...common.versions import source
from ..check.rows import Damaged, check_content
from ..filling import Fill
from ..plan.plan import Candidate, Plan, ShardPlan
from ..plan.saved import dump, load
from ..request import Request
from ..row import schema
from ..shards import Filled, parquet
from .manifest import PLAN, file_entry
from .store import Store, checksum, checksummed, content_of
from .written import forget_written, is_written_here, note_written

UNIT = ".unit"
RECORD = ".json"


@dataclass(frozen=True)
class StoredPlan:
    """A plan in a store, the source of the generator that made it, and the checksum of the plan itself."""

    plan: Plan
    source: str
    checksum: str


def plan_name(config: str) -> str:
    """The file of a config's plan."""
    return f"{PLAN}/{config}.plan"


def read_plan(store: Store, config: str, key: str) -> StoredPlan | None:
    """The plan that a store holds of a config; None where there is none, or one for something else than `key`
    says."""
    content = content_of(key, store.get(plan_name(config)))
    if content is None:
        return None
    told, _, text = content.decode().partition("\n")
    try:
        plan = load(text)
    except ValueError:
        return None
    # The file does not say that there are no spares of what is collected.
    shards = tuple(replace(shard, spares=CONFIGS[config].drawn) for shard in plan.shards)
    return StoredPlan(replace(plan, shards=shards), told, checksum(key, text.encode()))


def write_plan(store: Store, plan: Plan, key: str) -> StoredPlan:
    """Keep a plan in a store, made for what `key` says by the source that is installed."""
    text = dump(plan)
    store.put(plan_name(plan.request.config), checksummed(key, f"{source()}\n{text}".encode()))
    return StoredPlan(plan, source(), checksum(key, text.encode()))


class Files:
    """The files of a plan. `listed` are entries of a manifest, for files that are there without a record.
    `known_rows` counts the rows among the outcomes that were in units."""

    def __init__(self, store: Store, stored: StoredPlan, listed: Mapping[str, Any] | None = None) -> None:
        self.plan = stored.plan
        self.request: Request = stored.plan.request
        self.known_rows = 0
        self._store = store
        self._checksum = stored.checksum
        self._listed = listed or {}
        self._units: defaultdict[str, dict[str, str]] = defaultdict(dict)  # checksums by name, of each file
        self._foreign: set[str] = set()  # files with rows that this machine did not prove

    def name(self, shard: ShardPlan) -> str:
        """What a file is called, relative to the build's folder."""
        return f"{self.request.config}/{shard.name}"

    def entry(self, shard: ShardPlan) -> dict[str, Any] | None:
        """What the manifest says, or will say, of a file; None where it is missing or damaged."""
        name = self.name(shard)
        said = self._record(name)
        entry: dict[str, Any] | None = said["entry"] if said else self._listed.get(name)
        if entry is None or (content := self._store.get(name)) is None:
            return None
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            return None
        if said is None:  # a manifest has no checksum, and may be anybody's
            try:
                check_content(
                    pa.BufferReader(content), self.request.config, entry["rows"], entry["num_bytes"]
                )
            except Damaged:
                return None
        return entry

    def parts(self, shard: ShardPlan) -> int | None:
        """Of how many parts the one was that made a file."""
        said = self._record(self.name(shard))
        return None if said is None else said["parts"]

    def _record(self, name: str) -> dict[str, Any] | None:
        content = content_of(self._key(name), self._store.get(f"{PLAN}/{name}{RECORD}"))
        return None if content is None else json.loads(content)

    def fill(
        self,
        shards: Iterable[ShardPlan],
        fill: Fill,
        on_outcome: Callable[[Candidate, Outcome], None],
        parts: int = 1,
    ) -> Iterator[tuple[ShardPlan, dict[str, Any]]]:
        """Fill files that are missing, as one of so many parts; yields each, and its entry, when it is there.
        Raises what filling raises, and `UserError` when the store refuses."""
        for filled in fill(shards, on_outcome, units=self):
            yield filled.shard, self.add(filled, parts)

    def add(self, filled: Filled, parts: int = 1) -> dict[str, Any]:
        """Write a file, and its record; returns its entry. Raises `UserError` when the store refuses."""
        shard = filled.shard
        name = self.name(shard)
        content = parquet(filled.rows, schema(self.request.config))
        entry = file_entry(content, shard.split, filled.rejections)
        self._store.put(name, content)
        if shard.name not in self._foreign:
            note_written(entry["sha256"])
        said = json.dumps({"parts": parts, "entry": entry}).encode()
        self._store.put(f"{PLAN}/{name}{RECORD}", checksummed(self._key(name), said))
        units = self._units.pop(shard.name, {})
        self._store.delete(*units)
        for digest in units.values():
            forget_written(digest)
        return entry

    def known(self, shard: ShardPlan) -> dict[str, Outcome]:
        """What became of those candidates of a file that were tried before, by their names."""
        found: dict[str, Outcome] = {}
        folder, key = self._folder(shard), self._key(self.name(shard))
        for name in (f"{folder}/{name}" for name in self._store.list(folder)):
            if (packed := content_of(key, self._store.get(name))) is None:
                self._store.delete(name)
                continue
            self._units[shard.name][name] = checksum(key, packed)
            if not is_written_here(self._units[shard.name][name]):
                self._foreign.add(shard.name)
            found |= dict(_parse(*each) for each in json.loads(zlib.decompress(packed)))
        self.known_rows += sum(not isinstance(outcome, Rejected) for outcome in found.values())
        return found

    def keep(self, shard: ShardPlan, tried: Sequence[tuple[Candidate, Outcome]]) -> None:
        """Store a unit: candidates of a file, and what became of them."""
        key = self._key(self.name(shard))
        packed = zlib.compress(json.dumps([_serialize(*each) for each in tried]).encode(), 1)
        digest = checksum(key, packed)
        name = f"{self._folder(shard)}/{digest[:16]}{UNIT}"
        self._store.put(name, checksummed(key, packed))
        self._units[shard.name][name] = digest
        note_written(digest)

    def _folder(self, shard: ShardPlan) -> str:
        """Where the units of a file are."""
        return f"{PLAN}/{self.name(shard).removesuffix('.parquet')}"

    def _key(self, name: str) -> str:
        """What a record or a unit of a file was made from."""
        return f"{self._checksum} {name}"


def _serialize(candidate: Candidate, outcome: Outcome) -> list[Any]:
    if isinstance(outcome, Rejected):
        return [str(candidate), outcome.reason.value, outcome.detail]
    return [str(candidate), None, outcome]


def _parse(candidate: str, reason: str | None, said: Any) -> tuple[str, Outcome]:
    return candidate, said if reason is None else Rejected(Reason(reason), said)
