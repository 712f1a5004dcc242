"""Perlin noise as Warp has it: gradients hashed from the points of a lattice, weighted over each cell."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from .randoms import BITS, State, begun

_PRIMES = (73856093, 19349663, 53471161, 10000019)
_OTHER_FIELDS = (10019689, 13112221)


def _gradient(state: int, point: tuple[int, ...]) -> np.ndarray:
    words = [index * prime for index, prime in zip(point, _PRIMES, strict=False)]
    words[-1] += state
    key = 0
    for word in words:
        key ^= word & BITS
    drawn = State(key)
    if len(point) == 1:
        return np.array([drawn.between(-1, 1)], float)
    found = np.array(drawn.centred(len(point)), float)
    return found / np.linalg.norm(found)


def _field(state: int, x: np.ndarray, periods: tuple[int, ...] = ()) -> tuple[float, np.ndarray]:
    """The noise at a place and its slope: a weighted sum over the corners of the cell."""
    low = np.floor(x)
    t = x - low
    weight = t**3 * (6 * t**2 - 15 * t + 10)
    slope = 30 * (t * (1 - t)) ** 2
    value, slopes = 0.0, np.zeros(len(x))
    for corner in product((0, 1), repeat=len(x)):
        point = [int(index) for index in low]
        if periods:
            point = [int(math.fmod(index, period)) for index, period in zip(point, periods, strict=True)]
        point = [index + side for index, side in zip(point, corner, strict=True)]
        if periods:
            point = [int(math.fmod(index, period)) for index, period in zip(point, periods, strict=True)]
        gradient = _gradient(state, tuple(point))
        here = float(gradient @ (t - corner))
        weights = np.where(corner, weight, 1 - weight)
        value += weights.prod() * here
        slopes += weights.prod() * gradient
        for axis, side in enumerate(corner):
            others = np.delete(weights, axis).prod()
            slopes[axis] += others * (slope[axis] if side else -slope[axis]) * here
    return value, slopes


def _noise(state: Any, x: Any, *periods: Any) -> float:
    return _field(int(state), np.atleast_1d(np.asarray(x, float)), tuple(map(int, periods)))[0]


def _curl(state: Any, x: Any, octaves: Any = 1, lacunarity: float = 2.0, gain: float = 0.5) -> np.ndarray:
    """The curl of one field or of three, each octave finer and weaker than the one before."""
    slopes = np.zeros((1 if len(x) == 2 else 3, len(x)))
    for octave in range(int(octaves)):
        for number in range(len(slopes)):
            if number:
                state = begun(state, _OTHER_FIELDS[number - 1])
            slopes[number] += gain**octave * _field(int(state), x * lacunarity**octave)[1]
    if len(x) == 2:
        return np.array([-slopes[0][1], slopes[0][0]])
    a, b, c = slopes
    return np.array([c[1] - b[2], a[2] - c[0], b[0] - a[1]])


NOISES = {"wp.noise": _noise, "wp.pnoise": _noise, "wp.curlnoise": _curl}
