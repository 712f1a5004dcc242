"""The folder that a build writes: its shards, and a manifest that describes them.

The manifest is written anew after every shard, so a build that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import check_text, inside, was_to_be, writable, write
from ...common.versions import DATASET_VERSION
from ..batches import Batches, kept
from ..check.folder import check_places
from ..check.rows import Damaged, check_file
from ..check.shape import has_rows, unfinished
from ..engine import Engine
from ..handwritten.notice import NAME
from ..plan.plan import Plan, ShardPlan
from ..plan.saved import dump, load
from ..plan.scan_cache import generator
from ..request import Request
from ..row import schema
from ..shards import Filled, write_parquet
from .manifest import (
    CARD,
    MANIFEST,
    NEAR,
    PARTS,
    PLAN,
    PLOTS,
    check_version,
    file_entry,
    is_planned,
    manifest_of,
    parameters,
    published,
    versions,
)
from .mirror import NOWHERE, Mirror
from .written import note_written

LOCK = ".warp-ir.lock"
LONGEST = 255  # bytes of a name, in the file systems that there are
SCANNED = ".scanned"
DONE = f"{PLAN}.done"  # a plan of which all is built
PLANNED = ".planned"  # elsewhere: plans of a build that is not done

# What a build writes, by name.
_OURS = re.compile(
    rf"{'|'.join(map(re.escape, (MANIFEST, CARD, NEAR, NAME)))}|\w+\.png|[a-z]+-[0-9]+-of-[0-9]+\.parquet"
)


class Folder:
    """A build's folder, and its mirror. Use `opened`, which keeps other builds out."""

    def __init__(self, path: Path, manifest: dict[str, Any], mirror: Mirror = NOWHERE) -> None:
        self.path = path
        self.manifest = manifest
        self.mirror = mirror

    def check_others(self, configs: Collection[str]) -> None:
        """Raise `UserError` where other configs than these were begun and are not whole: the card of a build
        is that of all its rows."""
        if others := [name for name in unfinished(self.manifest) if name not in configs]:
            wanted = " ".join(name for name in CONFIGS if name in (*others, *configs))
            raise UserError(
                f"{others[0]} in {self.path} was begun and is not finished: ask for it too, with --config "
                f"{wanted}, or choose another folder"
            )

    def planned(self, request: Request, planner: Callable[[Request], Plan]) -> Plan:
        """The plan of a request: the one that another machine stored before it was stopped, or a new one."""
        if self.mirror is NOWHERE:
            return planner(request)
        name = f"{PLANNED}/{request.config}.json"
        key = f"{generator()} {batch_key(self.manifest, request.config)}"
        digest, _, text = (self.mirror.read(name) or b"").decode(errors="replace").partition("\n")
        if digest == digest_of(key + text):
            return load(text)
        plan = planner(request)
        text = dump(plan)
        self.mirror.write(name, f"{digest_of(key + text)}\n{text}".encode())
        return plan

    def missing(self, plan: Plan) -> list[ShardPlan]:
        """The shards of a plan that are not in the folder yet, or differ from the manifest.

        Raises `UserError` for a link in the place of one.
        """
        config = self.manifest["configs"].setdefault(plan.request.config, {"files": {}})
        config.update(_counts(plan))
        wanted = {shard_name(plan.request, shard): shard for shard in plan.shards}
        for name, entry in tuple(config["files"].items()):
            if name not in wanted or not self._holds(name, plan.request.config, entry):
                del config["files"][name]
        return [shard for name, shard in wanted.items() if name not in config["files"]]

    def take(self, plan: Plan, files: dict[str, Any]) -> None:
        """Put the facts of all files of a plan into the manifest."""
        self.manifest["configs"][plan.request.config] = {"files": files, **_counts(plan)}

    def _holds(self, name: str, config: str, entry: dict[str, Any]) -> bool:
        path = inside(self.path, name)
        self.mirror.fetch(name)
        try:
            check_file(path, config, entry)
        except Damaged:
            return False
        return True

    def add(self, request: Request, filled: Filled, batches: Batches | None = None) -> None:
        """Write a shard, and the manifest with it; what `batches` hold of it is not needed any more. Raises
        `UserError` when the disk refuses."""
        name = shard_name(request, filled.shard)
        path = self.path / name
        with writable(f"to {self.path}"):
            path.parent.mkdir(exist_ok=True)
        write_parquet(filled.rows, schema(request.config), path)
        self.mirror.send(name)
        entry = file_entry(path, filled.shard.split, filled.rejections)
        if batches is None or not batches.strange:
            note_written(entry["sha256"])
        self.manifest["configs"][request.config]["files"][name] = entry
        self.save()
        if batches is not None:
            batches.drop(self._done(request.config))

    def batches(self, config: str) -> Batches:
        """What was proved of a config and is in no shard yet."""
        batches = Batches(self.path, config, batch_key(self.manifest, config), self.mirror)
        batches.drop(self._done(config))
        return batches

    def _done(self, config: str) -> set[str]:
        """The names of the shards that are there."""
        return {name.partition("/")[2] for name in self.manifest["configs"][config]["files"]}

    def _shards(self) -> set[str]:
        """The names of the shards of all configs."""
        return {name for config in self.manifest["configs"].values() for name in config["files"]}

    def save(self) -> None:
        """Write the manifest."""
        configs = self.manifest["configs"]
        for config in configs.values():
            config["files"] = dict(sorted(config["files"].items()))
        self.manifest["configs"] = {name: configs[name] for name in CONFIGS if name in configs}
        write(self.path / MANIFEST, json.dumps(self.manifest, indent=2) + "\n")
        self.mirror.send(MANIFEST)

    def fetch_shards(self) -> None:
        """Have all shards here, those of configs that were built before too."""
        for name in self._shards():
            self.mirror.fetch(name)

    def send_card(self) -> None:
        """Send the card of a whole build and what it refers to; the card last: it says that all is there."""
        self.mirror.clear(PLOTS)
        self.mirror.send(*sorted({*published(self.path)} - self._shards() - {MANIFEST, CARD}), CARD)
        self.mirror.clear(PLANNED)


