"""Reward functions for trainers: 1.0 for a correct answer, 0.0 for any other, by the judge (see `score`).

    GRPOTrainer(model, reward_funcs=warp_ir_dataset.rewards.correct, train_dataset=rows)        # TRL
    reward.custom_reward_function.path=pkg://warp_ir_dataset.rewards ....name=verl_score        # verl

The hidden inputs also follow from a secret, if there is one: the argument ``secret``, else the variable
``WARP_IR_SECRET``, which must be the same for all ranks.

Nothing of TRL or verl is imported. Judging takes cores, not a GPU: processes that a launcher started on one
machine, as it says in ``$LOCAL_WORLD_SIZE``, take an even share of them each.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from .common.configs import CONFIGS
from .common.errors import UserError
from .common.given import one_of, several
from .judge.question import NEEDED
from .judge.score import score, score_many
from .judge.verdict import Status, Verdict
from .workers.seats import cores

SOURCE = "warp_ir_dataset"  # of verl's rows
SECRET = "WARP_IR_SECRET"  # of the environment; what runs answers does not have it


def correct(completions: Sequence[Any], *, secret: str | None = None, **columns: Any) -> list[float | None]:
    """Reward a batch of completions for TRL: 1.0 for a correct one, 0.0 for any other.

    Answers to a row get the same hidden inputs within a step, on all ranks that have one `secret`, and other
    inputs in the next step.

    Args:
        completions: Texts, or lists of messages.
        secret: Decides the hidden inputs too; that of the environment (``WARP_IR_SECRET``) if None.
        columns: The rows' columns, a list of values each, as TRL passes them: those of
            `judge.question.NEEDED`, and `prompts`, by which the config is recognized unless there is a column
            `config`. That may be one name for all rows.

    Returns:
        A reward for each completion. It is None if this machine was short of processes or memory; an answer
        that is `unsupported` gets 0.0, since an answer could be so on purpose.

    Raises:
        UserError: If columns are missing or of another length than `completions`, and as in `score`.
        WorkerError: As in `score`.
    """
    lacking = [name for name in NEEDED if name not in columns]
    if lacking:
        raise UserError(
            f"the reward needs the columns {', '.join(lacking)}, which did not come: load the dataset with "
            "them, and set remove_unused_columns=False"
        )
    completions = several("completions", completions)
    named = columns.get("config")
    if isinstance(named, str):
        named = columns["config"] = [named] * len(completions)
    for name in ("config" if named else "prompts", *NEEDED):
        found = len(several(name, columns.get(name)))
        if found != len(completions):
            each = f"{len(completions)} completions and {found} of {name}"
            raise UserError(f"there are {each}: give one for each")
    asked = [""] * len(completions) if named else map(_asked, columns["prompts"])
    rows = [
        {"prompt": prompt, **{name: columns[name][place] for name in NEEDED}}
        for place, prompt in enumerate(asked)
    ]
    step = getattr(columns.get("trainer_state"), "global_step", 0)
    # A confident model gives the same answer several times: it is judged once.
    asking = [
        (
            named[place] if named else None,
            json.dumps([row["id"], row["prompt"], completions[place]], default=repr),
        )
        for place, row in enumerate(rows)
    ]
    values: dict[tuple[Any, ...], float | None] = {}
    for config in dict.fromkeys(key[0] for key in asking):
        places = {key: place for place, key in enumerate(asking) if key[0] == config}
        verdicts = score_many(
            [rows[place] for place in places.values()],
            [completions[place] for place in places.values()],
            config=config,
            workers=share(),
            seed=step,
            secret=_secret(secret),
            keep=True,
        )
        values |= {key: _reward(verdict) for key, verdict in zip(places, verdicts, strict=True)}
    return [values[key] for key in asking]


def _reward(verdict: Verdict) -> float | None:
    return 0.0 if verdict.status is Status.UNSUPPORTED else verdict.value


def verl_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Any = None,
    *,
    seed: int = 0,
    secret: str | None = None,
    **_: Any,
) -> float:
    """Reward one answer for verl, to a row that `verl_row` made. Several threads may call it.

    All answers to a row get the hidden inputs of `seed` and `secret`. verl passes its ``reward_kwargs``, and
    prints them.

    Args:
        data_source: Names this dataset and the config, as in the row.
        solution_str: The answer.
        ground_truth: Not used; verl passes it.
        extra_info: The columns of the row that the judge needs.
        seed: Decides the hidden inputs.
        secret: Decides the hidden inputs too; that of the environment (``WARP_IR_SECRET``) if None.

    Returns:
        1.0 for a correct answer; 0.0 for any other, and if there is no verdict.

    Raises:
        UserError: If the row is not one that `verl_row` made, and as in `score`.
        WorkerError: As in `score`.
    """
    source, _slash, config = str(data_source).partition("/")
    if source != SOURCE or not isinstance(extra_info, Mapping):
        raise UserError(
            f"{data_source!r} is no row of this dataset: make them with warp_ir_dataset.rewards.verl_row"
        )
    found = verdict(extra_info, solution_str, config=config, seed=seed, secret=secret)
    return found.value or 0.0


def verl_row(row: Mapping[str, Any], config: str) -> dict[str, Any]:
    """Turn a row into one that verl reads: for `Dataset.map`, before `to_parquet`.

    Args:
        row: A row of a build.
        config: Its config.

    Returns:
        The columns that verl reads. A prompt that is text becomes a message of the user.

    Raises:
        UserError: If the config is unknown.
    """
    one_of("config", config, CONFIGS)
    prompt = row["prompt"]
    return {
        "data_source": f"{SOURCE}/{config}",
        "prompt": [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt,
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": ""},
        "extra_info": {name: row[name] for name in NEEDED},
    }


def verdict(
    row: Mapping[str, Any],
    text: Any,
    *,
    config: str | None = None,
    seed: int = 0,
    secret: str | None = None,
) -> Verdict:
    """Judge one answer as `score` does, from many threads.

    At most as many of them judge at once as this process may use cores.

    Args:
        row: A row of a build, with its columns.
        text: What a model wrote: a string, or messages with ``role`` and ``content``.
        config: The row's config; None to recognize it by the row's prompt.
        seed: Decides the hidden inputs.
        secret: Decides the hidden inputs too; that of the environment (``WARP_IR_SECRET``) if None.

    Returns:
        The verdict (see `score`).

    Raises:
        UserError: As in `score`.
        WorkerError: As in `score`.
    """
    with _turns():
        return score(row, text, config=config, seed=seed, secret=_secret(secret))


def _secret(given: str | None) -> str | None:
    return os.environ.get(SECRET) if given is None else given


def share() -> int:
    """Return how many cores this process may use, of those that all processes of its launcher share.

    Returns:
        At least one. The launcher names the number of its processes on this machine in ``$LOCAL_WORLD_SIZE``.
    """
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")
    return max(1, cores() // int(ranks)) if ranks.isdecimal() and int(ranks) else cores()


@cache
def _turns() -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(share())


os.register_at_fork(after_in_child=_turns.cache_clear)  # a child has no thread to release it


def _asked(prompt: Any) -> Any:
    """The user's words in a prompt: the text itself, or the last message of the user; else nothing."""
    if isinstance(prompt, str):
        return prompt
    messages = [said for said in prompt if isinstance(said, Mapping)] if isinstance(prompt, Sequence) else []
    return next((said.get("content") for said in reversed(messages) if said.get("role") == "user"), "")
