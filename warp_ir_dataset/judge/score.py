"""The public functions of the judge: score one answer, or many.

The judge works in child processes: Warp never runs in the caller's. Those of `score` are kept for the next
call.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any

from ..common.errors import UserError
from ..common.given import several, whole
from ..common.outcomes import Reason, Rejected
from ..workers.pool import Pool
from ..workers.task import Task
from .answers import Answer
from .cage.job import is_short
from .verdict import Status, Verdict, unavailable

_TASK = "warp_ir_dataset.judge.referee:judge_some"
_BATCH = 16  # answers that a process is given at once
_SILENCE = 300.0  # seconds; more than the limits of a cage and what surrounds them

# The pools that are kept for the next call, by the process that they belong to, how many workers they have,
# and whether a weaker cage is allowed. Threads that judge at the same time have one each.
_kept: dict[tuple[int, int, bool], list[Pool[Answer]]] = {}


def score(
    row: Mapping[str, Any],
    text: str | Sequence[Mapping[str, Any]],
    *,
    config: str | None = None,
    seed: int = 0,
    secret: str | None = None,
    allow_weaker_sandbox: bool = False,
) -> Verdict:
    """Judge one answer to a row: compile it and run it in a sandbox, on hidden inputs, without a GPU.

    All answers to a row with the same `seed` and `secret` get the same hidden inputs.

    Args:
        row: A row of a build, with its columns.
        text: What a model wrote: a string, or messages with ``role`` and ``content``.
        config: The row's config; None to recognize it by the row's prompt.
        seed: Decides the hidden inputs.
        secret: Decides the hidden inputs too; without it, nobody can compute them. No verdict contains it.
        allow_weaker_sandbox: Judge even if this system lacks a layer of the sandbox.

    Returns:
        `value`, which is 1.0 or 0.0, or None if nothing can be said about the answer; `status`, the reason;
        `feedback`, which a model may see, and the `seed`.

    Raises:
        UserError: If `row` is no row or `text` no answer, the config is unknown, or a layer of the sandbox is
            missing on this system.
        WorkerError: If a process of the judge fails for another reason than the answer.
    """
    answer = Answer(row, text, config, seed, secret)
    ((_, verdict),) = _in_processes([answer], _borrowed(1, allow_weaker_sandbox))
    return verdict


def score_many(
    rows: Iterable[Mapping[str, Any]],
    texts: Iterable[str | Sequence[Mapping[str, Any]]],
    *,
    workers: int = 1,
    config: str | None = None,
    seed: int = 0,
    secret: str | None = None,
    allow_weaker_sandbox: bool = False,
    keep: bool = False,
) -> list[Verdict]:
    """Judge many answers, each to its row; see `score`.

    Several answers to one row are its row several times, best one after the other: they share what is
    prepared for it.

    Args:
        rows: A row for each answer.
        texts: The answers, as many as rows.
        workers: Number of processes. Each takes a batch of answers and judges them one at a time.
        config: The rows' config; None to recognize it by each prompt.
        seed: Decides the hidden inputs.
        secret: Decides the hidden inputs too; without it, nobody can compute them.
        allow_weaker_sandbox: Judge even if this system lacks a layer of the sandbox.
        keep: Keep the processes for the next call with as many workers, which then takes seconds less.

    Returns:
        A verdict for each answer, in their order.

    Raises:
        UserError: As in `score`, and if there are more rows than texts, or fewer.
        WorkerError: If a process of the judge fails for another reason than an answer.
    """
    rows, texts = several("rows", rows), several("texts", texts)
    workers = whole("workers", workers, 1)
    if len(rows) != len(texts):
        raise UserError(f"there are {len(rows)} rows and {len(texts)} texts: give one text for each row")
    answers = [Answer(row, text, config, seed, secret) for row, text in zip(rows, texts, strict=True)]
    verdicts = dict(_in_processes(answers, (_borrowed if keep else _new)(workers, allow_weaker_sandbox)))
    return [verdicts[place] for place in range(len(answers))]


def judged(
    answers: Sequence[Answer], workers: int, allow_weaker_sandbox: bool
) -> Iterator[tuple[int, Verdict]]:
    """Judge answers, and yield each answer's place and its verdict as they come; see `score_many`."""
    yield from _in_processes(answers, _new(workers, allow_weaker_sandbox))


