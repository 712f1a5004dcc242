"""What a build costs, as ratios taken in one run: ``python benchmarks/throughput.py``.

Whole builds, from plan to Parquet, through real pools whose workers run `support.clocked.produce`. Shares are
of CPU time, so that they hold on a busy machine too. Rates are given by the wall clock and, as what idle
cores would give, by CPU time. Workers have started and prepared their headers before a clock starts. Needs
Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from warp_ir_dataset.builds.filling import BATCH_SIZE, fill
from warp_ir_dataset.builds.plan.plan import Candidate, Plan, ShardPlan, make_plan
from warp_ir_dataset.builds.plan.survey import surveying
from warp_ir_dataset.builds.request import DEFAULT_ARCH, DEFAULT_KERNELS, Request
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.builds.shards import write_parquet
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, tasks
from warp_ir_dataset.common.outcomes import Reason
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis import draw as generate
from warp_ir_dataset.workers.pool import Pool
from warp_ir_dataset.workers.seats import cores
from warp_ir_dataset.workers.task import Task

PRODUCE = "support.clocked:produce"  # beside this script
TOOLS = ("warp", "clang", "nvrtc")
MEGABYTE = 1 << 20

OWN_SHARE = 0.10
TEXT_RATIO = 1.15
ROWS_PER_SECOND = {"cpu": 40.0, "cuda": 25.0, "cuda_backward": 8.0}  # on two cores
SPEEDUP = 1.8  # of two workers
RESIDENT = 600.0  # megabytes
GROWTH = 0.05  # of a worker's memory: allocators waver
PLAN_GROWTH = 1.10

HEAD = f"{'what':<52} {'measured':>12}   {'budget':>14}   ok"


@dataclass(frozen=True)
class Figure:
    """A row of the table. `most` says that the budget is a ceiling, otherwise it is a floor."""

    what: str
    measured: float
    budget: float
    most: bool = True
    unit: str = ""

    def __str__(self) -> str:
        met = self.measured <= self.budget if self.most else self.measured >= self.budget
        budget = f"{'<=' if self.most else '>='} {self._text(self.budget)}"
        return f"{self.what:<52} {self._text(self.measured):>12}   {budget:>14}   {'ok' if met else 'NO'}"

    def _text(self, value: float) -> str:
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
    with surveying(request, workers, quiet=True) as survey:
        plan = make_plan(request, survey)
    rows = request.num_kernels
    return Timed(plan, (cpu_of_all() - cpu) / rows, (time.perf_counter() - wall) / rows)


def cpu_of_all() -> float:
    """CPU seconds of this process, and of its children that have ended."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, who))


