"""Whether specifications are complete: ``python research/specifications.py``.

Drawn programs are told in words, as they are drawn and after a few passes. A mechanical reader, which shares
no code with what wrote the text, calculates what it says: outputs must be those of the tree. Kernels
whose outputs nothing decides are counted apart. Then trees are edited, one edit at a time; an edit that
changes an output must change the text. The exit status is 1 where the reader disagrees or has no words for a
text, or an edit is lost.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import islice, repeat
from pathlib import Path

import numpy as np
from tqdm import tqdm

from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.mutants.table import every_mutant
from warp_ir_dataset.language.passes.table import PASSES
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

sys.path.append(str(Path(__file__).parent.parent / "tests/language/specification"))
read = import_module("blind.read").read
tokens = import_module("blind.tokens")
edits = import_module("edits")
changed_text, outputs_of, same = edits.changed_text, edits.outputs_of, edits.same

SETS = 3
EVERY = {**PASSES, **TWIN_PASSES}
PASSES_TRIED = 3
SHAKE = 1e-13  # relative

Outputs = Mapping[str, np.ndarray]
NOTHING = "addresses that give nothing"
NO_WORDS = "texts it has no words for"
OPEN = "outputs that nothing decides"
COUNTED = (NOTHING, "programs", "texts read", OPEN, "edits", "edits that change the text")
# What is counted too, and must be zero.
DISAGREES, LOST = "the reader disagrees", "edits lost"
FAILURES = (NO_WORDS, DISAGREES, LOST)


def shaken(case: Outputs, seed: int) -> Outputs:
    """Inputs that differ in what float64 hardly tells."""
    rng = np.random.default_rng(seed)
    return {
        name: value * (1 + SHAKE * rng.uniform(-1, 1, value.shape)) if value.dtype.kind == "f" else value
        for name, value in ((name, np.asarray(given)) for name, given in case.items())
    }


def settled(program: ir.Program, case: Outputs, outputs: Outputs) -> bool:
    """Whether a tree's outputs stay when inputs are shaken: elsewhere roundings decide, and no text can."""
    others = (outputs_of(program, [shaken(case, seed)]) for seed in range(SETS))
    return all(other is not None and same(outputs, other) for other in others)


def told_rightly(program: ir.Program, text: str) -> bool | None:
    """Whether the text, read back, gives the outputs of the tree; None where nothing decides them: where
    they depend on roundings, or on the integer that infinity becomes."""
    case = make_inputs(program.signature, "told")
    wanted = outputs_of(program, [case])
    assert wanted is not None
    try:
        found = read(text).launched(case)
    except tokens.Undefined:
        return None
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False
    right = same({name: value[0] for name, value in wanted.items()}, found)
    return right if right or settled(program, case, wanted) else None


def respelled(program: ir.Program, text: str) -> Iterator[tuple[str, ir.Program]]:
    """The program as it is, and after some of the passes that apply to it, by the names of these."""
    yield "as drawn", program
    names = sorted(EVERY)
    random.Random(text).shuffle(names)
    made = ((name, EVERY[name](program, Rng(f"{text}/{name}"))) for name in names)
    yield from islice(((name, other) for name, other in made if other is not None), PASSES_TRIED)


def measure(number: int, seed: int, most_edits: int) -> tuple[Counter[str], int, list[str]]:
    """One drawn program: what is counted, the length of its text, and what is wrong, a line each."""
    address = address_of(seed, CATEGORIES[number % len(CATEGORIES)], number // len(CATEGORIES))
    try:
        program = sample(address).program
    except GenerationFailed:  # a plan takes another address then
        return Counter({NOTHING: 1}), 0, []
    text = specify(program)
    found = Counter(programs=1)
    wrong = []
    for name, other in respelled(program, str(address)):
        try:
            right = told_rightly(other, specify(other))
        except tokens.Unreadable as unread:
            found[NO_WORDS] += 1
            wrong.append(f"no words: {address}, {name}: {unread}")
            continue
        found["texts read"] += 1
        if right is None:
            found[OPEN] += 1
            wrong.append(f"{OPEN}: {address}, {name}")
        elif not right:
            found[DISAGREES] += 1
            wrong.append(f"{DISAGREES}: {address}, {name}")
    edited = list(every_mutant(program))
    random.Random(str(address)).shuffle(edited)
    cases = [make_inputs(program.signature, f"{address}/{case}") for case in range(SETS)]
    for mutant in edited[:most_edits]:
        other = mutant.program
        found["edits"] += 1
        if changed_text(other, text):
            found["edits that change the text"] += 1
            continue
        before, after = outputs_of(program, cases), outputs_of(other, cases)
        assert before is not None
        if after is not None and not same(before, after):
            found[LOST] += 1
            wrong.append(f"{LOST}: {address}, {mutant.operator}")
    return found, len(text), wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=2_000)
    parser.add_argument("--edits", type=int, default=5, help="of each program, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    lengths: list[int] = []
    numbers = range(options.programs)
    with ProcessPoolExecutor(options.processes) as pool:
        rows = pool.map(measure, numbers, repeat(options.seed), repeat(options.edits), chunksize=4)
        for found, length, wrong in tqdm(rows, total=len(numbers), disable=not sys.stderr.isatty()):
            total.update(found)
            lengths += [length] if length else []
            for line in wrong:
                print(line, flush=True)
    for name in (*COUNTED, *FAILURES):
        print(f"{name:32}{total[name]:10,}")
    print(f"{'characters of a text, median':32}{statistics.median(lengths):10,.0f}")
    return 1 if any(total[name] for name in FAILURES) else 0


if __name__ == "__main__":
    sys.exit(main())
