"""Writes files completely or not at all, and reports errors of the disk in one line."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import UserError

FULL = (errno.ENOSPC, errno.EDQUOT)
_URL = re.compile(r"([A-Za-z][\w+.-]*)://.*")
_TEMPORARY = re.compile(r"\.(.+)\.[\d-]+\.tmp")


@contextmanager
def writable(what: object, advice: str = "") -> Iterator[None]:
    """Turn what the disk refuses inside into a `UserError`: "cannot write `what`: the reason: `advice`".

    A full disk has an advice of its own where none is given.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            advice = advice or "make room, and run the same command again"
        raise _refusal(f"write {what}", error, advice) from error


@contextmanager
def readable(what: object, advice: str = "") -> Iterator[None]:
    """The same for reading: "cannot read `what`: the reason: `advice`"."""
    try:
        yield
    except OSError as error:
        raise _refusal(f"read {what}", error, advice) from error


def _refusal(doing: str, error: OSError, advice: str = "") -> UserError:
    return UserError(": ".join(filter(None, (f"cannot {doing}", error.strerror or str(error), advice))))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file, in the folder of `path`, which takes its place when all is written and on the disk.

    After an error the file that was there is as it was, and nothing is left of the new one. Threads and
    processes may do so at once: the last one stays. Raises `UserError` when the disk refuses.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    with writable(path):
        try:
            with temporary.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write(path: Path, content: str | bytes) -> None:
    """Write a whole file, or nothing. Text is UTF-8. Raises `UserError` when the disk refuses."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def was_to_be(name: str) -> str | None:
    """The name of the file that a temporary one was to become, if that is what `name` belongs to: a process
    that is killed while it writes leaves it behind."""
    match = _TEMPORARY.fullmatch(name)
    return match[1] if match else None


@contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A new folder to write to, which becomes `folder` when all is in it, and is gone after an error.

    Where `folder` is a link, that is what it leads to. Raises `UserError` where `folder` holds something
    already, where something is mounted there, and when the disk refuses.
    """
    folder = Path(os.path.realpath(folder))
    check_text(folder)
    if folder == Path.cwd():
        raise UserError(f"{folder} is the folder you are in, and would be replaced: name a new one")
    if os.path.ismount(folder):
        raise UserError(
            f"something is mounted on {folder}, so it cannot be replaced: name a new folder in it"
        )
    with writable(f"to {folder}"):
        if folder.exists() and not folder.is_dir():
            raise UserError(f"{folder} is a file: name a folder")
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is there already and not empty: choose another place")
        place = folder.with_name(f".{folder.name}.{os.getpid()}-{time.monotonic_ns()}.tmp")
        place.mkdir(parents=True)
        try:
            yield place
            place.replace(folder)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def is_url(place: str | Path) -> bool:
    """Whether a place is a URL and not a path."""
    return isinstance(place, str) and _URL.fullmatch(place) is not None


def check_text(path: object) -> None:
    """Raise `UserError` for a path that is no text in UTF-8: Parquet files are opened by that alone."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        advice = "choose another name"
        if (encoding := sys.getfilesystemencoding()) != "utf-8":
            advice = f"names are read as {encoding} here: set PYTHONUTF8=1, or {advice}"
        raise UserError(f"{str(path)!a} is not UTF-8: {advice}") from None


def inside(folder: Path, name: str) -> Path:
    """The path of `name` in a folder that anybody may have made, if nothing on the way leads elsewhere.

    `name` is relative, its parts separated by ``/``. What is not there yet is fine. Raises `UserError` for a
    symbolic link on the way, for what is neither a file nor a folder, and for what cannot be looked at.
    """
    path = folder
    parts = name.split("/")
    for part in parts:
        if part in ("", ".", "..") or "\0" in part or "\\" in part:
            raise UserError(f"{name!r} is not a place in {folder}: choose a name without such parts")
        path = path / part
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _refusal(f"look at {path}", error) from error
        if stat.S_ISLNK(mode):
            raise UserError(f"{path} is a symbolic link, which may lead anywhere: put the real thing there")
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise UserError(f"{path} is neither a file nor a folder: remove it")
    return path


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal. Raises `OSError`."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
