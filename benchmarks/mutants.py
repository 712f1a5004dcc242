"""Whether the tests notice when the judge is wrong: ``python benchmarks/mutants.py``.

Each mutant of `support/mutant_table.py` (the proof), `mutant_trees.py` (what is known of trees) and
`mutant_repairs.py` (the judge, and `repair`) is one small fault in our own code. It is put into a copy of the
project, never into the project itself, and the tests that ought to notice are run there: one of them must
fail. The exit status is 1 where a mutant survives or does not fit the code any more, and 2 where the tests
fail anyway.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.mutant_repairs import REPAIRS
from support.mutant_table import JUDGE, Mutant
from support.mutant_trees import TREES

MUTANTS = (*JUDGE, *TREES, *REPAIRS)
ROOT = Path(__file__).parents[1]
COPIED = ("warp_ir_dataset", "tests", "dataset_card", "benchmarks", "examples", "docs")
PYTEST = ("-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider")
PASSED, FAILED = 0, 1  # what pytest exits with; anything above says that it could not run


class MisfitError(ValueError):
    """A mutant that does not fit the code; the message says why."""


@dataclass(frozen=True)
class Copy:
    """A copy of the project in which mutants are tried, one at a time."""

    root: Path

    @classmethod
    def into(cls, folder: Path) -> Copy:
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        for path in (*ROOT.glob("*.toml"), *ROOT.glob("*.py"), ROOT / "README.md"):
            shutil.copy(path, folder)
        return cls(folder)

    def test(self, tests: Sequence[str]) -> int:
        """Pytest's exit status: of the fast tests of each file, and of each test that is named, whatever that
        one needs."""
        # Compiled modules are told from stale ones by size and second, and a mutant may keep both.
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        files = [test for test in tests if "::" not in test]
        named = [test for test in tests if "::" in test]
        status = PASSED
        for asked in (["--fast", *files] if files else [], named):
            if asked and status == PASSED:
                command = [sys.executable, *PYTEST, *asked]
                status = subprocess.run(
                    command, cwd=self.root, env=environment, capture_output=True
                ).returncode
        return status

    def survives(self, mutant: Mutant) -> bool:
        """Whether the tests pass on a mutant all the same. Raises `MisfitError`."""
        path = self.root / "warp_ir_dataset" / mutant.file
        text = path.read_text()
        path.write_text(mutated(mutant, text))
        try:
            status = self.test(mutant.tests)
        finally:
            path.write_text(text)
        if status > FAILED:  # below zero, a signal ended the tests: they noticed
            raise MisfitError(f"its tests could not run (pytest: {status})")
        return status == PASSED


def mutated(mutant: Mutant, text: str) -> str:
    """The text of `mutant.file` with the fault in it. Raises `MisfitError`."""
    found = text.count(mutant.old)
    if found != 1:
        raise MisfitError(f"its text stands {found} times in {mutant.file}")
    return text.replace(mutant.old, mutant.new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[mutant.name for mutant in MUTANTS])
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if options.only is None or mutant.name in options.only]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="warp-ir-mutants-") as name:
        copy = Copy.into(Path(name))
        if copy.test(sorted({test for mutant in chosen for test in mutant.tests})) != PASSED:
            print("the tests fail without any mutant", file=sys.stderr)
            raise SystemExit(2)
        for mutant in chosen:
            try:
                verdict = "SURVIVES" if copy.survives(mutant) else "killed"
            except MisfitError as error:
                verdict = f"DOES NOT FIT: {error}"
            bad += verdict != "killed"
            print(f"{mutant.name:<44} {verdict}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} killed")
    raise SystemExit(bad > 0)


if __name__ == "__main__":
    main()
