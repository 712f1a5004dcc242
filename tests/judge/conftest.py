"""A referee in the test's own process, with a cage of its own and short limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from warp_ir_dataset.judge.answers import Answer
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.judge.cage.job import Job, Limits
from warp_ir_dataset.judge.referee import Referee
from warp_ir_dataset.judge.verdict import Verdict

LIMITS = Limits(load_seconds=4.0, run_seconds=1.0, load_bytes=512 << 20)

Judge = Callable[..., Verdict]  # of a row, an answer, and perhaps the name of a config


@pytest.fixture(scope="session")
def cage() -> Iterator[Cage]:
    with Cage() as found:
        yield found


class Walled(Referee):
    """Runs what calls and keeps more than a device has, which others refuse: the walls are left."""

    def _job(self, *arguments: Any, **named: Any) -> Job:
        return replace(super()._job(*arguments, **named), alone=False)


@pytest.fixture(scope="session")
def walled(cage: Cage) -> Walled:
    return Walled(cage, LIMITS)


@pytest.fixture(scope="session")
def judge(cage: Cage) -> Judge:
    referee = Referee(cage, LIMITS)
    return lambda row, text, config=None: referee.judge(Answer(row, text, config, 0))
