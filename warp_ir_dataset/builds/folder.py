"""The folder that a build writes: shards, a manifest that says what they are, and the card.

The manifest is written anew after every shard, so a build that was stopped goes on where it was. It
holds nothing that differs between two builds of the same rows: no times, no machine.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from ..common.configs import CONFIGS
from ..common.errors import UserError
from ..common.outcomes import Reason, Row
from ..common.versions import DATASET_VERSION, GENERATOR_VERSION, warp_version
from ..loading.urls import Shard
from .plan.plan import Plan, ShardPlan
from .request import Request
from .row import SCHEMA
from .shards import write_parquet

MANIFEST = "manifest.json"
CARD = "README.md"
NEAR = "near_duplicates.json"
PLOTS = "plots"
LOCK = ".warp-ir.lock"
TOOLCHAIN = "warp_ir_dataset.compilers.warp"  # run as a child; nothing here imports Warp

# Files that were being written when their process was killed.
_LEFT = re.compile(
    rf"\.({re.escape(MANIFEST)}|{re.escape(CARD)}|{re.escape(NEAR)}|\w+\.png|[a-z]+-\d+-of-\d+\.parquet)\.[\d-]+\.tmp"
)


class Output:
    """A build's folder. Use `opened`, which keeps other builds out."""

    def __init__(self, folder: Path, parameters: dict[str, Any], version: str = DATASET_VERSION) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = {
            "version": version,
            "parameters": parameters,
            "versions": _versions(),
            "configs": {},
        }

    def missing(self, plan: Plan) -> list[ShardPlan]:
        """The shards of a plan that are not in the folder yet, whole and as the manifest has them."""
        config = self.manifest["configs"].setdefault(plan.request.config, {"files": {}})
        config.update(draws=plan.draws, duplicates=plan.duplicates, barred=plan.barred)
        for name, entry in tuple(config["files"].items()):
            if not _holds(self.folder / name, entry["sha256"]):
                del config["files"][name]
        return [shard for shard in plan.shards if self._name(plan.request, shard) not in config["files"]]

    def add(self, request: Request, shard: ShardPlan, rows: list[Row], rejections: Counter[Reason]) -> None:
        """Write a shard, and the manifest with it."""
        name = self._name(request, shard)
        path = self.folder / name
        with _complaining(self.folder):
            path.parent.mkdir(exist_ok=True)
        write_parquet(rows, SCHEMA, path)
        self.manifest["configs"][request.config]["files"][name] = file_entry(path, shard.split, rejections)
        self.save()

    def save(self) -> None:
        """Write the manifest."""
        configs = self.manifest["configs"]
        for config in configs.values():
            config["files"] = dict(sorted(config["files"].items()))
        self.manifest["configs"] = {name: configs[name] for name in CONFIGS if name in configs}
        write(self.folder / MANIFEST, json.dumps(self.manifest, indent=2) + "\n")

    @staticmethod
    def _name(request: Request, shard: ShardPlan) -> str:
        return f"{request.config}/{Shard(request, shard.split, shard.index, shard.count).name}"


