"""Files of rows on disk: each is synthesized once per machine, by whoever asks first.

They lie in the folder of a build (see `builds.output.files`): what was proved before a stop is not proved
again, and a file that has been damaged since is made again. Safe under threads and processes: a file and a
plan have a lock each, and a file is whole or not there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from filelock import FileLock, Timeout

from ..builds.output.files import Files, plan_name, read_plan, write_plan
from ..builds.output.local_store import LocalStore
from ..builds.plan.plan import ShardPlan
from ..builds.request import Request
from ..common.caches import root
from ..common.files import writable
from ..workers.seats import is_one_of_several
from .bars import bar
from .maker import Maker, maker
from .urls import Shard, encode


def size(shard: Shard) -> int | None:
    """Bytes of the shard's file, or None where it is not in the cache."""
    try:
        return (root() / shard.path).stat().st_size
    except OSError:
        return None


def fetch(shard: Shard, *, quiet: bool = False, whole: bool = False) -> Path:
    """The shard's file, synthesized first where it is missing or damaged; others who want it wait meanwhile.

    `whole` says that all files of its config are wanted: this process makes all that nobody else is making,
    unless it is one of several that ask for a file each. Raises `UserError` where the cache cannot be
    written, and what filling raises (see `Engine`).
    """
    path = root() / shard.path
    files = _files(path.parent.parent, shard.request, maker())
    planned = next(p for p in files.plan.shards if (p.split, p.index) == (shard.split, shard.index))
    if files.entry(planned) is None:
        with _locked(path) as lock:
            if files.entry(planned) is None:
                _synthesize(files, planned, lock, whole, quiet)
    return path


def _synthesize(files: Files, wanted: ShardPlan, lock: FileLock, whole: bool, quiet: bool) -> None:
    """Make the file that is wanted, whose lock this process has, and with `whole` others. Each lock is
    released as soon as its file is there."""
    plan, folder = files.plan, Path(lock.lock_file).parent
    others = [shard for shard in plan.shards if whole and shard != wanted]
    done = sum(shard.rows for shard in others if files.entry(shard))
    locks = {wanted.name: lock}  # of files that are being made

    def missing() -> Iterator[ShardPlan]:
        yield wanted
        for shard in [] if is_one_of_several() else others:
            other = FileLock(f"{folder / shard.name}.lock")
            with suppress(Timeout):  # somebody else makes it
                other.acquire(timeout=0)
            if other.is_locked and files.entry(shard) is None:
                locks[shard.name] = other
                yield shard
            else:
                other.release()

    turn = folder / "bar.lock"
    try:
        with (
            maker().engine.started(files.request) as fill,
            bar(plan, wanted, done, turn=turn, whole=whole, quiet=quiet) as shown,
        ):
            for shard, _ in files.fill(missing(), fill, shown.seen):
                locks.pop(shard.name).release()
            shown.keep = whole and shown.is_whole
    except KeyboardInterrupt:
        if not quiet:
            print("stopped: what is proved stays; the same line goes on from here", file=sys.stderr)
        raise
    finally:
        for left in locks.values():
            left.release()


@lru_cache(maxsize=4)
def _files(folder: Path, request: Request, made: Maker) -> Files:
    """The files of a request, by a plan that is stored beside them: making it takes seconds, and every
    process needs it."""
    _make(folder)
    store, key = LocalStore(folder), encode(request)
    stored = read_plan(store, request.config, key)
    if stored is None:
        with _locked(folder / plan_name(request.config)):
            stored = read_plan(store, request.config, key)
            if stored is None:
                made.engine.prover.check(request)
                stored = write_plan(store, made.planner(request), key)
    return Files(store, stored)


@contextmanager
def _locked(path: Path) -> Iterator[FileLock]:
    """The folder of `path` exists and nobody else is making the file, until the lock is released."""
    lock = FileLock(f"{path}.lock")
    _make(path.parent)
    with _writable():
        lock.acquire()
    try:
        yield lock
    finally:
        lock.release()


def _make(folder: Path) -> None:
    with _writable():
        folder.mkdir(parents=True, exist_ok=True)


def _writable() -> AbstractContextManager[None]:
    return writable(f"to the cache {root()}", "set WARP_IR_CACHE to a folder that can be written")
