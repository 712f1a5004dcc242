"""What `warp-ir` and `python -m warp_ir_dataset` run. Nothing is imported here that takes a moment."""

from __future__ import annotations

import os
import select
import sys

from .common.interrupts import ignore_from_here, stopping_at_once

READER_LEFT = 141  # what a shell says of a process that SIGPIPE ended


def main() -> int:
    """The exit status of a command; a Ctrl-C, or a signal to end, ends it with one line at any time,
    also while it imports. Where nobody reads on, as behind ``| head``, it ends without a word."""
    with stopping_at_once():
        from .cli import main as run
    try:
        status = run()
        sys.stdout.flush()
    except BrokenPipeError:
        if not _reader_left():
            raise  # another pipe
        status = READER_LEFT
    ignore_from_here()
    return status


def _reader_left() -> bool:
    """Whether nobody reads what is printed; then the rest goes nowhere, or Python would try it once more."""
    out = select.poll()
    out.register(sys.stdout, 0)
    left = any(event & select.POLLERR for _, event in out.poll(0))
    if left:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return left


if __name__ == "__main__":
    sys.exit(main())
