"""Remembers the answers to the costly questions of sampling a kernel, so that sampling it again is faster.

Most of them run a kernel on some inputs: whether two kernels fit together, whether one is degenerate. They
take half of the time of sampling. A plan samples every kernel once and keeps the answers; the proof samples
it again with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

MOST = 63  # answers that a code holds: with a leading one they fit into 64 bits


class PredicateMemo:
    """The answers to the predicates that are evaluated while a kernel is sampled, in their order.

    `known` is the `code` of the memo with which the same kernel was sampled before: its answers are taken.
    With 0, the default, every predicate is evaluated.
    """

    def __init__(self, known: int = 0) -> None:
        self._known = f"{known:b}"[1:] if known else None
        self._used = 0
        self._answers: list[bool] = []

    def holds(self, predicate: Callable[[], bool]) -> bool:
        """Whether a predicate holds. Raises `ValueError` if the known answers do not suffice."""
        if self._known is None:
            self._answers.append(predicate())
            return self._answers[-1]
        if self._used == len(self._known):
            raise ValueError("these are the answers of another sample")
        self._used += 1
        return self._known[self._used - 1] == "1"

    def fault(self, check: Callable[[], str | None]) -> str | None:
        """The fault that a check finds, None if it finds none. With known answers, its text is not known."""
        cached_check = cache(check)
        if self.holds(lambda: cached_check() is None):
            return None
        return cached_check() if self._known is None else "it was refused before"

    @property
    def code(self) -> int:
        """The answers as a number, a bit for each behind a leading one; 0 if they are too many."""
        if self._known is not None:
            return int(f"1{self._known}", 2)
        if len(self._answers) > MOST:
            return 0
        return int("1" + "".join(str(int(answer)) for answer in self._answers), 2)
