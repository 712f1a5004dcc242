"""Handles signals that end a command: Ctrl-C, SIGTERM (`kill`, Slurm, systemd), SIGHUP (a closed terminal).

While modules are imported the process ends on the spot, as there is nothing to clean up: libraries swallow a
`KeyboardInterrupt` that comes then, take it for a missing module, or print a traceback of their own. Later
all three unwind what is at work, so that no child and no temporary folder is left.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

INTERRUPTED = 128 + signal.SIGINT
STOPPED = "stopped"
GOES_ON = f"{STOPPED}: the same command goes on from here"  # of what keeps what it has done
ENDING = (signal.SIGTERM, signal.SIGHUP)

_asked: list[int] = []  # which of them asked this process to end


class Ended(KeyboardInterrupt):
    """A signal asked the process to end; `status` is what it ends with, as shells have it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


@contextmanager
def stopping_at_once() -> Iterator[None]:
    """Let each of the three end the process with one line, and nothing else, while this lasts.

    Does nothing outside the main thread, and where somebody else than Python handles the signal.
    """
    with _handled((signal.SIGINT, *ENDING), _stop):
        yield


@contextmanager
def stopping_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `Ended` while this lasts, and a second one do nothing. As above, it leaves
    alone what is none of ours: a command under `nohup` goes on."""
    _asked.clear()
    try:
        with _handled(ENDING, _end):
            yield
    except KeyboardInterrupt as stop:
        if _asked and not isinstance(stop, Ended):  # Ray raises one of its own in the place of any
            raise Ended(_asked[0]) from None
        raise


def ignore_from_here() -> None:
    """For a process whose work is done, and whose status is known."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _handled(numbers: tuple[int, ...], handler: Callable[[int, object], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = (signal.default_int_handler, signal.SIG_DFL, _stop, _end)
    before: dict[int, Any] = {number: signal.getsignal(number) for number in numbers}
    taken = [number for number in numbers if before[number] in ours]
    for number in taken:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def _stop(number: int, frame: object) -> None:
    with suppress(OSError):  # the terminal may be gone
        os.write(2, f"warp-ir: {STOPPED}\n".encode())  # whatever the interpreter was writing
    os._exit(128 + number)


def _end(number: int, frame: object) -> None:
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    _asked.append(number)
    for descriptor in (1, 2):
        _mend(descriptor)
    raise Ended(number)


def _mend(descriptor: int) -> None:
    """Let what is said to a terminal that is gone go nowhere, instead of failing where it is said."""
    try:
        os.write(descriptor, b"")
    except OSError:
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
