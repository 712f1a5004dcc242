"""Scores models' answers to a split of a build: the work of `warp-ir score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..builds.check.folder import check_shards
from ..builds.output.manifest import read_manifest
from ..common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS, whole_tasks
from ..common.errors import UserError
from ..common.given import choice, one_of
from ..judge.answers import Answer, wanted
from ..judge.collected import NEEDED as OF_COLLECTED
from ..judge.question import NEEDED
from ..judge.score import judged
from ..judge.verdict import Status
from ..publishing.facts import shards
from ..workers.progress import Bar, Words
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
    task: str | None,
    split: str,
    results: Path | None,
    ks: Collection[int] | None,
    workers: int,
    seed: int,
    allow_weaker_sandbox: bool,
    quiet: bool,
) -> Evaluation:
    """See `api.score_predictions`."""
    check_known(config, split)
    asked = _task(config, task)
    every = rows_of(folder, config, split)
    drawn = CONFIGS[config].drawn
    rows = {id: row for id, row in every.items() if drawn or row["prompts"][asked] is not None}
    whole = f"the split {split} of {config}"
    found = read_predictions(
        predictions,
        rows,
        whole if drawn else f"{whole}, asked as {asked},",
        lambda id: wanted(CONFIGS[asked], rows[id]["kernel_name"]),
    )
    counts = Counter(prediction.id for prediction in found)
    chosen = _ks(ks, counts)
    made = setting(asked, seed, allow_weaker_sandbox)
    with opened(beside(predictions) if results is None else results, made) as kept:
        _judge(kept, rows, found, workers, quiet)
        verdicts = [(each.id, kept.verdicts[each.id, each.digest]) for each in found]
    unjudged = {id: told.feedback for id, told in verdicts if told.value is None}
    right = Counter(id for id, told in verdicts if told.status is Status.CORRECT)
    kernels = tuple(
        Kernel(id, row["category"], row["difficulty"], counts[id], right[id], row.get("twin_of"))
        for id, row in rows.items()
        if id not in unjudged
    )
    statuses = Counter(told.status for _, told in verdicts)
    return Evaluation(config, split, made, chosen, kernels, unjudged, len(every) - len(rows), statuses)


def _task(config: str, task: str | None) -> str:
    """Which prompt was answered: a row's own, or one of those that people's rows have. Raises `UserError`."""
    if CONFIGS[config].drawn:
        if task is not None:
            raise UserError(f"rows of {config} have one task: --task is for --config handwritten")
        return config
    able = [each.name for each in whole_tasks()]
    if task is not None and task not in able:
        raise UserError(f"rows of {config} have no task {task!r}: {choice(task, able)}")
    return task or DEFAULT_CONFIG


def check_known(config: str, split: str) -> None:
    """Raise `UserError` for a config or a split that does not exist."""
    one_of("config", config, CONFIGS)
    one_of("split", split, SPLITS)


def rows_of(folder: Path, config: str, split: str, more: Sequence[str] = ()) -> Rows:
    """What the judge reads of the rows of a split, and the columns `more`, by their ids; of rows that people
    wrote, the prompts as well.

    Raises `UserError` where there are none.
    """
    check_known(config, split)
    if not CONFIGS[config].drawn:
        more = [*more, *OF_COLLECTED, "checks", "prompts"]
    manifest, _ = read_manifest(folder)
    files = manifest["configs"].get(config, {"files": {}})["files"]
    own = {name: entry for name, entry in files.items() if entry["split"] == split}
    check_shards(folder, config, own)
    rows = {
        row["id"]: row
        for _, table in shards(folder, own, [*NEEDED, "difficulty", *more])
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
                f"pass@{k} cannot be computed: k is from 1 to the number of answers that every kernel has, "
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
    before = len(distinct) - len(left)
    with Bar(made.config, len(distinct), done=before, words=_WORDS, quiet=quiet) as bar:
        for place, verdict in judged(answers, workers, made.weaker_sandbox):
            kept.add(left[place], verdict)
            bar.seen(left[place], {})
