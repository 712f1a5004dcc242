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
from pathlib import Path

from support.checkouts import WORKING_TREE, CheckoutError, checkout
from tqdm import tqdm

CONFIGS = ("cpu", "cuda", "cuda_backward")
WARM_ROWS = 20

# Runs at either commit: nothing but the public builder is used, which every version has.
MEASURE = '''
import os, sys
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

def build(rows, seed):
    WarpIR(config, num_kernels=rows, seed=seed).download_and_prepare()

config, rows, seed, warm = sys.argv[1], *map(int, sys.argv[2:])
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
from warp_ir_dataset import WarpIR
build(warm, seed + 1)
before = spent()
build(rows, seed)
print((spent() - before) / rows)
'''


def measured(commits: list[str], options: argparse.Namespace) -> Iterator[tuple[str, list[list[float]]]]:
    """For each config, the CPU seconds a row took at each commit, plan by plan."""
    with tempfile.TemporaryDirectory(prefix="warp-ir-cpu-per-row-") as name:
        folder = Path(name)
        projects = [checkout(commit, folder) for commit in commits]

        def build(side: int, config: str, seed: int) -> float:
            numbers = map(str, (options.rows, seed, WARM_ROWS))
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                return float(projects[side].run(["-c", MEASURE, config, *numbers], Path(scratch)).split()[-1])

        for config in options.config:
            seconds: list[list[float]] = [[], []]
            plans = range(options.seed, options.seed + 2 * options.plans, 2)
            for seed in tqdm(plans, config, leave=False, disable=not sys.stderr.isatty()):
                runs = [(build(0, config, seed), build(1, config, seed)) for _ in range(options.repeats)]
                for side in (0, 1):
                    seconds[side].append(min(run[side] for run in runs))
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
