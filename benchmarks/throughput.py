"""What a build costs, as ratios taken in one run: ``python benchmarks/throughput.py``.

Whole builds, from plan to Parquet, through real pools whose workers run `clocked.prove`. Shares are of CPU
time, so that they hold on a busy machine too. Rates are given by the wall clock and, as what idle cores would
give, by CPU time. Workers have started and prepared their headers before a clock starts. Needs Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warp_ir_dataset import generate, render
from warp_ir_dataset.plan import Candidate, Plan, make_plan
from warp_ir_dataset.pool import Pool
from warp_ir_dataset.program import Address
from warp_ir_dataset.recipe import CONFIGS, DEFAULT_ARCH, Recipe
from warp_ir_dataset.record import SCHEMA
from warp_ir_dataset.shard import BATCH_SIZE, fill, write_parquet
from warp_ir_dataset.workshop import cores

PROVE = "clocked:prove"  # beside this script
TOOLS = ("warp", "clang", "nvrtc")
MEGABYTE = 1 << 20

OWN_SHARE = 0.10
TEXT_RATIO = 1.15
ROWS_PER_SECOND = {"cpu": 40.0, "cuda": 25.0, "cuda_backward": 8.0}  # on two cores
SPEEDUP = 1.8  # of two workers
RESIDENT = 600.0  # megabytes
GROWTH = 0.05  # of a worker's memory in its second half: what is not a leak but an allocator's mood
PLAN_GROWTH = 1.10


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
        self.diary = folder / f"{config}-{workers}.diary"
        self.diary.touch()
        os.environ["WARP_IR_DIARY"] = str(self.diary)
        self.workers = workers
        self.pool = Pool(workers, config, DEFAULT_ARCH, prove=PROVE)
        draws = iter(range(1_000_000))
        while len({note.process for note in self.notes()}) < workers:
            for _ in range(workers):
                self.pool.submit(None, [Candidate(Address(0, "arithmetic", next(draws))) for _ in range(2)])
            list(self.pool.results())
        self.start = {note.process: note for note in self.notes()}

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.close()

    def notes(self) -> list[Note]:
        return [Note(**json.loads(line)) for line in self.diary.read_text().splitlines()]

    def spent(self, kind: str) -> float:
        """CPU seconds of all workers since they were warm: of a tool, or of everything (``cpu``)."""
        last = {note.process: note for note in self.notes()}
        return sum(getattr(last[process], kind) - getattr(self.start[process], kind) for process in last)


# ---- measurements


def whole_build(config: str, rows: int, workers: int, folder: Path) -> Iterator[Figure]:
    """Plan, prove and write: what is not Warp's, LLVM's or NVRTC's, how fast it is, what memory it takes."""
    with Crew(config, workers, folder) as crew:
        wall, cpu = time.perf_counter(), time.process_time()
        plan = make_plan(Recipe(config, rows, seed=3))
        planned = time.process_time() - cpu
        rejected = 0
        for number, (_, shard, rejections) in enumerate(fill(plan.shards, crew.pool)):
            write_parquet(shard, SCHEMA, folder / f"{config}-{number}.parquet")
            rejected += sum(rejections.values())
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        spent = {kind: crew.spent(kind) for kind in ("cpu", *TOOLS)}
        memory = [note.memory for note in crew.notes() if note.process == crew.notes()[-1].process]
    tools, proving = sum(spent[tool] for tool in TOOLS), spent["cpu"]
    costs = {**{tool: spent[tool] for tool in TOOLS}, "proof": proving - tools, "plan": planned}
    costs["shards"] = cpu - planned
    share = ", ".join(f"{name} {seconds / rows * 1e3:.1f}" for name, seconds in costs.items())
    print(f"# {config}: ms of CPU time a row: {share}; {rows} rows, {rejected} rejected", file=sys.stderr)
    yield Figure(f"{config}: our own share of CPU time", 1 - tools / (proving + cpu), OWN_SHARE, unit="%")
    floor = ROWS_PER_SECOND[config] * workers / 2
    yield Figure(f"{config}: rows a second, {workers} workers", rows / wall, floor, most=False)
    # Idle cores would let the workers run at once; the plan comes before them.
    idle = proving / workers + cpu
    yield Figure(f"{config}: the same by CPU time", rows / idle, floor, most=False)
    half, last = memory[len(memory) // 2], memory[-1]
    yield Figure(f"{config}: memory of a worker at its end", max(memory) / MEGABYTE, RESIDENT, unit=" MB")
    yield Figure(f"{config}: its growth in its second half", last / half - 1, GROWTH, unit="%")


def code_text(config: str, rows: int) -> Iterator[Figure]:
    """`toolchain.translate` against Warp's `ModuleBuilder` and `codegen` alone, on the same kernels."""
    from warp_ir_dataset import toolchain

    backward, cuda = config == "cuda_backward", config != "cpu"
    programs = [generate.draw(candidate.address) for candidate in candidates(make_plan(Recipe(config, rows)))]
    ours = warp = 0.0
    for program in programs:
        source = render.render(program)
        start = time.process_time()
        translation = toolchain.translate(source, program.name, backward=backward, cuda=cuda)
        middle = time.process_time()
        module = translation.kernel.module
        for target in ("cuda", "cpu") if cuda else ("cpu",):
            options = module.resolve_options(toolchain.wp.config) | {"output_arch": None}
            toolchain.warp_context.ModuleBuilder(module, options).codegen(target)
        ours += middle - start
        warp += time.process_time() - middle
    yield Figure(f"{config}: code text only, against Warp's own", ours / warp, TEXT_RATIO)


def scaling(config: str, rows: int, folder: Path) -> Iterator[Figure]:
    """The same batches by one worker and by two, in turn, so that both meet the same machine."""
    batches = list(chunks(candidates(make_plan(Recipe(config, rows, seed=4))), BATCH_SIZE))
    walls = {1: 0.0, 2: 0.0}
    with Crew(config, 1, folder) as one, Crew(config, 2, folder) as two:
        for round in chunks(batches, 4):
            for crew in (one, two):
                start = time.perf_counter()
                for batch in round:
                    crew.pool.submit(None, batch)
                list(crew.pool.results())
                walls[crew.workers] += time.perf_counter() - start
    yield Figure(f"{config}: two workers against one", walls[1] / walls[2], SPEEDUP, most=False)


def plan_growth(small: int, large: int) -> Iterator[Figure]:
    costs = []
    for size in (small, large):
        start = time.process_time()
        make_plan(Recipe(num_kernels=size, seed=5))
        costs.append((time.process_time() - start) / size)
    yield Figure(f"planning a row: {large:,} rows against {small:,}", costs[1] / costs[0], PLAN_GROWTH)


def candidates(plan: Plan) -> list[Candidate]:
    return [c for shard in plan.shards for queue in shard.queues for c in queue.candidates[: queue.quota]]


def chunks(items: Sequence, size: int) -> Iterator[Sequence]:
    return (items[start : start + size] for start in range(0, len(items), size))


# ---- the table


def figures(options: argparse.Namespace) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="warp-ir-benchmark-") as name:
        for config in options.config:
            yield from whole_build(config, options.rows, options.workers, Path(name))
            yield from code_text(config, options.rows // 4)
        yield from scaling(options.config[-1], options.rows // 2, Path(name))
    yield from plan_growth(*options.plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--config", nargs="+", choices=CONFIGS, default=CONFIGS)
    parser.add_argument("--rows", type=int, default=480, help="per config")
    parser.add_argument("--workers", type=int, default=cores(), help="all cores by default")
    parser.add_argument("--plan", nargs=2, type=int, default=(1000, 5000), help="rows of two plans")
    parser.add_argument("--quick", action="store_true", help="a fifth of everything: half a minute, rough")
    options = parser.parse_args()
    if options.quick:
        options.rows, options.plan = options.rows // 5, [size // 5 for size in options.plan]
    print(f"{'what':<52} {'measured':>12}   {'budget':>14}   ok")
    for figure in figures(options):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
