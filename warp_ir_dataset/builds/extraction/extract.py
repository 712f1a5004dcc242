"""Turns the kernels of a user's module into a folder of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ...common.configs import compiled_tasks
from ...common.errors import UserError
from ...common.files import appearing
from ...common.outcomes import Reason, Rejected, Row
from ...compilers.architectures import capability
from ...compilers.extracting.extract import Extraction
from ...workers.pool import Pool
from ...workers.seats import cores
from ...workers.task import Task
from ..engine import architectures
from .child import Wanted
from .folder import Extracted, Missing, write_folder
from .kernel import Failure, Kernel
from .rows import rows_of
from .target import Target, parsed
from .trial import Candidate, Run

EXTRACT = "warp_ir_dataset.builds.extraction.child:extract_some"
RUN = "warp_ir_dataset.builds.extraction.trial:run_some"
SECONDS = 120.0  # for an import, and for a kernel
BATCH = 8


def extract_folder(
    module: str,
    out: Path,
    arch: str,
    *,
    examples: bool = False,
    seconds: float = SECONDS,
    workers: int | None = None,
    quiet: bool = False,
) -> Extracted:
    """See `warp_ir_dataset.extract`."""
    target = parsed(module)
    crew = _Crew(cores() if workers is None else workers, seconds, quiet)
    with appearing(out) as folder:
        if known := architectures():
            capability(arch, known)
        collected = _Collected()
        found = []
        for name, outcome in _extracted(crew, target, arch):
            if isinstance(outcome, (Failure, Rejected)):
                collected.fails(name, _why(outcome))
            elif outcome.python_source is None:
                collected.fails(name, outcome.missing["python_source"])
            else:
                found.append((name, Kernel.of(outcome)))
        runs = _runs(crew, found, arch) if examples else [None] * len(found)
        for (name, kernel), run in zip(found, runs, strict=True):
            collected.add(name, kernel, run)
        if not collected.rows:
            raise UserError(collected.nothing(module))
        return write_folder(folder, collected.all_rows, collected.missing, collected.without, module)


@dataclass(frozen=True)
class _Crew:
    """Who works: so many processes, each with so much time for a step."""

    workers: int
    seconds: float
    quiet: bool

    def do(self, task: Task, items: Sequence[Any], what: str) -> list[Any]:
        """The outcome of each item, in their order."""
        done: dict[int, Any] = {}
        count = min(self.workers, -(-len(items) // BATCH))
        # A pool's patience with a batch grows with its size by two more than it has items.
        times = {"compile_seconds": self.seconds / 3, "run_seconds": self.seconds}
        with (
            Pool[Any](max(count, 1), task, skip_faults=True, **times) as pool,
            tqdm(total=len(items), desc=what, unit="kernels", disable=self.quiet) as bar,
        ):
            for start in range(0, len(items), BATCH):
                pool.submit(start, items[start : start + BATCH])
            for start, outcomes in pool.results():
                done |= dict(enumerate(outcomes, start))
                bar.update(len(outcomes))
        return [done[number] for number in range(len(items))]


class _Collected:
    """Rows, one of each kernel for each config, and what is missing."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self.missing: list[Missing] = []
        self.without: list[tuple[str, str]] = []

    @property
    def all_rows(self) -> list[tuple[str, Row]]:
        return [(config, row) for (config, _), row in self.rows.items()]

    def fails(self, name: str, why: str) -> None:
        self.missing.append(Missing(name, "", why))
        self.without.append((name, why))

    def add(self, name: str, kernel: Kernel, run: Run | Failure | Rejected | None) -> None:
        if isinstance(run, (Failure, Rejected)):
            self.fails(name, _why(run))
            return
        gaps = list(_gaps(kernel.extraction, run))
        self.missing += [Missing(name, config, why) for config, why in gaps]
        rows = list(rows_of(kernel, run))
        if not rows:
            self.without.append((name, gaps[0][1]))
        for config, row in rows:
            first = self.rows.setdefault((config, row["id"]), row)
            if first is not row:
                why = f"the same kernel as {first['kernel_name']}, which is there"
                self.missing.append(Missing(name, config, why))

    def nothing(self, module: str) -> str:
        (kernel, why), *others = self.without
        more = f" (and {len(others)} more)" if others else ""
        return f"no kernel of {module} could be extracted: {kernel}: {why}{more}"


def _extracted(crew: _Crew, target: Target, arch: str) -> Iterator[tuple[str, Any]]:
    """What became of each kernel, in the module's order."""
    task = Task(EXTRACT, (target.text, arch))
    place = target.file or target.module
    (names,) = _Crew(1, crew.seconds, quiet=True).do(task, [Wanted(None, place)], "")
    if isinstance(names, Rejected):
        raise UserError(f"{place} cannot be imported: {_why(names)}")
    if not names:
        what = f"no kernel {target.kernel}" if target.kernel else "no kernels of its own"
        raise UserError(f"{place} makes {what} when it is imported")
    wanted = [Wanted(number, name) for number, name in enumerate(names)]
    return zip(names, crew.do(task, wanted, "extracting"), strict=True)


def _runs(crew: _Crew, found: Sequence[tuple[str, Kernel]], arch: str) -> list[Any]:
    items = [Candidate.of(kernel) for _, kernel in found]
    return crew.do(Task(RUN, (arch,)), items, "running") if items else []


def _gaps(found: Extraction, run: Run | None) -> Iterator[tuple[str, str]]:
    """What a kernel with a source has no code, no PTX or no proof of, by config."""
    for config in compiled_tasks():
        fields = ("cuda_backward", "ptx_backward") if config.adjoint else ("cuda", "ptx")
        for field in fields if config.cuda else ():
            if field in found.missing:
                yield config.name, f"{field}: {found.missing[field]}"
        if run is not None and isinstance(proof := run.proofs[config.name], Rejected):
            yield config.name, f"{proof.reason.value}: {proof.detail}"


def _why(outcome: Failure | Rejected) -> str:
    if isinstance(outcome, Failure):
        return outcome.why
    # The pool speaks of compiling and running, which is not what went on here, and of what was said last.
    end = re.split(" while |: ", outcome.detail)[0]
    was = "" if outcome.reason is Reason.TIMEOUT else "was " if end.startswith("killed") else "ended with "
    return f"its process {was}{end}"
