"""Runs a kernel of unknown origin in a process of its own first, so that a crash kills no other kernel."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
from collections.abc import Callable

from ..common.errors import Failure

# So much longer than its time of computing a process may take, since it shares the machine with others.
PATIENCE = 30
RAISED = 1  # the exit status of a process in which Python code raised
# What ends a process from outside: the kernel that ran in it does not send these.
FROM_OUTSIDE = (signal.SIGALRM, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Disturbed(Failure):
    """A process ended for a reason that says nothing of its kernel, as where memory is short."""


def exit_status(run: Callable[[], int], seconds: int) -> int:
    """How a copy of this process ends that does `run` and writes nothing: with what `run` returns, or the
    negative number of the signal that ended it, which is SIGXCPU after so many seconds of computing.

    Only the time that it computes counts: how busy the machine is does not matter. Raises `Disturbed` where
    `run` raises, and where the process was ended from outside, as it is after `PATIENCE` times as long.
    """
    child = os.fork()
    if not child:
        status = RAISED
        try:
            faulthandler.disable()  # it writes where it was told to at its start
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            for limit in (signal.SIGXCPU, signal.SIGALRM):
                signal.signal(limit, signal.SIG_DFL)
            hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))
            signal.alarm(PATIENCE * seconds)
            status = run()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == RAISED:
        raise Disturbed("a process that was to run a kernel failed, perhaps for lack of memory")
    if -status in FROM_OUTSIDE:
        name = signal.Signals(-status).name
        raise Disturbed(f"a process that ran a kernel was ended by {name}, as where memory or time is short")
    return status
