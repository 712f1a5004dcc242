"""The task of Inspect AI, found by its entry point, with a model that answers what it is told."""

from __future__ import annotations

import math
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from toys.folders import toy_folder
from toys.judged import row_at
from toys.tampered.builds import shard, store, stored

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.verdict import Status, Verdict

PLACE, DRAWS = ("cpu", "math"), (1939787, 3, 0)
WRONG = "Sorry, I would write\n```cpp\nint x = 1;\n```"


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, whose rows are three."""
    pytest.importorskip("inspect_ai")
    from warp_ir_dataset import inspect_task

    rows = [{**row_at(*PLACE, draw), "difficulty": draw % 2} for draw in DRAWS]
    monkeypatch.setattr(inspect_task, "load", lambda *_, **__: iter(rows))
    return inspect_task


def evaluated(task: Any, folder: Path, *answers: str) -> Any:
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(input: Any, *_: Any) -> Any:
        """The row's answer: samples come in any order."""
        (place,) = [n for n, draw in enumerate(DRAWS) if row_at(*PLACE, draw)["prompt"] == input[0].text]
        output = ModelOutput.from_content("mockllm/model", answers[place])
        output.usage = ModelUsage()  # else Inspect downloads a tokenizer to count with
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    (log,) = inspect_ai.eval(task.warp_ir("cpu"), model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


def scores(log: Any) -> list[Any]:
    """Those of the rows, in their order."""
    found = {sample.id: sample.scores["judge"] for sample in log.samples}
    return [found[row_at(*PLACE, draw)["id"]] for draw in DRAWS]


@pytest.mark.nightly
@pytest.mark.compile
@pytest.mark.process
def test_right_wrong_and_empty(task: Any, tmp_path: Path) -> None:
    right = f"<think>\nHow?\n</think>\n```cpp\n{row_at('cpu')['completion']}\n```"
    log = evaluated(task, tmp_path, right, WRONG, "")
    assert [score.value for score in scores(log)] == [1.0, 0.0, 0.0]
    assert [score.explanation.split(":")[0] for score in scores(log)] == ["correct", "compile_error", "empty"]
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(1 / 3)


@pytest.mark.nightly
@pytest.mark.compile
def test_what_cannot_be_judged_has_no_score(
    task: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "verdict", lambda row, text, **_: Verdict(Status(text), "", 0))
    log = evaluated(task, tmp_path, "unsupported", "correct", "crash")
    first, *others = [score.value for score in scores(log)]
    assert math.isnan(first) and others == [1.0, 0.0]
    assert log.results.scores[0].metrics["accuracy"].value == 0.5


@pytest.mark.nightly
@pytest.mark.compile
def test_a_config_that_is_not_judged_is_said(task: Any) -> None:
    with pytest.raises(UserError, match="warp-ir score --config handwritten"):
        task.warp_ir("handwritten")


@pytest.mark.nightly
@pytest.mark.compile
@pytest.mark.folder
def test_rows_of_a_folder_are_checked(task: Any, tmp_path: Path) -> None:
    folder = toy_folder(tmp_path / "build", configs=["cpu"])
    assert len(task.warp_ir("cpu", data=str(folder)).dataset) == 4
    held = stored(folder, shard("cpu", "test"))
    store(folder, shard("cpu", "test"), [{**row, "completion": None} for row in held])
    with pytest.raises(UserError, match=f"{folder}.*'completion'"):
        task.warp_ir("cpu", data=str(folder))


def test_inspect_finds_it_by_its_entry_point() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert '[project.entry-points.inspect_ai]\nwarp_ir_dataset = "warp_ir_dataset.inspect_task"\n' in text
    found = {point.name: point.value for point in entry_points(group="inspect_ai")}
    assert found.get("warp_ir_dataset", "warp_ir_dataset.inspect_task") == "warp_ir_dataset.inspect_task"
