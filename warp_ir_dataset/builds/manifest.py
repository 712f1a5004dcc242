"""What a build's manifest says, and which files belong to a build.

A manifest holds nothing that differs between two builds of the same rows: no times, no machine.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ..common.errors import UserError
from ..common.files import sha256
from ..common.outcomes import Reason
from ..common.versions import GENERATOR_VERSION, warp_version
from .request import Request

MANIFEST = "manifest.json"
CARD = "README.md"
NEAR = "near_duplicates.json"
PLOTS = "plots"


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
        "sha256": sha256(path),
        "rejections": {reason.value: n for reason, n in sorted(rejections.items())},
    }
