"""A module's kernels become a folder of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import appearing
from ...common.outcomes import Reason, Rejected, Row
from ...workers.pool import Pool
from ...workers.seats import cores
from ...workers.task import Task
from .child import Failure, Wanted
from .folder import Extracted, Missing, write_folder
from .rows import rows_of
from .target import Target, parsed

CHILD = "warp_ir_dataset.builds.extraction.child:extract_some"
SECONDS = 120.0  # for an import, and for a kernel
BATCH = 8


def extract_folder(
    module: str,
    out: Path,
    arch: str,
    *,
    seconds: float = SECONDS,
    workers: int | None = None,
    quiet: bool = False,
) -> Extracted:
    """See `warp_ir_dataset.extract`."""
    target = parsed(module)
    with appearing(out) as folder:
        rows: dict[tuple[str, str], Row] = {}
        missing: list[Missing] = []
        for name, outcome in _outcomes(target, arch, seconds, workers, quiet):
            if isinstance(outcome, (Failure, Rejected)):
                missing.append(Missing(name, "", _why(outcome)))
                continue
            if outcome.python_source is None:
                missing.append(Missing(name, "", outcome.missing["python_source"]))
                continue
            missing += _gaps(name, outcome)
            for config, row in rows_of(outcome):
                first = rows.setdefault((config, row["id"]), row)
                if first is not row:
                    why = f"the same kernel as {first['kernel_name']}, which is there"
                    missing.append(Missing(name, config, why))
        if not rows:
            raise UserError(_nothing(module, missing))
        return write_folder(folder, [(config, row) for (config, _), row in rows.items()], missing, module)


def _outcomes(
    target: Target, arch: str, seconds: float, workers: int | None, quiet: bool
) -> Iterator[tuple[str, Any]]:
    """What became of each kernel, in the module's order."""
    task = Task(CHILD, (target.text, arch))
    # A pool's patience with a batch grows with its size; ours is for one step.
    with Pool[Wanted](1, task, skip_faults=True, compile_seconds=seconds / 3, run_seconds=seconds) as pool:
        names = _listed(pool, target)
    if not names:
        return
    count = min(cores() if workers is None else workers, -(-len(names) // BATCH))
    done: dict[int, Any] = {}
    with (
        Pool[Wanted](count, task, skip_faults=True, compile_seconds=seconds / 3, run_seconds=seconds) as pool,
        tqdm(total=len(names), unit="kernels", disable=quiet) as bar,
    ):
        wanted = [Wanted(number, name) for number, name in enumerate(names)]
        for start in range(0, len(names), BATCH):
            pool.submit(start, wanted[start : start + BATCH])
        for start, outcomes in pool.results():
            done |= dict(enumerate(outcomes, start))
            bar.update(len(outcomes))
    for number, name in enumerate(names):
        yield name, done[number]


def _listed(pool: Pool[Wanted], target: Target) -> list[str]:
    place = target.file or target.module
    pool.submit(None, [Wanted(None, place)])
    ((_, (names,)),) = pool.results()
    if isinstance(names, Rejected):
        raise UserError(f"{place} cannot be imported: {_why(names)}")
    if not names:
        what = f"no kernel {target.kernel}" if target.kernel else "no kernels of its own"
        raise UserError(f"{place} makes {what} when it is imported")
    return list(names)


def _gaps(name: str, found: Any) -> Iterator[Missing]:
    """What a kernel with a source has no code or no PTX of."""
    for config in CONFIGS.values():
        fields = ("cuda_backward", "ptx_backward") if config.adjoint else ("cuda", "ptx")
        for field in fields if config.cuda else ():
            if field in found.missing:
                yield Missing(name, config.name, f"{field}: {found.missing[field]}")


def _why(outcome: Failure | Rejected) -> str:
    if isinstance(outcome, Failure):
        return outcome.why
    # The pool speaks of compiling and running, which is not what went on here, and of what was said last.
    end = re.split(" while |: ", outcome.detail)[0]
    return f"its process {end}" if outcome.reason is Reason.TIMEOUT else f"its process ended with {end}"


def _nothing(module: str, missing: list[Missing]) -> str:
    first = missing[0]
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return f"no kernel of {module} could be extracted: {first.kernel}: {first.why}{more}"
