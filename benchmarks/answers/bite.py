"""What the cases of rows catch: ``python benchmarks/answers/bite.py``.

Programs are drawn, and given the cases that their rows have. Of each, some mutants are made
(`language/mutants`), and run by the interpreter on these cases and on 64 other inputs. A mutant is equivalent
if it is the same program in other words, or all its outputs are the same on all of these inputs; it is caught
where an output differs by more than two texts of one kernel may. Every operator weighs the same: shares of
the whole are means of the operators' shares. The exit status is 1 where the cases catch less than is asked.

Not covered: mutants of the text that compilers make, and of adjoints; what only another order of threads
would show.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import numpy as np
from tqdm import tqdm

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.analysis.interpreter import Endless
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.mutants.table import DELETIONS, OPERATORS, mutants
from warp_ir_dataset.proof.bite import Bitten, Told
from warp_ir_dataset.proof.cases import chosen, rehearse
from warp_ir_dataset.proof.inputs import draw_cases, make_inputs
from warp_ir_dataset.proof.verify import near_zero
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.draw import draw

OTHERS = 64  # inputs beside those that cases are chosen from
MADE, OTHER, SEEN, BOTH, CAUGHT = (
    "mutants",
    "not equivalent",
    "seen by any",
    "seen by any, and caught",
    "caught",
)

# What is asked: shares of those that any input catches and of those that are not equivalent, the least share
# of an operator, and of deletions.
ASKED = {"of those that any input catches": 0.97, "of those that are not equivalent": 0.95}
LEAST, LEAST_OF_DELETIONS = 0.80, 0.98
FEW = 10  # mutants that an operator must have to be held against that

Table = Mapping[tuple[str, str], Counter[str]]  # by operator and family


def measure(number: int, seed: int, count: int) -> tuple[str, list[tuple[str, Counter[str]]], list[str]]:
    """The family of a drawn program, what became of each of its mutants, and what is wrong. Without mutants
    where the program is no row."""
    address = Address(seed, CATEGORIES[number % len(CATEGORIES)], number // len(CATEGORIES))
    program = draw(address).program
    id = identify(program).id
    ten = draw_cases(program.signature, id).inputs
    try:
        rehearsal = rehearse(program, ten)
        others = tuple(make_inputs(program.signature, f"{id}/bite/{place}") for place in range(OTHERS))
        bitten = Bitten(program, (*ten, *others))
    except (Endless, IndexError, np.linalg.LinAlgError):
        return address.category, [], []
    if rehearsal.coverage.dead:
        return address.category, [], []
    telling = [place for place, outputs in enumerate(rehearsal.meaning) if near_zero([outputs]) is None]
    cases = list(chosen(len(ten), telling, rehearsal))
    found, wrong = [], []
    for mutant in mutants(program, Rng(f"{address}/bite"), count):
        told = bitten.by(mutant.program)
        found.append((mutant.operator, counted(told, cases, len(ten))))
        if told.respelled and not told.same:
            wrong.append(f"{address}: {mutant.operator}: one strong id, and other outputs")
    return address.category, found, wrong


def counted(told: Told, cases: list[int], first: int) -> Counter[str]:
    """What becomes of one mutant; the other inputs stand from `first` on."""
    row = Counter({MADE: 1})
    if not told.equivalent:
        seen, caught = bool(told.seen[first:].any()), bool(told.seen[cases].any())
        row += Counter({OTHER: 1, SEEN: seen, BOTH: seen and caught, CAUGHT: caught})
    return row


def together(rows: Iterable[Counter[str]]) -> Counter[str]:
    return sum(rows, Counter())


def share(row: Counter[str], of: str) -> float | None:
    part = BOTH if of == SEEN else CAUGHT
    return row[part] / row[of] if row[of] else None


def lines(by: Mapping[str, Counter[str]]) -> Iterable[str]:
    for name, row in by.items():
        shares = (share(row, of) for of in (SEEN, OTHER))
        cells = "".join(f"{'' if value is None else f'{value:.1%}':>10}" for value in shares)
        yield f"{name:<24}{row[MADE]:>9,}{row[OTHER]:>9,}{row[SEEN]:>9,}{cells}"


def judged(by_operator: Mapping[str, Counter[str]]) -> list[tuple[str, float, bool]]:
    """What is asked: its name, its figure, and whether that is enough."""
    found = []
    for (name, asked), of in zip(ASKED.items(), (SEEN, OTHER), strict=True):
        shares = [share(row, of) for row in by_operator.values()]
        mean = statistics.fmean(value for value in shares if value is not None)
        found.append((name, mean, mean >= asked))
    many = [row for row in by_operator.values() if row[SEEN] >= FEW]
    worst = min((row[BOTH] / row[SEEN] for row in many), default=1.0)
    found.append(("the operator that is caught least", worst, worst >= LEAST))
    deletions = together(by_operator[name] for name in DELETIONS)
    figure = share(deletions, OTHER) or 0.0
    return [*found, ("deletions", figure, figure >= LEAST_OF_DELETIONS)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--mutants", type=int, default=16, help="of each program, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    programs, failed = 0, []
    with ProcessPoolExecutor(options.processes) as pool:
        numbers = range(options.programs)
        rows = pool.map(measure, numbers, repeat(options.seed), repeat(options.mutants), chunksize=4)
        for family, found, wrong in tqdm(rows, total=options.programs, disable=not sys.stderr.isatty()):
            programs += bool(found)
            failed += wrong
            for operator, row in found:
                table[operator, family] += row
    by_operator = {
        name: together(row for (operator, _), row in table.items() if operator == name) for name in OPERATORS
    }
    by_family = {
        name: together(row for (_, family), row in table.items() if family == name) for name in CATEGORIES
    }
    head = f"{'':24}{'made':>9}{'others':>9}{'seen':>9}{'of seen':>10}{'of others':>10}"
    for title, by in (("operator", by_operator), ("family", by_family)):
        print(title + head[len(title) :], *lines(by), "", sep="\n")
    print(f"{programs:,} programs; caught by the cases of their rows:")
    for name, figure, enough in judged(by_operator):
        print(f"  {figure:7.2%}  {name}{'' if enough else '  NO'}")
        failed += [] if enough else [name]
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
