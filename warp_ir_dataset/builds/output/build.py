"""A build in a store: it is begun or continued, filled as a whole or in parts, and finished.

Its manifest says from the beginning what was asked for, and lists the files of a config when that is whole.
Until then the folder `.plan` holds what is needed to go on (see `files`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...common import given
from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import inside, is_url, was_to_be
from ...common.versions import DATASET_VERSION, source
from ..check.folder import check_places
from ..check.shape import Misshapen, has_rows, holds_rows, parse_manifest
from ..engine import Engine
from ..handwritten.notice import NAME
from ..plan.plan import Plan
from ..request import Request
from .files import Files, StoredPlan, read_plan, write_plan
from .lease import FOLDER as LEASES
from .local_store import LOCKS, LocalStore
from .manifest import (
    CARD,
    MANIFEST,
    NEAR,
    PARTS,
    PLAN,
    PLOTS,
    check_version,
    misshapen,
    parameters,
    published,
    versions,
)
from .store import Part, Store
from .url_store import UrlStore, file_system

NAMED = 3  # of files that are missing

# What a build writes, by name.
_OURS = re.compile(
    rf"{'|'.join(map(re.escape, (MANIFEST, CARD, NEAR, NAME)))}|\w+\.png|[a-z]+-[0-9]+-of-[0-9]+\.parquet"
)


def store_of(out: str | Path) -> Store:
    """The store at a path or URL. Raises `UserError` for one that cannot be."""
    if not is_url(out):
        return LocalStore(given.folder("folder", out))
    files, place = file_system(str(out))
    if str(out).startswith(("file:", "local:")):
        return LocalStore(Path(place))
    return UrlStore(str(out).rstrip("/"), files, place)


class Build:
    """A build that this process alone works on, or on a part of it. Use `opened` or `joined`."""

    def __init__(self, store: Store, manifest: dict[str, Any]) -> None:
        self.store = store
        self.manifest = manifest

    def planned(self, request: Request, planner: Callable[[Request], Plan]) -> Files:
        """The files of a request: by the plan that is stored, or by a new one, which is stored. Another
        source of the same generator plans anew; where that gives the same plan, nothing is lost."""
        config = request.config
        stored = self._stored(config)
        self.save()
        if stored is None or stored.source != source():
            stored = write_plan(self.store, planner(request), self._key(config))
        return Files(self.store, stored, self._listed(config))

    def check_new(self) -> None:
        """Raise `UserError` for a build that has rows, or all its plans, already."""
        if has_rows(self.manifest):
            raise UserError(f"{self.store} holds a build that was begun: choose another folder")
        if all(map(self._stored, self.manifest["configs"])):
            raise UserError(f"{self.store} was planned already: {PARTS}, or choose another folder")

    def files(self) -> list[Files]:
        """Those of all configs that are planned, in the order in which parts count them. Raises `UserError`
        where one that was asked for is not planned, or none is."""
        found = {config: self._stored(config) for config in sorted(self.manifest["configs"])}
        lacking = [config for config, stored in found.items() if stored is None and not self._begun(config)]
        if lacking:
            raise UserError(
                f"{self.store} holds no plan of {lacking[0]}: run its warp-ir plan, or build, first"
            )
        if not any(found.values()):
            raise _no_plan(self.store, self.manifest)
        for stored in found.values():
            if stored is not None and stored.source != source():
                raise UserError(
                    f"{self.store} was planned by generator {stored.source}, and {source()} is installed "
                    "here: install the same"
                )
        return [Files(self.store, each, self._listed(name)) for name, each in found.items() if each]

    def _begun(self, config: str) -> bool:
        return holds_rows(self.manifest["configs"][config])

    def _listed(self, config: str) -> Mapping[str, Any]:
        files: Mapping[str, Any] = self.manifest["configs"].get(config, {"files": {}})["files"]
        return files

    def _stored(self, config: str) -> StoredPlan | None:
        return read_plan(self.store, config, self._key(config))

    def _key(self, config: str) -> str:
        """What the plan of a config and the outcomes of its candidates depend on. Where faults are not left
        out there are none (see `_check_same`)."""
        asked = self.manifest["parameters"] | {"skip_faults": False}
        return json.dumps([config, asked, self.manifest["versions"]], sort_keys=True)

    def save(self) -> None:
        """Write the manifest."""
        configs = self.manifest["configs"]
        self.manifest["configs"] = {name: configs[name] for name in CONFIGS if name in configs}
        self.store.put(MANIFEST, f"{json.dumps(self.manifest, indent=2)}\n".encode())

    def take(self, files: Files, entries: Mapping[str, Any] | None = None) -> None:
        """Put the files of a config into the manifest, by their entries if these are known. Raises
        `UserError` where some are missing."""
        plan = files.plan
        entries = entries or {files.name(shard): files.entry(shard) for shard in plan.shards}
        if any(entry is None for entry in entries.values()):
            raise UserError(f"{self.store} lacks {self._lacking()}")
        self.manifest["configs"][plan.request.config] = {
            "files": dict(sorted(entries.items())),
            "draws": plan.draws,
            "duplicates": plan.duplicates,
            "barred": plan.non_differentiable,
        }

    def _lacking(self) -> str:
        """Which files are missing, and who makes them, where there is one number of parts."""
        turns = [(files, shard) for files in self.files() for shard in files.plan.shards]
        missing = {turn: each for turn, each in enumerate(turns) if each[0].entry(each[1]) is None}
        counts = {files.parts(shard) for turn, (files, shard) in enumerate(turns) if turn not in missing}
        named = [files.name(shard) for files, shard in missing.values()]
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        said = (
            f"{len(named)} of its shards: fill all parts with --shard first: {', '.join(named[:NAMED])}{more}"
        )
        count = next(iter(counts), None)
        if len(counts) != 1 or count is None:
            return said
        parts = sorted({turn % count for turn in missing})
        options = ", ".join(f"--shard {Part(index, count)}" for index in parts[:NAMED])
        return f"{said} (made by {options}{', ...' if len(parts) > NAMED else ''})"

    def finish(self, write_card: Callable[[Path], None]) -> None:
        """Write the manifest and what stands beside it, the card last: it says that all is there."""
        self.save()
        shards = [name for config in self.manifest["configs"].values() for name in config["files"]]
        with self.store.at_hand(MANIFEST, *shards) as folder:
            write_card(folder)
            if not isinstance(self.store, LocalStore):
                self.store.clear(PLOTS)
                for name in (*sorted({*published(folder)} - {*shards, MANIFEST, CARD}), CARD):
                    self.store.put(name, (folder / name).read_bytes())
        self.store.clear(PLAN)
        self.store.forget_scan_cache()


@contextmanager
def opened(
    store: Store, requests: Sequence[Request], engine: Engine, version: str = DATASET_VERSION
) -> Iterator[Build]:
    """A build of these requests by this engine, new or from an earlier run.

    Raises `UserError` for a place that holds something else, on which another process works, or that cannot
    be written, and for a version that does not look like ``1.0.0``. What is refused is left as it was.
    """
    check_version(version)
    if isinstance(store, LocalStore):
        store.check()
    _check_contents(store)
    new = {
        "version": version,
        "parameters": parameters(requests[0], engine.skip_faults),
        "versions": versions(engine.prover.compilers),
        "configs": {},
    }
    with store.claim():
        if isinstance(store, LocalStore):
            check_places(store.path)
        earlier = read_manifest(store)
        kept = {} if earlier is None else _configs_kept(store, earlier)
        if earlier is not None and (kept or store.scan_cache.is_dir()):
            _check_same(store, earlier, new)
        if isinstance(store, LocalStore):
            for name in (name for config in kept.values() for name in config["files"]):
                inside(store.path, name)  # refuses a link
            _clear(store.path)
        asked = [request.config for request in requests]
        _check_others(store, kept, asked)
        yield Build(store, new | {"configs": {config: {"files": {}} for config in asked} | kept})


@contextmanager
def joined(store: Store, engine: Engine, part: Part | None = None) -> Iterator[Build]:
    """A build that was planned, for a part of its files or, without one, to be finished. Raises `UserError`
    for a place without a plan, another engine than it was planned with, and where another process fills the
    same part or works on the whole."""
    if PLAN not in store.top():
        raise _no_plan(store, read_manifest(store))
    with store.claim(part):
        manifest = read_manifest(store) or {"configs": {}}
        if part is None and isinstance(store, LocalStore):
            _clear(store.path)
        asked = manifest.get("parameters", {}) | {"skip_faults": engine.skip_faults}
        new = {"parameters": asked, "versions": versions(engine.prover.compilers)}
        _check_same(store, manifest, new)
        build = Build(store, manifest | new)
        if manifest["parameters"] != asked:
            build.save()
        yield build


def read_manifest(store: Store) -> dict[str, Any] | None:
    """The manifest of a build that need not have any rows; None if there is none. Raises `UserError`."""
    if (text := store.get(MANIFEST)) is None:
        return None
    try:
        return parse_manifest(text)
    except Misshapen as error:
        raise misshapen(f"{store}/{MANIFEST}", error) from error


def _no_plan(store: Store, manifest: Mapping[str, Any] | None) -> UserError:
    whole = manifest is not None and has_rows(manifest)
    return UserError(
        f"{store} holds no plan: {'it is a build already' if whole else 'begin with warp-ir plan'}"
    )


def _check_contents(store: Store) -> None:
    there = {name for name in store.top() if not _left_over(name)}
    locks = {name for name in there if name.startswith(LOCKS)}
    if there - locks - {LEASES, PLAN} and MANIFEST not in there:
        raise UserError(f"{store} is not empty and holds no build: choose a new or an empty folder")


def _configs_kept(store: Store, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The configs of a manifest that have rows, or a plan."""
    planned = {name.removesuffix(".plan") for name in store.list(PLAN)}
    return {
        name: config for name, config in manifest["configs"].items() if holds_rows(config) or name in planned
    }


