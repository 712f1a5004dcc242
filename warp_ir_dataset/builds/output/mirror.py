"""Keeps a copy of a build's folder at a URL (`remote.Remote`), or none.

Code that reads or writes a file of a build's folder calls this, so that another machine can continue a build
that was stopped on this one.
"""

from __future__ import annotations


class Mirror:
    """Nowhere. Names are relative to the folder, their parts separated by ``/``."""

    def fetch(self, name: str) -> None:
        """Make a file here what it is there; gone, if there is none."""

    def fetch_all(self, folder: str) -> None:
        """Make all files below a folder here what they are there."""

    def send(self, *names: str) -> None:
        """Make files there what they are here, one after the other."""

    def remove(self, *names: str) -> None:
        """Remove files there, those that are."""

    def clear(self, folder: str) -> None:
        """Remove a folder there, with all that is in it."""

    def names(self, folder: str) -> list[str]:
        """The files below a folder there, relative to it."""
        return []

    def read(self, name: str) -> bytes | None:
        """A file that is there alone; None if there is none."""
        return None

    def write(self, name: str, content: bytes) -> None:
        """Write a file that is there alone."""


NOWHERE = Mirror()
