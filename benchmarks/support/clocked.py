"""`produce` with a clock around every call into Warp, clang and NVRTC: what workers run in `throughput.py`.

The calls themselves are not changed. After each batch a line of JSON goes into the file that the environment
variable `WARP_IR_DIARY` names: what this process has spent and proved so far, and the memory it holds.
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import warp as wp
from warp._src import build, context

from warp_ir_dataset.builds import produce as builds
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.common.outcomes import BatchFailed, Outcome
from warp_ir_dataset.compilers import warp as toolchain

__all__ = ["BatchFailed", "produce"]  # a pool looks for both in one module


class Clocks:
    """CPU seconds spent in each tool; where one calls another, the outer one counts."""

    def __init__(self) -> None:
        self.seconds = {"warp": 0.0, "clang": 0.0, "nvrtc": 0.0}
        self.rows = 0
        self._running = False

    def around(self, tool: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._running:
                return function(*args, **kwargs)
            self._running = True
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[tool] += time.process_time() - start
                self._running = False

        return timed

    def watch(self, tool: str, owner: Any, name: str) -> None:
        setattr(owner, name, self.around(tool, getattr(owner, name)))


@functools.cache
def clocks() -> Clocks:
    """Clocks around all that `toolchain` calls of Warp, LLVM and NVRTC, from the first call on."""
    toolchain.start()
    found = Clocks()
    # Executing a source is Warp's work: its decorators parse the kernel. This name hides the built-in.
    vars(toolchain)["exec"] = found.around("warp", exec)
    found.watch("warp", context.ModuleBuilder, "__init__")
    found.watch("warp", context.ModuleBuilder, "codegen")
    found.watch("warp", wp, "launch")
    found.watch("clang", build, "build_cpu")
    found.watch("clang", context.runtime.llvm, "wp_load_obj")
    found.watch("clang", context.runtime.llvm, "wp_unload_obj")
    found.watch("nvrtc", build, "build_cuda")
    return found


def produce(
    candidates: Sequence[Candidate], config: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """What `builds.produce.produce` gives, and a line in the diary."""
    total = clocks()
    outcomes = builds.produce(candidates, config, arch, notify)
    total.rows += sum(isinstance(outcome, dict) for outcome in outcomes)
    note = {"process": os.getpid(), "rows": total.rows, "memory": resident(), "cpu": time.process_time()}
    with open(os.environ["WARP_IR_DIARY"], "a", encoding="utf-8") as diary:
        diary.write(json.dumps(note | total.seconds) + "\n")
    return outcomes


def resident() -> int:
    """Bytes of memory this process holds. Linux only."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
