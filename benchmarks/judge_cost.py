"""What judging costs: ``python benchmarks/judge_cost.py OUT``, a table in Markdown.

OUT is a folder that `warp-ir build` wrote. Of each config some rows are judged in a process of its own: first
what a row itself costs (its kernel is drawn again; hidden inputs and their outputs are computed), which its
answers share, and then its answers, one after the other, each as it stands: right ones, wrong ones that
compile, and ones that the compiler refuses. After that several callers judge at once, each its own rows.

Costs are of CPU time, of this process and all that it starts, so that they hold on a busy machine; Linux
counts that of children in hundredths of a second. Answers a second are what two cores give at that cost. What
callers wait for is by the wall clock, and tells something on an idle machine only. The judge has started, and
has judged an answer, before a clock starts; and it has read the templates that a kernel is made of.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from support.files import rows_in
from tqdm import tqdm

from warp_ir_dataset import score
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.question import Unsupported, question_of
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Verdict
from warp_ir_dataset.synthesis.sampling import sample

CORES = 2
SEED = 0  # of hidden inputs
COLUMNS = ("prompt", "completion")
TICKS = os.sysconf("SC_CLK_TCK")  # a second
MEGABYTE = 1 << 20
RIGHT, WRONG, REFUSED = "right", "wrong", "refused"

Row = Mapping[str, Any]


@dataclass
class Costs:
    """Of one config, in CPU seconds: of each row `drawn` again and `prepared`; of each answer by its kind,
    and of the `first` one to each row. `illegal` counts the sizes that were drawn again for a row. `memory`
    are the bytes held after each row, by the judge and its fork server. `unlike` are verdicts that
    another one was expected for."""

    drawn: list[float] = field(default_factory=list)
    prepared: list[float] = field(default_factory=list)
    illegal: list[int] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    answers: dict[str, list[float]] = field(default_factory=lambda: {RIGHT: [], WRONG: [], REFUSED: []})
    memory: list[int] = field(default_factory=list)
    unlike: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AtOnce:
    """Of several callers: CPU seconds of an answer, what each waited for its verdict, and the bytes that all
    processes held."""

    cpu: float
    waited: list[float]
    memory: int
    unlike: list[str]


# ---- one caller


def alone(rows: Sequence[Row], config: str, group: int, others: int) -> Costs:
    """Costs of a config: of each row but the last one, which the judge is warmed up with, `group` right
    answers and so many `others` of each kind."""
    costs = Costs()
    with Cage() as cage:
        referee = Referee(cage)
        *rows, last = rows
        referee.judge(Answer(last, last["completion"], config, SEED))
        for row in rows:
            sample(Address.of(row))  # reads what its templates are
            clock = Clock(cage.process_id)
            question = question_of(row, CONFIGS[config])
            costs.drawn.append(clock.lap())
            with suppress(Unsupported):  # its answers then say so
                prepared = referee.prepare(question, Answer(row, "", config, SEED).drawn_by)
                costs.illegal.append(prepared.expected.illegal)
            costs.prepared.append(clock.lap())
            for number, (kind, text) in enumerate(answers(row["completion"], config, group, others)):
                verdict = referee.judge(Answer(row, text, config, SEED))
                costs.answers[kind].append(clock.lap())
                if number == 0:
                    costs.first.append(costs.answers[kind][-1])
                costs.unlike += unlike(row, kind, verdict)
            costs.memory.append(sum(map(resident, (os.getpid(), cage.process_id))))
    return costs


class Clock:
    """CPU seconds of this process and of a child, with what that has waited for."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._last = self._now()

    def _now(self) -> float:
        return time.process_time() + of_process(self._child)

    def lap(self) -> float:
        """Since the last lap."""
        before, self._last = self._last, self._now()
        return self._last - before


def answers(own: str, config: str, group: int, others: int) -> Iterator[tuple[str, str]]:
    """So many right answers, then others of each kind: no two of them the same text, and in Python no two the
    same program: each kernel has a local of its own."""
    python = CONFIGS[config].python
    texts = [(RIGHT, own)] * group
    texts += [(WRONG, wrong(own)), (REFUSED, refused(own, python=python))] * others
    for number, (kind, text) in enumerate(texts):
        yield kind, with_line(text, f"spare_{number} = {number}") if python else f"{text}\n// {number}\n"


def wrong(own: str) -> str:
    """The same with a sum for a difference, or the like: it compiles."""
    for old, new in (("wp::add(", "wp::sub("), ("wp::mul(", "wp::add("), (" + ", " - "), (" * ", " + ")):
        if old in own:
            return own.replace(old, new, 1)
    return own


def refused(own: str, *, python: bool) -> str:
    head, brace, rest = own.rpartition("}")
    return with_line(own, "wp.not_there(1)") if python else f"{head}    not_there(1);\n{brace}{rest}"


def with_line(module: str, line: str) -> str:
    """A module in Python with one more line at the end of its kernel, behind which a closure goes on."""
    functions = [node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.FunctionDef)]
    kernel = next(f for f in functions if any("wp.kernel" in ast.unparse(d) for d in f.decorator_list))
    assert kernel.end_lineno is not None
    lines = module.splitlines()
    lines.insert(kernel.end_lineno, " " * kernel.body[0].col_offset + line)
    return "\n".join(lines) + "\n"


def unlike(row: Row, kind: str, verdict: Verdict) -> Iterator[str]:
    """A right answer that did not score, and a refused one that did; some of the wrong ones are right."""
    if kind != WRONG and verdict.value != (1.0 if kind == RIGHT else 0.0):
        yield f"{row['id']}: {kind}: {verdict.status.value}: {verdict.feedback}"


