"""Short human-written kernels for evaluation: no generated kernel may be a near duplicate of one.

A kernel of three lines is drawn by chance sooner or later; a longer one is not, and `warp-ir report` tells
how near any comes. `withheld.txt` holds a line for each short kernel and each short twin: its id, and numbers
for its 5-grams, of which nothing can be read. ``python -m warp_ir_dataset.builds.handwritten.withheld OUT``
writes the file anew from a build of `handwritten`; texts, twins and Warp's version decide it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

from ...common import files
from ...language import ir
from ...language.python.write import write
from ...language.walks import statements
from .fingerprints import Fingerprint, Known, fingerprint

FILE = Path(__file__).with_name("withheld.txt")
LONGEST = 90  # 5-grams of a kernel that counts as short
MOST_STATEMENTS = 24  # of a kernel that may come near one of these; saves writing the others
NEAR = 0.6  # Jaccard similarity; 0.7 would be a near duplicate


def is_withheld(program: ir.Program) -> bool:
    """Whether a kernel comes near a short one that people wrote, or its twin."""
    return may_be_withheld(program) and is_near_withheld(fingerprint(write(program)))


def may_be_withheld(program: ir.Program) -> bool:
    """Whether a kernel is short enough to come near one of these."""
    return sum(1 for body in program.bodies for _ in statements(body)) <= MOST_STATEMENTS


def is_near_withheld(own: Fingerprint) -> bool:
    """Whether a kernel with this fingerprint comes near one of these."""
    return _withheld().has_near(own, NEAR)


@functools.cache
def _withheld() -> Known:
    return Known(line.split()[1:] for line in FILE.read_text(encoding="utf-8").splitlines())


def lines(sources: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The file's lines for kernels, each an id and a source."""
    for id, source in sorted(sources):
        found = fingerprint(source)
        if len(found) <= LONGEST:
            yield f"{id} {' '.join(sorted(found))}\n"


def sources_of(folder: Path) -> list[tuple[str, str]]:
    """Ids and sources of the kernels of a build of `handwritten`. Raises `FileNotFoundError`."""
    found = sorted((folder / "handwritten").glob("*.parquet"))
    if not found:
        raise FileNotFoundError(f"{folder} has no rows of handwritten")
    tables = [pq.read_table(file, columns=["id", "python_source"]) for file in found]
    return [(row["id"], row["python_source"]) for table in tables for row in table.to_pylist()]


if __name__ == "__main__":
    files.write(FILE, "".join(lines(sources_of(Path(sys.argv[1])))))
