"""`warp-ir` in a process of its own, with the pauses between tries cut short, so that faults cost no time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def shortened(sleep: Callable[[float], None]) -> Callable[[float], None]:
    return lambda seconds: sleep(min(seconds, 0.01))


if __name__ == "__main__":
    time.sleep = shortened(time.sleep)
    from warp_ir_dataset import cli

    sys.exit(cli.main(sys.argv[1:]))