def whole_build(timed: Timed, rows: int, workers: int, folder: Path) -> Iterator[Figure]:
    """Plan, prove and write: what is not Warp's, LLVM's or NVRTC's, how fast it is, what memory it takes.

    Shards of the plan are filled until there are so many rows.
    """
    config = timed.plan.request.config
    shards = list(first_shards(timed.plan, rows))
    rows = sum(shard.rows for shard in shards)
    rejected: Counter[Reason] = Counter()
    with Crew(config, workers, folder) as crew:
        wall, cpu = time.perf_counter(), time.process_time()
        for number, (_, filled, rejections) in enumerate(fill(crew.pool, shards)):
            write_parquet(filled, schema(config), folder / f"{config}-{number}.parquet")
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
    yield Figure(f"{config}: our own share of CPU time", 1 - tools / sum(costs.values()), OWN_SHARE, unit="%")
    floor = ROWS_PER_SECOND[config] * workers / 2
    rate = f"{config}: rows a second of {workers} worker{'s' * (workers > 1)}"
    yield Figure(rate, 1 / (timed.wall + wall), floor, most=False)
    # The plan comes before the proofs; shards are written while workers go on.
    yield Figure(f"{rate}, by CPU time", workers / (timed.cpu + spent["cpu"]), floor, most=False)
    yield Figure(f"{config}: memory of a worker", max(memory) / MEGABYTE, RESIDENT, unit=" MB")
    growth = memory[-1] / memory[len(memory) // 2] - 1
    yield Figure(f"{config}: its growth over the last half", growth, GROWTH, unit="%")


def first_shards(plan: Plan, rows: int) -> Iterator[ShardPlan]:
    """Shards from the last one on (test, validation, train), until they hold so many rows."""
    for shard in reversed(plan.shards):
        if rows > 0:
            yield shard
        rows -= shard.rows


def code_text(timed: Timed, rows: int) -> Iterator[Figure]:
    """From Python source to code text, against Warp's `ModuleBuilder` and `codegen` on the same kernels.

    Once as the budget has it, and once with Warp's decorators, which parse a kernel, on its side too. Where
    two targets are wanted, Warp makes a builder for each, as its own builds do.
    """
    from warp_ir_dataset.compilers import warp as toolchain

    config = CONFIGS[timed.plan.request.config]
    targets = ("cuda", "cpu") if config.cuda else ("cpu",)
    spent = {"us": 0.0, "decorators": 0.0, "codegen": 0.0}

    def by_us(source: str, name: str) -> None:
        start = time.process_time()
        toolchain.translate(source, name, backward=config.adjoint, cuda=config.cuda)
        spent["us"] += time.process_time() - start

    def by_warp(source: str, name: str) -> None:
        start = time.process_time()
        module = toolchain.define(source, name).module
        middle = time.process_time()
        module.options |= {"enable_backward": config.adjoint}
        for target in targets:
            options = module.resolve_options(toolchain.wp.config) | {"output_arch": None}
            toolchain.warp_context.ModuleBuilder(module, options).codegen(target)
        spent["decorators"] += middle - start
        spent["codegen"] += time.process_time() - middle

    for turn, candidate in enumerate(timed.candidates[:: max(1, len(timed.candidates) // rows)]):
        program = generate.draw(candidate.address).program
        for way in (by_warp, by_us) if turn % 2 else (by_us, by_warp):
            way(write(program), program.signature.name)
    ratio = spent["us"] / spent["codegen"]
    yield Figure(f"{config.name}: code text, against Warp's builder", ratio, TEXT_RATIO)
    ratio = spent["us"] / (spent["codegen"] + spent["decorators"])
    yield Figure(f"{config.name}: the same, against Warp's decorators too", ratio, TEXT_RATIO)


def scaling(timed: Timed, rows: int, folder: Path) -> Iterator[Figure]:
    """A plan and the same batches, by one worker and by two, in turn, so that both meet the same machine."""
    config = timed.plan.request.config
    batches = list(chunks(timed.candidates[:rows], BATCH_SIZE))
    small = replace(timed.plan.request, num_kernels=rows)
    walls = {workers: timed_plan(small, workers).wall * rows for workers in (1, 2)}
    yield Figure(f"{config}: two workers against one, plan alone", walls[1] / walls[2], SPEEDUP, most=False)
    with Crew(config, 1, folder) as one, Crew(config, 2, folder) as two:
        for some in chunks(batches, 4):
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


def chunks(items: Sequence, size: int) -> Iterator[Sequence]:
    return (items[start : start + size] for start in range(0, len(items), size))


# ---- the table


def figures(options: argparse.Namespace) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="warp-ir-benchmark-") as name:
        folder = Path(name)
        requests = [Request(config, options.kernels, seed=3) for config in options.config]
        timed = {request.config: timed_plan(request, options.workers) for request in requests}
        for config in options.config:
            yield from whole_build(timed[config], options.rows, options.workers, folder)
            yield from code_text(timed[config], max(1, options.rows // 4))
        yield from scaling(timed[options.config[0]], options.rows, folder)
    small, large = (timed_plan(Request(num_kernels=rows, seed=5)).cpu for rows in options.plan)
    what = f"planning a row, of {options.plan[1]:,} against {options.plan[0]:,}"
    yield Figure(what, large / small, PLAN_GROWTH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    drawn = [task.name for task in tasks()]
    parser.add_argument("--config", nargs="+", choices=drawn, default=drawn)
    parser.add_argument("--kernels", type=int, default=DEFAULT_KERNELS, help="of the builds that are planned")
    parser.add_argument("--rows", type=int, default=400, help="per config that are proved, in whole shards")
    parser.add_argument("--workers", type=int, default=cores(), help="all cores by default")
    parser.add_argument("--plan", nargs=2, type=int, default=(1000, 5000), help="rows of two plans")
    parser.add_argument("--quick", action="store_true", help="fewer of everything, in about a minute")
    options = parser.parse_args()
    if options.quick:
        options.kernels, options.rows, options.plan = 240, 80, (200, 1000)
    print(HEAD)
    for figure in figures(options):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
