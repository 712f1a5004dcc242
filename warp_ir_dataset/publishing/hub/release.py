"""Prepares a push: reads and checks a finished build, and detects whether its card was edited."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...builds.check.folder import AGAIN, check
from ...builds.check.shape import unfinished
from ...builds.handwritten.notice import notices
from ...builds.output.manifest import CARD, MANIFEST, NEAR, PLOTS, published
from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...common.files import inside
from ..card import located

# The last line of a published card is a hash of the rest: when it does not fit, somebody changed the card.
_SIGNATURE = re.compile(r"\n<!-- warp-ir card ([0-9a-f]{64}) -->\n\Z")
_SHARD = re.compile(r"(\w+)/(\w+)-\d+-of-\d+\.parquet")


@dataclass(frozen=True)
class Item:
    """A file to be sent, and by what the Hub knows its content: `sha256` for large files, else `git_oid`."""

    source: Path | bytes
    size: int
    sha256: str
    git_oid: str


@dataclass(frozen=True)
class Release:
    """What a repository is to hold, by path."""

    version: str
    rows: int
    files: Mapping[str, Item]

    @property
    def tag(self) -> str:
        return f"v{self.version}"


def is_shard(path: str) -> bool:
    """Whether a file of a repository holds rows of a build."""
    match = _SHARD.fullmatch(path)
    return match is not None and match[1] in CONFIGS and match[2] in SPLITS


def config_of(shard: str) -> str:
    return shard.split("/")[0]


def belongs(path: str) -> bool:
    """Whether a file of a repository comes from a build, this one or another, and not from somebody else."""
    return is_shard(path) or path in (MANIFEST, CARD, NEAR, *notices(CONFIGS)) or path.startswith(f"{PLOTS}/")


def read(folder: Path, name: str) -> Release:
    """A build as it is to be published under a name.

    Raises `UserError` for a folder without a build, a build that is not finished, and anything in it that is
    not as a build left it.
    """
    files: dict[str, Item] = {}

    def digest(path: Path) -> str:
        """The SHA-256 of a shard, which is kept: it need not be read again."""
        item = files[path.relative_to(folder).as_posix()] = _item(path)
        return item.sha256

    manifest, _ = check(folder, digest=digest, finished=True)
    if begun := unfinished(manifest):
        raise UserError(f"{begun[0]} in {folder} has not all its rows: the build is not finished: {AGAIN}")
    rows = sum(entry["rows"] for config in manifest["configs"].values() for entry in config["files"].values())
    card = inside(folder, CARD).read_text(encoding="utf-8")
    for path in published(folder):
        if path not in files:
            files[path] = _item(signed(located(card, name)).encode() if path == CARD else folder / path)
    return Release(manifest["version"], rows, files)


def signed(card: str) -> str:
    """The card with a last line by which `is_untouched` knows it."""
    text = _SIGNATURE.sub("", card)
    return f"{text}\n<!-- warp-ir card {hashlib.sha256(text.encode()).hexdigest()} -->\n"


def is_untouched(card: str) -> bool:
    """Whether a card is as a push has sent it."""
    return _SIGNATURE.search(card) is not None and signed(card) == card


def _item(source: Path | bytes) -> Item:
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    sha256, git = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size)
    if isinstance(source, bytes):
        sha256.update(source)
        git.update(source)
    else:
        with source.open("rb") as file:
            while block := file.read(1 << 20):
                sha256.update(block)
                git.update(block)
    return Item(source, size, sha256.hexdigest(), git.hexdigest())
