"""How many rows survive near-duplicate removal, as corpora for code models are cleaned.

    python benchmarks/near_duplicates.py OUT/cpu/*.parquet

Tokens are Python's own, without layout and comments, literals masked, and all names that a source defines one
placeholder. Two kernels are near duplicates where MinHash (128 permutations, 32 bands, 5-grams) estimates a
Jaccard similarity of 0.7 or more; the later one goes. Texts are compared as they are and with their
spelling undone: functions and locals put in, constants written out, one form of loops and
branches. The exit status is 1 where fewer survive than are asked.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

import pyarrow.parquet as pq
from support.files import parquet_file
from support.respelling import unpacked
from tqdm import tqdm

from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.passes.table import PASSES, Pass
from warp_ir_dataset.language.python.grams import grams
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write

try:
    from datasketch import MinHash, MinHashLSH
except ImportError as error:
    print(f'near_duplicates: {error}: pip install ".[dev]", in the checkout, adds it', file=sys.stderr)
    sys.exit(2)

PERMUTATIONS = 128
BANDS = 32
THRESHOLD = 0.7
EVERY = {**PASSES, **TWIN_PASSES, "unpack arguments": Pass("unpack arguments", unpacked)}
UNDOING = (
    "say types", "make a function", "unpack arguments", "write a constant out", "inline a function",
    "inline a body", "inline everywhere", "while to for", "expand augmented assignment", "drop full slices",
    "number a component", "guard", "choice to branch",
)  # fmt: skip
MOST = 200  # times that a pass is made on one program


def as_it_is(source: str) -> str:
    return source


def undone(source: str) -> str:
    """A kernel with its spelling undone."""
    program = read(source)
    for name in UNDOING:
        for number in range(MOST):
            made = EVERY[name](program, Rng(f"{name}/{number}"))
            if made is None:
                break
            program = made
    return write(program)


TEXTS: tuple[tuple[str, Callable[[str], str], float], ...] = (
    ("canonical", as_it_is, 0.9),
    ("undone", undone, 0.55),
)


def survivors(texts: Sequence[str]) -> Iterator[int]:
    """The places of texts that are no near duplicate of one kept before them."""
    index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, PERMUTATIONS // BANDS))
    kept: dict[int, MinHash] = {}
    for number, text in enumerate(tqdm(texts, unit="texts", disable=None, leave=False)):
        own = MinHash(num_perm=PERMUTATIONS)
        own.update_batch([gram.encode() for gram in grams(text, numbered=False)])
        if all(own.jaccard(kept[other]) < THRESHOLD for other in index.query(own)):
            kept[number] = own
            index.insert(number, own)
            yield number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=parquet_file, help="Parquet files of a build")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    columns = ["category", "python_source"]
    rows = [row for path in options.files for row in pq.read_table(path, columns=columns).to_pylist()]
    families = [row["category"] for row in rows]
    few = False
    for title, form, asked in TEXTS:
        with ProcessPoolExecutor(options.processes) as pool:
            texts = list(pool.map(form, [row["python_source"] for row in rows], chunksize=50))
        kept = Counter(families[place] for place in survivors(texts))
        share = kept.total() / len(rows)
        few |= share < asked
        print(f"{title}: {kept.total():,} of {len(rows):,} survive, {share:.1%} (asked: {asked:.0%})")
        shares = sorted((kept[name] / count, name) for name, count in Counter(families).items())
        print("  the lowest:", ", ".join(f"{name} {part:.0%}" for part, name in shares[:6]))
    return int(few)


if __name__ == "__main__":
    sys.exit(main())
