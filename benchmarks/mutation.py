"""How many small faults in our own code the tests of each package notice: ``python benchmarks/mutation.py``.

Needs ``pip install mutmut coverage``. `support/mutations.py` says which faults (mutants) there are, and
`support/trials.py` how one is tried. Of each package those whose names have the smallest SHA-256 are tried,
against the tests of that package alone. A mutant that no test reaches is counted apart. One that hangs or
takes all memory is killed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from support.mutations import PROJECT, sample
from support.trials import KILLED, SURVIVED, TIER, UNREACHED, Request, verdicts

# What takes long to import and is no part of the project: imported once, before any process is forked.
FOREIGN = ("warp", "datasets", "pyarrow.parquet", "matplotlib", "hypothesis")
HEAD = "| package | mutants | reached | killed | of reached | CPU minutes |\n|---|---:|---:|---:|---:|---:|"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    add = parser.add_argument
    add("--packages", nargs="+", metavar="NAME", help="folders, or top for the modules beside them")
    add("--mutants", type=int, default=300, metavar="N", help="at most so many of a package")
    add("--processes", type=int, default=2, metavar="N")
    add("--seconds", type=float, default=5, metavar="N", help="CPU time of the tests of a mutant")
    add("--marks", metavar="EXPRESSION", help="other tests than those of the default tier, as pytest's -m")
    add("--survivors", type=Path, metavar="FILE", help="a line for each is written there")
    add("--salt", default="", help="another sample")
    add("--root", type=Path, default=Path(__file__).parents[1], help="another project")
    options = parser.parse_args()
    root = options.root.resolve()
    for name in FOREIGN:
        with suppress(ImportError):
            importlib.import_module(name)
    folders = sorted(file.parent.name for file in (root / PROJECT).glob("*/__init__.py"))
    tier = ("-m", options.marks) if options.marks else TIER
    survivors: list[str] = []
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory(prefix="mutation-") as home:
        for package in options.packages or [*folders, "top"]:
            begun = cpu_seconds()
            mutants = sample(root, package, options.mutants, options.salt)
            request = Request(root, Path(home), package, tier, options.seconds, options.processes)
            found = verdicts(request, mutants)
            left = [mutant for mutant, verdict in zip(mutants, found, strict=True) if verdict == SURVIVED]
            survivors += sorted(mutant.difference((root / mutant.path).read_text()) for mutant in left)
            killed, reached = found.count(KILLED), len(found) - found.count(UNREACHED)
            share = f"{100 * killed / reached:.0f} %" if reached else ""
            minutes = f"{(cpu_seconds() - begun) / 60:.1f}"
            print(f"| {package} | {len(found)} | {reached} | {killed} | {share} | {minutes} |", flush=True)
            if options.survivors:
                options.survivors.write_text("".join(f"{line}\n" for line in survivors))


def cpu_seconds() -> float:
    """Those of this process, and of the processes that it started and that have ended."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
