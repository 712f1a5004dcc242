"""Vector operations: scaling, products, lengths, components."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ... import domains, ir
from ...domains import Interval
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

ONE = ir.Literal(1.0, FLOAT)


def _of_one(bound: Callable[[Of, ir.Expr, ir.Expr], Interval]) -> Bound:
    """The bound of an operation whose last operand is left out, which is one then."""
    return lambda of, a: bound(of, a, ONE)


# fmt: off
ROWS = (
    row("scale_left: F * X -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.mul),
        scaling(np.multiply), derivative="bilinear"),
    row("scale_right: X * F -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.mul),
        scaling(np.multiply), derivative="bilinear"),
    row("shrink: X / F -> X for X in vec<L,F>, mat<M,N,F>, mat66<F>", "vector", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands"),
    row("dot(vec<L,F>, vec<L,F>) -> F", "vector", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="bilinear"),
    row("cross(vec3<F>, vec3<F>) -> vec3<F>", "vector",
        on(lambda a, b: domains.sub(domains.mul(a, b), domains.mul(a, b))), each(np.cross),
        derivative="bilinear"),
    row("length(vec<L,F>) -> F", "vector", length, each(lambda a: np.sqrt((a * a).sum(-1)))),
    row("length_sq(vec<L,F>) -> F", "vector", squares, each(lambda a: (a * a).sum(-1))),
    row("normalize(vec<L,F>) -> vec<L,F>", "vector", fixed(-1.0, 1.0), meanings.direction,
        settled=of_equal_parts),
    row("cw_mul(X, X) -> X for X in vec<L,F>, mat<M,N,F>", "vector", on(domains.mul), each(np.multiply),
        derivative="bilinear"),
    row("cw_div(vec<L,F>, vec<L,F>) -> vec<L,F>", "vector", on(domains.div), each(np.divide),
        requires=divisible, derivative="quotient"),
    row("vector_abs: abs(vec<L,S>) -> vec<L,S>", "vector", on(domains.absolute), each(np.abs)),
    row("vector_min: min(vec<L,T>, vec<L,T>) -> vec<L,T>", "vector", on(domains.minimum), each(np.minimum),
        derivative="operands"),
    row("vector_max: max(vec<L,T>, vec<L,T>) -> vec<L,T>", "vector", on(domains.maximum), each(np.maximum),
        derivative="operands"),
    row("smallest: min(vec<L,T>) -> T", "vector", first, each(lambda a: a.min(-1)), settled=of_equal_parts),
    row("largest: max(vec<L,T>) -> T", "vector", first, each(lambda a: a.max(-1)), settled=of_equal_parts),
    row("vector_lerp: lerp(vec<L,F>, vec<L,F>, F) -> vec<L,F>", "vector", on(blend),
        each(lambda a, b, t: a + (b - a) * t[..., None])),
    row("build: vec<N,T>(T*N) -> vec<N,T>; mat22<F>(F*4) -> mat22<F>", "vector", spread, meanings.assemble,
        gives=if_length_one, derivative="linear"),
    row("splat: vec<N,F>(F) -> vec<N,F>", "vector", first, meanings.spread, derivative="linear"),
    row("component: vec<L,T>[index] -> T", "component", first, meanings.pick, requires=literal_index,
        derivative="linear"),
    # What follows has groups of its own, which no family weighs yet.
    row("vector_divide: F / vec<L,F> -> vec<L,F>", "vectors", on(domains.div), scaling(np.divide),
        requires=divisible, derivative="operands"),
    row("shrink_approx: div_approx(X, F) -> X for X in vec<L,F>, mat<M,N,F>", "vectors", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", cuda="/"),
    row("divide_approx: div_approx(F, X) -> X for X in vec<L,F>, mat<M,N,F>", "vectors", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", cuda="/"),
    row("vector_mod: vec<N,T> % vec<N,T> -> vec<N,T>", "vectors", on(domains.mod), each(np.fmod),
        requires=divisible, derivative="operands", underived=(0, 1)),
    row("vector_sign: sign(vec<N,S>) -> vec<N,S>", "vectors", fixed(-1, 1),
        each(lambda x: np.where(x < 0, -1, 1)), derivative="flat"),
    row("argmin(vec<L,T>) -> uint32", "vectors", places, each(lambda a: a.argmin(-1)), derivative="flat"),
    row("argmax(vec<L,T>) -> uint32", "vectors", places, each(lambda a: a.argmax(-1)), derivative="flat"),
    # Warp has no ``!=`` of these.
    row("vector_eq: X == X -> bool for X in vec<N,T>, vec6<F>, mat<M,N,F>, quat<F>, transform<F>", "vectors",
        fixed(0, 1), meanings.same, derivative="flat"),
    row("norm_l1(vec<L,float32>) -> float32", "norms", sums, each(lambda a: np.abs(a).sum(-1))),
    row("norm_l2(vec<L,float32>) -> float32", "norms", length, each(lambda a: np.sqrt((a * a).sum(-1)))),
    row("norm_huber(vec<L,float32>, float32) -> float32", "norms", huber, meanings.huber, requires=positive),
    row("norm_pseudo_huber(vec<L,float32>, float32) -> float32", "norms", pseudo_huber, meanings.pseudo_huber,
        requires=positive),
    row("smooth_normalize(vec<L,float32>, float32) -> vec<L,float32>", "norms", fixed(-1.0, 1.0),
        meanings.smooth_direction, requires=positive),
    # With the threshold left out.
    row("norm_huber_of_one: norm_huber(vec<L,float32>) -> float32", "norms", _of_one(huber),
        lambda type, v: meanings.huber(type, v, np.ones(()))),
    row("norm_pseudo_huber_of_one: norm_pseudo_huber(vec<L,float32>) -> float32", "norms",
        _of_one(pseudo_huber), lambda type, v: meanings.pseudo_huber(type, v, np.ones(()))),
    row("smooth_normalize_of_one: smooth_normalize(vec<L,float32>) -> vec<L,float32>", "norms",
        fixed(-1.0, 1.0), lambda type, v: meanings.smooth_direction(type, v, np.ones(()))),
    row("vector_copy: X(X) -> X for X in vec<N,T>, mat<M,N,F>", "vectors", first, each(np.positive),
        derivative="linear"),
    row("vector_zero: X() -> X for X in vec<N,T>, mat<M,N,F>", "vectors", fixed(0, 0), meanings.zeros,
        derivative="flat"),
    row("whole_splat: vec<N,I>(I) -> vec<N,I>", "vectors", first, meanings.spread, derivative="flat"),
    row("vector_to_float: vec<N,F>(vec<N,Y>) -> vec<N,F> for Y in F', I; "
        "vec6<float64>(vec6<Y>) -> vec6<float64> for Y in float16, float32; "
        "vec6<float16>(vec6<Y>) -> vec6<float16> for Y in float32, float64", "cast",
        on(lambda a: Interval(float(a.lo), float(a.hi))), each(lambda x: x.astype(float)),
        requires=below(2.0**24), derivative="linear"),
    row("vector_to_integer: vec<N,Z>(vec<N,Y>) -> vec<N,Z> for Y in F, Z'", "cast",
        on(lambda a: Interval(math.trunc(a.lo), math.trunc(a.hi))), each(lambda x: x.astype(np.int64)),
        requires=below(2.0**24), derivative="flat"),
    row("vector_to_unsigned: vec<N,U>(vec<N,Y>) -> vec<N,U> for Y in Z, U'", "cast", first, each(np.positive),
        requires=not_negative, derivative="flat"),
    row("unsigned_vector_to_integer: vec<N,Z>(vec<N,U>) -> vec<N,Z>", "cast", first, each(np.positive),
        derivative="flat"),
    # Whole numbers.
    row("whole_scale_left: I * vec<N,I> -> vec<N,I>", "whole vectors", on(domains.mul), scaling(np.multiply),
        derivative="flat"),
    row("whole_scale_right: vec<N,I> * I -> vec<N,I>", "whole vectors", on(domains.mul), scaling(np.multiply),
        derivative="flat"),
    row("whole_shrink: vec<N,I> / I -> vec<N,I>", "whole vectors", on(domains.truncdiv),
        scaling(truncated_quotient), requires=divisible, derivative="flat"),
    row("whole_divide: I / vec<N,I> -> vec<N,I>", "whole vectors", on(domains.truncdiv),
        scaling(truncated_quotient), requires=divisible, derivative="flat"),
    row("whole_dot: dot(vec<N,I>, vec<N,I>) -> I", "whole vectors", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="flat"),
    row("whole_cross: cross(vec3<Z>, vec3<Z>) -> vec3<Z>", "whole vectors",
        on(lambda a, b: domains.sub(domains.mul(a, b), domains.mul(a, b))), each(np.cross),
        derivative="flat"),
    row("whole_length_sq: length_sq(vec<N,I>) -> I", "whole vectors", squares,
        each(lambda a: (a * a).sum(-1)), derivative="flat"),
    row("whole_cw_mul: cw_mul(vec<N,I>, vec<N,I>) -> vec<N,I>", "whole vectors", on(domains.mul),
        each(np.multiply), derivative="flat"),
    row("whole_cw_div: cw_div(vec<N,I>, vec<N,I>) -> vec<N,I>", "whole vectors", on(domains.truncdiv),
        each(truncated_quotient), requires=divisible, derivative="flat"),
    row("vector_bit_and: vec<N,I> & vec<N,I> -> vec<N,I>", "vector bits", shared_bits, each(np.bitwise_and),
        requires=not_negative, derivative="flat"),
    row("vector_bit_or: vec<N,I> | vec<N,I> -> vec<N,I>", "vector bits", bits, each(np.bitwise_or),
        requires=not_negative, derivative="flat"),
    row("vector_bit_xor: vec<N,I> ^ vec<N,I> -> vec<N,I>", "vector bits", bits, each(np.bitwise_xor),
        requires=not_negative, derivative="flat"),
    row("vector_lshift: vec<N,I> << vec<N,I> -> vec<N,I>", "vector bits",
        on(lambda a, b: Interval(a.lo << b.lo, a.hi << b.hi)), each(np.left_shift), requires=shiftable,
        derivative="flat"),
    row("vector_rshift: vec<N,I> >> vec<N,I> -> vec<N,I>", "vector bits",
        on(lambda a, b: Interval(a.lo >> b.hi, a.hi >> b.lo)), each(np.right_shift), requires=shiftable,
        derivative="flat"),
    row("vector_invert: ~X -> X for X in vec<N,Z>, vec<N,uint8>, vec<N,uint16>, vec<N,uint32>", "vector bits",
        all_bits, meanings.inverted, derivative="flat"),
)
# fmt: on
