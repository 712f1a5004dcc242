"""CPU time per row at two commits, as a ratio: ``python benchmarks/cpu_per_row.py 5b8558b .``

Both build rows of the same plans in turn, on the same core, and each plan several times: what else a machine
does only ever adds, so the least of the times is kept. What is counted is all a row takes, in every process:
planning and drawing, Warp, compilers, proof, and writing it. What starts once (imports, workers, their
precompiled headers) is paid for by a small build before the clock starts. Where the two commits draw other
programs, plans differ by what they hold: take many. Needs Linux.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from checkouts import WORKING_TREE, CheckoutError, checkout
from tqdm import tqdm

CONFIGS = ("cpu", "cuda", "cuda_backward")
WARM_ROWS = 20

# Runs at either commit: nothing but the public builder is used, which every version has.
MEASURE = '''
import os, sys, tempfile
from pathlib import Path

def spent():
    """CPU seconds of this process and all below it, the dead ones that were waited for included."""
    ticks, parents = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks[process] for process in ours) / os.sysconf("SC_CLK_TCK")

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever else is printed
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
from warp_ir_dataset import WarpIR
for line in sys.stdin:
    rows, seed = map(int, line.split())
    with tempfile.TemporaryDirectory() as empty:
        os.environ["WARP_IR_CACHE"] = empty
        before = spent()
        WarpIR(sys.argv[1], num_kernels=rows, seed=seed, cache_dir=empty).download_and_prepare()
        print((spent() - before) / rows, file=answers, flush=True)
'''


def measured(commits: list[str], options: argparse.Namespace) -> Iterator[tuple[str, list[list[float]]]]:
    """For each config, the CPU seconds a row took at each commit, plan by plan."""
    with tempfile.TemporaryDirectory(prefix="warp-ir-cpu-per-row-") as name:
        projects = [checkout(commit, Path(name)) for commit in commits]
        for config in options.config:
            with ExitStack() as stack:
                folders = [stack.enter_context(tempfile.TemporaryDirectory(dir=name)) for _ in projects]
                builders = [
                    stack.enter_context(project.talk(["-c", MEASURE, config], Path(folder)))
                    for project, folder in zip(projects, folders, strict=True)
                ]
                for builder in builders:
                    builder.ask(f"{WARM_ROWS} {options.seed - 1}")
                seconds: list[list[float]] = [[], []]
                plans = range(options.seed, options.seed + options.plans)
                for seed in tqdm(plans, config, leave=False, disable=not sys.stderr.isatty()):
                    taken: list[list[float]] = [[], []]
                    for turn in range(options.repeats):
                        for side in (0, 1) if turn % 2 == 0 else (1, 0):
                            taken[side].append(float(builders[side].ask(f"{options.rows} {seed}")))
                    for side in (0, 1):
                        seconds[side].append(min(taken[side]))
            yield config, seconds


def row(config: str, seconds: list[list[float]]) -> str:
    """A line of the table: the means, their ratio, and the least and largest of a plan."""
    first, second = (1e3 * statistics.fmean(runs) for runs in seconds)
    ratios = sorted(b / a for a, b in zip(*seconds, strict=True))
    cells = f"{config:<14} {first:>9.1f} {second:>9.1f} {second / first:>7.3f}"
    return f"{cells}   {ratios[0]:.3f} to {ratios[-1]:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("old", help="a commit, or . for the working tree")
    parser.add_argument("new", nargs="?", default=WORKING_TREE)
    parser.add_argument("--config", nargs="+", choices=CONFIGS, default=CONFIGS)
    parser.add_argument("--rows", type=int, default=60, help="of each build (%(default)s)")
    parser.add_argument("--plans", type=int, default=4, help="that are built (%(default)s)")
    parser.add_argument("--repeats", type=int, default=4, help="builds of each at each commit (%(default)s)")
    parser.add_argument("--seed", type=int, default=11, help="of the first plan (%(default)s)")
    options = parser.parse_args()
    print(f"{'ms of CPU a row':<14} {options.old[:9]:>9} {options.new[:9]:>9}   ratio   plan by plan")
    try:
        for config, seconds in measured([options.old, options.new], options):
            print(row(config, seconds), flush=True)
    except (CheckoutError, OSError) as error:
        print(f"cpu_per_row: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
