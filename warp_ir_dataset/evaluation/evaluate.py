"""Answers to a split of a build become figures: what `warp-ir score` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..builds.output.manifest import read_manifest
from ..common.configs import CONFIGS, SPLITS
from ..common.errors import UserError
from ..judge.answers import Answer
from ..judge.question import NEEDED, is_judged
from ..judge.score import judged
from ..judge.verdict import Status
from ..publishing.facts import shards
from ..workers.progress import Bar, Tally, Words
from .evaluation import Evaluation
from .measure import Kernel
from .predictions import Prediction, read_predictions
from .verdicts import Kept, beside, opened, setting

Rows = Mapping[str, Mapping[str, Any]]
_WORDS = Words("answers", "to judge", "are judged")


def evaluate(
    folder: Path,
    predictions: Path,
    *,
    config: str,
    split: str,
    results: Path | None,
    ks: Collection[int] | None,
    workers: int,
    seed: int,
    allow_weaker_cage: bool,
    quiet: bool,
) -> Evaluation:
    """See `api.score_predictions`."""
    rows = rows_of(folder, config, split)
    found = read_predictions(predictions, rows, f"the split {split} of {config}")
    counts = Counter(prediction.id for prediction in found)
    chosen = _ks(ks, counts)
    made = setting(config, seed, allow_weaker_cage)
    with opened(results or beside(predictions), made) as kept:
        _judge(kept, rows, found, workers, quiet)
        statuses = [(each.id, kept.verdicts[each.id, each.digest].status) for each in found]
    unjudged = {id for id, status in statuses if status is Status.UNSUPPORTED}
    right = Counter(id for id, status in statuses if status is Status.CORRECT)
    kernels = tuple(
        Kernel(id, row["category"], row["difficulty"], counts[id], right[id])
        for id, row in rows.items()
        if id not in unjudged
    )
    told = Counter(status for _, status in statuses)
    return Evaluation(split, made, chosen, kernels, len(unjudged), told)


def check_judged(config: str, split: str) -> None:
    """Raise `UserError` for a config that there is none of or that is not judged, and for no split."""
    if config not in CONFIGS:
        raise UserError(f"unknown config {config!r}: choose from {', '.join(CONFIGS)}")
    if not is_judged(CONFIGS[config]):
        able = ", ".join(name for name, each in CONFIGS.items() if is_judged(each))
        raise UserError(f"answers for the config {config} are not judged yet: choose from {able}")
    if split not in SPLITS:
        raise UserError(f"unknown split {split!r}: choose from {', '.join(SPLITS)}")


def rows_of(folder: Path, config: str, split: str, more: Sequence[str] = ()) -> Rows:
    """What the judge reads of the rows of a split, and the columns `more`, by their ids.

    Raises `UserError` where there are none.
    """
    check_judged(config, split)
    manifest, _ = read_manifest(folder)
    files = manifest["configs"].get(config, {"files": {}})["files"]
    wanted = {name: entry for name, entry in files.items() if entry["split"] == split}
    rows = {
        row["id"]: row
        for _, table in shards(folder, wanted, [*NEEDED, "difficulty", *more])
        for row in table.to_pylist()
    }
    if not rows:
        there = {
            f"{name} {entry['split']}"
            for name, each in manifest["configs"].items()
            for entry in each["files"].values()
            if entry["rows"]
        }
        raise UserError(f"{folder} has no rows of {config} in {split}: it has {', '.join(sorted(there))}")
    return rows


def _ks(ks: Collection[int] | None, counts: Mapping[str, int]) -> tuple[int, ...]:
    """One and the most that every answered kernel has answers for, unless others are asked for."""
    id, least = min(counts.items(), key=lambda pair: pair[1])
    if ks is None:
        return (1,) if least == 1 else (1, least)
    for k in ks:
        if not 1 <= k <= least:
            raise UserError(
                f"pass@{k} cannot be told: k is from 1 to the number of answers to a kernel, "
                f"and {id} has {least}"
            )
    return tuple(sorted(set(ks)))


def _judge(kept: Kept, rows: Rows, found: Sequence[Prediction], workers: int, quiet: bool) -> None:
    """Judge what is not judged yet, each code once, and keep it."""
    distinct = {(each.id, each.digest): each.text for each in found}
    left = [key for key in distinct if key not in kept.verdicts]
    left.sort(key=lambda key: key[0])  # answers to one row share what is prepared for it
    if not left:
        return
    made = kept.setting
    answers = [Answer(rows[id], distinct[id, digest], made.config, made.seed) for id, digest in left]
    tally = Tally(made.config, len(distinct), done=len(distinct) - len(left), words=_WORDS)
    with Bar(tally, quiet=quiet) as bar:
        for place, verdict in judged(answers, workers, made.weaker_cage):
            kept.add(left[place], verdict)
            bar.seen(left[place], {})
