"""Shards on disk, keyed by their path: each is synthesized once per machine, by whoever asks first.

Safe under threads and processes: a shard and a plan have a lock each, and a file is whole or not there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from filelock import FileLock

from ..builds.plan import plan as plans
from ..builds.request import Request
from ..builds.row import SCHEMA
from ..builds.shards import fill, write_parquet
from ..common.errors import UserError
from ..workers.progress import Bar
from ..workers.seats import borrowed
from .urls import Shard, encode


def root() -> Path:
    """``$WARP_IR_CACHE``, or ``warp_ir`` in the Hugging Face cache."""
    if chosen := os.environ.get("WARP_IR_CACHE"):
        return Path(chosen).expanduser().absolute()
    caches = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(os.environ.get("HF_HOME", f"{caches}/huggingface")).expanduser().absolute() / "warp_ir"


def size(shard: Shard) -> int | None:
    """Bytes of the shard's file, or None where it is not in the cache."""
    try:
        return (root() / shard.path).stat().st_size
    except OSError:
        return None


def fetch(shard: Shard, *, quiet: bool = False) -> Path:
    """The shard's file, synthesized first if need be; others who want it wait meanwhile.

    Raises `UserError` where the cache cannot be written, and what `shard.fill` raises.
    """
    path = root() / shard.path
    if not path.exists():
        with _locked(path):
            if not path.exists():
                _synthesize(shard, path, quiet)
    return path


def _synthesize(shard: Shard, path: Path, quiet: bool) -> None:
    request = shard.request
    # The workers start in the background while the plan is made.
    with borrowed(request.config, request.arch, root()) as pool:
        plan = next(p for p in _plan(request).shards if (p.split, p.index) == (shard.split, shard.index))
        title = f"Synthesizing {request.config}/{shard.split} {shard.index + 1}/{shard.count}"
        with Bar(title, plan.rows, keep=False, quiet=quiet) as bar:
            for _, rows, _ in fill([plan], pool, on_outcome=bar.seen):
                write_parquet(rows, SCHEMA, path)


@lru_cache(maxsize=4)
def _plan(request: Request) -> plans.Plan:
    """The request's plan, from the cache: it takes seconds to make, and every process needs it."""
    path = root() / encode(request) / "plan.json"
    with _locked(path):
        if not path.exists():
            text = plans.dump(plans.planned(request))
            temporary = path.with_suffix(f".{os.getpid()}.tmp")
            with _complaining():
                temporary.write_text(text, encoding="utf-8")
                temporary.replace(path)
    return plans.load(path.read_text(encoding="utf-8"))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """The folder of `path` exists and nobody else is making the file."""
    lock = FileLock(f"{path}.lock")
    with _complaining():
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"cannot write to the cache {root()} ({error.strerror or error}): "
            "set WARP_IR_CACHE to a folder that can be written"
        ) from error
