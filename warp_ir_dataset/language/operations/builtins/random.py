"""Random numbers from a state that each draw changes; and noise, which leaves its state unchanged.

Random numbers have no derivative; noise has one with respect to its place.

The columns of a row are explained in `row.py`, the letters of its types in `signatures.py`. A formula is text
with places for operands, or the name of a function of `specification/formulas/builders.py`.
"""

from __future__ import annotations

import math

import numpy as np

from ... import ir
from ...domains import Interval, excludes_zero
from .. import pcg
from ..bounds import Of, fixed, on, where
from ..meanings import each
from ..noises import GAIN, OCTAVES, curl, noise
from ..pcg import ALL, drawn
from ..row import row

# The largest float32 that `randn` takes a logarithm of is 1, the smallest 5.96e-8.
NORMAL = math.sqrt(-2.0 * math.log(5.96e-8))
RATES = Interval(0.0, 100.0)
ordered = where(lambda state, low, high: low.hi < high.lo)
half_open = on(lambda state, low, high: Interval(low.lo, high.hi - 1))


def a_place(of: Of, state: ir.Expr, array: ir.Expr) -> Interval:
    """An index of an array."""
    return Interval(0, of(ir.Shape(array, 0)).hi - 1)


def not_empty(of: Of, state: ir.Expr, array: ir.Expr) -> bool:
    return of(ir.Shape(array, 0)).lo > 0


