"""What a build costs, every budget in one run: ``python benchmarks/throughput.py [--before COMMIT]``.

Whole builds, from plan to Parquet, through real pools whose workers run `support.clocked.produce`. Costs are
of CPU time, so that they hold on a busy machine too; rates and what somebody waits for are also given by the
wall clock. Workers have started and prepared their headers before a clock starts. Needs Linux.

With ``--before`` an older commit is cloned and installed, and measured in the same run where it can be: CPU
of a row (`cpu_per_row.py`), the default build. Two budgets are not measured here: what a kill loses
(`tests/builds/output/test_units.py` holds it), and tokens (`token_lengths.py`).
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from cpu_per_row import MEASURE, WARM_ROWS
from support.checkouts import WORKING_TREE, Checkout, CheckoutError, checkout

from warp_ir_dataset.builds.engine import fill_from
from warp_ir_dataset.builds.filling import BATCH_SIZE
from warp_ir_dataset.builds.plan.candidate_scan import scanning
from warp_ir_dataset.builds.plan.plan import Candidate, Plan, ShardPlan, make_plan
from warp_ir_dataset.builds.request import DEFAULT_ARCH, DEFAULT_KERNELS, Request
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.builds.shards import write_parquet
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis import sampling
from warp_ir_dataset.workers.pool import Pool
from warp_ir_dataset.workers.seats import cores
from warp_ir_dataset.workers.task import Task

PRODUCE = "support.clocked:produce"  # beside this script
SUPPORT = Path(__file__).parent / "support"
TOOLS = ("warp", "clang", "nvrtc")
MEGABYTE = 1 << 20

OVER_FLOOR = 2.0  # CPU of a row, as every proof runs on every case
OWN = {"cpu": 8.0, "cuda": 8.0, "cuda_backward": 16.0}  # milliseconds of a row, to aim at
TEXT_RATIO = 1.15
SPEEDUP = 1.8  # of two workers
SHORT_BATCH = 10  # kernels
RESIDENT = 600.0  # megabytes
GROWTH = 0.05  # of a worker's memory: allocators waver
LOADED = {"cpu": 75.0, "cuda": 75.0, "cuda_backward": 200.0}  # seconds for the default build, on two cores
FIRST_ROW, CACHED = 8.0, 3.0  # seconds

Measured = TypeVar("Measured")
Item = TypeVar("Item")

HEAD = f"{'what':<60} {'before':>12} {'measured':>12}   {'budget':>14}   ok"


@dataclass(frozen=True)
class Figure:
    """A row of the table. `most` says that the budget is a ceiling, otherwise it is a floor; what has none is
    reported. `before` is what an older commit gave."""

    what: str
    measured: float
    budget: float | None = None
    most: bool = True
    unit: str = ""
    before: float | None = None

    def __str__(self) -> str:
        cells = f"{self.what:<60} {self._text(self.before):>12} {self._text(self.measured):>12}"
        if self.budget is None:
            return f"{cells}   {'reported':>14}"
        met = self.measured <= self.budget if self.most else self.measured >= self.budget
        budget = f"{'<=' if self.most else '>='} {self._text(self.budget)}"
        return f"{cells}   {budget:>14}   {'ok' if met else 'NO'}"

    def _text(self, value: float | None) -> str:
        if value is None:
            return ""
        return f"{value:.1%}" if self.unit == "%" else f"{value:.2f}{self.unit}"


# ---- workers and their diary


@dataclass(frozen=True)
class Note:
    """What a worker had spent (CPU seconds) and proved after a batch, and the bytes it held."""

    process: int
    rows: int
    memory: int
    cpu: float
    warp: float
    clang: float
    nvrtc: float


class Crew:
    """A pool whose workers are warm: each has proved a batch, so that none prepares headers any more."""

    def __init__(self, config: str, workers: int, folder: Path) -> None:
        self.diary = Path(tempfile.mkdtemp(dir=folder), "diary")
        self.diary.touch()
        os.environ["WARP_IR_DIARY"] = str(self.diary)
        self.workers = workers
        self.pool = Pool[Candidate](workers, Task(PRODUCE, (config, DEFAULT_ARCH)))
        draws = iter(range(1_000_000))
        while len({note.process for note in self.notes()}) < workers:
            for _ in range(workers):
                self.pool.submit(None, [Candidate(Address(0, "arithmetic", next(draws))) for _ in range(2)])
            list(self.pool.results())
        self.start = {note.process: asdict(note) for note in self.notes()}

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.close()

    def notes(self) -> list[Note]:
        return [Note(**json.loads(line)) for line in self.diary.read_text().splitlines()]

    def memory(self) -> list[int]:
        """Bytes held by the worker with most batches, after each of them."""
        notes = self.notes()
        busiest, _ = Counter(note.process for note in notes).most_common(1)[0]
        return [note.memory for note in notes if note.process == busiest]

    def spent(self) -> dict[str, float]:
        """CPU seconds of all workers since they were warm: in each tool, and in everything (``cpu``)."""
        last = {note.process: asdict(note) for note in self.notes()}
        # A worker that took the place of one that died was not there at the start.
        return {
            kind: sum(
                note[kind] - self.start.get(process, {}).get(kind, 0.0) for process, note in last.items()
            )
            for kind in ("cpu", *TOOLS)
        }


# ---- measurements


@dataclass(frozen=True)
class Timed:
    """A plan, and the CPU and wall-clock seconds that its making took, per row."""

    plan: Plan
    cpu: float
    wall: float

    @property
    def candidates(self) -> list[Candidate]:
        """As many of each queue as it must give rows."""
        queues = [queue for shard in self.plan.shards for queue in shard.queues]
        return [candidate for queue in queues for candidate in queue.candidates[: queue.quota]]


def timed_plan(request: Request, workers: int = 1) -> Timed:
    """What a plan costs with nothing seen before: CPU time of this process and of its workers."""
    wall, cpu = time.perf_counter(), cpu_of_all()
    with scanning(request, partial(Pool[Any], workers), quiet=True) as scan:
        plan = make_plan(request, scan)
    rows = request.num_kernels
    return Timed(plan, (cpu_of_all() - cpu) / rows, (time.perf_counter() - wall) / rows)


def cpu_of_all() -> float:
    """CPU seconds of this process, and of its children that have ended."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, who))


