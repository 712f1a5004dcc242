"""Random numbers as Warp draws them (its ``native/rand.h``), on numpy arrays.

A state is a uint32, carried as an int64. Each draw makes a new state of it by PCG (Jarzynski and Olano, Hash
Functions for GPU Rendering, JCGT 9(3), 2020), and a number of the new state. Whole numbers are the same to
the bit, and so are the floats of `uniform`, which are multiples of 2**-24. All others are float32, by the C
library's `log`, `sqrt`, `cos`, `sin`, `acos`, `pow` and `exp`, which may differ by units in the last place.

`randn` draws twice in one C++ expression, where the order is the compiler's to choose; clang and NVRTC go
from left to right. `poisson` compares what it computes, so that a last digit may decide between two
results; that is as rare as random numbers within such a distance of each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import Value

Floats = np.ndarray[Any, np.dtype[np.float32]]
F = np.float32
ALL = 2**32 - 1
TURN = F(2.0) * F(math.pi)
EPSILON = F(5.96e-8)  # keeps the logarithm of a draw finite


def pcg(state: np.ndarray) -> np.ndarray:
    """The next state, and at the same time 32 random bits."""
    b = ((state & ALL) * 747796405 + 2891336453) & ALL
    c = (((b >> ((b >> 28) + 4)) ^ b) * 277803737) & ALL
    return (c >> 22) ^ c


def begun(seed: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
    """``rand_init``: the state that a seed begins, or one of the sequences of a seed."""
    return pcg(seed if offset is None else seed + pcg(offset))


def uniform(state: np.ndarray) -> tuple[Floats, np.ndarray]:
    """A float32 of [0, 1), and the state behind it."""
    state = pcg(state)
    return (state >> 8).astype(F) * F(2.0**-24), state


def between(state: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[Floats, np.ndarray]:
    u, state = uniform(state)
    low, high = np.asarray(low, F), np.asarray(high, F)
    return (high - low) * u + low, state


def whole(state: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A whole number of [low, high). Raises no error where that is empty: the result is then `low`."""
    state = pcg(state)
    return state % np.maximum(high - low, 1) + low, state


def signed(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """32 random bits as an int32."""
    state = pcg(state)
    return state.astype(np.int32).astype(np.int64), state


def normal(state: np.ndarray) -> tuple[Floats, np.ndarray]:
    """Box and Muller's method."""
    u, state = uniform(state)
    v, state = uniform(state)
    return np.sqrt(F(-2.0) * np.log(u + EPSILON)) * np.cos(TURN * v), state


# ---- points


def _angle(state: np.ndarray) -> tuple[Floats, Floats, np.ndarray]:
    """Cosine and sine of a random angle."""
    theta, state = between(state, np.zeros(()), np.asarray(TURN))
    return np.cos(theta), np.sin(theta), state


def _stacked(*parts: np.ndarray) -> np.ndarray:
    return np.stack(np.broadcast_arrays(*parts), -1)


def in_triangle(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two of the barycentric coordinates of a point in a triangle."""
    u, state = uniform(state)
    v, state = uniform(state)
    r = np.sqrt(u)
    return _stacked(F(1.0) - r, v * r), state


def on_ring(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, y, state = _angle(state)
    return _stacked(x, y), state


def in_disk(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u, state = uniform(state)
    r = np.sqrt(u)
    x, y, state = _angle(state)
    return _stacked(r * x, r * y), state


def ball(span: float, *, filled: bool) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Points of the unit sphere whose height lies between 1 and ``1 - span``; inside of it where `filled`."""

    def drawn(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u, state = uniform(state)
        phi = np.arccos(F(1.0) - F(span) * u)
        x, y, state = _angle(state)
        point = _stacked(x * np.sin(phi), y * np.sin(phi), np.cos(phi))
        if filled:
            v, state = uniform(state)
            point = np.power(v, F(1.0 / 3.0))[..., None] * point
        return point, state

    return drawn


def cube(dimensions: int) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Points of the cube of side 1 around the origin."""

    def drawn(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        parts = []
        for _ in range(dimensions):
            u, state = uniform(state)
            parts.append(u - F(0.5))
        return _stacked(*parts), state

    return drawn


# ---- counts


def poisson(state: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number of events, of which `rate` are expected: 0 <= rate."""
    state, rate = np.broadcast_arrays(state, np.asarray(rate, F))
    counts, states = np.zeros(state.shape, np.int64), state.astype(np.int64)
    for at in np.ndindex(state.shape):
        if rate[at] >= 10:
            counts[at], states[at] = _many(states[at], rate[at])
        elif rate[at] > 0:
            counts[at], states[at] = _few(states[at], rate[at])
    return counts, states


def _few(state: Any, rate: Any) -> tuple[int, Any]:
    """How many draws may be multiplied before the product is as small as ``exp(-rate)``."""
    least, product, count = np.exp(-rate), F(1.0), 0
    while True:
        u, state = uniform(state)
        product = product * u
        if product <= least:
            return count, state
        count += 1


def _many(state: Any, rate: Any) -> tuple[int, Any]:
    """Hörmann's transformed rejection (Insurance: Mathematics and Economics 12, 1993)."""
    log_rate = np.log(rate)
    b = F(0.931) + F(2.53) * np.sqrt(rate)
    a = F(-0.059) + F(0.02483) * b
    inverse = F(1.1239) + F(1.1328) / (b - F(3.4))
    squeeze = F(0.9277) - F(3.6224) / (b - F(2.0))
    while True:
        u, state = uniform(state)
        v, state = uniform(state)
        u = u - F(0.5)
        us = F(0.5) - np.abs(u)
        k = np.floor((F(2.0) * a / us + b) * u + rate + F(0.43))
        if us >= F(0.07) and v <= squeeze:
            return int(k), state
        if k < 0 or (us < F(0.013) and v > us):
            continue
        height = np.log(v) + np.log(inverse) - np.log(a / (us * us) + b)
        if height <= -rate + k * log_rate - _log_gamma(k + F(1.0)):
            return int(k), state


# Of the logarithm of the gamma function (Zhang and Jin, Computation of Special Functions, 1996).
_STIRLING = np.array(
    [8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
     8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
     1.796443723688307e-01, -1.39243221690590e00], F,
)  # fmt: skip


def _log_gamma(x: Any) -> Any:
    if x in (1.0, 2.0):
        return F(0.0)
    steps = int(7 - x) if x < 7 else 0
    top = x + F(steps)
    inverse = (F(1.0) / top) * (F(1.0) / top)
    series = _STIRLING[-1]
    for term in _STIRLING[-2::-1]:
        series = series * inverse + term
    found = series / top + F(0.5) * F(1.8378770664093453) + (top - F(0.5)) * np.log(top) - top
    for _ in range(steps):
        found = found - np.log(top - F(1.0))
        top = top - F(1.0)
    return found


def drawn(function: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning of an operation that draws: its result in the interpreter's arithmetic, and the state."""

    def compute(type: Value, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found, state = function(*values)
        return found.astype(float) if type.is_float else found, state

    return compute
