"""How long somebody waits for rows: ``python loads.py CONFIG KERNELS {all,first}``, in any version.

Prints wall-clock seconds from the first line of this script on, imports included, until all splits are there
or the first streamed row is. Whether anything is made for it, the caches decide that the environment names.
"""

from __future__ import annotations

import time

STARTED = time.perf_counter()


def main() -> None:
    import sys

    import warp_ir_dataset

    config, kernels, what = sys.argv[1:]
    if what == "all":
        rows = warp_ir_dataset.load(config, num_kernels=int(kernels))
        assert sum(rows.num_rows.values()) == int(kernels)
    else:
        assert next(iter(warp_ir_dataset.load(config, "train", streaming=True, num_kernels=int(kernels))))
    print(time.perf_counter() - STARTED)


if __name__ == "__main__":
    main()
