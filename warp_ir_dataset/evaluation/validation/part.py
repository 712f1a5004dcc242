"""The input of a check: a folder, and one config of it with the facts that several checks need."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ...builds.engine import WARP, compilers
from ...builds.handwritten.plan import chosen
from ...builds.plan.plan import Candidate, Plan
from ...builds.plan.sizes import shard_counts, split_sizes
from ...builds.request import Request
from ...common.address import Address
from ...common.configs import CONFIGS, Config
from ...common.errors import UserError
from ...common.files import inside
from ...common.given import choice
from ...common.outcomes import Outcome, Row
from ...common.versions import GENERATOR_VERSION, warp_version
from ...workers.task import Task

# Gives outcomes of batches by their tags, in any order: who does a task.
Workshop = Callable[[Task, Iterable[tuple[Any, Sequence[Any]]]], Iterator[tuple[Any, Sequence[Outcome]]]]


@dataclass(frozen=True)
class Build:
    """A folder whose files are those of its manifest. With `sample`, so many rows of a config are made anew,
    chosen by `seed`; `planner` says which were planned, and `workshop` makes them."""

    folder: Path
    manifest: Mapping[str, Any]
    sample: int | None
    seed: int
    planner: Callable[[Request], Plan]
    workshop: Workshop
    quiet: bool

    @functools.cached_property
    def strange(self) -> str | None:
        """What of this package and its compilers is not that of the build, so that nothing can be drawn
        again; None where all is."""
        made = self.manifest["versions"]
        here = {"generator": GENERATOR_VERSION, "warp-lang": warp_version()}
        if all(made.get(name) == version for name, version in here.items()):
            here |= compilers()
        for name, version in here.items():
            if made.get(name) != version:
                return f"the build is of {name} {made.get(name)}, and this is {version}"
        return None


class Part:
    """One config of a build."""

    def __init__(self, build: Build, name: str) -> None:
        self.build = build
        self.name = name
        self.config: Config = CONFIGS[name]
        self.listed: Mapping[str, Any] = build.manifest["configs"][name]
        self.files: Mapping[str, Mapping[str, Any]] = self.listed["files"]

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[tuple[str, list[Row]]]:
        """The rows of each file, by its name in the manifest."""
        for name in self.files:
            table = pq.read_table(
                inside(self.build.folder, name), columns=columns and list(columns), partitioning=None
            )
            yield name, table.to_pylist()

    @property
    def request(self) -> Request:
        """What was asked for. Raises `UserError` where that cannot be asked for."""
        asked = self.build.manifest["parameters"]
        return Request(
            self.name,
            asked["num_kernels"],
            asked["seed"],
            asked["arch"],
            tuple(asked["categories"]),
            tuple(asked["difficulty"]),
        )

    @functools.cached_property
    def plan(self) -> Plan | str:
        """The plan of the build, made anew, or why there is none. A number of rows that is not that of the
        request is told at once: a plan takes minutes."""
        try:
            request = self.request
        except UserError as error:
            return f"nobody can ask for that: {error}"
        if request.config == self.name and self.config.drawn:
            asked = {split: rows for split, rows in split_sizes(request).items() if rows}
            found: dict[str, int] = {}
            for entry in self.files.values():
                found[entry["split"]] = found.get(entry["split"], 0) + entry["rows"]
            if found != asked:
                return f"rows by split are {_counts(found)}: {_counts(asked)} were asked for"
            counts = {split: files for split, files in shard_counts(request).items() if files}
            if (held := _files(self.files)) != counts:
                return f"files by split are {_counts(held)} instead of {_counts(counts)}"
        try:
            return self.build.planner(request)
        except UserError as error:
            return f"it has no plan: {error}"

    @functools.cached_property
    def candidates(self) -> Mapping[Address, Candidate]:
        """Of the plan, by their addresses; none where there is no plan."""
        if isinstance(self.plan, str):
            return {}
        queues = (queue for shard in self.plan.shards for queue in shard.queues)
        return {each.address: each for queue in queues for each in queue.candidates}

    @functools.cached_property
    def _originals(self) -> Mapping[str, Address]:
        """Of what is collected, the addresses of kernels by their ids; a twin's follows its original's."""
        addresses = (address for address in self.candidates if not address.draw % 2)
        return {chosen(address)[0].id: address for address in addresses}

    def address(self, row: Row) -> Address | None:
        """Where a row lives; None for what was collected and is not known here."""
        if self.config.drawn:
            return Address.of(row)
        found = self._originals.get(row["twin_of"] or row["id"])
        if found is None or row["twin_of"] is None:
            return found
        return Address(found.seed, found.category, found.draw + 1)

    def task(self) -> Task:
        return WARP.task(self.request)

    @functools.cached_property
    def sampled(self) -> frozenset[str] | None:
        """The ids of the rows that are made anew; None for all of them."""
        wanted = self.build.sample
        if wanted is None:
            return None
        return sample_of(
            (row["id"] for _, rows in self.rows(["id"]) for row in rows), wanted, self.build.seed
        )

    def is_sampled(self, row: Row) -> bool:
        return self.sampled is None or row["id"] in self.sampled


def sample_of(ids: Iterable[str], size: int, seed: int) -> frozenset[str]:
    """So many of them, or all there are; a larger sample of the same seed has those of a smaller one."""
    shuffled = sorted(ids, key=lambda id: hashlib.sha256(f"validate {seed} {id}".encode()).digest())
    return frozenset(shuffled[:size])


def configs_of(manifest: Mapping[str, Any], wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The configs of a manifest, all or those wanted. Raises `UserError` for one that is not there."""
    there = tuple(manifest["configs"])
    for name in wanted or ():
        if name not in there:
            raise UserError(f"the build has no config {name!r}: {choice(name, there)}")
    return tuple(name for name in there if wanted is None or name in wanted)


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in sorted(numbers.items()))


def _files(files: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in files.values():
        found[entry["split"]] = found.get(entry["split"], 0) + 1
    return found
