"""A Ctrl-C while modules are imported.

Libraries swallow a `KeyboardInterrupt` that comes while they are imported, take it for a missing module, or
print a traceback of their own. As there is nothing to clean up then, the process ends on the spot.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
STOPPED = "stopped: the same command goes on from here"


@contextmanager
def stopping_at_once() -> Iterator[None]:
    """Let a Ctrl-C end the process with one line, and nothing else, while this lasts.

    Does nothing outside the main thread, and where somebody else than Python handles the signal.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_from_here() -> None:
    """For a process whose work is done, and whose status is known."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(number: int, frame: object) -> None:
    os.write(2, f"warp-ir: {STOPPED}\n".encode())  # whatever the interpreter was writing
    os._exit(INTERRUPTED)
