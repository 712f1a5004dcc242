"""Which rows can be judged, and what is said of others."""

from __future__ import annotations

import numpy as np
import pytest
from toys.judged import program_at, row_at

from warp_ir_dataset.common.configs import CONFIGS, tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.answers import config_of
from warp_ir_dataset.judge.question import NEEDED, Unsupported, question_of

CPU = CONFIGS["cpu"]


@pytest.fixture
def row() -> dict:
    return dict(row_at("cpu"))


@pytest.mark.parametrize("config", [task.name for task in tasks()])
def test_the_prompt_tells_the_config(config):
    assert config_of(row_at(config)).name == config


def test_a_named_config_is_taken(row):
    assert config_of(row, "cuda").name == "cuda"
    with pytest.raises(UserError, match=r"'cuda9'.* cuda"):
        config_of(row, "cuda9")


@pytest.mark.parametrize("prompt", [None, "Write a poem.", [{"role": "user", "content": "x"}]])
def test_a_config_that_is_not_told_is_asked_for(row, prompt):
    with pytest.raises(UserError, match="config='cuda'"):
        config_of(row | {"prompt": prompt})


def test_whole_numbers_of_numpys_are_an_address_too(row):
    assert question_of(row | {"seed": np.int64(0), "draw": np.int64(1939787)}, CPU).program is not None


def test_a_row_is_the_program_at_its_address(row):
    found = question_of(row, CPU)
    assert found.program == program_at("math", 1939787) and found.source == row["python_source"]


@pytest.mark.parametrize("column", NEEDED)
def test_a_row_without_a_column_is_refused(row, column):
    del row[column]
    with pytest.raises(UserError, match=column):
        question_of(row, CPU)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": None}, "address"),
        ({"seed": "0"}, " seed "),
        ({"draw": 10**30}, " draw "),
        ({"id": ["x"]}, " id "),
        ({"python_source": "\ud800"}, " python_source "),
        ({"category": "nothing"}, "address"),
        ({"draw": 6}, "another"),
        ({"python_source": "import warp as wp\n"}, "another"),
        ({"id": "0" * 16}, "another"),
    ],
)
def test_a_row_that_cannot_be_drawn_again_is_unsupported(row, change, told):
    with pytest.raises(Unsupported, match=told):
        question_of(row | change, CPU)


def test_a_drawn_row_is_none_that_was_collected(row):
    with pytest.raises(Unsupported, match="handwritten"):
        question_of(row, CONFIGS["handwritten"])
