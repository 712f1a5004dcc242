"""Whether passes keep what programs mean: ``python benchmarks/passes.py``.

Drawn programs go through every pass. What comes out must be legal, ``read(write(p)) == p`` must hold of it,
and it must have the strong skeleton of what it was made of where a pass changes spelling alone. Of some
programs both are also run, by the interpreter and by Warp on the CPU: outputs must be equal to the bit, and
within a tolerance where a pass changes how results are rounded. A rounding may also turn a comparison over or
push a float past a whole number, so a few programs in a hundred may differ then. The exit status is 1 where a
pass fails.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import repeat

import numpy as np
from tqdm import tqdm

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.identity import identify_meaning
from warp_ir_dataset.language.passes.arguments import moved
from warp_ir_dataset.language.passes.table import PASSES, is_legal
from warp_ir_dataset.language.program import Program, Signature
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.run import Runner
from warp_ir_dataset.synthesis.draw import draw
from warp_ir_dataset.synthesis.families import CATEGORIES

# A pass is made of what the pass that it undoes makes, where there is one: drawn programs hold no ``while``
# that counts.
FIRST = {row.back: name for name, row in PASSES.items() if row.back not in (None, name)}
READ, LEGAL, SAME, INTERPRETED, LAUNCHED = "read back", "legal", "same meaning", "interpreted", "by Warp"
COLUMNS = ("made", READ, LEGAL, SAME, INTERPRETED, LAUNCHED)
SETS = 2
MOST_ROUNDED = 0.05  # of programs whose outputs a rounding may change by more than the tolerance

Outputs = Mapping[str, np.ndarray]
Measured = dict[str, Counter[str]]


def made_over(program: Program, text: str) -> dict[str, tuple[Program, Program]]:
    """By the name of each pass that applies: what it was made of, and what it made."""
    found = {}
    for name, change in PASSES.items():
        start = program
        if name in FIRST:
            start = PASSES[FIRST[name]](program, Rng(f"{text}/{name}/first")) or program
        after = change(start, Rng(f"{text}/{name}"))
        if after is not None:
            found[name] = start, after
    return found


def is_read_back(program: Program) -> bool:
    try:
        return read(write(program), program.signature) == program
    except ValueError:
        return False


def interpreted(program: Program, drawn_for: Signature, cases: Sequence[Outputs]) -> Outputs:
    told = [moved(drawn_for, program.signature, case) for case in cases]
    stacked = {name: np.stack([case[name] for case in told]) for name in told[0]}
    return interpret(program, stacked, len(cases))


def launched(
    programs: list[Program], drawn_for: Signature, cases: Sequence[Outputs]
) -> Iterator[Outputs | None]:
    """What Warp makes of each program on the CPU, compiled as one unit; None for what it does not take."""
    members: list[units.Member | None] = []
    for number, program in enumerate(programs):
        try:
            text = toolchain.translate(write(program), program.name, backward=False, cuda=False)
        except toolchain.CompileError:
            members.append(None)
            continue
        # A kernel in a closure has its entries under a longer name.
        entry = re.search(r"(\w+)_cpu_forward\(", text.cpu)
        assert entry is not None
        members.append(units.Member(f"kernel{number}", replace(text, name=entry[1])))
    library = toolchain.compile_native(units.native_unit([m for m in members if m is not None]))
    for program, member in zip(programs, members, strict=True):
        if member is None:
            yield None
            continue
        runner = Runner(program.signature, member, library, cuda=False)
        results = [runner.run(moved(drawn_for, program.signature, case)).outputs for case in cases]
        yield {name: np.stack([result[name] for result in results]) for name in results[0]}
    library.unload()


def equal(before: Outputs, after: Outputs | None, rounds: bool) -> bool:
    if after is None or before.keys() != after.keys():
        return False
    if rounds:
        return all(np.allclose(before[name], after[name], rtol=2e-3, atol=1e-3) for name in before)
    return all(np.array_equal(before[name], after[name], equal_nan=True) for name in before)


def measure(number: int, seed: int, run: bool) -> Measured:
    """One drawn program, through every pass."""
    address = Address(seed, CATEGORIES[number % len(CATEGORIES)], number // len(CATEGORIES))
    program = draw(address).program
    made = made_over(program, str(address))
    table = {name: Counter({"made": 1}) for name in made}
    for name, (before, after) in made.items():
        table[name][READ] += is_read_back(after)
        table[name][LEGAL] += is_legal(after)
        table[name][SAME] += identify_meaning(before).skeleton == identify_meaning(after).skeleton
    if not run:
        return table
    cases = [make_inputs(program.signature, f"{address}/{case}") for case in range(SETS)]
    wanted = interpreted(program, program.signature, cases)
    every = [program, *(after for _, after in made.values())]
    of_warp, *by_warp = launched(every, program.signature, cases)
    assert of_warp is not None
    for (name, (_, after)), outputs in zip(made.items(), by_warp, strict=True):
        rounds = PASSES[name].rounds
        found = interpreted(after, program.signature, cases)
        table[name]["run"] += 1
        table[name][INTERPRETED] += equal(wanted, found, rounds)
        table[name][LAUNCHED] += equal(of_warp, outputs, rounds)
    return table


def failures(name: str, row: Counter[str]) -> Iterator[str]:
    for column in (READ, LEGAL, *([SAME] if PASSES[name].respells else [])):
        if row[column] < row["made"]:
            yield column
    for column in (INTERPRETED, LAUNCHED):
        least = row["run"] * (1 - MOST_ROUNDED * PASSES[name].rounds)
        if row[column] < least:
            yield column


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=20_000, help="programs that go through every pass")
    parser.add_argument("--launched", type=int, default=500, help="of these, programs that are also run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    table: Measured = {name: Counter() for name in PASSES}
    numbers = range(options.programs)
    runs = [number < options.launched for number in numbers]
    with ProcessPoolExecutor(options.processes) as pool:
        rows = pool.map(measure, numbers, repeat(options.seed), runs, chunksize=4)
        for row in tqdm(rows, total=len(numbers), unit="programs", disable=not sys.stderr.isatty()):
            for name, counted in row.items():
                table[name].update(counted)
    print(f"{'pass':24}{''.join(f'{column:>13}' for column in COLUMNS)}{'of':>8}")
    failed = 0
    for name, counted in table.items():
        wrong = list(failures(name, counted))
        failed += bool(wrong)
        cells = "".join(f"{counted[column]:13,}" for column in COLUMNS)
        print(f"{name:24}{cells}{counted['run']:8,}{'  NO: ' + ', '.join(wrong) if wrong else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
