"""What the cases of rows catch: ``python benchmarks/bite.py [OUT --config cuda]``.

Programs are drawn, and given the cases that their rows have; or they are those of a config's rows in OUT, a
folder that `warp-ir build` wrote, and the cases are the rows' examples. Of each, some mutants are made
(`language/mutants`), and run by the interpreter on these cases and on 64 other inputs. A mutant is equivalent
if all its outputs are the same on all of these inputs; it is caught where an output differs by more than two
texts of one kernel may. Every operator weighs the same: shares of the whole are means of the operators'
shares. The exit status is 1 where the cases catch less than is asked.

Of rows with adjoints the completion is mutated as well where gradients are made
(`support/adjoint_mutants.py`), compiled, and run on the same inputs: there the gradients count, and a mutant
is equivalent if all of them are the same but for what a sum in another order leaves.

Not covered: mutants of the other texts that compilers make; what only another order of threads would show.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from support.adjoint_mutants import DELETIONS as LESS_OF_ADJOINTS
from support.adjoint_mutants import EDITS, bitten, mutated
from support.files import rows_in
from tqdm import tqdm

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, compiled_tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import NonTerminating
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.mutants.table import DELETIONS, OPERATORS, mutants
from warp_ir_dataset.proof.bite import Bitten, Told
from warp_ir_dataset.proof.cases import chosen, rehearse
from warp_ir_dataset.proof.inputs import draw_cases, fit_cases, make_inputs
from warp_ir_dataset.proof.subject import Arrays, Cases
from warp_ir_dataset.proof.told import examples_of
from warp_ir_dataset.proof.verify import near_zero
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

COLUMNS = ("completion", "examples")
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

Rows = list[tuple[str, Counter[str]]]  # operators of mutants, and what became of them


@dataclass(frozen=True)
class Measured:
    """The family of a program, what became of each of its mutants and of those of its adjoint.
    Without mutants where the program is no row."""

    family: str
    found: Rows = field(default_factory=list)
    of_adjoint: Rows = field(default_factory=list)


def measure(number: int, seed: int, count: int) -> Measured:
    """A drawn program, with the cases that its row would have."""
    address = address_of(seed, CATEGORIES[number % len(CATEGORIES)], number // len(CATEGORIES))
    try:
        program = sample(address).program
    except GenerationFailed:  # a plan takes another address then
        return Measured(address.category)
    ten = draw_cases(program.signature, identify(program).id).inputs
    try:
        rehearsal = rehearse(program, ten)
        bitten = Bitten(program, (*ten, *others_of(program)))
    except (NonTerminating, IndexError, np.linalg.LinAlgError):
        return Measured(address.category)
    if rehearsal.coverage.dead:
        return Measured(address.category)
    telling = [place for place, outputs in enumerate(rehearsal.meaning) if near_zero([outputs]) is None]
    cases = list(chosen(len(ten), telling, rehearsal))
    return Measured(address.category, of_tree(address, program, bitten, count, cases, len(ten)))


def measure_row(row: Mapping[str, Any], config: str, count: int) -> Measured:
    """A row's program, with the row's examples; where there is an adjoint, that of its completion as well."""
    address = Address.of(row)
    program, examples = sample(address).program, examples_of(dict(row))
    adjoint, signature = CONFIGS[config].adjoint, program.signature
    seeds = examples[0]["output_gradients"] if adjoint else draw_cases(signature, "").output_gradients
    cases = fit_cases(signature, Cases(tuple(example["inputs"] for example in examples), seeds))
    sets = (*cases.inputs, *others_of(program))
    places = list(range(len(examples)))
    found = of_tree(address, program, Bitten(program, sets), count, places, len(places))
    rows: Rows = []
    if adjoint:
        made = mutated(row["completion"], Rng(f"{address}/bite/adjoint"), count)
        own = warp.translate(row["python_source"], program.name, backward=True, cuda=True)
        texts = [text for _, text in made]
        told = bitten(signature, own, row["completion"], texts, sets, cases.output_gradients)
        rows = [
            (name, row_of(each.same, each.seen, places, len(places)))
            for (name, _), each in zip(made, told, strict=True)
            if each.seen is not None
        ]
    return Measured(address.category, found, rows)


def others_of(program: ir.Program) -> tuple[Arrays, ...]:
    id = identify(program).id
    return tuple(make_inputs(program.signature, f"{id}/bite/{place}") for place in range(OTHERS))


def of_tree(
    address: Address, program: ir.Program, bitten: Bitten, count: int, cases: list[int], first: int
) -> Rows:
    """What becomes of a program's mutants."""
    made = mutants(program, Rng(f"{address}/bite"), count)
    return [(each.operator, counted(bitten.by(each.program), cases, first)) for each in made]