def _in_processes(
    answers: Sequence[Answer], opened: AbstractContextManager[Pool[Answer]]
) -> Iterator[tuple[int, Verdict]]:
    """Verdicts as they come, from a pool that is opened for them. Where this machine has no process left for
    it, the answers that are left have none."""
    left = dict(enumerate(answers))
    try:
        with opened as pool:
            for place, verdict in _judged(pool, answers):
                del left[place]
                yield place, verdict
    except OSError as error:
        if not is_short(error):
            raise
        yield from ((place, unavailable(answer.seed)) for place, answer in left.items())


@contextmanager
def _new(workers: int, allow_weaker: bool) -> Iterator[Pool[Answer]]:
    with _pool(workers, allow_weaker) as pool:
        yield pool


@contextmanager
def _borrowed(workers: int, allow_weaker: bool) -> Iterator[Pool[Answer]]:
    """A pool that was kept, or a new one; it is kept, unless something goes wrong."""
    idle = _kept.setdefault((os.getpid(), workers, allow_weaker), [])
    try:
        pool = idle.pop()
    except IndexError:
        pool = _pool(workers, allow_weaker)
    try:
        yield pool
    except BaseException:
        pool.close()
        raise
    idle.append(pool)


def _pool(workers: int, allow_weaker: bool) -> Pool[Answer]:
    task = Task(_TASK, ("weaker" if allow_weaker else "", ""), of_others=True)
    return Pool(workers, task, skip_faults=True, run_seconds=_SILENCE)


def _judged(pool: Pool[Answer], answers: Sequence[Answer]) -> Iterator[tuple[int, Verdict]]:
    """Verdicts as they come. Where the judge's own process ended over an answer, the row's own code tells
    whose doing it was: only where that is judged, and right, it was the answer's."""
    ended: dict[int, Rejected] = {}
    for place, outcome in _outcomes(pool, dict(enumerate(answers))):
        if isinstance(outcome, Verdict):
            yield place, outcome
        else:
            ended[place] = outcome
    own = {place: replace(answers[place], text="", own=True) for place in ended}
    for place, outcome in _outcomes(pool, own):
        # The last line of what the judge's process said is in it, which may be a row's own numbers.
        how, _, _ = ended[place].detail.partition(": ")
        yield place, Verdict(_blamed(outcome), how, answers[place].seed)


def _blamed(outcome: Verdict | Rejected) -> Status:
    """The status of an answer over which the judge's own process ended, by what became of the row's code."""
    if isinstance(outcome, Verdict):
        short = outcome.status is Status.UNAVAILABLE
        return Status.CRASH if outcome.value else Status.UNAVAILABLE if short else Status.UNSUPPORTED
    # Silent, or ended from outside, as for its memory.
    return Status.UNAVAILABLE if outcome.reason is Reason.TIMEOUT else Status.UNSUPPORTED


def _outcomes(pool: Pool[Answer], answers: Mapping[int, Answer]) -> Iterator[tuple[int, Verdict | Rejected]]:
    for batch in _batches(answers):
        pool.submit([place for place, _ in batch], [answer for _, answer in batch])
    for places, outcomes in pool.results():
        yield from zip(places, outcomes, strict=True)


def _batches(answers: Mapping[int, Answer]) -> Iterable[list[tuple[int, Answer]]]:
    """Answers to one row together, where they stand together, and at most `_BATCH` of them."""
    for _, group in groupby(answers.items(), key=lambda pair: pair[1].row.get("id")):
        found = list(group)
        yield from (found[start : start + _BATCH] for start in range(0, len(found), _BATCH))


@atexit.register
def _close() -> None:
    for idle in _kept.values():
        while idle:
            idle.pop().close()
