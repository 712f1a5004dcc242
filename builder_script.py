"""The builder seen from the top level, and a script: `builder_script.py OUT` is `warp-ir build OUT`."""

from __future__ import annotations

import sys

from warp_ir_dataset.cli import main
from warp_ir_dataset.loading.builder import WarpIR, WarpIRConfig

__all__ = ["WarpIR", "WarpIRConfig"]

if __name__ == "__main__":
    sys.exit(main(["build", *sys.argv[1:]]))
