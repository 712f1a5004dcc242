"""Rewards as trainers call them. In fast tests the judge is one who knows the answers by their first word."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from toys.judged import cpu_kernel, row_at

from warp_ir_dataset import rewards
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.question import NEEDED
from warp_ir_dataset.judge.score import _kept
from warp_ir_dataset.judge.verdict import Status, Verdict

COLUMNS: dict[str, list[Any]] = {name: ["x", "y", "z"] for name in NEEDED}
PROMPTS = ["one", "two", "three"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    heard: list[tuple[Any, ...]] = []

    def score_many(rows: Sequence[Any], texts: Sequence[str], **options: Any) -> list[Verdict]:
        heard.append((rows, options))
        return [Verdict(Status(text), "", 0) for text in texts]

    monkeypatch.setattr(rewards, "score_many", score_many)
    return heard


def test_a_batch_of_trls(asked: list[tuple[Any, ...]]) -> None:
    state = SimpleNamespace(global_step=7)
    told = ["correct", "crash", "unavailable"]
    found = rewards.correct(
        prompts=PROMPTS, completions=told, completion_ids=[[0]] * 3, trainer_state=state, **COLUMNS
    )
    assert found == [1.0, 0.0, None]
    ((rows, options),) = asked
    assert [row["prompt"] for row in rows] == PROMPTS and [row["id"] for row in rows] == ["x", "y", "z"]
    assert options["seed"] == 7 and options["keep"] and options["workers"] == rewards.share()


def test_no_answer_leaves_a_batch_by_what_it_asks_for(asked: list[tuple[Any, ...]]) -> None:
    told = ["correct", "unsupported", "unavailable"]
    assert rewards.correct(prompts=PROMPTS, completions=told, **COLUMNS) == [1.0, 0.0, None]


def test_a_secret_is_the_argument_or_the_environment_s(
    asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = partial(rewards.correct, ["correct"] * 3, prompts=PROMPTS, **COLUMNS)
    ask()
    monkeypatch.setenv("WARP_IR_SECRET", "xyzzy")
    ask()
    ask(secret="plugh")
    assert [options["secret"] for _, options in asked] == [None, "xyzzy", "plugh"]


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = []

    def score(row: Any, text: str, **options: Any) -> Verdict:
        heard.append(options)
        return Verdict(Status(text), "", options["seed"])

    monkeypatch.setattr(rewards, "score", score)
    return heard


def test_verls_seed_and_secret_are_obeyed(
    scored: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = partial(rewards.verl_score, "warp_ir_dataset/cpu", "correct", "", {})
    assert ask(seed=5, secret="plugh", reward_router_address=None) == 1.0
    monkeypatch.setenv("WARP_IR_SECRET", "xyzzy")
    ask()
    assert scored == [
        {"config": "cpu", "seed": 5, "secret": "plugh"},
        {"config": "cpu", "seed": 0, "secret": "xyzzy"},
    ]


def test_a_secret_that_is_no_string_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a file of settings, where it has digits alone."""
    row = {"id": "x", "prompt": "y"}
    with pytest.raises(UserError, match=r"secret .* int$") as raised:
        rewards.verdict(row, "x", config="cpu", secret=4711)  # type: ignore[arg-type]
    assert "4711" not in str(raised.value)


def test_prompts_may_be_messages(asked: list[tuple[Any, ...]]) -> None:
    prompts = [
        [{"role": "system", "content": "s"}, {"role": "user", "content": text}, *more]
        for text, more in zip(PROMPTS, ([], [{"role": "assistant", "content": ""}], []), strict=True)
    ]
    rewards.correct(prompts=prompts, completions=["correct"] * 3, **COLUMNS)
    assert [row["prompt"] for row in asked[0][0]] == PROMPTS


def test_a_column_names_the_config(asked: list[tuple[Any, ...]]) -> None:
    told = ["correct", "crash", "correct"]
    found = rewards.correct(told, prompts=PROMPTS, config=["cpu", "cuda", "cpu"], **COLUMNS)
    assert found == [1.0, 0.0, 1.0]
    assert [(options["config"], len(rows)) for rows, options in asked] == [("cpu", 2), ("cuda", 1)]


def test_the_same_answer_is_judged_once(asked: list[tuple[Any, ...]]) -> None:
    columns = {name: ["x", "x", "y", "x"] for name in NEEDED}
    told = ["correct", "correct", "correct", "crash"]
    assert rewards.correct(told, prompts=["p"] * 4, **columns) == [1.0, 1.0, 1.0, 0.0]
    assert [row["id"] for row in asked[0][0]] == ["x", "y", "x"]


def test_the_same_answer_to_another_prompt_is_judged_too(asked: list[tuple[Any, ...]]) -> None:
    columns = {name: ["x", "x", "x"] for name in NEEDED}
    rewards.correct(prompts=["one", "two", "one"], completions=["correct"] * 3, **columns)
    ((rows, _),) = asked
    assert [row["prompt"] for row in rows] == ["one", "two"]


