"""A referee in the test's own process, with a cage of its own and short limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Limits
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Verdict

LIMITS = Limits(load_seconds=4.0, run_seconds=1.0, load_bytes=512 << 20)

Judge = Callable[..., Verdict]  # of a row, an answer, and perhaps the name of a config


@pytest.fixture(scope="session")
def cage() -> Iterator[Cage]:
    with Cage() as found:
        yield found


@pytest.fixture(scope="session")
def judge(cage: Cage) -> Judge:
    referee = Referee(cage, LIMITS)
    return lambda row, text, config=None: referee.judge(Answer(row, text, config, 0))