def counted(told: Told, cases: list[int], first: int) -> Counter[str]:
    """What becomes of one mutant; the other inputs stand from `first` on."""
    return row_of(told.same, told.seen, cases, first)


def row_of(equivalent: bool, flags: np.ndarray, cases: list[int], first: int) -> Counter[str]:
    row = Counter({MADE: 1})
    if not equivalent:
        seen, caught = bool(flags[first:].any()), bool(flags[cases].any())
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
        yield f"{name:<28}{row[MADE]:>9,}{row[OTHER]:>9,}{row[SEEN]:>9,}{cells}"


def judged(
    by_operator: Mapping[str, Counter[str]], less: Sequence[str] = DELETIONS
) -> list[tuple[str, float, bool]]:
    """What is asked: its name, its figure, and whether that is enough. Those of `less` delete."""
    found = []
    for (name, asked), of in zip(ASKED.items(), (SEEN, OTHER), strict=True):
        shares = [share(row, of) for row in by_operator.values()]
        mean = statistics.fmean(value for value in shares if value is not None)
        found.append((name, mean, mean >= asked))
    many = [row for row in by_operator.values() if row[SEEN] >= FEW]
    worst = min((row[BOTH] / row[SEEN] for row in many), default=1.0)
    found.append(("the operator that is caught least", worst, worst >= LEAST))
    deletions = together(by_operator[name] for name in less)
    figure = share(deletions, OTHER) or 0.0
    return [*found, ("deletions", figure, figure >= LEAST_OF_DELETIONS)]


def tell(
    rows: Sequence[tuple[str, Rows]], operators: Sequence[str], less: Sequence[str], what: str
) -> list[str]:
    """Print what became of mutants, by operator and family; the names of what is too little."""
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for family, found in rows:
        for operator, row in found:
            table[operator, family] += row
    by_operator = {
        name: together(row for (operator, _), row in table.items() if operator == name) for name in operators
    }
    by_family = {
        name: together(row for (_, family), row in table.items() if family == name) for name in CATEGORIES
    }
    head = f"{'':28}{'made':>9}{'others':>9}{'seen':>9}{'of seen':>10}{'of others':>10}"
    for title, by in (("operator", by_operator), ("family", {n: row for n, row in by_family.items() if row})):
        print(title + head[len(title) :], *lines(by), "", sep="\n")
    print(f"{sum(bool(found) for _, found in rows):,} {what}; caught by the cases of their rows:")
    failed = []
    for name, figure, enough in judged(by_operator, less):
        print(f"  {figure:7.2%}  {name}{'' if enough else '  NO'}")
        failed += [] if enough else [f"{what}: {name}"]
    print()
    return failed


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="OUT")
    parser.add_argument("--config", choices=[task.name for task in compiled_tasks()], default="cuda")
    parser.add_argument("--programs", type=int, default=500, help="or rows of OUT, at most")
    parser.add_argument(
        "--mutants", type=int, default=16, help="of each program, at most; of its adjoint too"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(words)
    with ProcessPoolExecutor(options.processes) as pool:
        if options.folder is None:
            total = options.programs
            found = pool.map(
                measure, range(total), repeat(options.seed), repeat(options.mutants), chunksize=4
            )
        else:
            try:
                rows = rows_in(options.folder, options.config, options.seed, COLUMNS)[: options.programs]
            except UserError as error:
                parser.error(str(error))
            total = len(rows)
            found = pool.map(measure_row, rows, repeat(options.config), repeat(options.mutants), chunksize=2)
        every = list(tqdm(found, total=total, disable=not sys.stderr.isatty()))
    failed = tell([(each.family, each.found) for each in every], tuple(OPERATORS), DELETIONS, "programs")
    if options.folder is not None and CONFIGS[options.config].adjoint:
        of_adjoints = [(each.family, each.of_adjoint) for each in every]
        failed += tell(of_adjoints, tuple(EDITS), LESS_OF_ADJOINTS, "adjoints")
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
