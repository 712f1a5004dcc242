"""The folder that a build writes: shards, and a manifest that says what they are.

The manifest is written anew after every shard, so a build that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import inside, was_to_be, writable, write
from ...common.versions import DATASET_VERSION
from ..batches import Batches
from ..check.folder import check_places
from ..check.rows import Damaged, check_file
from ..check.shape import has_rows
from ..engine import Engine
from ..handwritten.notice import NAME
from ..plan.plan import Plan, ShardPlan
from ..request import Request
from ..row import schema
from ..shards import Filled, write_parquet
from .manifest import (
    CARD,
    MANIFEST,
    NEAR,
    PLOTS,
    check_version,
    file_entry,
    manifest_of,
    parameters,
    versions,
)

LOCK = ".warp-ir.lock"

# What a build writes, by name.
_OURS = re.compile(
    rf"{'|'.join(map(re.escape, (MANIFEST, CARD, NEAR, NAME)))}|\w+\.png|[a-z]+-[0-9]+-of-[0-9]+\.parquet"
)


class Folder:
    """A build's folder. Use `opened`, which keeps other builds out."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest

    def missing(self, plan: Plan) -> list[ShardPlan]:
        """The shards of a plan that are not in the folder yet, whole and as the manifest has them.

        Raises `UserError` for a link in the place of one.
        """
        config = self.manifest["configs"].setdefault(plan.request.config, {"files": {}})
        config.update(draws=plan.draws, duplicates=plan.duplicates, barred=plan.barred)
        wanted = {shard_name(plan.request, shard): shard for shard in plan.shards}
        for name, entry in tuple(config["files"].items()):
            if name not in wanted or not self._holds(name, plan.request.config, entry):
                del config["files"][name]
        return [shard for name, shard in wanted.items() if name not in config["files"]]

    def _holds(self, name: str, config: str, entry: dict[str, Any]) -> bool:
        path = inside(self.path, name)
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
        entry = file_entry(path, filled.shard.split, filled.rejections)
        self.manifest["configs"][request.config]["files"][name] = entry
        self.save()
        if batches is not None:
            batches.drop(self._done(request.config))

    def batches(self, config: str) -> Batches:
        """What was proved of a config and is in no shard yet."""
        batches = Batches(self.path, config, batch_key(self.manifest, config))
        batches.drop(self._done(config))
        return batches

    def _done(self, config: str) -> set[str]:
        """The names of the shards that are there."""
        return {name.partition("/")[2] for name in self.manifest["configs"][config]["files"]}

    def save(self) -> None:
        """Write the manifest."""
        configs = self.manifest["configs"]
        for config in configs.values():
            config["files"] = dict(sorted(config["files"].items()))
        self.manifest["configs"] = {name: configs[name] for name in CONFIGS if name in configs}
        write(self.path / MANIFEST, json.dumps(self.manifest, indent=2) + "\n")


def shard_name(request: Request, shard: ShardPlan) -> str:
    """What a shard's file is called, in the folder of its build."""
    return f"{request.config}/{shard.name}"


def batch_key(manifest: Mapping[str, Any], config: str) -> str:
    """What outcomes of a config's candidates depend on."""
    return json.dumps([config, manifest["parameters"], manifest["versions"]], sort_keys=True)


def survey_of(path: Path) -> Path:
    """The folder, beside that of a build, in which planning keeps what it has seen. It may be removed."""
    whole = path.absolute()
    return whole.with_name(f"{whole.name}.survey")


@contextmanager
def opened(path: Path, request: Request, engine: Engine, version: str = DATASET_VERSION) -> Iterator[Folder]:
    """The folder of a build of these parameters (any config) by this engine, new or from an earlier run.

    Raises `UserError` for a folder that holds something else, that another build is writing, or that
    cannot be written, and for a version that does not look like ``1.0.0``.
    """
    check_version(version)
    _check_name(path)
    manifest: dict[str, Any] = {
        "version": version,
        "parameters": parameters(request, engine.skip_faults),
        "versions": versions(engine.prover.compilers),
        "configs": {},
    }
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
        _clear(path)
        folder = Folder(path, manifest)
        _resume(folder)
        yield folder
    finally:
        (path / LOCK).unlink(missing_ok=True)
        lock.release()


def _check_name(path: Path) -> None:
    """Refuse what `load_dataset` would not take for the name of a folder, but for a pattern, a chain of file
    systems, a user or a variable. No spelling of such a name makes it load."""
    if path.parts and path.parts[0].startswith("~"):
        raise UserError(f"{path} begins with '~', which stands for a user: give the folder's whole path")
    if len(path.parts) > 1 and re.fullmatch(r"[A-Za-z][\w+.-]*:", path.parts[0]):
        raise UserError(f"{path} looks like a URL: build in a folder of this machine, and copy it there then")
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
    """Remove files that a killed build was still writing: they would be published with the rest."""
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
    if not has_rows(earlier):
        folder.save()  # it was stopped before it had any rows: nothing to go on from
        return
    same = all(earlier[part] == folder.manifest[part] for part in ("parameters", "versions"))
    if not same:
        raise UserError(
            f"{folder.path} holds a build with other parameters or versions (see {MANIFEST}): "
            "choose another folder"
        )
    folder.manifest["configs"] = earlier["configs"]
