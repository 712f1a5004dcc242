"""Stores the results of trial runs that drawing a kernel needed, so that drawing it again is faster.

Drawing a kernel asks now and then whether something holds that only running it tells: whether kernels go
together, whether one has something to show. That is half of the time that a draw takes. Who plans a
build draws every kernel once and keeps the answers; who proves it draws it again with these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

MOST = 63  # answers that are kept of a draw: with the one in front, they fit into 64 bits


class Decisions:
    """The answers of one draw, in the order of its questions.

    `known` are those that `code` gave of the same draw. Without them (0) every question is asked.
    """

    def __init__(self, known: int = 0) -> None:
        self._known = f"{known:b}"[1:] if known else None
        self._asked = 0
        self._answers: list[bool] = []

    def holds(self, question: Callable[[], bool]) -> bool:
        """The answer to a question. Raises `ValueError` where fewer are known than are asked for."""
        if self._known is None:
            self._answers.append(question())
            return self._answers[-1]
        if self._asked == len(self._known):
            raise ValueError("these are the decisions of another draw")
        self._asked += 1
        return self._known[self._asked - 1] == "1"

    def fault(self, question: Callable[[], str | None]) -> str | None:
        """What a question finds wrong, if anything is; where that is known, only that it was something."""
        asked = cache(question)
        if self.holds(lambda: asked() is None):
            return None
        return asked() if self._known is None else "it was refused before"

    @property
    def code(self) -> int:
        """The answers as a number: a bit for each, behind one that says where they begin. 0 if they are too
        many to be kept."""
        if len(self._answers) > MOST:
            return 0
        return int("1" + "".join(str(int(answer)) for answer in self._answers), 2)
