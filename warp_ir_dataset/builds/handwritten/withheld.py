"""Short kernels that people wrote, on which models are judged: no drawn kernel may come near one of them.

A kernel of three lines is drawn by chance sooner or later; a longer one is not, and `warp-ir report` tells
how near any comes. `withheld.txt` holds a line for each short kernel and each short twin: its id, and numbers
for its 5-grams, of which nothing can be read. ``python -m warp_ir_dataset.builds.handwritten.withheld OUT``
writes the file anew from a build of `handwritten`; texts, twins and Warp's version decide it.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2s
from pathlib import Path

import pyarrow.parquet as pq

from ...common import files
from ...language.program import Program
from ...language.python.grams import grams
from ...language.python.write import write
from ...language.walks import statements

FILE = Path(__file__).with_name("withheld.txt")
LONGEST = 90  # 5-grams of a kernel that counts as short
MOST_STATEMENTS = 24  # of a kernel that may come near one of these; saves writing the others
DIGITS = 6  # hexadecimal, of a number of a fingerprint
NEAR = 0.6  # Jaccard similarity; 0.7 would be a near duplicate

Fingerprint = frozenset[str]


def fingerprint(source: str) -> Fingerprint:
    """A number for each 5-gram of a source."""
    return frozenset(blake2s(gram.encode(), digest_size=DIGITS // 2).hexdigest() for gram in grams(source))


def is_withheld(program: Program) -> bool:
    """Whether a kernel comes near a short one that people wrote, or its twin."""
    return may_be_withheld(program) and is_near_withheld(fingerprint(write(program)))


def may_be_withheld(program: Program) -> bool:
    """Whether a kernel is short enough to come near one of these."""
    return sum(1 for body in program.bodies for _ in statements(body)) <= MOST_STATEMENTS


def is_near_withheld(own: Fingerprint) -> bool:
    """Whether a kernel with this fingerprint comes near one of these."""
    sizes, kernels = _withheld()
    shared = Counter(number for gram in own for number in kernels.get(gram, ()))
    return any(common >= NEAR * (sizes[number] + len(own) - common) for number, common in shared.items())


@functools.cache
def _withheld() -> tuple[tuple[int, ...], dict[str, list[int]]]:
    """How many 5-grams each kernel of the file has, and which kernels have a 5-gram."""
    kernels: dict[str, list[int]] = {}
    sizes = []
    for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines()):
        _, *numbers = line.split()
        sizes.append(len(numbers))
        for gram in numbers:
            kernels.setdefault(gram, []).append(number)
    return tuple(sizes), kernels


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
