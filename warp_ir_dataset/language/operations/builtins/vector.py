"""Vector operations: scaling, products, lengths, components."""

from __future__ import annotations

import numpy as np

from ... import domains
from .. import meanings
from ..bounds import (
    blend,
    divisible,
    dot,
    first,
    fixed,
    length,
    literal_index,
    of_equal_parts,
    on,
    spread,
    squares,
)
from ..meanings import each, scaling
from ..row import row

# fmt: off
ROWS = (
    row("scale_left: F * X -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.mul),
        scaling(np.multiply), derivative="bilinear", words="{1} scaled by {0}"),
    row("scale_right: X * F -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.mul),
        scaling(np.multiply), derivative="bilinear", words="{0} scaled by {1}"),
    row("shrink: X / F -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", words="{0} divided by {1}"),
    row("dot(vec<L,F>, vec<L,F>) -> F", "vector", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="bilinear", alike=True, words="the dot product of {0} and {1}"),
    row("cross(vec3<F>, vec3<F>) -> vec3<F>", "vector",
        on(lambda a, b: domains.sub(domains.mul(a, b), domains.mul(a, b))), each(np.cross),
        derivative="bilinear", words="the cross product of {0} and {1}"),
    row("length(vec<L,F>) -> F", "vector", length, each(lambda a: np.sqrt((a * a).sum(-1))),
        words="the length of {0}"),
    row("length_sq(vec<L,F>) -> F", "vector", squares, each(lambda a: (a * a).sum(-1)),
        words="the squared length of {0}"),
    row("normalize(vec<L,F>) -> vec<L,F>", "vector", fixed(-1.0, 1.0), meanings.direction,
        settled=of_equal_parts, words="the direction of {0}"),
    row("cw_mul(X, X) -> X for X in vec<L,F>, mat<M,N,F>", "vector", on(domains.mul), each(np.multiply),
        derivative="bilinear", words="the componentwise product of {0} and {1}"),
    row("cw_div(vec<L,F>, vec<L,F>) -> vec<L,F>", "vector", on(domains.div), each(np.divide),
        requires=divisible, derivative="quotient", words="the componentwise quotient of {0} and {1}"),
    row("vector_abs: abs(vec<L,S>) -> vec<L,S>", "vector", on(domains.absolute), each(np.abs),
        words="the componentwise absolute value of {0}"),
    row("vector_min: min(vec<L,T>, vec<L,T>) -> vec<L,T>", "vector", on(domains.minimum), each(np.minimum),
        derivative="operands", words="the componentwise minimum of {0} and {1}"),
    row("vector_max: max(vec<L,T>, vec<L,T>) -> vec<L,T>", "vector", on(domains.maximum), each(np.maximum),
        derivative="operands", words="the componentwise maximum of {0} and {1}"),
    row("smallest: min(vec<L,T>) -> T", "vector", first, each(lambda a: a.min(-1)), settled=of_equal_parts,
        words="the smallest component of {0}"),
    row("largest: max(vec<L,T>) -> T", "vector", first, each(lambda a: a.max(-1)), settled=of_equal_parts,
        words="the largest component of {0}"),
    row("vector_lerp: lerp(vec<L,F>, vec<L,F>, F) -> vec<L,F>", "vector", on(blend),
        each(lambda a, b, t: a + (b - a) * t[..., None]), words="a blend of {0} and {1} by {2}"),
    row("build: vec<N,T>(T*N) -> vec<N,T>; mat22<F>(F*4) -> mat22<F>", "vector", spread, meanings.assemble,
        derivative="linear", words="the components ({})"),
    row("splat: vec<N,F>(F) -> vec<N,F>", "vector", first, meanings.spread, derivative="linear",
        words="a vector of {0}"),
    row("component: vec<L,T>[index] -> T", "component", first, meanings.pick, requires=literal_index,
        derivative="linear", words="component {1} of {0}"),
)
# fmt: on
