"""What judging costs: seconds of CPU for an answer, by what it is.

    python research/judging.py DIR [--config cuda] [--rows 24] [--group 16] [--groups 8]

DIR is a folder that `warp-ir build` wrote. All is measured with one worker, in CPU seconds of it and of its
children, so that it holds on a busy machine; what two cores give is twice as much a second. The start of the
judge and its first answer, which a run pays once, are measured by themselves and taken away. Groups are of
several rows, one after the other, and what a row costs whatever its answers is among their costs.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from warp_ir_dataset import score_many
from warp_ir_dataset.common.configs import CONFIGS

CORES = 2
SET_CHILD_SUBREAPER = 36  # of prctl


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--config", default="cuda")
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--group", type=int, default=16)
    parser.add_argument("--groups", type=int, default=8)
    options = parser.parse_args()
    adopt()
    files = sorted((options.folder / options.config).glob("test-*.parquet"))
    rows = [row for file in files for row in pq.read_table(file, partitioning=None).to_pylist()]
    rows = rows[: options.rows]
    right = [row["completion"] for row in rows]
    cost(options.config, rows[-1:], right[-1:])  # what this process itself imports
    start = cost(options.config, rows[-1:], right[-1:])
    print(f"{'answers':<44}{'CPU s each':>11}{'a second on two cores':>23}")
    for name, texts in (
        ("right, one a row", right),
        ("refused by the compiler, one a row", list(map(refused, right))),
        ("wrong, one a row", list(map(wrong, right))),
        ("right, wrong and refused, one a row", list(mixed(right))),
    ):
        tell(name, cost(options.config, [rows[-1], *rows], [right[-1], *texts]) - start, len(texts))
    size, some = options.group, range(0, len(rows), max(1, len(rows) // options.groups))
    asked = [rows[place] for place in some for _ in range(size)]
    groups = [[right[place]] * size for place in some]
    for name, made in (
        ("right", iter),
        ("refused", partial(map, refused)),
        ("right, wrong and refused", mixed),
    ):
        texts = [text for group in groups for text in made(group)]
        more = cost(options.config, [rows[-1], *asked], [right[-1], *texts]) - start
        tell(f"{name}, {size} to a row", more, len(texts))


def cost(config: str, rows: Sequence[dict[str, Any]], texts: Sequence[str]) -> float:
    """CPU seconds of judging, with those of starting."""
    before = used()
    score_many(rows, numbered(texts, CONFIGS[config].python), config=config)
    gather()
    return used() - before


def adopt() -> None:
    """Take in what the judge's workers leave behind when they end: the processes that answers ran in count
    only when somebody has waited for them."""
    if ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError("no process can be adopted here")


def gather() -> None:
    """Wait for all that were taken in."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def used() -> float:
    """CPU seconds of this process, and of children that have ended with theirs."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, whose))


def tell(name: str, seconds: float, answers: int) -> None:
    each = seconds / answers
    print(f"{name:<44}{each:>11.3f}{CORES / each:>23.1f}", flush=True)


def numbered(texts: Sequence[str], python: bool) -> list[str]:
    """The same answers, no two of them the same text, and in Python no two the same program: each
    kernel, which ends its module, has a local of its own."""
    more = "    spare_{0} = {0}" if python else "// {0}"
    return [f"{text.rstrip()}\n{more.format(number)}\n" for number, text in enumerate(texts)]


def refused(text: str) -> str:
    head, brace, rest = text.rpartition("}")
    if text.startswith("import "):  # Python, whose kernel ends the module
        return f"{text.rstrip()}\n    wp.not_there(1)\n"
    return f"{head}    not_there(1);\n{brace}{rest}"


def wrong(text: str) -> str:
    """The same with a sum for a difference, or a return in front: it compiles."""
    for old, new in (("wp::add(", "wp::sub("), ("wp::mul(", "wp::add("), (" + ", " - "), (" * ", " + ")):
        if old in text:
            return text.replace(old, new, 1)
    return text


def mixed(texts: Sequence[str]) -> Iterator[str]:
    changes: tuple[Callable[[str], str], ...] = (str, wrong, refused)
    for text, change in zip(texts, cycle(changes), strict=False):
        yield change(text)


if __name__ == "__main__":
    main()
