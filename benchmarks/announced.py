"""Whether announcing accesses changes results: ``python benchmarks/announced.py OUT``.

The machine has clang announce each access of a kernel, and check bounds, the targets of calls and more. Here
the own texts of the rows in OUT, a folder that `warp-ir build` wrote, run twice on hidden inputs, one thread
after the other: with all that, and compiled without any of it. Every byte of every output and gradient must
be the same.

A text that differs is named, with the first array in which it does. The exit status is 1 then, and if a text
does not run or breaks a rule of CUDA's.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from support.files import rows_in
from tqdm import tqdm

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge import candidate
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cuda.plain import left
from warp_ir_dataset.judge.launches import Launcher
from warp_ir_dataset.judge.question import Unsupported, question_of
from warp_ir_dataset.judge.referee import Prepared, Referee, own_code
from warp_ir_dataset.machine import check, text
from warp_ir_dataset.proof.run import Result

TASKS = ("cuda", "cuda_backward", "warp_to_cuda")
SEED = 0  # of hidden inputs
# Of clang's options those from the first check on that change the code; what follows says how to debug it.
_CHECKS = re.compile(r"-fsanitize=thread.*?(?=\s+-debug-info-kind|\s*\Z)", re.DOTALL)

Place = Callable[[int, int], check.Job]


def placed(prepared: Prepared) -> Place:
    """What makes a job of a row's own text, whose threads run one after the other."""
    code, asked = own_code(prepared), prepared.plain
    if asked is not None:
        return partial(check.placed_job, text.read(code), asked.before, asked.kernel, in_turn(asked.launches))
    made = candidate.native(code, prepared.question.config, prepared.expected.translation)
    entries = [made.forward, *filter(None, [made.backward])]
    return partial(check.placed_job_of_warp, made.unit, entries, in_turn(prepared.launches), racing=True)


def in_turn(launches: Sequence[check.Placed]) -> list[check.Placed]:
    return [replace(launch, order=check.passes(SEED)[check.FORWARD]) for launch in launches]


def unannounced(place: Place, checks: str) -> Place:
    """The same job of a text that is compiled without these options of clang's."""

    def placed(file: int, start: int) -> check.Job:
        job = place(file, start)
        job.wanted["flags"] = {"without": checks}
        return job

    return placed


def differing(announced: Sequence[Result], plain: Sequence[Result]) -> str | None:
    """The first array of which a byte is another one; None if there is none."""
    for one, other in zip(announced, plain, strict=True):
        for found, wanted in ((one.outputs, other.outputs), (one.gradients, other.gradients)):
            for name, array in wanted.items():
                if found[name].tobytes() != array.tobytes():
                    return name
    return None


def compared(launcher: Launcher, referee: Referee, row: Mapping[str, Any], config: str) -> str | None:
    """What is wrong with a row's text; None if nothing is. Raises `Unsupported`."""
    prepared = referee.prepare(question_of(row, CONFIGS[config]), str(SEED))
    place, found = placed(prepared), []
    (checks,) = _CHECKS.findall(warp.ANNOUNCED_OF_WARP if prepared.plain is None else warp.ANNOUNCED)
    for how, make in (("announced", place), ("without checks", unannounced(place, checks))):
        results = left(launcher, prepared.pages, make)
        if not isinstance(results, list):
            return f"{how}: {results}"
        found.append(results)
    name = differing(*found)
    return name and f"{name} differs"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="OUT")
    parser.add_argument("--config", nargs="+", choices=TASKS, default=TASKS, metavar="NAME")
    parser.add_argument("--rows", type=int, default=24, help="of each config")
    options = parser.parse_args(words)
    if options.rows < 1:
        parser.error("--rows is a number from 1 on")
    wrong = 0
    with Cage() as cage:
        launcher, referee = Launcher(cage), Referee(cage)
        for config in options.config:
            try:
                rows = rows_in(options.folder, config, SEED, ())[: options.rows]
            except UserError as error:
                parser.error(str(error))
            same = unsupported = 0
            for row in tqdm(rows, config, disable=not sys.stderr.isatty()):
                try:
                    told = compared(launcher, referee, row, config)
                except Unsupported:
                    unsupported += 1
                    continue
                same += told is None
                if told is not None:
                    print(f"{config} {row['id']}: {told}")
            wrong += len(rows) - unsupported - same
            print(f"{config}: {same} of {len(rows)} texts leave the same bytes, {unsupported} are not judged")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
