"""The environment of verifiers: endless tasks, whose own answers are right and which nothing solves."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from toys.judged import row_at

import warp_ir_dataset
from warp_ir_dataset.common.configs import tasks
from warp_ir_dataset.judge.question import NEEDED

HOME = Path(__file__).parents[2] / "environments" / "warp_ir"


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("verifiers")
    monkeypatch.syspath_prepend(str(HOME))
    yield pytest.importorskip("warp_ir")
    for name in [name for name in sys.modules if name.split(".")[0] == "warp_ir"]:
        del sys.modules[name]


@pytest.mark.nightly
@pytest.mark.compile
@pytest.mark.process
def test_tasks_do_not_end_and_are_judged(environment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def load(config: str, split: str, *, seed: int, **options: Any) -> Iterator[dict[str, Any]]:
        assert (config, split, options) == ("cpu", "train", {"streaming": True, "num_kernels": 10})
        seeds.append(seed)
        yield row_at("cpu")

    monkeypatch.setattr(warp_ir_dataset, "load", load)
    (name,) = environment.__all__
    taskset = getattr(environment, name)
    config = sys.modules["warp_ir.taskset"].WarpIRConfig(config="cpu", seed=5, num_kernels=10)
    found = list(itertools.islice(taskset(config), 3))
    assert taskset.INFINITE and seeds == [5, 6, 7]
    assert get_args(type(config).model_fields["config"].annotation) == tuple(each.name for each in tasks())
    task = found[0]
    assert task.data.prompt == row_at("cpu")["prompt"] and [t.data.idx for t in found] == [0, 1, 2]
    assert asyncio.run(task.validate(None)) is True
    # The other tasks are taken too; one of Python, whose prompt holds more than its row's source, is judged.
    data = type(task.data)(
        id="repair/x",
        name="x",
        prompt="",
        config="repair",
        row={name: row_at("repair")[name] for name in NEEDED},
        completion=row_at("repair")["completion"],
    )
    assert asyncio.run(type(task)(data, config.task).validate(None)) is True
    for reply, reward in ((f"```cpp\n{task.data.completion}\n```", 1.0), ("", 0.0)):
        assert asyncio.run(task.correct(SimpleNamespace(last_reply=reply))) == reward
