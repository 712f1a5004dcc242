"""Whether the judge is right about answers that are known: ``python benchmarks/verdicts.py OUT``.

OUT is a folder that `warp-ir build` wrote. Of each config its rows are judged in these ways:

own      each row's own completion, which must score; of configs that ask for Python that is its source
trivial  answers that compute nothing or something else, which must not: no statement, zeros, a constant, the
         number that is commonest in the examples, the thread index, each input copied out, a table of one
         example or of all, kernels of other rows and draws that take the same arguments, an adjoint without
         gradients, the module that is to be repaired. They are written in the config's language, so that
         they compile; which of them did is counted, as one that does not shows nothing.
sized    the row's own text with an edit that is right at the sizes of the row's launch alone
         (`support/sized_answers`), which must not score
right    answers that are right and not the row's text: every pass that keeps the meaning, sums in another
         order, other names, no comments, other settings of Warp's, and those of the kernels above that turn
         out to mean the same. Of these 99 % must score.
rounded  right answers that compute in another order, and round otherwise (`support/arithmetic.py`): sums
         backwards or in pairs, products written out, reciprocals, double precision, fused products. All of
         them that the first rows have; 99 % must score.
together  of plain CUDA, the row's own text with a use of shared memory, a barrier or a shuffle that changes
         nothing (`support/cuda_answers`), which must score
careless  of plain CUDA, the row's own text made wrong for other blocks, for threads that meet or for CUDA's
         compilers, which must not score
mutants  the row's program with one mistake (`language/mutants`), and its adjoint's text with one; so many of
         a config, drawn by the seed. One that scores must be equivalent, or no further off than rounding
         goes (`judge/tolerance.py`), on 64 other inputs and 64 extreme ones at each of the sizes that the
         judge draws.

Of `handwritten`, if it is named, rows are judged in the first way alone, by their answers to all tasks.

What is judged otherwise is printed, with the row's address and a mutant's edit. Wrong answers that scored
(false accepts) and right ones that did not (false rejects) are given with intervals of 95 %. The exit status
is 1 where there are too many.

Not covered: answers that people or models wrote.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from support import judged_mutants
from support.cuda_answers import careless, together
from support.files import rows_in
from support.judged_mutants import Edited, mutated
from support.right_answers import CHANGES, Asked, right, rounded
from support.sized_answers import of_one_size
from support.trivial_answers import BROKEN, beside, fitted, trivial
from tqdm import tqdm

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, tasks, whole_tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.evaluation.measure import share_interval
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.question import NEEDED
from warp_ir_dataset.judge.score import judged
from warp_ir_dataset.judge.verdict import Status, Verdict
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.mutants.table import OPERATORS
from warp_ir_dataset.synthesis.sampling import sample

WAYS = ("own", "trivial", "sized", "right", "rounded", "together", "careless", "mutants")
WRONG = ("trivial", "sized", "careless", "mutants")  # those that must not score
OF_ROWS = ("trivial", "sized", "together", "careless")  # so many answers to a row as there are
LEAST_RIGHT = 0.99  # of right and rounded answers that must score
NEIGHBOURS = 2  # of each row
DRAWS = 12  # of its family, and as many rows, among which neighbours are looked for
MORE = ("prompt", "completion", "examples", "arguments")
NOT_RUN = (Status.COMPILE_ERROR, Status.FORBIDDEN, Status.EMPTY, Status.UNSUPPORTED, Status.UNAVAILABLE)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Known:
    """An answer, of which way and kind it is, and to which row of which config."""

    config: str
    way: str
    kind: str
    row: Row
    text: str
    edited: Edited | None = None  # of mutants


@dataclass(frozen=True)
class Told:
    """A known answer and what the judge made of it; `excuse` says why a mutant that scored is no mistake, and
    `shown` what that follows from."""

    known: Known
    verdict: Verdict
    excuse: str = ""
    shown: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether the judge is wrong, or says nothing, about it."""
        return not self.excuse and self.verdict.value != (0.0 if self.known.way in WRONG else 1.0)

    @property
    def shows_nothing(self) -> bool:
        """Whether a trivial answer was refused for its text, which tells nothing of what it computes. Of
        a module to be repaired it may be the mistake that is refused."""
        known = self.known
        refused = self.verdict.status in NOT_RUN
        return known.way in ("trivial", "sized") and known.kind != BROKEN and refused

    def __str__(self) -> str:
        row, known = self.known.row, self.known
        where = f"{known.config} {row['id']} ({row['category']}, {Address.of(row)})"
        what = f": {known.edited.edit}" if known.edited is not None else f": {self.verdict.feedback}"
        excuse = f" ({self.excuse or 'a mistake'}: {self.shown})" if self.shown else ""
        return f"{where}: {known.way}: {known.kind}: {self.verdict.status.value}{excuse}{what}"