def whole_build(timed: Timed, rows: int, workers: int, folder: Path, least: float) -> Iterator[Figure]:
    """Plan, prove and write: what it takes against the `least` CPU seconds of a row, what is not Warp's,
    LLVM's or NVRTC's, how fast it is, what memory it takes.

    Shards of the plan are filled until there are so many rows.
    """
    config = timed.plan.request.config
    shards = list(first_shards(timed.plan, rows))
    rows = sum(shard.rows for shard in shards)
    rejected: Counter[Reason] = Counter()
    lines = 0
    with Crew(config, workers, folder) as crew:
        wall, cpu = time.perf_counter(), time.process_time()
        filling = fill_from(crew.pool, timed.plan.request)
        for number, (_, filled, rejections) in enumerate(filling(shards, lambda candidate, outcome: None)):
            write_parquet(filled, schema(config), folder / f"{config}-{number}.parquet")
            lines += sum(row["python_source"].count("\n") for row in filled)
            rejected += rejections
        wall, cpu = (time.perf_counter() - wall) / rows, (time.process_time() - cpu) / rows
        spent = {kind: seconds / rows for kind, seconds in crew.spent().items()}
        memory = crew.memory()
    tools = sum(spent[tool] for tool in TOOLS)
    own = {"proof": spent["cpu"] - tools, "plan": timed.cpu, "shards": cpu}
    costs = {tool: spent[tool] for tool in TOOLS} | own
    shown = ", ".join(f"{name} {seconds * 1e3:.1f}" for name, seconds in costs.items())
    refused = ", ".join(f"{count} {reason.value}" for reason, count in rejected.items()) or "none"
    print(f"{config}: ms of CPU time a row: {shown}; {rows} rows, rejected: {refused}")
    whole = sum(costs.values())
    yield Figure(f"{config}: CPU of a row, plan included, against its floor", whole / least, OVER_FLOOR)
    yield Figure(
        f"{config}: our own CPU of a row, plan included", sum(own.values()) * 1e3, OWN[config], unit=" ms"
    )
    yield Figure(f"{config}: rows a CPU second", 1 / whole)
    yield Figure(f"{config}: lines of source a CPU second", lines / rows / whole)
    # The plan comes before the proofs; shards are written while workers go on.
    of = f"{workers} worker{'s' * (workers > 1)}"
    yield Figure(f"{config}: rows a second of {of}", 1 / (timed.wall + wall))
    yield Figure(f"{config}: memory of a worker", max(memory) / MEGABYTE, RESIDENT, unit=" MB")
    growth = memory[-1] / memory[len(memory) // 2] - 1
    yield Figure(f"{config}: its growth over the last half", growth, GROWTH, unit="%")


def first_shards(plan: Plan, rows: int) -> Iterator[ShardPlan]:
    """Shards from the last one on (test, validation, train), until they hold so many rows."""
    for shard in reversed(plan.shards):
        if rows > 0:
            yield shard
        rows -= shard.rows


def floor(timed: Timed, rows: int) -> float:
    """CPU seconds of a row that no build of it can save: Warp's own builder and codegen, and what clang and
    NVRTC take for one more kernel in a unit of many. Both compile what a proof compiles, once."""
    from warp_ir_dataset.compilers import units
    from warp_ir_dataset.compilers import warp as toolchain

    config = CONFIGS[timed.plan.request.config]
    spent = {"codegen": 0.0}
    members = []
    for number, candidate in enumerate(timed.candidates[:: max(1, len(timed.candidates) // rows)][:rows]):
        program = sampling.sample(candidate.address).program
        source, name = write(program), program.signature.name
        spent["codegen"] += by_warp(source, name, config.adjoint, config.cuda)[1]
        text = toolchain.translate(source, name, backward=config.adjoint, cuda=config.cuda)
        members.append(units.Member(f"k{number}", text))

    def compiled(some: Sequence[units.Member]) -> float:
        start = tidied()
        toolchain.compile_native(units.native_unit(some, some if config.cuda else ())).unload()
        if config.cuda:
            toolchain.compile_ptx(units.cuda_unit(some), toolchain.require_arch(DEFAULT_ARCH))
        return time.process_time() - start

    few = members[: len(members) // 2]
    compiled(few[:1])  # prepares headers
    more = compiled(members) - compiled(few)
    return spent["codegen"] / len(members) + more / (len(members) - len(few))


def by_warp(source: str, name: str, adjoint: bool, cuda: bool) -> tuple[float, float]:
    """CPU seconds of Warp's decorators, which parse a kernel, and of its builder and codegen. Where two
    targets are wanted, Warp makes a builder for each, as its own builds do."""
    import warp as wp
    from warp._src import context

    from warp_ir_dataset.compilers import warp as toolchain

    start = tidied()
    module = toolchain.define(source, name).module
    middle = time.process_time()
    module.options |= {"enable_backward": adjoint}
    for target in ("cuda", "cpu") if cuda else ("cpu",):
        options = module.resolve_options(wp.config) | {"output_arch": None}
        context.ModuleBuilder(module, options).codegen(target)
    return middle - start, time.process_time() - middle


def tidied() -> float:
    """The process's CPU seconds once the garbage of what it did before is collected, which is not to fall on
    what comes next."""
    gc.collect()
    return time.process_time()


def code_text(timed: Timed, rows: int) -> Iterator[Figure]:
    """From Python source to code text, against Warp's `ModuleBuilder` and `codegen` on the same kernels: once
    as the budget has it, and once with Warp's decorators on its side too."""
    from warp_ir_dataset.compilers import warp as toolchain

    config = CONFIGS[timed.plan.request.config]
    us = decorators = codegen = 0.0
    for turn, candidate in enumerate(timed.candidates[:: max(1, len(timed.candidates) // rows)]):
        program = sampling.sample(candidate.address).program
        source, name = write(program), program.signature.name
        for ours in (False, True) if turn % 2 else (True, False):
            if ours:
                start = tidied()
                toolchain.translate(source, name, backward=config.adjoint, cuda=config.cuda)
                us += time.process_time() - start
            else:
                first, then = by_warp(source, name, config.adjoint, config.cuda)
                decorators, codegen = decorators + first, codegen + then
    yield Figure(f"{config.name}: code text, against Warp's builder", us / codegen, TEXT_RATIO)
    what = f"{config.name}: the same, against Warp's decorators too"
    yield Figure(what, us / (codegen + decorators), TEXT_RATIO)


def scaling(timed: Timed, rows: int, folder: Path) -> Iterator[Figure]:
    """A plan and the same batches, by one worker and by two, in turn, so that both meet the same machine.

    The batches are short. With long ones a worker would wait for the other at the end of each turn, which it
    does once in a build.
    """
    config = timed.plan.request.config
    batches = list(chunks(timed.candidates[:rows], SHORT_BATCH))
    small = replace(timed.plan.request, num_kernels=rows)
    walls = {workers: timed_plan(small, workers).wall * rows for workers in (1, 2)}
    yield Figure(f"{config}: two workers against one, plan alone", walls[1] / walls[2], SPEEDUP, most=False)
    with Crew(config, 1, folder) as one, Crew(config, 2, folder) as two:
        for some in chunks(batches, 20):
            for crew in (one, two):
                start = time.perf_counter()
                for batch in some:
                    crew.pool.submit(None, batch)
                list(crew.pool.results())
                walls[crew.workers] += time.perf_counter() - start
        by_cpu = 2 * one.spent()["cpu"] / two.spent()["cpu"]
    yield Figure(
        f"{config}: two workers against one, plan included", walls[1] / walls[2], SPEEDUP, most=False
    )
    yield Figure(f"{config}: two workers against one, by CPU time", by_cpu, SPEEDUP, most=False)


def chunks(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))


# ---- what runs in any checkout


def measured(
    what: str, projects: Sequence[Checkout], measure: Callable[[int, Checkout], Measured]
) -> tuple[Measured, Measured | None]:
    """What the working tree, which is last, and an older commit give; None where that one cannot."""
    told: list[Measured] = []
    for number, project in enumerate(projects):
        try:
            told.append(measure(number, project))
        except CheckoutError as error:
            if project is projects[-1]:
                raise
            print(f"{what} is not measured at {project.name}: {error}")
    *before, now = told
    return now, next(iter(before), None)


def loading(projects: Sequence[Checkout], config: str, kernels: int, scratch: Path) -> Iterator[Figure]:
    """How long somebody waits: for a build, its first streamed row, and what is in the cache."""
    whole = LOADED[config] if kernels == DEFAULT_KERNELS else None
    # What is loaded, and where its caches are: the last one finds those of the first.
    loads = (
        (f"a build of {kernels:,} loaded, cold", "all", "a", whole),
        ("its first streamed row, cold", "first", "b", FIRST_ROW),
        ("the same from the cache", "all", "a", CACHED),
    )

    def seconds(number: int, project: Checkout) -> list[float]:
        told = []
        for _, part, place, _ in loads:
            command = [str(SUPPORT / "loads.py"), config, str(kernels), part]
            told.append(project.run(command, scratch / f"{config}-{number}-{place}"))
        return [float(line.split()[-1]) for line in told]

    now, before = measured(f"{config}: loading", projects, seconds)
    olds: Sequence[float | None] = before or [None] * len(loads)
    for (name, _, _, most), value, old in zip(loads, now, olds, strict=True):
        yield Figure(f"{config}: {name}", value, most, unit=" s", before=old)


def cpu_before(projects: Sequence[Checkout], config: str, rows: int, scratch: Path) -> Iterator[Figure]:
    """CPU of a row through the public builder, at both commits, the better of two runs of each in turn."""
    spent: list[list[float]] = [[] for _ in projects]
    for turn in range(2):
        for number, project in enumerate(projects):
            command = ["-c", MEASURE, config, str(rows), "11", str(WARM_ROWS)]
            told = project.run(command, scratch / f"{config}-cpu-{number}-{turn}")
            spent[number].append(float(told.split()[-1]) * 1e3)
    before, now = map(min, spent)
    yield Figure(f"{config}: CPU of a row, on one core", now, unit=" ms", before=before)


# ---- the table


def figures(options: argparse.Namespace) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="warp-ir-benchmark-") as name:
        folder = Path(name)
        commits = [*filter(None, [options.before]), WORKING_TREE]
        projects = [checkout(commit, folder) for commit in commits]
        for config in options.config:
            timed = timed_plan(Request(config, options.kernels, seed=3), options.workers)
            least = floor(timed, min(options.rows, 2 * BATCH_SIZE))
            yield from whole_build(timed, options.rows, options.workers, folder, least)
            yield from code_text(timed, max(1, options.rows // 4))
            if options.before:
                yield from cpu_before(projects, config, options.rows, folder)
            yield from loading(projects, config, options.load, folder)
            if config == options.config[0]:
                yield from scaling(timed, options.rows, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--config", nargs="+", choices=tuple(OWN), default=tuple(OWN))
    parser.add_argument("--kernels", type=int, default=DEFAULT_KERNELS, help="of the builds that are planned")
    parser.add_argument("--rows", type=int, default=400, help="per config that are proved, in whole shards")
    parser.add_argument("--workers", type=int, default=cores(), help="all cores by default")
    parser.add_argument("--load", type=int, default=DEFAULT_KERNELS, help="rows of builds that are loaded")
    parser.add_argument("--before", metavar="COMMIT", help="measured too, where it can be")
    parser.add_argument("--quick", action="store_true", help="fewer of everything, in some minutes")
    options = parser.parse_args()
    if options.quick:
        options.kernels, options.rows, options.load = 240, 80, 60
    print(HEAD)
    try:
        for figure in figures(options):
            print(figure, flush=True)
    except (CheckoutError, OSError) as error:
        print(f"throughput: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
