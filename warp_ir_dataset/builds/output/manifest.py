"""Reads and writes a build's manifest, and lists the files that belong to a build.

A manifest holds nothing that differs between two builds of the same rows: no times, no machine.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...common.errors import UserError
from ...common.files import inside, readable
from ...common.outcomes import Reason
from ...common.versions import DATASET_VERSION, GENERATOR_VERSION, warp_version
from ..check.shape import VERSION, Misshapen, has_rows, parse_manifest
from ..handwritten.notice import notices
from ..request import Request
from ..shards import in_memory

MANIFEST = "manifest.json"
CARD = "README.md"
NEAR = "near_duplicates.json"
PLOTS = "plots"
PLAN = ".plan"  # in it: what is needed to go on
PARTS = "run its warp-ir build again, or fill its parts with warp-ir build --shard, then --finish"


def parameters(request: Request, skip_faults: bool) -> dict[str, Any]:
    """Everything that was asked for and may decide which rows there are, but the config."""
    return {
        "num_kernels": request.num_kernels,
        "seed": request.seed,
        "arch": request.arch,
        "categories": list(request.categories),
        "difficulty": list(request.difficulty),
        "skip_faults": skip_faults,
    }


def versions(compilers: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    """All that text, PTX and Parquet bytes depend on; `compilers` tells its part. Raises `UserError`."""
    own = {"generator": GENERATOR_VERSION, "warp-lang": warp_version(), "pyarrow": version("pyarrow")}
    return own | dict(compilers())


def check_version(version: object) -> None:
    """Raise `UserError` for a dataset's version that does not look like ``1.0.0``."""
    if not isinstance(version, str) or not VERSION.fullmatch(version):
        raise UserError(f"a dataset's version must look like {DATASET_VERSION}, not {version!r}")


def published(folder: Path) -> list[str]:
    """What of a built folder belongs to the dataset, as relative names: card, manifest, notice, what the card
    refers to, and the shards that the manifest lists. Raises `UserError` for a folder without a manifest,
    and for links among these files.
    """
    manifest = read_manifest(folder)[0]
    beside = (CARD, MANIFEST, NEAR, *notices(manifest["configs"]), *pictures(folder))
    shards = (name for config in manifest["configs"].values() for name in config["files"])
    return sorted({name for name in beside if inside(folder, name).exists()} | set(shards))


def pictures(folder: Path) -> list[str]:
    """The names of a built folder's plots. Raises `UserError` where they lie behind a link, or cannot be
    looked at."""
    place = inside(folder, PLOTS)
    with readable(place):
        names = os.listdir(place) if place.is_dir() else []
    return sorted(f"{PLOTS}/{name}" for name in names if name.endswith(".png"))


def read_manifest(folder: Path) -> tuple[dict[str, Any], str]:
    """A build's manifest, which has the shape of one, and the SHA-256 of its file. Raises `UserError`."""
    manifest, digest = manifest_of(folder)
    if not has_rows(manifest):
        if os.path.isdir(folder) and inside(folder, PLAN).exists():
            raise UserError(f"the build in {folder} is not finished: {PARTS}")
        raise UserError(f"the build in {folder} has no rows yet: run its warp-ir build again")
    return manifest, digest


def manifest_of(folder: Path) -> tuple[dict[str, Any], str]:
    """As `read_manifest`; the build may be one that was stopped before it had any rows."""
    path = inside(folder, MANIFEST)
    try:
        text = path.read_bytes()
        return parse_manifest(text), hashlib.sha256(text).hexdigest()
    except OSError as error:
        if not os.path.isdir(folder):
            raise UserError(f"there is no folder {folder}") from error
        told = f"{error.strerror or error} (warp-ir build writes one, warp-ir extract does not)"
        raise UserError(f"{folder} holds no build: {path}: {told}") from error
    except Misshapen as error:
        raise misshapen(path, error) from error


def misshapen(path: object, error: Misshapen) -> UserError:
    """What to say of a file in the place of a manifest that is none."""
    advice = "choose another folder, or remove that one"
    return UserError(f"{path} is not the manifest of a build: {error}: {advice}")


def file_entry(content: bytes, split: str, rejections: Counter[Reason]) -> dict[str, Any]:
    """What a manifest says about a file of rows."""
    metadata = pq.read_metadata(pa.BufferReader(content))
    return {
        "split": split,
        "rows": metadata.num_rows,
        "bytes": len(content),
        "num_bytes": in_memory(metadata),
        "sha256": hashlib.sha256(content).hexdigest(),
        "rejections": {reason.value: n for reason, n in sorted(rejections.items())},
    }
