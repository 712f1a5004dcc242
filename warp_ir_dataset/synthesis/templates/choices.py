"""The choices of one kernel: the values that a template's parameter `c` returns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ...common.rng import Rng

T = TypeVar("T")


@dataclass(frozen=True)
class TypeName:
    """A type, as the text of a kernel names it."""

    text: str


@dataclass(frozen=True)
class Constant:
    """A number that a kernel names; `low` and `high` bound it where an argument takes its place. `order` is
    its place among the constants of a template."""

    value: float | int
    low: float
    high: float
    order: int


class Choices:
    """Makes the choices of one kernel.

    Choices of meaning are gone through one after the other: the number of a draw is read as digits, one for
    each choice that the template comes to, so that all products of choices come up before one comes again.
    Each digit is moved on by what `start` and the choices before it say, so that the first few draws of a
    template differ in all their choices and not in the first ones alone. Everything else is chosen by `rng`.
    """

    def __init__(self, number: int, start: str, rng: Rng) -> None:
        self._number = number
        self._path = start
        self._rng = rng
        self.launch: tuple[int, ...] = ()
        self.chosen: Callable[..., None] | None = None
        self.locals: dict[str, Any] = {}
        self.words: dict[str, str] = {}
        self.work: set[str] = set()
        self._constants = 0

    def meaning(self, *options: T) -> T:
        """One of several things to compute."""
        self._number, digit = divmod(self._number, len(options))
        place = (digit + Rng(self._path).below(len(options))) % len(options)
        self._path += f"/{place}"
        return options[place]

    def spelling(self, *options: T) -> T:
        """One of several ways to write the same."""
        return self._rng.pick(options)

    def constant(self, low: float, high: float, *, step: float | None = None) -> Any:
        """A number of two digits or so: a constant, an argument or a literal, as spelling will have it."""
        if step is None:
            step = 10.0 ** (len(f"{int(max(abs(low), abs(high)))}") - 2) if high >= 1 else 0.01
        count = round((high - low) / step)
        value = low + step * self._rng.integer(0, count)
        self._constants += 1
        return Constant(float(f"{value:.6g}"), low, high, self._constants)

    def count(self, low: int, high: int) -> int:
        """A whole number that the text holds as a literal."""
        return self._rng.integer(low, high)

    def names(self, words: Mapping[str, str]) -> None:
        """Words to choose names from that are true of what was chosen, in place of the template's; a `kernel`
        that is named here is not named for its purpose."""
        self.words |= words

    def once(self, work: str, when: object = True) -> None:
        """Names work that is done here (`when` it is chosen) and that nobody does twice in one kernel, like
        a gamma or a drag: kernels that name the same work do not go together."""
        if when:
            self.work.add(work)

    def size(self, low: int = 8, high: int = 14) -> int:
        """How many elements an array has, or threads a launch."""
        return self._rng.integer(low, high)

    def vec(self, length: int) -> Any:
        """The type of vectors of so many floats."""
        return TypeName(f"wp.vec{length}" if length in (2, 3, 4) else f"wp.types.vector({length}, float)")

    def mat(self, rows: int, columns: int | None = None) -> Any:
        """The type of matrices of floats."""
        columns = columns or rows
        if rows == columns and rows in (2, 3, 4):
            return TypeName(f"wp.mat{rows}{rows}")
        return TypeName(f"wp.types.matrix(({rows}, {columns}), float)")

    def kernel(self, *launch: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Marks the template's kernel, and says over how many threads it is launched."""
        self.launch = launch
        self.locals = dict(sys._getframe(1).f_locals)

        def mark(function: Callable[..., None]) -> Callable[..., None]:
            self.chosen = function
            return function

        return mark
