"""Stores facts about looked-at candidates on disk, for the next config of a build and for a restart.

A file for each family and seed holds a line for each address, with a check sum; a head says which generator
looked, by its version and its source. Candidates of damaged lines, and of files by another generator, are
looked at again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

from ...common.address import Address
from ...common.files import writable
from ...common.versions import source
from ..request import Request
from .apart import is_strict
from .look import Look

NOTHING = "nothing"
NONE = "-"  # for a purpose

# What decides what a look finds.
DRAWING = ("common", "language", "synthesis", "builds/handwritten", "builds/plan")


def generator() -> str:
    """The generator's version, and a digest of what decides looks."""
    return source(DRAWING)


class Ledger:
    """What is known of the addresses of a request. Raises `UserError` where its folder cannot be written."""

    def __init__(self, folder: Path, request: Request) -> None:
        self.folder, self.seed, self._rows = folder, request.seed, request.num_kernels
        with writable(f"to {folder}"):
            folder.mkdir(parents=True, exist_ok=True)

    def read(self, category: str) -> dict[Address, Look | None]:
        """The looks of a family; those that are whole."""
        path = self._path(category)
        try:
            head, _, text = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return {}
        if head != self._head(category):
            return {}
        looks = (found for line in text.split(b"\n") if (found := _parsed(line)) is not None)
        return {Address(self.seed, category, draw, purpose): look for purpose, draw, look in looks}

    def add(self, found: Mapping[Address, Look | None]) -> None:
        """Add looks. Raises `UserError` when the disk refuses."""
        lines = defaultdict(list)
        for address, look in found.items():
            lines[address.category].append(_line(address, look))
        for category, own in lines.items():
            path, head = self._path(category), self._head(category)
            with writable(path), path.open("a+b") as file:
                file.seek(0)
                if file.readline() != head + b"\n":  # new, or another generator's
                    file.truncate(0)
                    file.write(head)
                # What a killed process left of a line ends with this, and has no check sum.
                file.write(b"\n" + b"\n".join(own) + b"\n")

    def _path(self, category: str) -> Path:
        return self.folder / f"{self.seed}-{category}.{self._kind(category)}"

    def _head(self, category: str) -> bytes:
        return f"survey {generator()} {self.seed} {category} {self._kind(category)}".encode()

    def _kind(self, category: str) -> str:
        """What looks hold of likeness."""
        return "near" if is_strict(self._rows, category) else "far"


def _line(address: Address, look: Look | None) -> bytes:
    words = NOTHING
    if look is not None:
        facts = f"{look.level} {look.skeleton} {look.meaning} {look.barred:d} {look.withheld:d}"
        words = f"{facts} {look.likeness} {look.decided:x}"
    text = f"{address.purpose or NONE} {address.draw} {words}".encode()
    return text + b" %08x" % crc32(text)


def _parsed(line: bytes) -> tuple[str | None, int, Look | None] | None:
    text, _, check = line.rpartition(b" ")
    if check != b"%08x" % crc32(text):
        return None
    name, draw, *words = text.decode().split(" ")
    purpose = None if name == NONE else name
    if words == [NOTHING]:
        return purpose, int(draw), None
    level, skeleton, meaning, barred, withheld, likeness, decided = words
    facts = int(level), skeleton, meaning, barred == "1", withheld == "1", likeness
    return purpose, int(draw), Look(*facts, int(decided, 16))
