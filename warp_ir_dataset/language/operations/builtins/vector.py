"""Vector operations: scaling, products, lengths, components."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ... import domains
from ...domains import Interval
from ...program import Expr, Literal
from ...types import FLOAT
from .. import meanings
from ..bounds import (
    Bound,
    Of,
    all_bits,
    below,
    bits,
    blend,
    divisible,
    dot,
    first,
    fixed,
    huber,
    length,
    literal_index,
    not_negative,
    of_equal_parts,
    on,
    places,
    positive,
    pseudo_huber,
    shared_bits,
    shiftable,
    spread,
    squares,
    sums,
)
from ..meanings import each, scaling, truncated_quotient
from ..rotations import if_length_one
from ..row import row

ONE = Literal(1.0, FLOAT)


def _of_one(bound: Callable[[Of, Expr, Expr], Interval]) -> Bound:
    """The bound of an operation whose last operand is left out, which is one then."""
    return lambda of, a: bound(of, a, ONE)


# fmt: off
ROWS = (
    row("scale_left: F * X -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.mul),
        scaling(np.multiply), derivative="bilinear", words="{1} scaled by {0}"),
    row("scale_right: X * F -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.mul),
        scaling(np.multiply), derivative="bilinear", words="{0} scaled by {1}"),
    row("shrink: X / F -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", words="{0} divided by {1}"),
    row("dot(vec<L,F>, vec<L,F>) -> F", "vector", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="bilinear", words="the dot product of {0} and {1}"),
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
        gives=if_length_one, derivative="linear", words="the components ({})"),
    row("splat: vec<N,F>(F) -> vec<N,F>", "vector", first, meanings.spread, derivative="linear",
        words="a vector with {0} in every component"),
    row("component: vec<L,T>[index] -> T", "component", first, meanings.pick, requires=literal_index,
        derivative="linear", words="component {1} of {0}"),
    # What follows has groups of its own, which no family weighs yet.
    row("vector_divide: F / vec<L,F> -> vec<L,F>", "vectors", on(domains.div), scaling(np.divide),
        requires=divisible, derivative="operands", words="{0} divided by each component of {1}"),
    row("shrink_approx: div_approx(X, F) -> X for X in vec<L,F>, mat<M,N,F>", "vectors", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands",
        cuda="/", words="{0} divided by {1}, approximately"),
    row("divide_approx: div_approx(F, X) -> X for X in vec<L,F>, mat<M,N,F>", "vectors", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands",
        cuda="/", words="{0} divided by each component of {1}, approximately"),
    row("vector_mod: vec<N,T> % vec<N,T> -> vec<N,T>", "vectors", on(domains.mod), each(np.fmod),
        requires=divisible, derivative="operands", underived=(0, 1),
        words="{0} modulo {1}, component by component"),
    row("vector_sign: sign(vec<N,S>) -> vec<N,S>", "vectors", fixed(-1, 1),
        each(lambda x: np.where(x < 0, -1, 1)), derivative="flat", words="the signs of {0}"),
    row("argmin(vec<L,T>) -> uint32", "vectors", places, each(lambda a: a.argmin(-1)), derivative="flat",
        words="which component of {0} is the smallest"),
    row("argmax(vec<L,T>) -> uint32", "vectors", places, each(lambda a: a.argmax(-1)), derivative="flat",
        words="which component of {0} is the largest"),
    # Warp has no ``!=`` of these.
    row("vector_eq: X == X -> bool for X in vec<N,T>, vec6<F>, mat<M,N,F>, quat<F>, transform<F>", "vectors",
        fixed(0, 1), meanings.same, derivative="flat", words="{0} equals {1}"),
    row("norm_l1(vec<L,float32>) -> float32", "norms", sums, each(lambda a: np.abs(a).sum(-1)),
        words="the sum of the magnitudes of {0}"),
    row("norm_l2(vec<L,float32>) -> float32", "norms", length, each(lambda a: np.sqrt((a * a).sum(-1))),
        words="the length of {0}"),
    row("norm_huber(vec<L,float32>, float32) -> float32", "norms", huber, meanings.huber, requires=positive,
        words="the Huber norm of {0} with the threshold {1}"),
    row("norm_pseudo_huber(vec<L,float32>, float32) -> float32", "norms", pseudo_huber,
        meanings.pseudo_huber, requires=positive,
        words="the pseudo-Huber norm of {0} with the threshold {1}"),
    row("smooth_normalize(vec<L,float32>, float32) -> vec<L,float32>", "norms", fixed(-1.0, 1.0),
        meanings.smooth_direction, requires=positive, words="{0} by its pseudo-Huber norm with {1}"),
    # With the threshold left out.
    row("norm_huber_of_one: norm_huber(vec<L,float32>) -> float32", "norms", _of_one(huber),
        lambda type, v: meanings.huber(type, v, np.ones(())), words="the Huber norm of {0}"),
    row("norm_pseudo_huber_of_one: norm_pseudo_huber(vec<L,float32>) -> float32", "norms",
        _of_one(pseudo_huber), lambda type, v: meanings.pseudo_huber(type, v, np.ones(())),
        words="the pseudo-Huber norm of {0}"),
    row("smooth_normalize_of_one: smooth_normalize(vec<L,float32>) -> vec<L,float32>", "norms",
        fixed(-1.0, 1.0), lambda type, v: meanings.smooth_direction(type, v, np.ones(())),
        words="{0} by its pseudo-Huber norm"),
    row("vector_copy: X(X) -> X for X in vec<N,T>, mat<M,N,F>", "vectors", first, each(np.positive),
        derivative="linear", words="{0}"),
    row("vector_zero: X() -> X for X in vec<N,T>, mat<M,N,F>", "vectors", fixed(0, 0), meanings.zeros,
        derivative="flat", words="zeros"),
    row("whole_splat: vec<N,I>(I) -> vec<N,I>", "vectors", first, meanings.spread, derivative="flat",
        words="a vector with {0} in every component"),
    row("vector_to_float: vec<N,F>(vec<N,Y>) -> vec<N,F> for Y in F', I; "
        "vec6<float64>(vec6<Y>) -> vec6<float64> for Y in float16, float32; "
        "vec6<float16>(vec6<Y>) -> vec6<float16> for Y in float32, float64",
        "cast", on(lambda a: Interval(float(a.lo), float(a.hi))), each(lambda x: x.astype(float)),
        requires=below(2.0**24), derivative="linear", words="{0}"),
    row("vector_to_integer: vec<N,Z>(vec<N,Y>) -> vec<N,Z> for Y in F, Z'", "cast",
        on(lambda a: Interval(math.trunc(a.lo), math.trunc(a.hi))), each(lambda x: x.astype(np.int64)),
        requires=below(2.0**24), derivative="flat", words="the whole parts of {0}"),
    row("vector_to_unsigned: vec<N,U>(vec<N,Y>) -> vec<N,U> for Y in Z, U'", "cast", first,
        each(np.positive), requires=not_negative, derivative="flat", words="{0}"),
    row("unsigned_vector_to_integer: vec<N,Z>(vec<N,U>) -> vec<N,Z>", "cast", first, each(np.positive),
        derivative="flat", words="{0}"),
    # Whole numbers.
    row("whole_scale_left: I * vec<N,I> -> vec<N,I>", "whole vectors", on(domains.mul),
        scaling(np.multiply), derivative="flat", words="{1} scaled by {0}"),
    row("whole_scale_right: vec<N,I> * I -> vec<N,I>", "whole vectors", on(domains.mul),
        scaling(np.multiply), derivative="flat", words="{0} scaled by {1}"),
    row("whole_shrink: vec<N,I> / I -> vec<N,I>", "whole vectors", on(domains.truncdiv),
        scaling(truncated_quotient), requires=divisible, derivative="flat",
        words="{0} divided by {1}, rounded towards zero"),
    row("whole_divide: I / vec<N,I> -> vec<N,I>", "whole vectors", on(domains.truncdiv),
        scaling(truncated_quotient), requires=divisible, derivative="flat",
        words="{0} divided by each component of {1}, rounded towards zero"),
    row("whole_dot: dot(vec<N,I>, vec<N,I>) -> I", "whole vectors", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="flat", words="the dot product of {0} and {1}"),
    row("whole_cross: cross(vec3<Z>, vec3<Z>) -> vec3<Z>", "whole vectors",
        on(lambda a, b: domains.sub(domains.mul(a, b), domains.mul(a, b))), each(np.cross),
        derivative="flat", words="the cross product of {0} and {1}"),
    row("whole_length_sq: length_sq(vec<N,I>) -> I", "whole vectors", squares,
        each(lambda a: (a * a).sum(-1)), derivative="flat", words="the squared length of {0}"),
    row("whole_cw_mul: cw_mul(vec<N,I>, vec<N,I>) -> vec<N,I>", "whole vectors", on(domains.mul),
        each(np.multiply), derivative="flat", words="the componentwise product of {0} and {1}"),
    row("whole_cw_div: cw_div(vec<N,I>, vec<N,I>) -> vec<N,I>", "whole vectors", on(domains.truncdiv),
        each(truncated_quotient), requires=divisible, derivative="flat",
        words="the componentwise quotient of {0} and {1}, rounded towards zero"),
    row("vector_bit_and: vec<N,I> & vec<N,I> -> vec<N,I>", "vector bits", shared_bits, each(np.bitwise_and),
        requires=not_negative, derivative="flat", words="the bits {0} and {1} share"),
    row("vector_bit_or: vec<N,I> | vec<N,I> -> vec<N,I>", "vector bits", bits, each(np.bitwise_or),
        requires=not_negative, derivative="flat", words="the bits of {0} or {1}"),
    row("vector_bit_xor: vec<N,I> ^ vec<N,I> -> vec<N,I>", "vector bits", bits, each(np.bitwise_xor),
        requires=not_negative, derivative="flat", words="the bits in which {0} and {1} differ"),
    row("vector_lshift: vec<N,I> << vec<N,I> -> vec<N,I>", "vector bits",
        on(lambda a, b: Interval(a.lo << b.lo, a.hi << b.hi)), each(np.left_shift), requires=shiftable,
        derivative="flat", words="{0} shifted left by {1} bits"),
    row("vector_rshift: vec<N,I> >> vec<N,I> -> vec<N,I>", "vector bits",
        on(lambda a, b: Interval(a.lo >> b.hi, a.hi >> b.lo)), each(np.right_shift), requires=shiftable,
        derivative="flat", words="{0} shifted right by {1} bits"),
    row("vector_invert: ~X -> X for X in vec<N,Z>, vec<N,uint8>, vec<N,uint16>, vec<N,uint32>", "vector bits",
        all_bits, meanings.inverted, derivative="flat", words="{0} with every bit flipped"),
)
# fmt: on
