"""Starts the command line, for `warp-ir` and `python -m warp_ir_dataset`. Imports nothing that takes long."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from .common.interrupts import ignore_from_here, stopping_at_once

READER_LEFT = 141  # what a shell says of a process that SIGPIPE ended
UNPRINTED = 2


class _Printed(io.FileIO):
    """What is printed to a descriptor. After a write that fails the rest goes nowhere, or Python would try it
    again and again; where nobody could be told, as on the standard error, so does what that write had."""

    def __init__(self, number: int, *, telling: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self.refused: OSError | None = None
        self._telling = telling

    def write(self, data: Any) -> int:
        if self.refused is None:
            try:
                return super().write(data)
            except OSError as error:
                self.refused = error
                if self._telling:
                    raise
        return len(data)


def main() -> int:
    """The exit status of a command; a Ctrl-C, or a signal to end, ends it with one line at any time,
    also while it imports. Where nobody reads on, as behind ``| head``, it ends without a word."""
    printed = _streams()
    with stopping_at_once():
        from .cli import main as run
    try:
        try:
            status = run()
        except SystemExit as end:  # of --help
            status = int(end.code or 0)
        sys.stdout.flush()
    except OSError as error:
        if error is not printed.refused:
            raise
    if isinstance(printed.refused, BrokenPipeError):
        status = READER_LEFT
    elif printed.refused is not None:
        print(f"warp-ir: error: cannot print: {printed.refused.strerror}", file=sys.stderr)
        status = UNPRINTED
    ignore_from_here()
    return status


def _streams() -> _Printed:
    """Make the standard streams ones that print any character: one that an encoding lacks is told by its
    number. Returns what is below the standard output.

    Where a stream is closed its descriptor is taken: the next file to be opened would get it, and with it
    what children print.
    """
    numbers = [
        number if stream is not None else os.open(os.devnull, os.O_RDWR)
        for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr))
    ]
    out, err = _Printed(numbers[1], telling=True), _Printed(numbers[2], telling=False)
    sys.stdout, sys.stderr = _text(out, sys.stdout), _text(err, sys.stderr)
    return out


def _text(raw: _Printed, like: Any) -> io.TextIOWrapper:
    at_once = getattr(like, "write_through", False)  # as with PYTHONUNBUFFERED
    return io.TextIOWrapper(
        raw if at_once else io.BufferedWriter(raw),
        getattr(like, "encoding", "utf-8"),
        "backslashreplace",
        line_buffering=getattr(like, "line_buffering", True),
        write_through=at_once,
    )


if __name__ == "__main__":
    sys.exit(main())