@pytest.mark.process
def test_a_fork_waits_for_no_thread_of_its_parents() -> None:
    with rewards._turns():
        taken = rewards._turns()
        child = os.fork()
        if not child:
            os._exit(0 if rewards._turns() is not taken else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert rewards._turns() is taken


def test_columns_that_did_not_come_are_said() -> None:
    with pytest.raises(UserError, match="seed, draw"):
        rewards.correct(["x"], prompts=["y"], **{n: ["x"] for n in NEEDED if n not in ("seed", "draw")})


def test_a_string_is_the_config_of_all(asked: list[tuple[Any, ...]]) -> None:
    assert rewards.correct(["correct", "crash", "correct"], config="cuda", **COLUMNS) == [1.0, 0.0, 1.0]
    assert [options["config"] for _, options in asked] == ["cuda"]


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({}, "prompts .*list.* None$"),
        ({"prompts": "one"}, "prompts .*list.* 'one'$"),
        ({"prompts": PROMPTS[:2]}, " 3 .* 2 .*prompts"),
        ({"prompts": [*PROMPTS, "four"]}, " 3 .* 4 .*prompts"),
        ({"prompts": PROMPTS, "seed": [1]}, " 3 .* 1 .*seed"),
        ({"prompts": PROMPTS, "id": "xyz"}, "id .*list.* 'xyz'$"),
        ({"config": ["cpu"]}, " 3 .* 1 .*config"),
    ],
)
def test_columns_that_do_not_fit_are_said(
    columns: dict[str, Any], says: str, asked: list[tuple[Any, ...]]
) -> None:
    with pytest.raises(UserError, match=says):
        rewards.correct(["correct"] * 3, **{**COLUMNS, **columns})
    assert not asked


@pytest.mark.parametrize("completion", [None, b"x", 3, object()])
def test_completions_that_are_none_are_said(completion: Any) -> None:
    with pytest.raises(UserError, match=f"^an answer .* {type(completion).__name__}$"):
        rewards.correct([completion], prompts=["x"], **{name: ["x"] for name in NEEDED})


@pytest.mark.parametrize("prompt", [None, [{}], [None], 3, b"x"])
def test_prompts_that_are_none_do_not_tell_a_config(prompt: Any) -> None:
    with pytest.raises(UserError, match=r"prompt.*config='cuda'"):
        rewards.correct(["x"], prompts=[prompt], **{name: ["x"] for name in NEEDED})


@pytest.mark.parametrize(
    ("ranks", "cores", "share"),
    [("", 8, 8), ("1", 8, 8), ("3", 8, 2), ("16", 8, 1), ("0", 8, 8), ("x", 8, 8)],
)
def test_ranks_share_the_cores(ranks: str, cores: int, share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", ranks)
    monkeypatch.setattr(rewards, "cores", lambda: cores)
    assert rewards.share() == share


def test_no_more_threads_judge_than_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    busy, most = 0, 0
    lock = threading.Lock()

    def score(*_: Any, **_options: Any) -> Verdict:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.02)
        with lock:
            busy -= 1
        return Verdict(Status.CORRECT, "", 0)

    monkeypatch.setattr(rewards, "score", score)
    turns = threading.BoundedSemaphore(2)
    monkeypatch.setattr(rewards, "_turns", lambda: turns)
    threads = [threading.Thread(target=rewards.verdict, args=({}, "")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_a_row_of_verls() -> None:
    row = {"prompt": "Write.", "completion": "x", **{name: name for name in NEEDED}}
    made = rewards.verl_row(row, "cuda")
    assert made["prompt"] == [{"role": "user", "content": "Write."}]
    assert made["data_source"] == "warp_ir_dataset/cuda" and set(made["extra_info"]) == set(NEEDED)
    assert "completion" not in str(made)
    messages = [{"role": "user", "content": "Write."}]
    assert rewards.verl_row({**row, "prompt": messages}, "cuda")["prompt"] == messages
    with pytest.raises(UserError, match="config 'vulkan'"):
        rewards.verl_row(row, "vulkan")
    with pytest.raises(UserError, match=r"'openai/gsm8k' .*verl_row"):
        rewards.verl_score("openai/gsm8k", "x", "", {})
    with pytest.raises(UserError, match=r"^None .*verl_row"):
        rewards.verl_score(None, "x", "", {})  # type: ignore[arg-type]


@pytest.mark.compile
@pytest.mark.process
def test_real_answers_get_their_rewards() -> None:
    row = row_at("cpu")
    told = [row["completion"], [{"role": "assistant", "content": cpu_kernel("out[0] = 1.0;")}], ""]
    columns = {name: [row[name]] * 3 for name in NEEDED}
    for _ in range(2):
        assert rewards.correct(prompts=[row["prompt"]] * 3, completions=told, **columns) == [1.0, 0.0, 0.0]
    assert len(_kept[os.getpid(), rewards.share(), False]) == 1
    made = rewards.verl_row(row, "cpu")
    for text, reward in (f"```cpp\n{told[0]}\n```", 1.0), ("", 0.0):
        extra = {**made["extra_info"], "num_turns": 1}
        assert rewards.verl_score(made["data_source"], text, "", extra) == reward


@pytest.mark.process
def test_trainers_are_not_imported() -> None:
    script = (
        "import sys, warp_ir_dataset.rewards\n"
        "assert not {'warp', 'torch', 'trl', 'verl', 'inspect_ai'} & set(sys.modules)"
    )
    place = str(Path(rewards.__file__).parents[1])
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": place})
