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
from .remote import Remote

FOLDER = ".leases"
WHOLE = "whole"  # the lease of a process that works on all parts
BEAT = 10.0  # seconds
PATIENCE = 30.0  # seconds after which the process of an unchanged lease counts as dead
TICK = 0.5  # seconds


@contextmanager
def held(remote: Remote, part: str) -> Iterator[None]:
    """Keeps others from working on a part while the context lasts. Waits to see whether those who left a
    lease still live. Raises `UserError` where one does; of two that come at once, both may be refused."""
    own = f"{FOLDER}/{part}/{secrets.token_hex(8)}"
    ended = threading.Event()
    _renew(remote, own, 0)
    thread = threading.Thread(target=_keep, args=(remote, own, ended), daemon=True)
    thread.start()
    try:
        _wait(remote, part, own)
        yield
    finally:
        ended.set()
        thread.join()
        with suppress(UserError):  # a lease that stays only makes the next process wait
            remote.remove(own)


def _renew(remote: Remote, name: str, beat: int) -> None:
    who = {"machine": platform.node(), "process": os.getpid(), "beat": beat}
    remote.write(name, json.dumps(who).encode())


def _keep(remote: Remote, own: str, ended: threading.Event) -> None:
    beat = 0
    while not ended.wait(BEAT):
        beat += 1
        with suppress(UserError):  # an upload will report the same error, and the next beat may succeed
            _renew(remote, own, beat)


def _wait(remote: Remote, part: str, own: str) -> None:
    top = FOLDER if part == WHOLE else f"{FOLDER}/{part}"
    names = (f"{top}/{name}" for name in remote.names(top))
    seen = {name: remote.read(name) for name in names if name != own}
    if seen:
        print(
            f"another process was working at {redacted(remote.url)}: waiting to see if it is", file=sys.stderr
        )
    deadline = time.monotonic() + PATIENCE
    while seen and time.monotonic() < deadline:
        time.sleep(TICK)
        for name, before in tuple(seen.items()):
            if (now := remote.read(name)) is None:
                del seen[name]
            elif now != before:
                raise UserError(f"another process is working at {remote.url} ({_who(now)}): wait for it")
    for name in seen:
        remote.remove(name)


def _who(lease: bytes) -> str:
    try:
        said = json.loads(lease)
        return f"process {int(said['process'])} of {str(said['machine'])!a}"
    except (ValueError, KeyError, TypeError):
        return "nobody knows who"
