"""Stores a build's folder at a URL, on any file system that fsspec can write to.

Files are written whole, and none is appended to or renamed, as object stores cannot do that. Files from a URL
are not trusted more than files of a folder: the SHA-256 of shards and batches is checked after the download.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...common.errors import UserError
from ...common.files import inside, writable, write
from ...common.redacted import has_secrets, redacted
from .mirror import Mirror

AT_ONCE = 8  # so many files are fetched, or removed
LONGEST = 300  # characters of what a file system says


class Remote(Mirror):
    """Keeps a folder at a URL too. Raises `UserError` for what the URL's file system refuses."""

    def __init__(self, url: str, path: Path, files: Any, root: str) -> None:
        self.url, self.path = url, path
        self._files, self._root = files, root
        self._same: set[str] = set()  # what is here as it is there

    def fetch(self, name: str) -> None:
        if name in self._same:
            return
        self._same.add(name)
        path, content = inside(self.path, name), self.read(name)
        with writable(path):
            if content is None:
                path.unlink(missing_ok=True)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
        write(path, content)

    def fetch_all(self, folder: str) -> None:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self.fetch, [f"{folder}/{name}" for name in self.names(folder)]))

    def send(self, *names: str) -> None:
        for name in names:
            self.write(name, inside(self.path, name).read_bytes())
            self._same.add(name)

    def remove(self, *names: str) -> None:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._remove, names))

    def _remove(self, name: str) -> None:
        with self._refusals("remove from"), suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{name}")

    def clear(self, folder: str) -> None:
        with self._refusals("remove from"), suppress(FileNotFoundError):
            self._files.invalidate_cache()
            self._files.rm(f"{self._root}/{folder}", recursive=True)

    def read(self, name: str) -> bytes | None:
        with self._refusals("read"), suppress(FileNotFoundError):
            self._files.invalidate_cache()  # of what was there, which others may have changed
            content: bytes = self._files.cat_file(f"{self._root}/{name}")
            return content
        return None

    def write(self, name: str, content: bytes) -> None:
        with self._refusals("write to"):
            try:
                self._files.pipe_file(f"{self._root}/{name}", content)
            except FileNotFoundError:
                self._make_folders(name)
                self._files.pipe_file(f"{self._root}/{name}", content)

    def names(self, folder: str) -> list[str]:
        """The files below a folder, relative to it."""
        top = f"{self._root}/{folder}"
        with self._refusals("read"):
            self._files.invalidate_cache()
            found = self._files.find(top)
        below = (path.lstrip("/").removeprefix(f"{top.lstrip('/')}/") for path in found)
        return sorted(name for name in below if name and not name.endswith("/"))

    def top(self) -> set[str]:
        """The names of files and folders there."""
        with self._refusals("read"), suppress(FileNotFoundError):
            self._files.invalidate_cache()
            found = self._files.ls(self._root, detail=False)
            return {path.rstrip("/").rpartition("/")[2] for path in found if path.strip("/") != self._root}
        return set()

    def _make_folders(self, name: str) -> None:
        """What lies above a file, where a file system has folders. An object store makes none, and no bucket
        either: the first part of a place is never made."""
        parts = f"{self._root}/{name}".split("/")
        for end in range(2, len(parts)):
            if not self._files.isdir("/".join(parts[:end])):
                self._files.mkdir("/".join(parts[:end]), create_parents=False)

    @contextmanager
    def _refusals(self, doing: str) -> Iterator[None]:
        with refusals(f"cannot {doing} {self.url}", self.url):
            yield


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the place in it. Raises `UserError` for one that cannot be had."""
    if url.startswith("hf://"):
        raise UserError(f"{url} is on the Hub: build in a folder, and send it with warp-ir push")
    if found := re.search(r"[*?\[\]]|::", url):
        raise UserError(f"load_dataset cannot read a URL with {found[0]!r} in it: choose another name")
    with refusals(f"cannot open {url}", url):
        import fsspec

        files, root = fsspec.url_to_fs(url)
    if not root.strip("/"):
        raise UserError(f"{url} names no folder: say which, as in s3://bucket/folder")
    return files, root.rstrip("/")


@contextmanager
def refusals(what: str, url: str) -> Iterator[None]:
    """Turn whatever a file system of a URL raises into a `UserError`: "`what`: the reason". That has no cause
    where the URL has a password, which a traceback would quote."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # every file system has exceptions of its own, of its own libraries
        cause = None if has_secrets(url) else error
        raise UserError(f"{what}: {_reason(error, url)}") from cause


def _reason(error: Exception, url: str) -> str:
    said = redacted(" ".join(str(error).split()), url)[:LONGEST] or type(error).__name__
    match error:
        case ImportError() if "s3fs" in said:
            return f"{said}: pip install '.[remote]' in the checkout adds it"
        case FileNotFoundError():
            return f"there is no such bucket or folder ({said})"
        case PermissionError():
            return f"access is denied ({said}): see whose credentials are used"
        case NotImplementedError():
            return "its file system cannot do that: choose one that can be written to"
        case _:
            return said