def neighbours(own: ir.Program, addresses: Iterable[Address]) -> Iterator[ir.Program]:
    """The other kernels at some addresses that can do with what `own` is given, and write what it writes."""
    for address in addresses:
        program = sample(address).program
        if fitted(program, own) is not None and program != own:
            yield program


def looked_at(row: Row, others: Sequence[Row], seed: int) -> list[Address]:
    """Where neighbours may be: rows of such arguments, and the draws behind the row's own."""
    alike = [other for other in others if other["id"] != row["id"] and _may_fit(other["takes"], row["takes"])]
    found = [Address.of(other) for other in Rng(f"{seed}/{row['id']}/neighbours").shuffled(alike)[:DRAWS]]
    own = Address.of(row)
    return [*found, *(replace(own, draw=own.draw + 1 + n) for n in range(DRAWS))]


def _may_fit(other: Counter[tuple[Any, ...]], own: Counter[tuple[Any, ...]]) -> bool:
    less = {kind: own[kind] - other[kind] for kind in own | other}
    return all(left == 0 if written else left >= 0 for (*_, written), left in less.items())


def made(
    place: int,
    row: Row,
    addresses: Sequence[Address],
    *,
    config: str,
    numbers: Mapping[str, int],
    operators: Sequence[str],
    seed: int,
) -> list[Known]:
    """All answers to one row; `numbers` says to how many `rows` there are trivial, sized and rounded answers,
    how many right ones to each, and how many mutants of all, by these `operators` if there are any.
    `addresses` are where neighbours may be."""
    own = sample(Address.of(row)).program
    asked = Asked(CONFIGS[config], row, own)
    found = [("own", "own", row["completion"])] if "own" in numbers else []
    if place < numbers.get("trivial", 0):
        found += (("trivial", kind, text) for kind, text in trivial(asked))
        found += beside(asked, list(islice(neighbours(own, addresses), NEIGHBOURS)))
    if place < numbers.get("sized", 0):
        found += (("sized", kind, text) for kind, text in of_one_size(asked))
    if count := numbers.get("right", 0):
        seeded = f"{seed}/{row['id']}"
        found += (("right", kind, text) for kind, text in right(asked, seeded, count))
    if place < numbers.get("rounded", 0):
        found += (("rounded", kind, text) for kind, text in rounded(asked, f"{seed}/{row['id']}"))
    for way, answers_of in (("together", together), ("careless", careless)):
        if asked.config.plain and place < numbers.get(way, 0):
            found += ((way, kind, text) for kind, text in answers_of(asked))
    slim = {name: row[name] for name in (*NEEDED, "prompt")}
    answers = [Known(config, way, kind, slim, text) for way, kind, text in found]
    more = -(-numbers.get("mutants", 0) // numbers["rows"])
    if more * (place + 1) <= numbers.get("mutants", 0):
        whole = {**slim, "completion": row["completion"]}
        some = mutated(asked, f"{seed}/{config}/{row['id']}/mutants", more, operators)
        answers += (Known(config, "mutants", each.operator, whole, each.text, each) for each in some)
    return answers


def of_people(rows: Sequence[Row]) -> list[Known]:
    """The own answers of rows that people wrote, task by task: nothing is drawn at their address."""
    return [
        Known(task.name, "own", "own", {k: v for k, v in row.items() if k != "completions"}, text)
        for task in whole_tasks()
        for row in rows
        if (text := row["completions"][task.name]) is not None
    ]


def rows_of_config(folder: Path, config: str, seed: int) -> list[Row]:
    """Its rows, each with what its kernel `takes`. Raises `UserError` where there are none."""
    more = (*MORE, *(("broken",) if CONFIGS[config].broken else ()))
    rows = rows_in(folder, config, seed, more)
    for row in rows:
        told = ((each["type"], each["ndim"], each["role"] != "input") for each in row["arguments"])
        row["takes"] = Counter(told)
    return list(rows)


def all_made(config: str, rows: Sequence[Row], options: argparse.Namespace) -> list[Known]:
    numbers = dict.fromkeys(options.ways, 1)
    numbers |= {way: options.trivial for way in OF_ROWS if way in numbers}
    if "rounded" in numbers:
        numbers["rounded"] = options.rounded
    if "right" in numbers:
        numbers["right"] = max(1, -(-options.right // len(rows)))
    if "mutants" in numbers:
        numbers["mutants"] = options.mutants
    numbers["rows"] = len(rows)
    make = partial(made, config=config, numbers=numbers, operators=options.operators, seed=options.seed)
    addresses = [looked_at(row, rows, options.seed) for row in rows]
    with ProcessPoolExecutor(options.workers) as pool:
        bar = tqdm(
            pool.map(make, range(len(rows)), rows, addresses, chunksize=4),
            f"{config}: writing",
            len(rows),
            unit="rows",
            disable=options.quiet,
        )
        return [answer for answers in bar for answer in answers]


def all_told(config: str, known: Sequence[Known], options: argparse.Namespace) -> list[Told]:
    answers = [Answer(each.row, each.text, each.config, options.seed) for each in known]
    found = judged(answers, options.workers, False)
    bar = tqdm(found, f"{config}: judging", len(answers), unit="answers", disable=options.quiet)
    told = [Told(known[place], verdict) for place, verdict in sorted(bar, key=lambda pair: pair[0])]
    survivors = [
        place
        for place, each in enumerate(told)
        if each.known.edited is not None and each.verdict.status is Status.CORRECT
    ]
    with ProcessPoolExecutor(options.workers) as pool:
        excuses = pool.map(excuse_of, [told[place].known for place in survivors])
        for place, excuse in zip(survivors, excuses, strict=True):
            told[place] = replace(told[place], excuse=excuse.why, shown=excuse.shown)
    return told


def excuse_of(known: Known) -> judged_mutants.Excuse:
    """Why a mutant that scored is no mistake, if it is none."""
    assert known.edited is not None
    asked = Asked(CONFIGS[known.config], known.row, sample(Address.of(known.row)).program)
    return judged_mutants.excuse(asked, known.edited)


# ---- what is told


def summed(told: Sequence[Told]) -> dict[str, dict[str, Any]]:
    """By way and kind, all kinds of a way together first: answers, those that scored, that scored and are
    excused, that ran, statuses."""
    groups: dict[str, list[Told]] = defaultdict(list)
    for each in told:
        groups[each.known.way].append(each)
    order = {kind: place for place, kind in enumerate(CHANGES)}
    for each in sorted(told, key=lambda one: order.get(one.known.kind, 0)):
        if each.known.way != "own":
            groups[f"{each.known.way}: {each.known.kind}"].append(each)
    return {name: figures(groups[name]) for way in WAYS for name in groups if name.partition(":")[0] == way}


def figures(told: Sequence[Told]) -> dict[str, Any]:
    statuses = Counter(each.verdict.status.value for each in told)
    return {
        "answers": len(told),
        "rows": len({(each.known.config, each.known.row["id"]) for each in told}),
        "scored": statuses[Status.CORRECT.value],
        "excused": sum(bool(each.excuse) for each in told),
        "ran": sum(each.verdict.status not in NOT_RUN for each in told),
        "statuses": dict(sorted(statuses.items())),
    }


def is_listed(each: Told) -> bool:
    return each.is_wrong or each.shows_nothing or bool(each.excuse)


def is_enough(way: str, found: Mapping[str, Any]) -> bool:
    if way in WRONG:
        return bool(found["scored"] == found["excused"])
    return bool(found["scored"] >= (1 if way == "own" else LEAST_RIGHT) * found["answers"])


def errors(table: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """Of each way, how many wrong answers scored, or right ones did not, of how many."""
    found = {}
    for way in (way for way in WAYS if way in table):
        row = table[way]
        accepted = row["scored"] - row["excused"]
        found[way] = accepted if way in WRONG else row["answers"] - accepted, row["answers"]
    return found


def lines(config: str, table: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"{config:<44}{'rows':>7}{'answers':>9}{'ran':>7}{'scored':>8}{'excused':>9}   statuses"
    for name, row in table.items():
        way, colon, kind = name.partition(": ")
        shown = f"  {kind}" if colon else way
        statuses = ", ".join(f"{count} {status}" for status, count in row["statuses"].items())
        enough = "" if colon or is_enough(way, row) else "   NO"
        numbers = (
            f"{row['rows']:>7,}{row['answers']:>9,}{row['ran']:>7,}{row['scored']:>8,}{row['excused']:>9,}"
        )
        yield f"{shown:<44}{numbers}   {statuses}{enough}"
    for way, (count, of) in errors(table).items():
        name = f"false {'accepts' if way in WRONG else 'rejects'}: {way}"
        low, high = share_interval(count, of)
        yield f"{name:<44}{count:>7,} of {of:,}: {count / of:.2%} ({low:.2%} to {high:.2%})"
    yield ""


def main(words: Sequence[str] | None = None) -> int:
    names, every_name = [config.name for config in tasks()], list(CONFIGS)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="OUT")
    parser.add_argument("--config", nargs="+", choices=every_name, default=names, metavar="NAME")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--limit", type=int, help="rows of each config, if not all")
    parser.add_argument(
        "--trivial",
        type=int,
        default=300,
        help="rows of each config with trivial answers, and those of one size",
    )
    parser.add_argument("--right", type=int, default=170, help="right answers of each config, about")
    parser.add_argument("--mutants", type=int, default=300, help="of each config, at most")
    parser.add_argument(
        "--operators", nargs="+", choices=OPERATORS, default=(), metavar="NAME", help="of mutants, if not all"
    )
    parser.add_argument("--rounded", type=int, default=30, help="rows of each config with rounded answers")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn, hidden inputs too")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="show no bars")
    options = parser.parse_args(words)
    options.quiet = options.quiet or not sys.stderr.isatty()
    told: dict[str, list[Told]] = {}
    if options.limit is not None and options.limit < 1:
        parser.error("--limit is a number of rows, from 1 on")
    for config in options.config:
        try:
            if CONFIGS[config].drawn:
                rows = rows_of_config(options.folder, config, options.seed)[: options.limit]
                known = all_made(config, rows, options)
            else:
                known = of_people(
                    rows_in(options.folder, config, options.seed, ["completions"])[: options.limit]
                )
        except UserError as error:
            parser.error(str(error))
        told[config] = all_told(config, known, options)
        if not options.json:
            print(*lines(config, summed(told[config])), sep="\n")
            print(*(each for each in told[config] if is_listed(each)), "", sep="\n")
    every = [each for of_config in told.values() for each in of_config]
    table = summed(every)
    refused = [each for each in every if is_listed(each)]
    if options.json:
        by_config = {name: summed(of_config) for name, of_config in told.items()}
        print(json.dumps({"all": table, "configs": by_config, "judged otherwise": list(map(str, refused))}))
    elif len(told) > 1:
        print(*lines("all configs", table), sep="\n")
    return 0 if all(is_enough(way, table[way]) for way in WAYS if way in table) else 1


if __name__ == "__main__":
    sys.exit(main())
