"""Kernels that people wrote, as questions: which rows are believed, and what is said of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import warp as wp

from warp_ir_dataset.builds.handwritten.texts import topics
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, whole_tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.question import Unsupported, question_of
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.identity import identify_text

pytestmark = [pytest.mark.process, pytest.mark.compile]

MODULE, KERNEL = "warp.examples.core.example_alloc_tracker", "apply_gravity"
COUNTER = "warp.examples.core.example_fdtd_3d", "increment_timestep"
TURNED = {"cuda": ("wp::add(", "wp::sub("), "spec_to_warp": ("+", "-")}


def rows_of(module: str, kernel: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The rows of a kernel and of its twin."""
    topic, number = next(
        (topic, number)
        for topic, texts in topics().items()
        for number, text in enumerate(texts)
        if (text.module, text.kernel) == (module, kernel)
    )
    candidates = [Candidate(Address(0, topic, 2 * number + twin)) for twin in (0, 1)]
    original, twin = produce(candidates, "handwritten", "sm_80", lambda index: None)
    assert isinstance(original, dict) and isinstance(twin, dict), (original, twin)
    return original, twin


@pytest.fixture(scope="module")
def pair() -> tuple[dict[str, Any], dict[str, Any]]:
    return rows_of(MODULE, KERNEL)


@pytest.mark.parametrize("task", ["cuda", "spec_to_warp"])
def test_a_kernel_that_races_itself_is_not_looked_at_for_races(
    judge: Any, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts, and was written for one thread; at other sizes several do."""
    monkeypatch.setattr(wp.config, "enable_backward", True)  # which its module changes when it is imported
    row, _ = rows_of(*COUNTER)
    assert judge(row, row["completions"][task], task).value == 1.0
    wrong = row["completions"][task].replace(*TURNED[task])
    assert judge(row, wrong, task).status is Status.WRONG_OUTPUT


@pytest.mark.parametrize("task", [*(task.name for task in whole_tasks()), "handwritten"])
def test_their_own_answers_are_right(judge: Any, pair: tuple[dict[str, Any], ...], task: str) -> None:
    for row in pair:
        code = row["completion"] if task == "handwritten" else row["completions"][task]
        verdict = judge(row, code, task)
        assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


def test_without_a_task_the_rows_own_prompt_decides(judge: Any, pair: tuple[dict[str, Any], ...]) -> None:
    original, _ = pair
    assert judge(original, original["completion"]).value == 1.0
    assert judge(original, original["completions"]["cpu"]).status is Status.COMPILE_ERROR


def test_the_answer_of_another_is_wrong(judge: Any, pair: tuple[dict[str, Any], ...]) -> None:
    original, _ = pair
    plain = original["completions"]["warp_to_cuda"]
    assert judge(original, plain.replace("-9.81f", "9.81f"), "warp_to_cuda").status is Status.WRONG_OUTPUT
    code = original["completions"]["cuda"]
    assert "wp::add(" in code
    assert judge(original, code.replace("wp::add(", "wp::sub("), "cuda").status is Status.WRONG_OUTPUT


CUDA = CONFIGS["cuda"]


def test_only_known_kernels_are_believed(pair: tuple[dict[str, Any], ...], tmp_path: Path) -> None:
    original, twin = pair
    left = tmp_path / "left"
    with pytest.raises(Unsupported, match="version"):
        question_of(original | {"id": "0" * 16}, CUDA)
    with pytest.raises(Unsupported, match="version"):
        question_of(twin | {"twin_of": "0" * 16}, CUDA)
    other = original | {"python_source": original["python_source"].replace(" + ", " - ")}
    assert other != original
    with pytest.raises(Unsupported, match=r"\bid$"):
        question_of(other, CUDA)
    unread = original | {"python_source": f"open({str(left)!r}, 'w')\n!"}
    with pytest.raises(Unsupported, match=r"\bid$"):
        question_of(unread, CUDA)
    # A twin has any id, and that of a text is easily told.
    known = identify_text(unread["python_source"]).id
    with pytest.raises(Unsupported, match="cannot be read"):
        question_of(twin | {"id": known, "python_source": unread["python_source"]}, CUDA)
    assert not left.exists()
    # What stands beside the kernel is not part of it, and is not executed.
    beside = original | {"python_source": f"{original['python_source']}\nopen({str(left)!r}, 'w')\n"}
    assert "open(" not in question_of(beside, CUDA).source and not left.exists()


def test_a_twin_must_be_legal_for_every_input(pair: tuple[dict[str, Any], ...]) -> None:
    _, twin = pair
    assert question_of(twin, CUDA).program is not None
    with pytest.raises(Unsupported, match="legal"):
        question_of(twin | {"launch_dim": [10**6]}, CUDA)


def test_columns_must_be_there_and_fit(pair: tuple[dict[str, Any], ...]) -> None:
    original, _ = pair
    with pytest.raises(UserError, match=r"examples$"):
        question_of({name: value for name, value in original.items() if name != "examples"}, CUDA)
    with pytest.raises(Unsupported, match="columns"):
        question_of(original | {"arguments": []}, CUDA)
    argument, *_ = original["arguments"]
    for column, value in [
        ("arguments", [argument | {"low": float("nan")}]),
        ("arguments", [argument | {"high": 1e300}]),
        ("arguments", [argument | {"high": -1.0}]),
        ("arguments", [argument | {"trait": "x"}]),
        ("launch_dim", []),
        ("launch_dim", [-1]),
        ("launch_dim", [None]),
        ("examples", "[" * 100_000),
    ]:
        more = original[column][1:] if column == "arguments" else []
        with pytest.raises(Unsupported, match="columns"):
            question_of(original | {column: [*value, *more] if more else value}, CUDA)
    for column, value in [("checks", "x"), ("launch_dim", "x"), ("id", ["x"]), ("twin_of", ["x"])]:
        with pytest.raises(Unsupported, match=f" {column} "):
            question_of(original | {column: value}, CUDA)
    with pytest.raises(Unsupported, match="handwritten"):
        question_of({name: original[name] for name in original if name != "twin_of"}, CONFIGS["handwritten"])