def sampled(state: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u, state = pcg.uniform(state)
    below = (sums[:, :, :-1] < u[..., None]).sum(-1)
    return below, state


# ---- noise

# Below this size a float32 has 16 bits behind the point: enough for noise, whose slope is a few units.
FAR = 256.0
MOST_OCTAVES = 8
near = where(lambda state, place, *rest: place.magnitude <= FAR)
periodic = where(
    lambda state, place, *periods: place.magnitude <= FAR and all(excludes_zero(p) for p in periods)
)


def half_diagonal(of: Of, state: ir.Expr, place: ir.Expr, *rest: ir.Expr) -> Interval:
    """Gradients of length 1 at the corners of a cell, weighted: farthest in its middle."""
    bound = math.sqrt(place.type.size) / 2
    return Interval(-bound, bound)


def _slope(dimensions: int) -> float:
    """What a component of the noise's gradient cannot exceed: one of a corner's gradient, and the difference
    of two values on opposite sides of a cell, at the steepest slope of the blend."""
    return 1.0 + 2.0 * 1.875 * math.sqrt(1.0 + (dimensions - 1) / 4)


def curled(
    of: Of,
    state: ir.Expr,
    place: ir.Expr,
    octaves: ir.Expr | None = None,
    lacunarity: ir.Expr | None = None,
    gain: ir.Expr | None = None,
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
    row("rand_init(int32) -> uint32", "random", fixed(0, ALL), each(pcg.begun), derivative="flat",
        parameters="seed"),
    row("rand_init_at: rand_init(int32, int32) -> uint32", "random", fixed(0, ALL), each(pcg.begun),
        derivative="flat", parameters="seed offset"),
    row("randi(&uint32) -> int32", "random", fixed(-(2**31), 2**31 - 1), drawn(pcg.signed), unlimited=True,
        derivative="flat", parameters="state", notes="random"),
    row("randi_between: randi(&uint32, int32, int32) -> int32", "random", half_open, drawn(pcg.whole),
        requires=ordered, derivative="flat", parameters="state low high", notes="random"),
    row("randu(&uint32) -> uint32", "random", fixed(0, ALL), drawn(lambda s: (pcg.pcg(s),) * 2),
        derivative="flat", parameters="state", notes="random"),
    row("randu_between: randu(&uint32, uint32, uint32) -> uint32", "random", half_open, drawn(pcg.whole),
        requires=ordered, derivative="flat", rounds="result", parameters="state low high", notes="random"),
    row("randf(&uint32) -> float32", "random", fixed(0.0, 1.0), drawn(pcg.uniform), derivative="flat",
        parameters="state", notes="random"),
    row("randf_between: randf(&uint32, float32, float32) -> float32", "random",
        on(lambda state, low, high: low.join(high)), drawn(pcg.between), derivative="flat", underived=(1, 2),
        rounds="result", parameters="state low high", notes="random"),
    row("randn(&uint32) -> float32", "random", fixed(-NORMAL, NORMAL), drawn(pcg.normal), derivative="flat",
        rounds="result", parameters="state", notes="random"),
    row("poisson(&uint32, float32) -> uint32", "random", fixed(0, ALL), drawn(pcg.poisson),
        requires=where(lambda state, rate: rate.within(RATES)), derivative="flat", parameters="state lam",
        notes="random"),
    row("sample_cdf(&uint32, array<1,float32>) -> int32", "random", a_place, drawn(sampled),
        requires=not_empty, needs=(None, "sorted"), derivative="flat", parameters="state cdf",
        notes="random"),
    row("sample_triangle(&uint32) -> vec2<float32>", "random", fixed(0.0, 1.0), drawn(pcg.in_triangle),
        derivative="flat", rounds="result", notes="random"),
    row("sample_unit_ring(&uint32) -> vec2<float32>", "random", fixed(-1.0, 1.0), drawn(pcg.on_ring),
        derivative="flat", rounds="result", notes="random"),
    row("sample_unit_disk(&uint32) -> vec2<float32>", "random", fixed(-1.0, 1.0), drawn(pcg.in_disk),
        derivative="flat", rounds="result", notes="random"),
    row("sample_unit_sphere_surface(&uint32) -> vec3<float32>", "random", fixed(-1.0, 1.0),
        drawn(pcg.ball(2.0, filled=False)), derivative="flat", rounds="result", notes="random"),
    row("sample_unit_sphere(&uint32) -> vec3<float32>", "random", fixed(-1.0, 1.0),
        drawn(pcg.ball(2.0, filled=True)), derivative="flat", rounds="result", notes="random"),
    row("sample_unit_hemisphere_surface(&uint32) -> vec3<float32>", "random", fixed(-1.0, 1.0),
        drawn(pcg.ball(1.0, filled=False)), derivative="flat", rounds="result", notes="random"),
    row("sample_unit_hemisphere(&uint32) -> vec3<float32>", "random", fixed(-1.0, 1.0),
        drawn(pcg.ball(1.0, filled=True)), derivative="flat", rounds="result", notes="random"),
    row("sample_unit_square(&uint32) -> vec2<float32>", "random", fixed(-0.5, 0.5), drawn(pcg.cube(2)),
        derivative="flat", rounds="result", notes="random"),
    row("sample_unit_cube(&uint32) -> vec3<float32>", "random", fixed(-0.5, 0.5), drawn(pcg.cube(3)),
        derivative="flat", rounds="result", notes="random"),
    row("noise(uint32, X) -> float32 for X in float32, vec<N,float32>", "noise", half_diagonal, noise,
        requires=near, derivative="operands", rounds="result",
        parameters="state x; state xy; state xyz; state xyzt"),
    row("pnoise(uint32, float32, int32) -> float32; pnoise(uint32, vec<N,float32>, int32*N) -> float32",
        "noise", half_diagonal, noise, requires=periodic, derivative="operands", rounds="result",
        parameters="state x px; state xy px py; state xyz px py pz; state xyzt px py pz pt"),
    row("curlnoise(uint32, vec2<float32>) -> vec2<float32>; "
        "curlnoise(uint32, vec<N,float32>) -> vec3<float32> for N in 3, 4", "noise", curled, curl,
        requires=near, derivative="operands", rounds="result"),
    row("curlnoise_of: curlnoise(uint32, vec2<float32>, uint32, float32, float32) -> vec2<float32>; "
        "curlnoise(uint32, vec<N,float32>, uint32, float32, float32) -> vec3<float32> for N in 3, 4", "noise",
        curled, curl, requires=where(_within_reach), derivative="operands", underived=(3, 4), rounds="result",
        parameters="state xy octaves lacunarity gain; state xyz octaves lacunarity gain; "
        "state xyzt octaves lacunarity gain"),
)
# fmt: on
