"""CUDA for this processor with every access announced: the header and the runtime, made once per machine.

clang wants the header where it was precompiled, so both lie in one folder of the machine's cache, or in this
process's own where there is no cache. A file says that the folder is whole, and what its files hold.
"""

from __future__ import annotations

import functools
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from ..common.caches import root
from ..common.errors import UserError
from . import warp

FOLDER, WHOLE, HEADER, RUNTIME = "machine", "whole", "builtin.h", "runtime.o"
PATIENCE = 60.0  # seconds for another process that makes it, which takes two


@dataclass(frozen=True)
class Made:
    """A folder with a precompiled header, and the runtime, loaded."""

    folder: str
    runtime: warp.Library
    symbols: bytes  # the runtime's object file


@functools.cache
def made(header: str, runtime: str) -> Made:
    """Raises `CompileError`."""
    warp.start()
    key = warp.announced_key(header, runtime)
    try:
        place = root() / FOLDER / key
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock", timeout=PATIENCE):
            if not _is_whole(place):
                _make(place, header, runtime)
    except (OSError, UserError):  # no cache, or one that is not ours; also a timeout
        place = Path(warp.scratch().name, FOLDER)
        place.mkdir(exist_ok=True)
        _make(place, header, runtime)
    target = place / RUNTIME
    return Made(str(place), warp.load_at(str(target)), target.read_bytes())


def _files(place: Path) -> list[Path]:
    return sorted(path for path in place.iterdir() if path.is_file() and path.name != WHOLE)


def _digest(place: Path) -> str:
    files = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in _files(place)]
    return hashlib.sha256(repr(files).encode()).hexdigest()


def _is_whole(place: Path) -> bool:
    seen = place.stat()
    if seen.st_uid != os.geteuid() or seen.st_mode & 0o002:
        raise UserError(f"{place} is not this user's alone")
    with suppress(OSError):
        return (place / WHOLE).read_text() == _digest(place)
    return False


def _make(place: Path, header: str, runtime: str) -> None:
    for file in place.iterdir():
        file.unlink()
    (place / HEADER).write_text("#pragma once\n" + header, encoding="utf-8")
    source = place / "runtime.cpp"
    source.write_text(runtime, encoding="utf-8")
    warp.build_runtime(str(source), str(place / RUNTIME))
    unit = f'#include "{HEADER}"\n'
    warp.build_announced(unit, str(place / "first.cpp"), str(place / "first.o"), str(place))
    (place / WHOLE).write_text(_digest(place))
