"""Runs a kernel of unknown origin in a process of its own first, so that a crash kills no other kernel."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Callable


def exit_status(run: Callable[[], int], seconds: int) -> int:
    """How a copy of this process ends that does `run` and writes nothing: with what `run` returns, 1 where it
    raises, the negative number of the signal that ended it, which is SIGALRM after so many seconds."""
    child = os.fork()
    if not child:
        status = 1
        try:
            faulthandler.disable()  # it writes where it was told to at its start
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            status = run()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
