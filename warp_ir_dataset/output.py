"""The folder that a build writes: shards, a manifest that says what they are, and the card.

The manifest is written anew after every shard, so a build that was stopped goes on where it was. It
holds nothing that differs between two builds of the same rows: no times, no machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from .errors import UserError
from .plan import Plan, ShardPlan
from .reasons import Reason
from .recipe import CONFIGS, GENERATOR_VERSION, Recipe
from .record import SCHEMA
from .shard import write_parquet
from .urls import Shard
from .versions import warp_version
from .worker import Row

MANIFEST = "manifest.json"
CARD = "README.md"
LOCK = ".warp-ir.lock"

# Files that were being written when their process was killed.
_LEFT = re.compile(rf"\.({re.escape(MANIFEST)}|{re.escape(CARD)}|[a-z]+-\d+-of-\d+\.parquet)\.[\d-]+\.tmp")


class Output:
    """A build's folder. Use `opened`, which keeps other builds out."""

    def __init__(self, folder: Path, parameters: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = {
            "parameters": parameters,
            "versions": _versions(),
            "configs": {},
        }

    def missing(self, plan: Plan) -> list[ShardPlan]:
        """The shards of a plan that are not in the folder yet, whole and as the manifest has them."""
        config = self.manifest["configs"].setdefault(plan.recipe.config, {"files": {}})
        config.update(draws=plan.draws, duplicates=plan.duplicates, barred=plan.barred)
        for name, entry in tuple(config["files"].items()):
            if not _holds(self.folder / name, entry["sha256"]):
                del config["files"][name]
        return [shard for shard in plan.shards if self._name(plan.recipe, shard) not in config["files"]]

    def add(self, recipe: Recipe, shard: ShardPlan, rows: list[Row], rejections: Counter[Reason]) -> None:
        """Write a shard, and the manifest with it."""
        name = self._name(recipe, shard)
        path = self.folder / name
        with _complaining(self.folder):
            path.parent.mkdir(exist_ok=True)
        write_parquet(rows, SCHEMA, path)
        self.manifest["configs"][recipe.config]["files"][name] = {
            "split": shard.split,
            "rows": len(rows),
            "bytes": path.stat().st_size,
            "num_bytes": _uncompressed(path),
            "sha256": _sha256(path),
            "rejections": {reason.value: n for reason, n in sorted(rejections.items())},
        }
        self._save()

    def finish(self, card: str) -> None:
        """Write the card: the folder can be loaded."""
        _write(self.folder / CARD, card)
        self._save()

    def _save(self) -> None:
        configs = self.manifest["configs"]
        for config in configs.values():
            config["files"] = dict(sorted(config["files"].items()))
        self.manifest["configs"] = {name: configs[name] for name in CONFIGS if name in configs}
        _write(self.folder / MANIFEST, json.dumps(self.manifest, indent=2) + "\n")

    @staticmethod
    def _name(recipe: Recipe, shard: ShardPlan) -> str:
        return f"{recipe.config}/{Shard(recipe, shard.split, shard.index, shard.count).name}"


@contextmanager
def opened(folder: Path, recipe: Recipe, *, skip_faults: bool = False) -> Iterator[Output]:
    """The output folder of a build with these parameters (any config), new or from an earlier run.

    Raises `UserError` for a folder that holds something else, that another build is writing, or that
    cannot be written.
    """
    output = Output(folder, _parameters(recipe, skip_faults))
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
        output._save()
        return
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
        same = all(earlier[part] == output.manifest[part] for part in ("parameters", "versions"))
        configs = earlier["configs"]
        empty = not any(config["files"] for config in configs.values())
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not the manifest of a build: choose another folder") from error
    if empty:
        output._save()  # it was stopped before it had any rows: nothing to go on from
        return
    if not same:
        raise UserError(
            f"{output.folder} holds a build with other parameters or versions (see {MANIFEST}): "
            "choose another folder"
        )
    output.manifest["configs"] = configs


def _parameters(recipe: Recipe, skip_faults: bool) -> dict[str, Any]:
    return {
        "num_kernels": recipe.num_kernels,
        "seed": recipe.seed,
        "arch": recipe.arch,
        "categories": list(recipe.categories),
        "difficulty": list(recipe.difficulty),
        "skip_faults": skip_faults,
    }


def _versions() -> Mapping[str, str]:
    return {"generator": GENERATOR_VERSION, "warp-lang": warp_version(), "pyarrow": version("pyarrow")}


def _uncompressed(path: Path) -> int:
    metadata = pq.read_metadata(path)
    return sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))


def _holds(path: Path, sha256: str) -> bool:
    return path.is_file() and _sha256(path) == sha256


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _write(path: Path, text: str) -> None:
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
