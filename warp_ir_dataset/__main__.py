"""What `warp-ir` and `python -m warp_ir_dataset` run. Nothing is imported here that takes a moment."""

from __future__ import annotations

import sys

from .common.interrupts import ignore_from_here, stopping_at_once


def main() -> int:
    """The exit status of a command; a Ctrl-C, or a signal to end, ends it with one line at any time,
    also while it imports."""
    with stopping_at_once():
        from .cli import main as run
    status = run()
    ignore_from_here()
    return status


if __name__ == "__main__":
    sys.exit(main())
