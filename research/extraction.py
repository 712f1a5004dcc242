"""How many of anybody's kernels can be extracted: those of the installed Warp, or of another package.

    python research/extraction.py                     code text and sources of every kernel
    python research/extraction.py --only examples     of modules whose name holds a word
    python research/extraction.py --ptx 200           and PTX, of that many kernels
    python research/extraction.py --package FOLDER    of a package of another project's

Every module is imported, tests and examples too, without running what stands under ``if __name__``; packages
that are missing are replaced. Kernels that take any type count once for each choice of types that a module
made. A source stands alone if Warp makes of it, in a module of its own, the same C++, CUDA and adjoint, names
aside.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import resource
import signal
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readable import warp_root
from tqdm import tqdm

from warp_ir_dataset.builds.handwritten.stand_ins import StandIns
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.extracting import extract as extracting
from warp_ir_dataset.compilers.extracting.found import any_device, concrete, noted

IMPORT_LIMIT = 40  # seconds
KERNEL_LIMIT = 60  # the longest that mathdx may link for one kernel


class _TooLong(BaseException):
    """What interrupts anything, also code that catches every exception."""


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise _TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def modules(root: Path, word: str) -> list[str]:
    names = [
        ".".join((root.name, *path.relative_to(root).with_suffix("").parts)) for path in root.rglob("*.py")
    ]
    return sorted(name for name in names if word in name and not name.endswith(("__init__", "__main__")))


def registered(names: list[str]) -> tuple[list[Any], int]:
    """The kernels that importing modules makes, and how many modules could not be imported."""
    failed = 0
    sys.meta_path.append(StandIns)  # type: ignore[arg-type]
    with noted() as made, any_device():
        for name in tqdm(names, unit="modules", disable=not sys.stderr.isatty()):
            try:
                with at_most(IMPORT_LIMIT), contextlib.redirect_stdout(io.StringIO()):
                    importlib.import_module(name)
            except (Exception, SystemExit, _TooLong):
                failed += 1  # what it made until then counts
    return [kernel for kernel, _ in made], failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="modules whose name holds it")
    parser.add_argument("--ptx", type=int, default=0, metavar="N", help="kernels that NVRTC compiles too")
    parser.add_argument("--list", action="store_true", help="name the kernels behind each reason")
    parser.add_argument("--package", type=Path, metavar="FOLDER", help="of this package instead of Warp")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    toolchain.start()
    root = warp_root() if options.package is None else options.package.resolve()
    sys.path.insert(0, str(root.parent))
    names = modules(root, options.only)
    made, failed = registered(names)
    kernels = [kernel for kernel in concrete(made) if not kernel.is_generic]
    generic = sum(kernel.is_generic and not kernel.overloads for kernel in made)
    print(f"{len(kernels)} kernels of {len(names)} modules, of which {failed} were not imported to the end")
    print(f"{generic} more take any type, and no module gives them one")
    told: Counter[str] = Counter()
    reasons: dict[str, list[str]] = defaultdict(list)
    steps = max(1, len(kernels) // max(1, options.ptx))
    memory = [_memory()]
    for number, kernel in enumerate(tqdm(kernels, unit="kernels", disable=not sys.stderr.isatty())):
        survey(kernel, bool(options.ptx) and number % steps == 0, told, reasons)
        if number % 500 == 499:
            memory.append(_memory())
    for field in FIELDS:
        count, of = told[field], told["ptx asked"] if field.startswith("ptx") else len(kernels)
        if of:
            print(f"{field:16}{count:6} of {of}, {count / of:.1%}")
    print(f"MB in memory, every 500 kernels: {', '.join(map(str, memory))}")
    for reason, whose in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(
            "\n".join([f"{len(whose):5}  {reason}", *(f"         {name}" for name in whose if options.list)])
        )


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 2**20


FIELDS = ("cpp", "cuda", "cuda_backward", "python_source", "ptx", "ptx_backward")


def survey(kernel: Any, with_ptx: bool, told: Counter[str], reasons: dict[str, list[str]]) -> None:
    name = f"{kernel.module.name}:{kernel.key}"
    try:
        with at_most(KERNEL_LIMIT):
            found = extracting.extract(kernel, "sm_80" if with_ptx else None)
    except UserError as error:
        reasons[f"cpp: {_end(str(error))}"].append(name)
        return
    except _TooLong:
        reasons[f"all: it took more than {KERNEL_LIMIT} s"].append(name)
        return
    told["ptx asked"] += with_ptx
    for field in FIELDS:
        if getattr(found, field) is not None:
            told[field] += 1
        elif with_ptx or not field.startswith("ptx"):
            reasons[f"{field}: {_end(found.missing[field])}"].append(name)


def _end(reason: str) -> str:
    """The end of a reason, where Warp says what is wrong; its beginning says where."""
    return reason if len(reason) < 100 else "..." + reason[-97:]


if __name__ == "__main__":
    main()
