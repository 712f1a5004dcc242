"""Stores facts about scanned candidates on disk, for the next config of a build and for a restart.

A file for each family and seed holds a line for each address, with a checksum; its first line says which
generator scanned, by its version and its source. Candidates of damaged lines, and of files by another
generator, are scanned again.
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
from .facts import Facts
from .near_duplicates import needs_fingerprint

NOTHING = "nothing"
NONE = "-"  # for a purpose

# The source that decides facts.
SAMPLING = ("common", "language", "synthesis", "builds/handwritten", "builds/plan")


def generator() -> str:
    """The generator's version, and a digest of the source that decides facts."""
    return source(SAMPLING)


class ScanCache:
    """Facts of the candidates of a request. Raises `UserError` if its folder cannot be written."""

    def __init__(self, folder: Path, request: Request) -> None:
        self.folder, self.seed, self._rows = folder, request.seed, request.num_kernels
        with writable(f"to {folder}"):
            folder.mkdir(parents=True, exist_ok=True)

    def read(self, category: str) -> dict[Address, Facts | None]:
        """The facts of a family that are whole."""
        path = self._path(category)
        try:
            head, _, text = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return {}
        if head != self._head(category):
            return {}
        lines = (parsed for line in text.split(b"\n") if (parsed := _parsed(line)) is not None)
        return {Address(self.seed, category, draw, purpose): facts for purpose, draw, facts in lines}

    def add(self, found: Mapping[Address, Facts | None]) -> None:
        """Add facts. Raises `UserError` when the disk refuses."""
        lines = defaultdict(list)
        for address, facts in found.items():
            lines[address.category].append(_line(address, facts))
        for category, own in lines.items():
            path, head = self._path(category), self._head(category)
            with writable(path), path.open("a+b") as file:
                file.seek(0)
                if file.readline() != head + b"\n":  # new, or another generator's
                    file.truncate(0)
                    file.write(head)
                # What a killed process left of a line ends with this, and has no checksum.
                file.write(b"\n" + b"\n".join(own) + b"\n")

    def _path(self, category: str) -> Path:
        return self.folder / f"{self.seed}-{category}.{self._kind(category)}"

    def _head(self, category: str) -> bytes:
        return f"candidates {generator()} {self.seed} {category} {self._kind(category)}".encode()

    def _kind(self, category: str) -> str:
        """Whether facts have fingerprints."""
        return "fingerprinted" if needs_fingerprint(self._rows, category) else "plain"


def _line(address: Address, facts: Facts | None) -> bytes:
    words = NOTHING
    if facts is not None:
        flags = f"{facts.non_differentiable:d} {facts.withheld:d}"
        hashes = f"{facts.skeleton} {facts.meaning}"
        words = f"{facts.level} {hashes} {flags} {facts.fingerprint} {facts.decided:x} {facts.text}"
    text = f"{address.purpose or NONE} {address.draw} {words}".encode()
    return text + b" %08x" % crc32(text)


def _parsed(line: bytes) -> tuple[str | None, int, Facts | None] | None:
    text, _, check = line.rpartition(b" ")
    if check != b"%08x" % crc32(text):
        return None
    name, draw, *words = text.decode().split(" ")
    purpose = None if name == NONE else name
    if words == [NOTHING]:
        return purpose, int(draw), None
    level, skeleton, meaning, non_differentiable, withheld, fingerprint, decided, kept = words
    flags = non_differentiable == "1", withheld == "1"
    facts = Facts(int(level), skeleton, meaning, *flags, fingerprint, int(decided, 16), kept)
    return purpose, int(draw), facts
