"""Random numbers as Warp has them: a state of 32 bits, hashed anew for each number (Jarzynski and Olano,
Hash Functions for GPU Rendering, 2020), and what is made of its bits in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

BITS = 2**32 - 1
_FLOAT = np.float32
_TURN = _FLOAT(2 * np.pi)
_TINY = _FLOAT(5.96e-8)  # what keeps a logarithm from zero


def hashed(state: int) -> int:
    word = (state * 747796405 + 2891336453) & BITS
    word = ((word >> ((word >> 28) + 4)) ^ word) * 277803737 & BITS
    return (word >> 22) ^ word


def begun(seed: Any, offset: Any = None) -> np.uint32:
    """``wp.rand_init``: where a sequence of numbers begins."""
    start = int(seed) & BITS
    if offset is not None:
        start = (start + hashed(int(offset) & BITS)) & BITS
    return np.uint32(hashed(start))


class State:
    """A state that moves on with each draw."""

    def __init__(self, state: Any) -> None:
        self.bits = int(state)

    def next(self) -> int:
        self.bits = hashed(self.bits)
        return self.bits

    def unit(self) -> np.float32:
        """The upper 24 bits as a number from 0 to below 1."""
        return _FLOAT(self.next() >> 8) / _FLOAT(2**24)

    def between(self, low: Any, high: Any) -> np.float32:
        return (_FLOAT(high) - _FLOAT(low)) * self.unit() + _FLOAT(low)

    def centred(self, count: int) -> list[np.float32]:
        return [self.unit() - _FLOAT(0.5) for _ in range(count)]


def _integer(state: State, low: Any = None, high: Any = None) -> int:
    if low is None:
        return int(np.uint32(state.next()).astype(np.int32))
    return int(np.int64(state.next() % ((int(high) - int(low)) & BITS) + int(low)).astype(np.int32))


def _word(state: State, low: Any = 0, high: Any = None) -> np.uint32:
    bits = state.next()
    return np.uint32(bits if high is None else (bits % ((int(high) - int(low)) & BITS) + int(low)) & BITS)


def _real(state: State, low: Any = None, high: Any = None) -> float:
    return float(state.unit() if low is None else state.between(low, high))


def _normal(state: State) -> float:
    """By Box and Muller."""
    radius = np.sqrt(_FLOAT(-2) * np.log(state.unit() + _TINY))
    return float(radius * np.cos(_TURN * state.unit()))


def _index(state: State, sums: np.ndarray) -> int:
    """The first place that a number does not exceed, or the last of all."""
    return min(int(np.searchsorted(sums, float(state.unit()))), len(sums) - 1)


def _in_triangle(state: State) -> np.ndarray:
    r = np.sqrt(state.unit())
    return np.array([1 - r, state.unit() * r], float)


def _on_circle(state: State) -> np.ndarray:
    angle = state.between(0, _TURN)
    return np.array([np.cos(angle), np.sin(angle)], float)


def _in_disk(state: State) -> np.ndarray:
    r = np.sqrt(state.unit())
    return r * _on_circle(state)


def _of_ball(lowest: int, filled: bool) -> Callable[[State], np.ndarray]:
    """Points whose direction has a height from `lowest` to 1."""

    def point(state: State) -> np.ndarray:
        tilt = np.arccos(1 - _FLOAT(1 - lowest) * state.unit())
        around = _on_circle(state)
        r = float(state.unit()) ** (1 / 3) if filled else 1.0
        return r * np.array([*(around * np.sin(tilt)), np.cos(tilt)], float)

    return point


# What calls of these names draw, of the state that stands first in their brackets.
DRAWS: dict[str, Callable[..., Any]] = {
    "wp.randi": _integer,
    "wp.randu": _word,
    "wp.randf": _real,
    "wp.randn": _normal,
    "wp.sample_cdf": _index,
    "wp.sample_triangle": _in_triangle,
    "wp.sample_unit_ring": _on_circle,
    "wp.sample_unit_disk": _in_disk,
    "wp.sample_unit_sphere_surface": _of_ball(-1, filled=False),
    "wp.sample_unit_sphere": _of_ball(-1, filled=True),
    "wp.sample_unit_hemisphere_surface": _of_ball(0, filled=False),
    "wp.sample_unit_hemisphere": _of_ball(0, filled=True),
    "wp.sample_unit_square": lambda state: np.array(state.centred(2), float),
    "wp.sample_unit_cube": lambda state: np.array(state.centred(3), float),
}
