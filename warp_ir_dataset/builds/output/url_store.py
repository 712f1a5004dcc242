"""A build at a URL, on any file system that fsspec can write to."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...common.caches import root
from ...common.errors import UserError
from ...common.files import writable
from ...common.redacted import has_secrets, redacted
from .lease import FOLDER as LEASES
from .lease import WHOLE, held
from .local_store import LocalStore
from .store import SCANNED, Part

AT_ONCE = 8  # files that are removed or fetched at once
LONGEST = 300  # characters of what a file system says
CACHED = "builds"  # a folder of the cache


class UrlStore:
    """A place of any file system that fsspec can write to."""

    def __init__(self, url: str, files: Any, place: str) -> None:
        self.url = url
        self._files, self._place = files, place

    def __str__(self) -> str:
        return self.url

    def get(self, name: str) -> bytes | None:
        with self._refusals("read"), suppress(FileNotFoundError):
            self._files.invalidate_cache()  # of what was there, which others may have changed
            content: bytes = self._files.cat_file(f"{self._place}/{name}")
            return content
        return None

    def put(self, name: str, content: bytes) -> None:
        with self._refusals("write to"):
            try:
                self._files.pipe_file(f"{self._place}/{name}", content)
            except FileNotFoundError:
                self._make_folders(name)
                self._files.pipe_file(f"{self._place}/{name}", content)

    def list(self, folder: str) -> list[str]:
        top = f"{self._place}/{folder}"
        with self._refusals("read"):
            self._files.invalidate_cache()
            found = self._files.find(top)
        below = (path.lstrip("/").removeprefix(f"{top.lstrip('/')}/") for path in found)
        return sorted(name for name in below if name and not name.endswith("/"))

    def delete(self, *names: str) -> None:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._delete, names))

    def _delete(self, name: str) -> None:
        with self._refusals("remove from"), suppress(FileNotFoundError):
            self._files.rm_file(f"{self._place}/{name}")

    def clear(self, folder: str) -> None:
        with self._refusals("remove from"), suppress(FileNotFoundError):
            self._files.invalidate_cache()
            self._files.rm(f"{self._place}/{folder}", recursive=True)

    def top(self) -> set[str]:
        with self._refusals("read"), suppress(FileNotFoundError):
            self._files.invalidate_cache()
            found = self._files.ls(self._place, detail=False)
            return {path.rstrip("/").rpartition("/")[2] for path in found if path.strip("/") != self._place}
        return set()

    @contextmanager
    def claim(self, part: Part | None = None) -> Iterator[None]:
        with held(self, WHOLE if part is None else part.name):
            yield
        if part is None:
            self.clear(LEASES)  # of processes that were killed

    @contextmanager
    def at_hand(self, *names: str) -> Iterator[Path]:
        with writable(f"to the cache {root()}"):
            (root() / CACHED).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root() / CACHED) as place:
            local = LocalStore(Path(place))

            def fetch(name: str) -> None:
                if (content := self.get(name)) is not None:
                    local.put(name, content)

            with ThreadPoolExecutor(AT_ONCE) as pool:
                list(pool.map(fetch, names))
            yield local.path

    @property
    def scan_cache(self) -> Path:
        return root() / CACHED / f"{hashlib.sha256(self.url.encode()).hexdigest()[:16]}{SCANNED}"

    def forget_scan_cache(self) -> None:
        """It is in the way of nothing."""

    def _make_folders(self, name: str) -> None:
        """What lies above a file, where a file system has folders. An object store makes none, and no bucket
        either: the first part of a place is never made."""
        parts = f"{self._place}/{name}".split("/")
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

        files, place = fsspec.url_to_fs(url)
    if not place.strip("/"):
        raise UserError(f"{url} names no folder: say which, as in s3://bucket/folder")
    return files, place.rstrip("/")


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