# ---- several callers


def at_once(rows: Sequence[Row], config: str, callers: int, group: int) -> AtOnce:
    """Costs with so many callers in threads of their own, each with rows of its own: what a row costs is
    shared by `group` right answers. Their judges are kept from config to config."""

    def call(some: Sequence[Row]) -> list[tuple[float, Row, Verdict]]:
        found = []
        for row in some:
            for _, text in answers(row["completion"], config, group, 0):
                start = time.perf_counter()
                verdict = score(row, text, config=config)
                found.append((time.perf_counter() - start, row, verdict))
        return found

    with ThreadPoolExecutor(callers) as pool:
        list(pool.map(call, [rows[-1:]] * callers))
        before = of_tree()
        found = [each for some in pool.map(call, [rows[n::callers] for n in range(callers)]) for each in some]
        cpu = (of_tree() - before) / len(found)
    unlikes = [line for _, row, verdict in found for line in unlike(row, RIGHT, verdict)]
    return AtOnce(cpu, [waited for waited, *_ in found], sum(map(resident, tree())), unlikes)


# ---- the machine's accounts (Linux's `proc(5)`)


def of_process(process: int) -> float:
    """CPU seconds of a process and of those that it has waited for."""
    return sum(map(int, _stat(process)[11:15])) / TICKS  # utime, stime, cutime, cstime


def _stat(process: int) -> list[str]:
    """From the process's state on."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def tree() -> set[int]:
    """This process and all that descend from it."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(name)] = int(_stat(int(name))[1])
        except OSError:  # it has ended
            continue
    found, more = set[int](), {os.getpid()}
    while more:
        found |= more
        more = {process for process, parent in parents.items() if parent in more}
    return found


def of_tree() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + sum(map(of_process, tree() - {os.getpid()}))


def resident(process: int) -> int:
    """Bytes that a process holds; pages that several share count in parts (proportional set size)."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    (line,) = (line for line in text.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) << 10


# ---- the table


def figures(costs: Costs, crowd: AtOnce | None, callers: int) -> Iterator[tuple[str, str]]:
    """The rows of the table for one config: what, and how much."""
    right, row = costs.answers[RIGHT], fmean(costs.drawn) + fmean(costs.prepared)
    yield "a row: its kernel drawn again", _ms(fmean(costs.drawn))
    yield "a row: hidden inputs and their outputs", _ms(fmean(costs.prepared))
    yield "sizes that were not legal and drawn again", f"{sum(costs.illegal)} for {len(costs.illegal)} rows"
    yield "a right answer, mean", _ms(fmean(right))
    yield "median; 95th percentile", f"{_ms(median(right))}; {_ms(float(np.percentile(right, 95)))}"
    for kind in (WRONG, REFUSED):
        if costs.answers[kind]:
            # Some wrong ones run until they are stopped, which would be most of a mean.
            yield f"a {kind} answer, median", _ms(median(costs.answers[kind]))
    group = len(right) // len(costs.drawn)
    yield f"answers a second on two cores, {group} to a row", f"{CORES / (fmean(right) + row / group):.1f}"
    yield "one to a row", f"{CORES / (fmean(costs.first) + row):.1f}"
    held, half = costs.memory[-1], costs.memory[len(costs.memory) // 2]
    yield "memory; its growth over the last half", f"{_mb(held)}; {held / half - 1:.1%}"
    if crowd is not None:
        yield f"{callers} callers at once: an answer with its row's share", _ms(crowd.cpu)
        waited = np.percentile(crowd.waited, [50, 95])
        yield "waited for, median; 95th percentile", f"{waited[0]:.2f}; {waited[1]:.2f} s"
        yield "memory of all", _mb(crowd.memory)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


def _mb(count: float) -> str:
    return f"{count / MEGABYTE:,.0f} MB"


def lines(table: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """The table, with a column for each config."""
    yield f"| CPU time, judge | {' | '.join(f'`{config}`' for config in table)} |"
    yield f"|---|{'---:|' * len(table)}"
    for what in dict.fromkeys(what for column in table.values() for what in column):
        yield f"| {what} | {' | '.join(column.get(what, '') for column in table.values())} |"


def main(words: Sequence[str] | None = None) -> int:
    names = [config.name for config in tasks()]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="OUT")
    parser.add_argument("--config", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--rows", type=int, default=24, help="of each config")
    parser.add_argument("--group", type=int, default=16, help="right answers to each row")
    parser.add_argument("--others", type=int, default=2, help="wrong, and refused, answers to each row")
    parser.add_argument("--callers", type=int, default=8, help="at once; 0 for none")
    parser.add_argument("--seed", type=int, default=0, help="by which rows are drawn")
    options = parser.parse_args(words)
    if min(options.rows, options.group) < 1 or min(options.others, options.callers) < 0:
        parser.error("--rows and --group are numbers from 1 on, --others and --callers from 0 on")
    table: dict[str, dict[str, str]] = {}
    failed: list[str] = []
    for config in tqdm(options.config, "judging", disable=not sys.stderr.isatty()):
        try:
            rows = rows_in(options.folder, config, options.seed, COLUMNS)[: options.rows + 1]
        except UserError as error:
            parser.error(str(error))
        if len(rows) < 2:
            parser.error(f"{options.folder} has one row of {config}: two are needed")
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            costs = pool.submit(alone, rows, config, options.group, options.others).result()
        crowd = at_once(rows, config, options.callers, options.group) if options.callers else None
        table[config] = dict(figures(costs, crowd, options.callers))
        failed += (f"{config} {line}" for line in (*costs.unlike, *(crowd.unlike if crowd else ())))
    print(*lines(table), *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
