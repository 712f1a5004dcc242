"""Answers of `learning.py` as a table: judged by running them, and counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from support.lessons import PEOPLE
from warp_ir_dataset import Status, score_predictions
from warp_ir_dataset.evaluation.measure import LEVEL
from warp_ir_dataset.publishing.markdown import number, share, table

UNCOMPILED = {Status.COMPILE_ERROR, Status.FORBIDDEN, Status.EMPTY}
RESAMPLES = 10_000
HEAD = ["asked", "task", "rows", "kernels", "purposes", "right", "pass@1", "95 % interval", "compile"]


@dataclass
class Counted:
    """What became of the answers to one kind of question, of all models of one number of rows."""

    answers: int = 0
    compiled: int = 0
    unjudged: int = 0
    passes: dict[str, list[float]] = field(default_factory=dict)  # by kernel


def table_of(
    prepared: Path, folder: Path, build: Path, people: Path | None, workers: int | None = None
) -> str:
    """Judge what is not judged yet, and tell how many answers are right by number of rows."""
    told = json.loads((prepared / "prepared.json").read_text(encoding="utf-8"))
    groups = {(question["file"], question["id"]): question["group"] for question in told["questions"]}
    files = list(dict.fromkeys(question["file"] for question in told["questions"]))
    runs = [
        (path.parent, json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob("*/*/run.json")
    ]
    if not runs:
        raise SystemExit(f"{folder} holds no finished run")
    runs.sort(key=lambda run: (run[1]["rows"], run[1]["seed"]))
    lines, unjudged = [], 0
    for file in files:
        people_asked, task = file.startswith(PEOPLE), file.removeprefix(f"{PEOPLE}-").removesuffix(".jsonl")
        whose = people if people_asked else build
        if whose is None:
            continue
        found: dict[int, Counted] = {}
        for place, run in runs:
            counted = found.setdefault(run["rows"], Counted())
            _judge(counted, place / file, whose, task, people_asked, workers)
        asked = "handwritten twins" if people_asked else "held-out purposes"
        for size, counted in found.items():
            unjudged += counted.unjudged
            lines.append([asked, f"`{task}`", number(size), *_cells(counted, file, groups, people_asked)])
    shown = table(HEAD, lines, text_columns=2)
    caption = _caption([run for _, run in runs], told)
    if unjudged:
        caption += f"\n\n{unjudged:,} answers could not be judged, and do not count."
    return f"{caption}\n\n{shown}"


def _judge(
    counted: Counted, path: Path, build: Path, task: str, people_asked: bool, workers: int | None
) -> None:
    config = PEOPLE if people_asked else task
    found = score_predictions(
        build, path, config=config, task=task if people_asked else None, workers=workers
    )
    unjudged = found.statuses[Status.UNSUPPORTED]
    total = found.statuses.total() - unjudged
    counted.answers += total
    counted.unjudged += unjudged
    counted.compiled += total - sum(found.statuses[status] for status in UNCOMPILED)
    for kernel in found.kernels:
        if kernel.answers:  # others were not asked
            counted.passes.setdefault(kernel.id, []).append(kernel.correct / kernel.answers)


def _cells(counted: Counted, file: str, groups: dict[tuple[str, str], str], people_asked: bool) -> list[str]:
    values: dict[str, list[float]] = {}
    for id, passes in counted.passes.items():
        values.setdefault(groups[file, id], []).append(sum(passes) / len(passes))
    right = round(sum(map(sum, counted.passes.values())))
    if not values:
        return ["0", "–", "0", "–", "–", "–"]
    low, high = interval(list(values.values()))
    mean = sum(map(sum, values.values())) / len(counted.passes)
    return [
        number(len(counted.passes)),
        "–" if people_asked else number(len(values)),
        f"{right:,} of {counted.answers:,}",
        f"{mean:.1%}",
        f"{low:.1%} – {high:.1%}",
        share(counted.compiled, counted.answers),
    ]


def interval(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Between which ends the mean would be for other groups of the same kind: the kernels of a purpose are
    drawn together, as they are alike. Where all are right, or none, what as many groups do not rule out."""
    sums, counts = np.array([sum(group) for group in groups]), np.array([len(group) for group in groups])
    if sums.sum() in (0, counts.sum()):
        bound = ((1 - LEVEL) / 2) ** (1 / len(groups))
        return (0.0, 1 - bound) if sums.sum() == 0 else (bound, 1.0)
    draws = np.random.RandomState(0).randint(len(groups), size=(RESAMPLES, len(groups)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def _caption(runs: Sequence[dict[str, Any]], told: dict[str, Any]) -> str:
    """What the models are, and what they cost."""
    first = runs[0]
    seeds = ", ".join(map(str, sorted({run["seed"] for run in runs})))
    lines = [
        f"Transformers of {first['parameters'] / 1e6:.1f} million parameters, trained from nothing on rows "
        f"of each task; seeds {seeds}; on {first['device']} (torch {first['torch']}). The context is "
        f"{told['context']:,} tokens; longer rows are left out: "
        + (", ".join(f"{count:,} of `{name}`" for name, count in told["left_out"].items()) or "none")
        + "."
    ]
    lines += [
        f"- {run['rows']:,} rows, seed {run['seed']}: {sum(run['by_task'].values()):,} of three tasks fit; "
        f"{run['tokens']:,} tokens ({run['passes']} passes, loss {run['loss']}) in {run['seconds']:,} s; "
        f"{run['answers']:,} answers in {run['answering']:,} s, {run['unended']:,} without an end"
        for run in runs
    ]
    return "\n".join(lines)
