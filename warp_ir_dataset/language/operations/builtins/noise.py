"""Perlin noise: functions of a place and of a random state, which they leave as it is."""

from __future__ import annotations

import math

from ...domains import Interval, excludes_zero
from ...program import Expr
from ..bounds import Of, where
from ..noises import GAIN, OCTAVES, curl, noise
from ..row import row

# A float32 of this size keeps 16 bits behind the point: enough where noise changes by some units in one.
FAR = 256.0
MOST_OCTAVES = 8
near = where(lambda state, place, *rest: place.magnitude <= FAR)
periodic = where(
    lambda state, place, *periods: place.magnitude <= FAR and all(excludes_zero(p) for p in periods)
)


def half_diagonal(of: Of, state: Expr, place: Expr, *rest: Expr) -> Interval:
    """Gradients of length 1 at the corners of a cell, weighted: farthest in its middle."""
    bound = math.sqrt(place.type.size) / 2
    return Interval(-bound, bound)


def _slope(dimensions: int) -> float:
    """What a component of the noise's gradient cannot exceed: one of a corner's gradient, and the difference
    of two values on opposite sides of a cell, at the steepest slope of the blend."""
    return 1.0 + 2.0 * 1.875 * math.sqrt(1.0 + (dimensions - 1) / 4)


def curled(
    of: Of,
    state: Expr,
    place: Expr,
    octaves: Expr | None = None,
    _: Expr | None = None,
    gain: Expr | None = None,
) -> Interval:
    dimensions = place.type.size
    count = OCTAVES if octaves is None else int(of(octaves).hi)
    weight = GAIN if gain is None else of(gain).magnitude
    bound = _slope(dimensions) * (1 if dimensions == 2 else 2) * sum(weight**k for k in range(count))
    return Interval(-bound, bound)


def _within_reach(
    state: Interval, place: Interval, octaves: Interval, lacunarity: Interval, gain: Interval
) -> bool:
    """The last octave is still near, and adds no more than the first one."""
    few = octaves.hi <= MOST_OCTAVES and gain.magnitude <= 1.0
    return few and place.magnitude * max(lacunarity.magnitude, 1.0) ** octaves.hi <= FAR


# fmt: off
ROWS = (
    row("noise(uint32, X) -> float32 for X in float32, vec<N,float32>", "noise", half_diagonal, noise,
        requires=near, derivative="operands", words="noise at {1}"),
    row("pnoise(uint32, float32, int32) -> float32; pnoise(uint32, vec<N,float32>, int32*N) -> float32",
        "noise", half_diagonal, noise, requires=periodic, derivative="operands",
        words="periodic noise at {1}"),
    row("curlnoise(uint32, vec2<float32>) -> vec2<float32>; "
        "curlnoise(uint32, vec<N,float32>) -> vec3<float32> for N in 3, 4", "noise", curled, curl,
        requires=near, derivative="operands", words="curl noise at {1}"),
    row("curlnoise_of: curlnoise(uint32, vec2<float32>, uint32, float32, float32) -> vec2<float32>; "
        "curlnoise(uint32, vec<N,float32>, uint32, float32, float32) -> vec3<float32> for N in 3, 4",
        "noise", curled, curl, requires=where(_within_reach), derivative="operands", underived=(3, 4),
        words="curl noise of {2} octaves at {1}"),
)
# fmt: on
