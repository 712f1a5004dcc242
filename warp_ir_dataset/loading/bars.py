"""One progress bar for all shards of a config, which `datasets` requests one after another.

Processes that do so side by side (`num_proc`) have one bar together, drawn by one of them: rows that another
process is at work on count when their shard is in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..builds.plan.plan import Plan, ShardPlan
from ..builds.request import Request
from ..common.configs import CONFIGS
from ..workers.progress import Bar, Tally
from ..workers.seats import is_one_of_several

_tallies: dict[Request, Tally] = {}  # of configs that this process is in the middle of
_streamed: set[Request] = set()  # what a log knows of
_turns: dict[Path, FileLock] = {}


@contextmanager
def shown(plan: Plan, shard: ShardPlan, folder: Path, *, whole: bool, quiet: bool) -> Iterator[Bar]:
    """A bar while a shard is made: over all rows of the plan with `whole`, over the shard's own without.

    Its line stays on the screen when all rows of the plan are made. A stream leaves no line: nobody knows how
    much of it will be read, and its reader may print in between. `folder` has the files of the plan.
    """
    quiet = quiet or not _may_draw(folder / "bar.lock")
    with _of_config(plan, shard, folder, quiet) if whole else _of_shard(plan, shard, quiet) as bar:
        yield bar


@contextmanager
def _of_config(plan: Plan, shard: ShardPlan, folder: Path, quiet: bool) -> Iterator[Bar]:
    request = plan.request
    tally = _tallies.pop(request, None) or _tally(request, f"Synthesizing {request.config}", plan.rows)
    tally.done = sum(part.rows for part in plan.shards if part != shard and (folder / part.name).exists())
    with Bar(tally, keep=False, quiet=quiet) as bar:
        yield bar
        bar.keep = tally.whole
    if not tally.whole:
        _tallies[request] = tally


@contextmanager
def _of_shard(plan: Plan, shard: ShardPlan, quiet: bool) -> Iterator[Bar]:
    request = plan.request
    title = f"Synthesizing {request.config}/{shard.split} {shard.index + 1}/{shard.count}"
    tally = _tally(request, title, shard.rows)
    tally.announced = request in _streamed
    _streamed.add(request)
    with Bar(tally, keep=False, quiet=quiet) as bar:
        yield bar


def _tally(request: Request, title: str, rows: int) -> Tally:
    return Tally(title, rows, spares=CONFIGS[request.config].drawn)


def _may_draw(turn: Path) -> bool:
    """Whether this process draws. Of several the one does that locks `turn`, the first to ask."""
    if not is_one_of_several():
        return True
    lock = _turns.setdefault(turn, FileLock(turn, thread_local=False))
    if not lock.is_locked:
        with suppress(Timeout):
            lock.acquire(timeout=0)
    return lock.is_locked
