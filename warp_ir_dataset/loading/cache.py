"""Shards on disk, keyed by their path: each is synthesized once per machine, by whoever asks first.

Safe under threads and processes: a shard and a plan have a lock each, and a file is whole or not there. One
that has been damaged since (see `seals`) is made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

from filelock import FileLock

from ..builds.plan.plan import Plan
from ..builds.plan.saved import dump, fits, load
from ..builds.request import Request
from ..builds.row import schema
from ..builds.shards import write_parquet
from ..common.caches import root
from ..common.configs import CONFIGS
from ..common.files import writable, write
from .bars import shown
from .maker import Maker, maker
from .seals import holds_rows, is_sound, seal
from .urls import Shard, encode


def size(shard: Shard) -> int | None:
    """Bytes of the shard's file, or None where it is not in the cache."""
    try:
        return (root() / shard.path).stat().st_size
    except OSError:
        return None


def fetch(shard: Shard, *, quiet: bool = False, whole: bool = False) -> Path:
    """The shard's file, synthesized first where it is missing or damaged; others who want it wait meanwhile.

    `whole` says that all shards of its config are wanted, one after another: one bar is for all of them.
    Raises `UserError` where the cache cannot be written, and what filling raises (see `Engine`).
    """
    path = root() / shard.path
    holds = partial(holds_rows, shard=shard)
    if not is_sound(path, holds):
        with _locked(path):
            if not is_sound(path, holds):
                _synthesize(shard, path, quiet, whole)
                seal(path)
    return path


def _synthesize(shard: Shard, path: Path, quiet: bool, whole: bool) -> None:
    request, made = shard.request, maker()
    with made.engine.started(request) as fill:
        folder = root() / encode(request)
        plan = _plan(folder / "plan.json", request, made)
        wanted = next(p for p in plan.shards if (p.split, p.index) == (shard.split, shard.index))
        with shown(plan, wanted, folder, whole=whole, quiet=quiet) as bar:
            for filled in fill([wanted], bar.seen):
                write_parquet(filled.rows, schema(request.config), path)


@lru_cache(maxsize=4)
def _plan(path: Path, request: Request, made: Maker) -> Plan:
    """The plan of a request, from its file: making it takes seconds, and every process needs it. The plan of
    `handwritten` takes no time and has no file."""
    if not CONFIGS[request.config].drawn:
        return made.planner(request)
    with _locked(path):
        if is_sound(path, partial(_is_plan, request=request)):
            return load(path.read_text(encoding="utf-8"))
        made.engine.prover.check(request)
        plan = made.planner(request)
        write(path, dump(plan))
        seal(path)
        return plan


def _is_plan(path: Path, request: Request) -> bool:
    """Whether a file without a seal holds a plan of the request."""
    try:
        text = path.read_text(encoding="utf-8")
        plan = load(text)
        return fits(plan, request) and dump(plan) == text
    except (ValueError, TypeError):
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """The folder of `path` exists and nobody else is making the file."""
    lock = FileLock(f"{path}.lock")
    with writable(f"to the cache {root()}", "set WARP_IR_CACHE to a folder that can be written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