def _check_same(store: Store, earlier: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Raise `UserError` unless a build that was begun may go on with new parameters: the same, or with faults
    left out from here on, as a `Fault` advises. What is there met none, so it is what a build has that left
    them out from its first row."""
    if not {"parameters", "versions"} <= earlier.keys():
        raise UserError(f"{store}/{MANIFEST} is not the manifest of a build: choose another folder")
    begun, asked = earlier["parameters"], new["parameters"]
    same = asked in (begun, begun | {"skip_faults": True}) and earlier["versions"] == new["versions"]
    if not same and begun == asked | {"skip_faults": True}:
        raise UserError(f"{store} was begun with --skip-faults (see {MANIFEST}): give it here too")
    if not same:
        differs = _differences(begun | earlier["versions"], asked | new["versions"])
        raise UserError(
            f"{store} holds a build with other parameters or versions ({differs}): choose another folder, or "
            "remove that one"
        )


def _differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """What differs; its name alone where one side has none, or where it is too long for a line."""
    found = []
    for name in {**there, **asked}:
        one, other = there.get(name), asked.get(name)
        if one != other:
            told = f"{name} {one}, not {other}"
            found.append(name if None in (one, other) or len(told) > 60 else told)
    return ", ".join(found)


def _check_others(store: Store, kept: Mapping[str, Any], asked: Collection[str]) -> None:
    """Raise `UserError` where other configs than these were begun and are not whole: the card of a build is
    that of all its rows."""
    if others := [name for name in kept if not holds_rows(kept[name]) and name not in asked]:
        wanted = " ".join(name for name in CONFIGS if name in (*others, *asked))
        raise UserError(
            f"{others[0]} in {store} was begun and is not finished: ask for it too, with --config {wanted}, "
            "or choose another folder"
        )


def _left_over(name: str) -> bool:
    """Whether a file was being written when the process of a build was killed."""
    ours = was_to_be(name)
    return ours is not None and _OURS.fullmatch(ours) is not None


def _clear(path: Path) -> None:
    """Remove files that a killed build was still writing: they would be published with the rest."""
    for folder in (path, *(path / name for name in (*CONFIGS, PLOTS))):
        for file in folder.glob(".*.tmp"):
            if _left_over(file.name):
                file.unlink()
