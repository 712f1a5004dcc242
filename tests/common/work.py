"""How much work something is, told without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

MOST = 20_000_000  # lines, after which it is taken to have no end


def lines_run(call: Callable[[], object]) -> int:
    """The lines of Python that run in a call. Raises `AssertionError` where they are too many."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        assert count <= MOST, "it has no end"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def grows_as_its_text(call: Callable[[str], object], text: str, many: int) -> bool:
    """Whether twice as much of a text is about twice the work."""
    once, twice = (lines_run(lambda times=times: call(text * times)) for times in (many, 2 * many))
    return twice < 2.5 * once + 1000