@contextmanager
def opened(
    folder: Path, request: Request, *, skip_faults: bool = False, version: str = DATASET_VERSION
) -> Iterator[Output]:
    """The output folder of a build with these parameters (any config), new or from an earlier run.

    Raises `UserError` for a folder that holds something else, that another build is writing, or that
    cannot be written, and for a version that does not look like ``1.0.0``.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise UserError(f"a dataset's version must look like {DATASET_VERSION}, not {version!r}")
    output = Output(folder, _parameters(request, skip_faults), version)
    with _complaining(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _check_contents(folder)
        lock = FileLock(folder / LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"another build is writing to {folder}: wait for it or choose another") from None
    try:
        _clear(folder)
        _resume(output)
        yield output
    finally:
        (folder / LOCK).unlink(missing_ok=True)
        lock.release()


def _check_contents(folder: Path) -> None:
    names = {entry.name for entry in folder.iterdir() if not _LEFT.fullmatch(entry.name)}
    if names - {LOCK} and MANIFEST not in names:
        raise UserError(f"{folder} is not empty and holds no build: choose a new or an empty folder")


def _clear(folder: Path) -> None:
    """Remove files that a killed build was still writing: they would be published with the rest."""
    for path in (*folder.glob(".*.tmp"), *folder.glob("*/.*.tmp")):
        if _LEFT.fullmatch(path.name):
            path.unlink()


def _resume(output: Output) -> None:
    path = output.folder / MANIFEST
    if not path.exists():
        output.save()
        return
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
        same = all(earlier[part] == output.manifest[part] for part in ("parameters", "versions"))
        configs = earlier["configs"]
        empty = not any(config["files"] for config in configs.values())
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not the manifest of a build: choose another folder") from error
    if empty:
        output.save()  # it was stopped before it had any rows: nothing to go on from
        return
    if not same:
        raise UserError(
            f"{output.folder} holds a build with other parameters or versions (see {MANIFEST}): "
            "choose another folder"
        )
    output.manifest["configs"] = configs


def _parameters(request: Request, skip_faults: bool) -> dict[str, Any]:
    return {
        "num_kernels": request.num_kernels,
        "seed": request.seed,
        "arch": request.arch,
        "categories": list(request.categories),
        "difficulty": list(request.difficulty),
        "skip_faults": skip_faults,
    }


def _versions() -> dict[str, str]:
    """Everything that text, PTX and Parquet bytes depend on; nothing about the machine."""
    own = {"generator": GENERATOR_VERSION, "warp-lang": warp_version(), "pyarrow": version("pyarrow")}
    return own | _compilers()


@functools.cache
def _compilers() -> dict[str, str]:
    """Versions and options of clang and NVRTC, asked of a child process: Warp never runs in this one."""
    child = subprocess.run([sys.executable, "-m", TOOLCHAIN], capture_output=True, text=True)
    if child.returncode:
        last = (child.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UserError(f"Warp does not start: {last}")
    return json.loads(child.stdout)


def published(folder: Path) -> list[str]:
    """What of a built folder belongs to the dataset, as relative names: card, manifest, what the card
    refers to, and the shards that the manifest lists. Raises `UserError` for a folder without a manifest.
    """
    manifest = read_manifest(folder)[0]
    beside = (CARD, MANIFEST, NEAR, *(f"{PLOTS}/{path.name}" for path in folder.glob(f"{PLOTS}/*.png")))
    shards = (name for config in manifest["configs"].values() for name in config["files"])
    return sorted({name for name in beside if (folder / name).exists()} | set(shards))


def read_manifest(folder: Path) -> tuple[dict[str, Any], str]:
    """A build's manifest, and the SHA-256 of its file. Raises `UserError`."""
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
        manifest = json.loads(text)
        rows = sum(len(config["files"]) for config in manifest["configs"].values())
    except OSError as error:
        raise UserError(f"{folder} holds no build: {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} is not the manifest of a build") from error
    if not rows:
        raise UserError(f"the build in {folder} has no rows yet: run its warp-ir build again")
    return manifest, hashlib.sha256(text).hexdigest()


def file_entry(path: Path, split: str, rejections: Counter[Reason]) -> dict[str, Any]:
    """What a manifest says about a file of rows."""
    metadata = pq.read_metadata(path)
    groups = (metadata.row_group(at) for at in range(metadata.num_row_groups))
    return {
        "split": split,
        "rows": metadata.num_rows,
        "bytes": path.stat().st_size,
        "num_bytes": sum(group.total_byte_size for group in groups),
        "sha256": _sha256(path),
        "rejections": {reason.value: n for reason, n in sorted(rejections.items())},
    }


def _holds(path: Path, sha256: str) -> bool:
    return path.is_file() and _sha256(path) == sha256


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write(path: Path, text: str) -> None:
    """Write a text file under a temporary name, then rename. Raises `UserError` when the disk refuses."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with _complaining(path.parent):
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)


@contextmanager
def _complaining(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror or error}") from error
