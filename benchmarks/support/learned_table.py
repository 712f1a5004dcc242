"""Lines of `learning.py` as tables: bits per byte, means over seeds with the least and the most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from support.row_texts import CLASSES
from warp_ir_dataset.publishing.markdown import number, share, table

Line = dict[str, Any]  # of OUT/runs.jsonl
Kernel = dict[str, Any]  # of a line's `kernels`: id, category, twin, bytes and bits by class
Chosen = Callable[[Kernel], bool]

ALL, CODE = slice(0, None), slice(1, None)  # comments are the first class
PARTS = [ALL, CODE, *(slice(c, c + 1) for c in range(len(CLASSES)))]


def tables(lines: Sequence[Line]) -> Iterator[str]:
    """For each judge: originals and twins apart, by class; then families that some run did without."""
    for judged in dict.fromkeys(line["judged"] for line in lines):
        of_judge = [line for line in lines if line["judged"] == judged]
        name = of_judge[0]["judge"]
        for twins in (False, True):
            if any(kernel["twin"] == twins for kernel in of_judge[0]["kernels"]):
                yield _by_class(f"{name}, twins" if twins else name, of_judge, twins)
        if own := _own_rows(of_judge):
            yield f"### {name}: rows of what was left out\n\n{own}"


def _by_class(title: str, lines: Sequence[Line], twins: bool) -> str:
    """All completions, and each class of their bytes, for every learner."""
    whole = _whole(lines)
    kernels = [kernel for kernel in lines[0]["kernels"] if kernel["twin"] == twins]
    read = [kernel for kernel in kernels if kernel["id"] in whole]
    fits = f"{number(len(read))} of {number(len(kernels))} kernels fit ({share(len(read), len(kernels))})"
    bytes_of = [sum(kernel["bytes"][c] for kernel in read) for c in range(len(CLASSES))]
    parts = [f"{name} {share(size, sum(bytes_of))}" for name, size in zip(CLASSES, bytes_of, strict=True)]
    rows = []
    for learner, group in _learners(lines).items():
        cells = [_spread(group, lambda k: k["twin"] == twins and k["id"] in whole, part) for part in PARTS]
        times = np.mean([line["read"] for line in group]) / learner[1]
        rows.append([_named(learner), number(learner[1]), f"{times:.1f}", str(len(group)), *cells])
    head = ["", "rows", "times read", "seeds", "all", "all but comments", *CLASSES]
    return f"### {title}: {fits}; {', '.join(parts)}\n\n{table(head, rows)}"


def _own_rows(lines: Sequence[Line]) -> str:
    """What rows of a family cost those who did without it, and those who had it, by the same seeds."""
    whole, learners = _whole(lines), _learners(lines)
    rows = []
    for (kind, size, without), group in learners.items():
        seeds = {line["run"]["seed"] for line in group}
        had = [line for line in learners.get((kind, size, ()), []) if line["run"]["seed"] in seeds]
        if not without or len(had) < len(seeds):
            continue
        cells = []
        for own in (True, False):
            for side in (had, group):
                chosen = lambda k: k["id"] in whole and (k["category"] in without) == own  # noqa: E731, B023
                cells.append(_spread(side, chosen, ALL))
        rows.append([", ".join(without), number(size), str(len(seeds)), *cells])
    head = [
        "left out",
        "rows",
        "seeds",
        "its rows, had",
        "its rows, without",
        "others, had",
        "others, without",
    ]
    return table(head, rows) if rows else ""


def _learners(lines: Sequence[Line]) -> dict[tuple[str, int, tuple[str, ...]], list[Line]]:
    """Lines that differ by their seeds alone; whole families first, then by size."""
    found: dict[tuple[str, int, tuple[str, ...]], list[Line]] = {}
    for line in lines:
        run = line["run"]
        kind = "model" if run["setting"] else "compressor"
        found.setdefault((kind, run["size"], tuple(run["without"])), []).append(line)
    return dict(sorted(found.items(), key=lambda item: (item[0][0], item[0][2], item[0][1])))


def _named(learner: tuple[str, int, tuple[str, ...]]) -> str:
    kind, _, without = learner
    return f"{kind} without {', '.join(without)}" if without else kind


def _whole(lines: Sequence[Line]) -> set[str]:
    """Ids of the kernels that the window of every run holds: all lines are compared on the same."""
    return set.intersection(
        *({kernel["id"] for kernel in line["kernels"] if kernel["bits"] is not None} for line in lines)
    )


def _spread(lines: Sequence[Line], chosen: Chosen, part: slice) -> str:
    """Bits per byte of a part of the chosen kernels: the mean over lines, and between which they lie."""
    found = []
    for line in lines:
        kernels = [kernel for kernel in line["kernels"] if chosen(kernel)]
        if part not in (ALL, CODE) and any(len(kernel["bits"]) < len(CLASSES) for kernel in kernels):
            return "–"  # a compressor knows comments and the rest
        size = sum(sum(kernel["bytes"][part]) for kernel in kernels)
        if not size:
            return "–"
        found.append(sum(sum(kernel["bits"][part]) for kernel in kernels) / size)
    mean = f"{np.mean(found):.3f}"
    return mean if len(found) == 1 else f"{mean} ({min(found):.3f}–{max(found):.3f})"
