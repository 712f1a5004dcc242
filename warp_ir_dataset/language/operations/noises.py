"""Perlin noise as Warp computes it (its ``native/noise.h``), on numpy arrays, in any dimension.

A random gradient stands at every point of the whole-numbered lattice (Perlin, Improving Noise, SIGGRAPH
2002). The noise at a place blends what the gradients around it say. Here the arithmetic is float64 where
Warp's is float32: noise has no jumps, and its gradient has none, so both differ by roundings alone.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..types import Value
from . import pcg

PRIMES = (73856093, 19349663, 53471161, 10000019)
# Seeds of the second and the third noise of which a curl is taken.
CURL_SEEDS = (10019689, 13112221)
OCTAVES, LACUNARITY, GAIN = 1, 2.0, 0.5  # where a call says nothing else
Level = tuple[np.ndarray, np.ndarray]  # a value, and its gradient on the last axis


def smoother(t: np.ndarray) -> np.ndarray:
    weight: np.ndarray = t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    return weight


def smoother_slope(t: np.ndarray) -> np.ndarray:
    slope: np.ndarray = 30.0 * t * t * (t * (t - 2.0) + 1.0)
    return slope


def _gradient(state: np.ndarray, corner: list[np.ndarray]) -> np.ndarray:
    """The random gradient at a lattice point: of length 1, but in one dimension of [-1, 1)."""
    words = [index * prime for index, prime in zip(corner, PRIMES, strict=False)]
    words[-1] = words[-1] + state
    key = np.bitwise_xor.reduce(np.broadcast_arrays(*words), axis=0) & pcg.ALL
    if len(corner) == 1:
        return np.asarray(pcg.between(key, np.asarray(-1.0), np.asarray(1.0))[0], float)[..., None]
    point = np.asarray(pcg.cube(len(corner))(key)[0], float)
    gradient: np.ndarray = point / np.sqrt((point * point).sum(-1, keepdims=True))
    return gradient


def level(state: np.ndarray, place: np.ndarray, periods: tuple[np.ndarray, ...] = ()) -> Level:
    """Noise at places of shape ``(..., n)``, and its gradient there."""
    n = place.shape[-1]
    floor = np.floor(place)
    inside = place - floor
    low = [floor[..., k].astype(np.int64) for k in range(n)]
    if periods:
        low = [np.fmod(index, period) for index, period in zip(low, periods, strict=True)]
    high = [index + 1 for index in low]
    if periods:
        high = [np.fmod(index, period) for index, period in zip(high, periods, strict=True)]
    found: list[Level] = []  # corners, the first axis outermost
    for corner in product((0, 1), repeat=n):
        gradient = _gradient(state, [(low, high)[side][k] for k, side in enumerate(corner)])
        found.append(((gradient * (inside - np.array(corner))).sum(-1), gradient))
    for axis in range(n):
        half = len(found) // 2
        pairs = zip(found[:half], found[half:], strict=True)
        found = [_blended(left, right, inside, axis) for left, right in pairs]
    return found[0]


def _blended(left: Level, right: Level, inside: np.ndarray, axis: int) -> Level:
    t = inside[..., axis]
    weight = smoother(t)
    value = left[0] + (right[0] - left[0]) * weight
    gradient = left[1] + (right[1] - left[1]) * weight[..., None]
    gradient[..., axis] += (right[0] - left[0]) * smoother_slope(t)
    return value, gradient


def noise(type: Value, state: np.ndarray, place: np.ndarray, *periods: np.ndarray) -> np.ndarray:
    """``noise``, and with periods ``pnoise``."""
    one = place.ndim == 2  # a number is a place in one dimension
    return level(state, place[..., None] if one else place, periods)[0]


def curl(
    type: Value,
    state: np.ndarray,
    place: np.ndarray,
    octaves: np.ndarray | None = None,
    lacunarity: Any = LACUNARITY,
    gain: Any = GAIN,
) -> np.ndarray:
    """``curlnoise``: a field without sources, of noises of ever higher frequency."""
    n = place.shape[-1]
    octaves = np.full((1, 1), OCTAVES) if octaves is None else octaves
    lacunarity, gain = (np.asarray(number, float)[..., None] for number in (lacunarity, gain))
    fields: list[Any] = [np.zeros(n)] * (1 if n == 2 else 3)
    for octave in range(int(octaves.max(initial=0))):
        gradients = []
        for number in range(len(fields)):
            if number:
                state = pcg.begun(state, np.asarray(CURL_SEEDS[number - 1]))
            gradients.append(level(state, place * lacunarity**octave)[1])
        weight = np.where((octave < octaves)[..., None], gain**octave, 0.0)
        fields = [field + weight * gradient for field, gradient in zip(fields, gradients, strict=True)]
    fields = [np.broadcast_to(field, np.broadcast_shapes(field.shape, place.shape)) for field in fields]
    if n == 2:
        return np.stack((-fields[0][..., 1], fields[0][..., 0]), -1)
    a, b, c = fields
    return np.stack((c[..., 1] - b[..., 2], a[..., 2] - c[..., 0], b[..., 0] - a[..., 1]), -1)
