"""The choices that a template makes for one kernel: methods of its parameter `c`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ...common.rng import Rng

T = TypeVar("T")


@dataclass(frozen=True)
class TypeName:
    """A type, by its name in the text of a kernel."""

    text: str


@dataclass(frozen=True)
class ChosenConstant:
    """A number that the text of a template names: an argument, a module's constant or a literal of its
    kernels.

    `low` and `high` bound the argument. `order` is its place among the constants of a template.
    """

    value: float | int
    low: float
    high: float
    order: int


class Choices:
    """Makes the choices of one kernel.

    Choices of meaning are enumerated: each takes a digit of `number`, the sample's number, so that all
    combinations occur before one occurs again. A digit is shifted by a random number that depends on `start`
    and the choices before it, so that the first samples of a template differ in all their choices, not only
    in the first ones. `rng` makes all other choices.
    """

    def __init__(self, number: int, start: str, rng: Rng) -> None:
        self._number = number
        self._path = start
        self._rng = rng
        self.launch: tuple[int, ...] = ()
        self.kernel_function: Callable[..., None] | None = None
        self.locals: dict[str, Any] = {}
        self.words: dict[str, str] = {}
        self.unique_steps: set[str] = set()
        self._constants = 0

    def meaning(self, *options: T) -> T:
        """One of several things to compute: a choice that decides the outputs."""
        self._number, digit = divmod(self._number, len(options))
        place = (digit + Rng(self._path).below(len(options))) % len(options)
        self._path += f"/{place}"
        return options[place]

    def style(self, *options: T) -> T:
        """One of several ways to write the same computation, or to vary it too little to call it another."""
        return self._rng.pick(options)

    def constant(self, low: float, high: float, *, step: float | None = None) -> Any:
        """A number of about two digits: `render` makes it a constant, an argument or a literal."""
        if step is None:
            step = 10.0 ** (len(f"{int(max(abs(low), abs(high)))}") - 2) if high >= 1 else 0.01
        count = round((high - low) / step)
        value = low + step * self._rng.integer(0, count)
        self._constants += 1
        return ChosenConstant(float(f"{value:.6g}"), low, high, self._constants)

    def count(self, low: int, high: int) -> int:
        """A whole number, a literal in the text."""
        return self._rng.integer(low, high)

    def names(self, words: Mapping[str, str]) -> None:
        """Replace names to choose from by names that fit the choices made.

        If `words` has names for `kernel`, the kernel is not named for its purpose.
        """
        self.words |= words

    def once(self, step: str, when: object = True) -> None:
        """Name a step that nobody writes twice in one kernel, such as a gamma or a drag.

        The kernel has the step if `when` is true. Kernels with the same named step are not composed.
        """
        if when:
            self.unique_steps.add(step)

    def size(self, low: int = 8, high: int = 14) -> int:
        """A number of elements of an array, or of threads of a launch."""
        return self._rng.integer(low, high)

    def vec(self, length: int) -> Any:
        """The type of vectors of `length` floats."""
        return TypeName(f"wp.vec{length}" if length in (2, 3, 4) else f"wp.types.vector({length}, float)")

    def mat(self, rows: int, columns: int | None = None) -> Any:
        """The type of matrices of floats."""
        columns = columns or rows
        if rows == columns and rows in (2, 3, 4):
            return TypeName(f"wp.mat{rows}{rows}")
        return TypeName(f"wp.types.matrix(({rows}, {columns}), float)")

    def kernel(self, *launch: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Mark the template's kernel, which is launched over `launch` threads."""
        self.launch = launch
        self.locals = dict(sys._getframe(1).f_locals)

        def mark(function: Callable[..., None]) -> Callable[..., None]:
            self.kernel_function = function
            return function

        return mark