def _counts(plan: Plan) -> dict[str, Any]:
    return {"draws": plan.draws, "duplicates": plan.duplicates, "barred": plan.non_differentiable}


def shard_name(request: Request, shard: ShardPlan) -> str:
    """What a shard's file is called, in the folder of its build."""
    return f"{request.config}/{shard.name}"


def batch_key(manifest: Mapping[str, Any], config: str) -> str:
    """What the plan of a config and outcomes of its candidates depend on. Where faults are not left out there
    are none (see `goes_on`)."""
    asked = manifest["parameters"] | {"skip_faults": False}
    return json.dumps([config, asked, manifest["versions"]], sort_keys=True)


def goes_on(begun: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Whether a build that was begun with some parameters may go on with others: those, or with faults left
    out from here on, as a `Fault` advises. What is there met none, so it is what a build has that left them
    out from its first row."""
    return asked in (begun, {**begun, "skip_faults": True})


def scan_cache_of(path: Path) -> Path:
    """The folder, beside that of a build, in which planning keeps what it has seen. It may be removed.

    Where nothing can be made there, as beside a volume of a container, it is in the build's own folder, until
    the build is whole (`forget_scan_cache`). Raises `UserError` for a link there, and for what planning could
    not write to.
    """
    whole = path.absolute()
    place, name = whole.parent, f"{whole.name}{SCANNED}"
    if not _may_write(place / name):
        place, name = whole, SCANNED
    if inside(place, f"{name}/lock").is_dir():
        raise UserError(f"{place / name} holds a folder that is called lock: remove it")
    return place / name


def forget_scan_cache(path: Path) -> None:
    """Remove what planning has kept in the folder of a build itself."""
    shutil.rmtree(path / SCANNED, ignore_errors=True)


def _may_write(folder: Path) -> bool:
    """Whether this process may write to a folder or, if it is not there, may make it."""
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    return os.access(there, os.W_OK) or there.is_symlink()  # a link is refused in so many words


@contextmanager
def opened(
    path: Path,
    request: Request,
    engine: Engine,
    version: str = DATASET_VERSION,
    mirror: Mirror = NOWHERE,
    *,
    in_parts: bool = False,
) -> Iterator[Folder]:
    """The folder of a build with these parameters (any config) by this engine, new or from an earlier run.
    With `in_parts` it is one that was planned in parts, none of which is being filled.

    Raises `UserError` for a folder that holds something else, that another build is writing, or that
    cannot be written, and for a version that does not look like ``1.0.0``. What is refused is left as it was.
    """
    check_version(version)
    _check_name(path)
    manifest: dict[str, Any] = {
        "version": version,
        "parameters": parameters(request, engine.skip_faults),
        "versions": versions(engine.prover.compilers),
        "configs": {},
    }
    if path.is_symlink() and not os.path.exists(path):
        raise UserError(f"{path} is a link to nothing: remove it, or choose another name")
    with writable(f"to {path}"):
        path.mkdir(parents=True, exist_ok=True)
        _check_contents(path)
        check_places(path)
        lock = FileLock(inside(path, LOCK))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"another build is writing to {path}: wait for it or choose another") from None
    try:
        if is_planned(path) and not in_parts:  # parts may be writing
            raise UserError(f"{path} was planned to be built in parts: {PARTS}, or choose another folder")
        _clear(path)
        folder = Folder(path, manifest, mirror)
        _resume(folder)
        yield folder
    finally:
        (path / LOCK).unlink(missing_ok=True)
        lock.release()


def _check_name(path: Path) -> None:
    """Refuse what `load_dataset` would not take for the name of a folder, but for a pattern, a chain of file
    systems, a user or a variable. No spelling of such a name makes it load."""
    check_text(path)
    if len(f"{path.name}{SCANNED}".encode()) > LONGEST:
        raise UserError(f"{path.name} is too long for the name of a folder: choose a shorter one")
    if path.parts and path.parts[0].startswith("~"):
        raise UserError(f"{path} begins with '~', which stands for a user: give the folder's whole path")
    if len(path.parts) > 1 and re.fullmatch(r"[A-Za-z][\w+.-]*:", path.parts[0]):
        url = str(path).replace("/", "//", 1)
        raise UserError(f"{path} looks like a URL: give it as text, with two slashes: {url}")
    if found := re.search(r"[*?\[\]]|::|\$(?=[\w{])", str(path.absolute())):
        raise UserError(
            f"load_dataset cannot read a folder with {found[0]!r} in its path: choose another name"
        )


def _check_contents(path: Path) -> None:
    names = {entry.name for entry in path.iterdir() if not _left_over(entry)}
    if names - {LOCK} and MANIFEST not in names:
        raise UserError(f"{path} is not empty and holds no build: choose a new or an empty folder")


def _left_over(path: Path) -> bool:
    """Whether a file was being written when the process of a build was killed."""
    name = was_to_be(path.name)
    return name is not None and _OURS.fullmatch(name) is not None


def _clear(path: Path) -> None:
    """Remove files that a killed build was still writing: they would be published with the rest. And the plan
    of a build that was done."""
    shutil.rmtree(inside(path, DONE), ignore_errors=True)
    for folder in (path, *(path / name for name in (*CONFIGS, PLOTS))):
        for file in folder.glob(".*.tmp"):
            if _left_over(file):
                file.unlink()


def _resume(folder: Folder) -> None:
    path = folder.path / MANIFEST
    if not path.exists():
        folder.save()
        return
    earlier, _ = manifest_of(folder.path)
    if not {"parameters", "versions"} <= earlier.keys():
        raise UserError(f"{path} is not the manifest of a build: choose another folder")
    same = earlier["versions"] == folder.manifest["versions"]
    same = same and goes_on(earlier["parameters"], folder.manifest["parameters"])
    begun = has_rows(earlier)
    # Rows that were proved, or what a plan has seen, would be lost with these parameters.
    if not same and (begun or kept(folder.path, folder.mirror) or scan_cache_of(folder.path).is_dir()):
        raise UserError(
            f"{folder.path} holds a build with other parameters or versions (see {MANIFEST}): "
            "choose another folder, or remove that one"
        )
    if begun:
        folder.manifest["configs"] = earlier["configs"]
    else:
        folder.save()  # it was stopped before it had any rows


def digest_of(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
