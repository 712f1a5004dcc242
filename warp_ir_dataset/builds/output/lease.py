"""Lets only one process at a time work on a build at a URL, or on a part of it.

A process that works renews a file (a lease) at the URL, as long as it lives. A process that comes later sees
the file change, and stops with an error. If the file does not change, its process was killed. Clocks are not
compared.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...common.errors import UserError
from ...common.redacted import redacted
from .store import Store

FOLDER = ".leases"
WHOLE = "whole"  # the lease of a process that works on all parts
BEAT = 10.0  # seconds
PATIENCE = 30.0  # seconds after which the process of an unchanged lease counts as dead
TICK = 0.5  # seconds


@contextmanager
def held(store: Store, part: str) -> Iterator[None]:
    """Keeps others from working on a part while the context lasts. Waits to see whether those who left a
    lease still live. Raises `UserError` where one does; of two that come at once, both may be refused."""
    own = f"{FOLDER}/{part}/{secrets.token_hex(8)}"
    ended = threading.Event()
    _renew(store, own, 0)
    thread = threading.Thread(target=_keep, args=(store, own, ended), daemon=True)
    thread.start()
    try:
        _wait(store, part, own)
        yield
    finally:
        ended.set()
        thread.join()
        with suppress(UserError):  # a lease that stays only makes the next process wait
            store.delete(own)


def _renew(store: Store, name: str, beat: int) -> None:
    who = {"machine": platform.node(), "process": os.getpid(), "beat": beat}
    store.put(name, json.dumps(who).encode())


def _keep(store: Store, own: str, ended: threading.Event) -> None:
    beat = 0
    while not ended.wait(BEAT):
        beat += 1
        with suppress(UserError):  # an upload will report the same error, and the next beat may succeed
            _renew(store, own, beat)


def _wait(store: Store, part: str, own: str) -> None:
    tops = [FOLDER] if part == WHOLE else [f"{FOLDER}/{part}", f"{FOLDER}/{WHOLE}"]
    names = (f"{top}/{name}" for top in tops for name in store.list(top))
    seen = {name: store.get(name) for name in names if name != own}
    if seen:
        print(
            f"another process was working at {redacted(str(store))}: waiting to see if it is", file=sys.stderr
        )
    deadline = time.monotonic() + PATIENCE
    while seen and time.monotonic() < deadline:
        time.sleep(TICK)
        for name, before in tuple(seen.items()):
            if (now := store.get(name)) is None:
                del seen[name]
            elif now != before:
                raise UserError(f"another process is working at {store} ({_who(now)}): wait for it")
    for name in seen:
        store.delete(name)


def _who(lease: bytes) -> str:
    try:
        said = json.loads(lease)
        return f"process {int(said['process'])} of {str(said['machine'])!a}"
    except (ValueError, KeyError, TypeError):
        return "nobody knows who"
