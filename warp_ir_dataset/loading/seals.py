"""Tells whether a cached file is unchanged: a small file beside it, its seal, has its SHA-256.

Caches lie on disks that fill up and fail, and are copied from one machine to another. A seal costs one
reading of the file per process, which hands the file on anyway.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from ..builds.check.rows import Damaged, check_content
from ..common.configs import CONFIGS
from ..common.errors import UserError
from ..common.files import sha256, write
from .urls import Shard

_Stamp = tuple[str, int, int, int]

_sound: set[_Stamp] = set()  # files this process has looked at, as they were then


def is_sound(path: Path, holds: Callable[[Path], bool]) -> bool:
    """Whether a file is there and as it was written: by its seal, or, where it has none, because it `holds`
    what it should, and then it gets one. A file is looked at once per process, unless it changes."""
    try:
        seen = _stamp(path)
        if seen in _sound:
            return True
        sealed = _read(path)
        good = path.is_file() and (sha256(path) == sealed if sealed else holds(path))
    except OSError:
        return False
    if good:
        _sound.add(seen)
        if not sealed:
            seal(path)
    return good


def seal(path: Path) -> None:
    """Write the seal of a file; where the cache cannot be written there is none."""
    with contextlib.suppress(OSError, UserError):
        write(_beside(path), sha256(path))


def holds_rows(path: Path, shard: Shard) -> bool:
    """Whether a file without a seal holds the rows of a shard, so many (if that is known) and all whole."""
    try:
        check_content(path, shard.request.config, shard.rows if CONFIGS[shard.request.config].drawn else None)
    except Damaged:
        return False
    return True


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _read(path: Path) -> str:
    """The seal of a file, or nothing. A seal that is damaged itself is of no other file."""
    try:
        return _beside(path).read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return ""


def _stamp(path: Path) -> _Stamp:
    now = path.stat()
    return str(path), now.st_ino, now.st_size, now.st_mtime_ns
