"""Kernels for the machine: each with drawn arguments, and with what should be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Size = int | tuple[int, ...]


@dataclass(frozen=True)
class Drawn:
    """A text and a launch. `after` are expected arrays, by position of the argument, or functions that tell
    whether an array is one that may be expected; a right kernel leaves them in all orders."""

    text: str
    arguments: list[Any]
    grid: Size
    block: Size
    shared: int = 0
    after: dict[int, Any] = field(default_factory=dict)
    kernel: str = "k"


Draw = Callable[[np.random.Generator], Drawn]
RIGHT: dict[str, Draw] = {}


def right(draw: Draw) -> Draw:
    RIGHT[draw.__name__] = draw
    return draw


class Small(np.random.Generator):
    """Asks for a launch of at most eight threads, whose schedules can be looked through."""


def of(rng: np.random.Generator, usual: int, small: int) -> int:
    return small if isinstance(rng, Small) else usual


def drawn_of(rng: np.random.Generator, usual: list[int], small: int) -> int:
    return small if isinstance(rng, Small) else int(rng.choice(usual))


def blocks(n: int, block: int) -> int:
    return -(-n // block)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-40, 40, shape).astype(np.float32) / 8  # sums of a few are exact


def ints(rng: np.random.Generator, n: int, most: int = 100) -> np.ndarray:
    return rng.integers(0, most, n).astype(np.int32)


def a_block(rng: np.random.Generator) -> int:
    return drawn_of(rng, [32, 48, 64, 96, 128], 4)


def a_size(rng: np.random.Generator) -> int:
    return int(rng.integers(5, 8)) if isinstance(rng, Small) else int(rng.integers(130, 330))
