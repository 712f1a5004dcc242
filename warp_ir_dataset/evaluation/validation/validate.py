"""`warp-ir validate`: proves a built folder again, from its files alone.

First its files: where they are not what the manifest says, nothing else is looked at. Then what rows say of
themselves, whether they are those that were planned, and, made anew at their addresses, whether their source,
code and examples are the same. A build of another version cannot be made anew: its own code is compiled, and
run on its own examples, and the rest stays unproved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...builds.output.manifest import read_manifest
from ...builds.plan.plan import Plan
from ...builds.request import Request
from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.outcomes import Outcome
from ...workers.pool import Pool
from ...workers.task import Task
from . import anew, of_folder, of_plan, of_rows, sandboxed
from .finding import Finding, State, Validation, unproved
from .part import Build, Part, Workshop, configs_of

# The checks, in order. A folder's, before anything is read of its rows:
OF_FILES: Mapping[str, Callable[[Path, dict[str, Any]], Finding]] = {
    of_folder.FILES: of_folder.files,
    of_folder.LISTED: of_folder.listed,
}
OF_FOLDER: Mapping[str, Callable[[Build], Finding]] = {
    of_folder.VERSIONS: of_folder.versions,
    of_folder.CARD_CHECK: of_folder.card,
}
OF_PARTS: Mapping[str, Callable[[Part], Finding]] = {
    of_rows.MADE_BY: of_rows.made_by,
    of_rows.IDENTITIES: of_rows.identities,
    of_rows.KINDS_CHECK: of_rows.kinds,
    of_rows.SPLITS: of_rows.splits,
    of_rows.TWICE: of_rows.twice,
    of_plan.PLAN: of_plan.plan,
    anew.DRAWN: anew.drawn,
    sandboxed.COMPILED: anew.compiled,
    sandboxed.RUN: anew.run,
    anew.REJECTIONS: anew.rejections,
}
# What people wrote has twins, which are the same in other spelling, and topics instead of kinds.
_OF_DRAWN = {of_rows.KINDS_CHECK, of_rows.TWICE}


def validate(
    folder: Path,
    *,
    configs: Sequence[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
    planner: Callable[[Request], Plan],
    workshop: Workshop,
    quiet: bool = False,
) -> Validation:
    """See `api.validate`; `planner` makes plans anew, and `workshop` does what takes compilers."""
    manifest, _ = read_manifest(folder)
    if not manifest["parameters"]:
        raise UserError("these rows were not built, so that nothing tells how to make them again")
    names = configs_of(manifest, configs)
    findings = [check(folder, manifest) for check in OF_FILES.values()]
    if any(found.state is not State.PASSED for found in findings):
        why = "the files are not those of a build"
        findings += [unproved(name, None, "texts", why) for name in OF_FOLDER]
        findings += [unproved(check, name, "rows", why) for name in names for check in _of(name)]
        return Validation(tuple(findings))
    build = Build(folder, manifest, sample, seed, planner, workshop, quiet)
    findings += [check(build) for check in OF_FOLDER.values()]
    for name in names:
        part = Part(build, name)
        findings += [check(part) for check in _of(name).values()]
    return Validation(tuple(findings))


def _of(name: str) -> dict[str, Callable[[Part], Finding]]:
    """The checks of a config."""
    drawn = CONFIGS[name].drawn
    return {check: function for check, function in OF_PARTS.items() if drawn or check not in _OF_DRAWN}


def in_processes(workers: int) -> Workshop:
    """A workshop of so many processes, a new one for each task."""

    def work(
        task: Task, batches: Iterable[tuple[Any, Sequence[Any]]]
    ) -> Iterator[tuple[Any, Sequence[Outcome]]]:
        waiting = iter(batches)
        with Pool[Any](workers, task, skip_faults=True) as pool:
            _feed(pool, waiting)
            for tag, outcomes in pool.results():
                _feed(pool, waiting)
                yield tag, outcomes

    return work


def _feed(pool: Pool[Any], waiting: Iterator[tuple[Any, Sequence[Any]]]) -> None:
    """Two batches a worker, as a build has them: rows are read when they are needed."""
    while pool.pending < 2 * pool.workers and (batch := next(waiting, None)) is not None:
        pool.submit(*batch)
