"""Tasks: named by their place, done in another process, their items told by what they call themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from toys.acts import SHOUT

from warp_ir_dataset.workers.pool import Pool, WorkerError
from warp_ir_dataset.workers.task import Task


def test_a_task_is_found_by_its_place() -> None:
    assert Task("pathlib:Path").load() is Path
    with pytest.raises(ModuleNotFoundError):
        Task("no_such_module:act").load()
    with pytest.raises(AttributeError):
        Task("pathlib:act").load()


@pytest.mark.process
@pytest.mark.parametrize("given", [(), ("a",), ("a", "b c", "--d")])
def test_items_and_arguments_are_the_tasks_own(given: tuple[str, ...]) -> None:
    with Pool[str](1, Task(SHOUT, given)) as pool:
        pool.submit("tag", ["one", "two"])
        assert list(pool.results()) == [
            ("tag", [{"said": "ONE", "given": [*given]}, {"said": "TWO", "given": [*given]}])
        ]


@pytest.mark.process
def test_an_item_is_told_by_its_own_words() -> None:
    with Pool[str](1, Task(SHOUT)) as pool:
        pool.submit("tag", ["good", "bad", "fine"])
        with pytest.raises(WorkerError, match=r"^[^\n]* bad [^\n]*\n(?s:.*)ValueError: not me"):
            list(pool.results())
