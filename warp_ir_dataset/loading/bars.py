"""The progress bar of files that `datasets` asks for: all of a config, or the one that is streamed.

Processes that ask side by side (`num_proc`) have one bar together, drawn by one of them: rows that another
process is at work on count when their file is in the cache.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..builds.plan.plan import Plan, ShardPlan
from ..builds.request import Request
from ..common.configs import CONFIGS
from ..workers.progress import Bar
from ..workers.seats import is_one_of_several

_announced: set[tuple[Request, bool]] = set()  # what a log of this process knows of
_turns: dict[Path, FileLock] = {}


def bar(plan: Plan, shard: ShardPlan, done: int, *, turn: Path, whole: bool, quiet: bool) -> Bar:
    """A bar over all rows of a plan, `done` of which are there, or without `whole` over those of a shard.

    Of several processes the one draws that locks `turn`. No line of a stream stays on the screen: nobody
    knows how much of it will be read, and its reader may print in between.
    """
    request = plan.request
    title, rows = f"Synthesizing {request.config}", plan.rows
    if not whole:
        title, rows = f"{title}/{shard.split} {shard.index + 1}/{shard.count}", shard.rows
    announced = (request, whole) in _announced
    _announced.add((request, whole))
    return Bar(
        title,
        rows,
        done=done,
        spares=CONFIGS[request.config].drawn,
        keep=False,
        quiet=quiet or not _may_draw(turn),
        announced=announced,
    )


def _may_draw(turn: Path) -> bool:
    """Whether this process draws: of several, the first to ask."""
    if not is_one_of_several():
        return True
    lock = _turns.setdefault(turn, FileLock(turn, thread_local=False))
    if not lock.is_locked:
        with suppress(Timeout):
            lock.acquire(timeout=0)
    return lock.is_locked
