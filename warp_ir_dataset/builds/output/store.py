"""The interface of a store: the place where a build lies, with files that have names.

Files are written whole, and never appended to or renamed, as object stores cannot do that. What is read may
be damaged, or somebody else's: so plans, records and units begin with a checksum (`checksummed`). The SHA-256
of a file of rows is in its record and in the manifest.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...common.errors import UserError

SCANNED = ".scanned"
_PART = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")  # there are less than a million files


@dataclass(frozen=True)
class Part:
    """Part `index` of `count`: every `count`-th file. Raises `UserError` for one that cannot be."""

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise UserError(
                f"a part must be one of 0/{self.count} to {self.count - 1}/{self.count}, not {self}"
            )

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def name(self) -> str:
        """What its lock is called."""
        return f"{self.index}-of-{self.count}"

    @classmethod
    def parse(cls, text: str) -> Part:
        """``0/3`` is the first of three. Raises `UserError`."""
        if (match := _PART.fullmatch(text)) is None or not int(match[2]):
            raise UserError(
                f"a part must look like 0/3, the first of three, with at most six digits, not {text!r}"
            )
        return cls(int(match[1]), int(match[2]))


class Store(Protocol):
    """Names are relative to the place, their parts separated by ``/``. A str of a store is for messages. All
    methods raise `UserError` for what the disk or the URL's file system refuses."""

    def get(self, name: str) -> bytes | None:
        """What a file holds; None if there is none."""

    def put(self, name: str, content: bytes) -> None:
        """Write a whole file, or nothing."""

    def list(self, folder: str) -> list[str]:
        """The names of all files below a folder, relative to it, in order."""

    def delete(self, *names: str) -> None:
        """Remove those of these files that are there."""

    def clear(self, folder: str) -> None:
        """Remove a folder, with all that is in it."""

    def top(self) -> set[str]:
        """The names of the files and folders that are not in another one."""

    def claim(self, part: Part | None = None) -> AbstractContextManager[None]:
        """Keeps other processes away while the context lasts: from the same part and from the whole build, or
        without a `part` from all of it. Raises `UserError` where another one is at work."""

    def at_hand(self, *names: str) -> AbstractContextManager[Path]:
        """A folder of this machine that holds these files. What is written to it stays in a `LocalStore` and
        is lost elsewhere."""

    @property
    def scan_cache(self) -> Path:
        """The folder of this machine that keeps what planning has seen. It may be removed."""

    def forget_scan_cache(self) -> None:
        """Remove it where it would be in the way of a whole build."""


def checksummed(key: str, content: bytes) -> bytes:
    """A file that holds `content`, behind a line with the SHA-256 of that and of what it was made from."""
    return f"{checksum(key, content)}\n".encode() + content


def checksum(key: str, content: bytes) -> str:
    """The SHA-256 of a content and of what it was made from."""
    return hashlib.sha256(f"{key}\n".encode() + content).hexdigest()


def content_of(key: str, file: bytes | None) -> bytes | None:
    """The content of a file that `checksummed` made; None if there is no file, or it is damaged, or was made
    from something else."""
    digest, _, content = (file or b"").partition(b"\n")
    return content if digest == checksum(key, content).encode() else None
