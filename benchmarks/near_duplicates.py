"""How many kernels of a plan survive near-duplicate removal, as corpora for code models are cleaned.

Kernels are planned and written, not compiled. Tokens are Python's own, without layout and comments;
names that the source defines are normalised, literals masked, operators kept. Two kernels are near
duplicates where MinHash (128 permutations, 32 bands, 5-grams) estimates a Jaccard similarity of 0.7 or
more; the later one goes. Run as ``python benchmarks/near_duplicates.py --num-kernels 5000 --seed 7``.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from datasketch import MinHash, MinHashLSH

from warp_ir_dataset.builds.plan.plan import Plan, make_plan
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.publishing import similarity as near
from warp_ir_dataset.synthesis import draw as generate
from warp_ir_dataset.synthesis.families import CATEGORIES

PERMUTATIONS = 128
BANDS = 32
THRESHOLD = 0.7
REQUIRED = 0.7

NORMALISATIONS = {
    "one placeholder for all own names": False,  # the stricter one
    "own names numbered": True,
}


@dataclass(frozen=True)
class Row:
    category: str
    difficulty: int
    source: str
    skeleton: str


def rows_of(plan: Plan) -> Iterator[Row]:
    """The rows of a plan, as if every candidate passed its proof."""
    for shard in plan.shards:
        for queue in shard.queues:
            for candidate in queue.candidates[: queue.quota]:
                drawn = generate.draw(candidate.address)
                program = drawn.program
                yield Row(drawn.category, drawn.difficulty, write(program), identify(program).skeleton)


def signature(source: str, numbered: bool) -> MinHash:
    result = MinHash(num_perm=PERMUTATIONS)
    result.update_batch([gram.encode() for gram in near.grams(source, numbered=numbered)])
    return result


def survivors(rows: list[Row], numbered: bool) -> list[Row]:
    """The rows that are no near duplicate of a row kept before them."""
    index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, PERMUTATIONS // BANDS))
    kept: dict[int, MinHash] = {}
    for number, row in enumerate(rows):
        own = signature(row.source, numbered)
        if all(own.jaccard(kept[other]) < THRESHOLD for other in index.query(own)):
            kept[number] = own
            index.insert(number, own)
    return [rows[number] for number in kept]


def shares(title: str, every: Counter, kept: Counter) -> None:
    for key in every:
        print(f"  {title} {key!s:<18} {kept[key]:>6} of {every[key]:>6}  {kept[key] / every[key]:6.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--num-kernels", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--category", nargs="+", default=CATEGORIES, help="families, all by default")
    options = parser.parse_args()
    start = time.perf_counter()
    request = Request(num_kernels=options.num_kernels, seed=options.seed, categories=tuple(options.category))
    plan = make_plan(request)
    planned = time.perf_counter() - start
    rows = list(rows_of(plan))
    print(f"{len(rows)} rows, {len({row.skeleton for row in rows})} skeletons")
    print(f"{sum(plan.draws.values())} draws, {sum(plan.duplicates.values())} duplicates, {planned:.1f} s")
    for category, draws in plan.draws.items():
        print(f"  {category:<18} {draws:>6} draws, {plan.duplicates[category]:>6} duplicates")
    for spill in plan.spilled:
        print(f"  {spill.category} gave {spill.rows} rows less of difficulty {spill.level}")
    passed = True
    for title, numbered in NORMALISATIONS.items():
        kept = survivors(rows, numbered)
        print(f"{title}: {len(kept)} of {len(rows)} survive, {len(kept) / len(rows):.1%}")
        shares("family", Counter(row.category for row in rows), Counter(row.category for row in kept))
        shares("level ", Counter(sorted(row.difficulty for row in rows)), Counter(r.difficulty for r in kept))
        passed &= numbered or len(kept) >= REQUIRED * len(rows)
    print(f"{'passed' if passed else 'FAILED'}: {REQUIRED:.0%} must survive with one placeholder")
    raise SystemExit(not passed)


if __name__ == "__main__":
    main()
