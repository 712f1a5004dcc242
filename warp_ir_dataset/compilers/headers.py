"""Makes a precompiled header once per machine, which takes clang longer than to compile fifty kernels.

It is kept in the machine's cache, one file for each compiler, options and headers, and copied to the folder
of whoever compiles: a compile error deletes it there. The cache is never needed. clang believes a header
that was changed on the disk, and makes wrong code of it or dies, so none is used but as it was written.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from ..common.caches import root
from ..common.errors import UserError
from ..common.files import was_to_be, write

FOLDER = "headers"
SUFFIX = ".pch"
PATIENCE = 20.0  # seconds for another process that makes it, which takes two
_NAME = re.compile(rf"\w[\w.-]*{re.escape(SUFFIX)}")


def fingerprint(folder: Path, *more: object) -> str:
    """A word for `more` and the files of a folder of headers: what they hold, and where, how large and how
    old they are, as clang looks at that too. Raises `OSError`."""
    digest = hashlib.sha256(repr((str(folder), *more)).encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        seen = path.stat()
        digest.update(repr((str(path.relative_to(folder)), seen.st_size, seen.st_mtime_ns)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def bring(key: str, folder: Path, make: Callable[[], object]) -> Path | None:
    """Put the header that the cache calls `key` into `folder`, under the name that its compiler gave it.

    Where the cache has none, or a damaged one or somebody else's, `make` has the compiler make it in that
    folder, and it is kept. Processes that want the same wait for one another. Returns where it lies, or None
    where that cannot be said, for want of a cache or because none was made. Raises only what `make` does.
    """
    try:
        place = root() / FOLDER / key
        place.parent.mkdir(parents=True, exist_ok=True)
        if found := _copied(place, folder):
            return found
        lock = FileLock(f"{place}.lock", timeout=PATIENCE)
        lock.acquire()
    except (OSError, UserError):  # also a timeout
        return None
    try:
        return _copied(place, folder) or _made(place, folder, make)
    finally:
        lock.release()


def _made(place: Path, folder: Path, make: Callable[[], object]) -> Path | None:
    before = set(folder.glob(f"*{SUFFIX}"))
    make()
    new = set(folder.glob(f"*{SUFFIX}")) - before
    if len(new) != 1:
        return None
    (header,) = new
    with suppress(OSError, UserError):  # it is for others
        for file in place.parent.iterdir():
            if (
                was_to_be(file.name) == place.name
            ):  # of a process that was killed: whoever writes has the lock
                file.unlink()
        content = header.read_bytes()
        write(place, _head(place.name, header.name, content) + content)
    return header


def _copied(place: Path, folder: Path) -> Path | None:
    try:
        # Whatever else lies there: a link is not followed, and a pipe not waited for.
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file, suppress(OSError):
        seen = os.fstat(file.fileno())
        if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_mode & stat.S_IWOTH:
            return None
        head, content = file.readline(), file.read()
        name = head.decode(errors="replace").partition(" ")[0]
        if _NAME.fullmatch(name) and head == _head(place.name, name, content):
            return _written(folder / name, content)
    return None


def _head(key: str, name: str, content: bytes) -> bytes:
    """The first line of a file: how the compiler calls the header, and the SHA-256 of all that matters."""
    said = f"{key} {name}\n".encode()
    return f"{name} {hashlib.sha256(said + content).hexdigest()}\n".encode()


def _written(path: Path, content: bytes) -> Path:
    try:
        path.write_bytes(content)
    except OSError:
        path.unlink(missing_ok=True)  # half of a header would be believed
        raise
    return path
