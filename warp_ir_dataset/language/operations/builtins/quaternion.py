"""Quaternions: constructors, products and rotations. The order is x, y, z, w."""

from __future__ import annotations

import math

import numpy as np

from ... import domains
from .. import meanings, rotations
from ..bounds import always, blend, divisible, dot, first, fixed, length, literal_index, on, spread, squares
from ..meanings import each, scaling
from ..rotations import (
    around_zero,
    between_zero_and_one,
    distinct_axes,
    if_length_one,
    if_unit,
    products,
    turned,
    unit_components,
)
from ..row import row

TURN = 2 * math.pi

# fmt: off
ROWS = (
    row("quaternion: quat<F>(F*4) -> quat<F>", "quaternion", spread, meanings.assemble, gives=if_length_one,
        derivative="linear"),
    row("quaternion_of_vector: quat<F>(vec3<F>, F) -> quat<F>", "quaternion", spread, rotations.joined,
        derivative="linear", cuda="quat_of_parts"),
    row("quaternion_copy: quat<F>(quat<F>) -> quat<F>", "quaternion", first, each(np.positive),
        gives=if_unit(0), derivative="linear"),
    row("quaternion_convert: quat<F>(quat<F'>) -> quat<F>", "cast", first, each(np.positive),
        gives=if_unit(0), derivative="linear"),
    row("quaternion_zero: quat<F>() -> quat<F>", "quaternion", fixed(0, 0), meanings.zeros,
        derivative="flat"),
    row("quat_identity(dtype?=F) -> quat<F>", "quaternion", fixed(0, 1), rotations.identity,
        gives=always("unit"), derivative="flat"),
    row("quaternion_product: quat<F> * quat<F> -> quat<F>", "quaternion", products(4), rotations.product,
        gives=if_unit(0, 1), derivative="bilinear"),
    row("quaternion_scale_left: F * quat<F> -> quat<F>", "quaternion", on(domains.mul), scaling(np.multiply),
        derivative="bilinear"),
    row("quaternion_scale_right: quat<F> * F -> quat<F>", "quaternion", on(domains.mul), scaling(np.multiply),
        derivative="bilinear"),
    row("quaternion_shrink: quat<F> / F -> quat<F>", "quaternion", on(domains.div), scaling(np.divide),
        requires=divisible, derivative="operands"),
    row("quaternion_divide: F / quat<F> -> quat<F>", "quaternion", on(domains.div), scaling(np.divide),
        requires=divisible, derivative="operands"),
    row("quaternion_shrink_approx: div_approx(quat<F>, F) -> quat<F>", "quaternion", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", cuda="/"),
    row("quaternion_divide_approx: div_approx(F, quat<F>) -> quat<F>", "quaternion", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", cuda="/"),
    row("quaternion_dot: dot(quat<F>, quat<F>) -> F", "quaternion", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="bilinear"),
    row("quaternion_length: length(quat<F>) -> F", "quaternion", length,
        each(lambda a: np.sqrt((a * a).sum(-1)))),
    row("quaternion_length_sq: length_sq(quat<F>) -> F", "quaternion", squares,
        each(lambda a: (a * a).sum(-1)), derivative="operands"),
    row("quaternion_normalize: normalize(quat<F>) -> quat<F>", "quaternion", unit_components,
        rotations.normalized, gives=always("unit")),
    row("quaternion_lerp: lerp(quat<F>, quat<F>, F) -> quat<F>", "quaternion", on(blend),
        each(lambda a, b, t: a + (b - a) * t[..., None]), derivative="operands"),
    row("quat_inverse(quat<F>) -> quat<F>", "quaternion", on(lambda a: around_zero(a.magnitude)),
        rotations.conjugate, gives=if_unit(0), derivative="linear"),
    row("quat_rotate(quat<F>, vec3<F>) -> vec3<F>", "quaternion", turned, rotations.rotate,
        needs=("unit", None), gives=if_unit(0, 1), derivative="operands"),
    row("quat_rotate_inv(quat<F>, vec3<F>) -> vec3<F>", "quaternion", turned, rotations.rotate_back,
        needs=("unit", None), gives=if_unit(0, 1), derivative="operands"),
    row("quat_from_axis_angle(vec3<F>, F) -> quat<F>", "quaternion", unit_components,
        rotations.from_axis_angle, needs=("unit", None), gives=always("unit"), derivative="operands"),
    row("quat_to_axis_angle(quat<F>) -> vec3<F>, F", "quaternion", fixed(-1.0, math.pi),
        rotations.to_axis_angle, derivative="operands"),
    row("quat_to_axis_angle_into: quat_to_axis_angle(quat<F>, &vec3<F>, &F) -> ()", "quaternion",
        fixed(-1.0, math.pi), lambda type, q, axis, angle: ((), *rotations.to_axis_angle(type, q)),
        derivative="operands", underived=(1, 2)),
    row("quat_rpy(F, F, F) -> quat<F>", "quaternion", unit_components, rotations.from_rpy,
        gives=always("unit"), derivative="operands"),
    row("quat_to_rpy(quat<float32>) -> vec3<float32>", "quaternion", fixed(-math.pi, math.pi),
        rotations.to_rpy, needs=("unit",), derivative="operands"),
    row("quat_from_euler(vec3<float32>, index, index, index) -> quat<float32>", "quaternion", unit_components,
        rotations.from_euler, requires=distinct_axes, gives=always("unit"), derivative="operands"),
    row("quat_to_euler(quat<float32>, index, index, index) -> vec3<float32>", "quaternion",
        fixed(-TURN, TURN), rotations.to_euler, requires=distinct_axes, needs=("unit",),
        derivative="operands"),
    row("quat_twist(vec3<float32>, quat<float32>) -> quat<float32>", "quaternion", unit_components,
        rotations.twist, needs=("unit", "unit"), gives=always("unit"), derivative="operands"),
    row("quat_twist_angle(vec3<float32>, quat<float32>) -> float32", "quaternion", fixed(0.0, TURN),
        rotations.unsigned_twist_angle, needs=("unit", "unit"), derivative="operands"),
    row("quat_twist_angle_signed(vec3<float32>, quat<float32>) -> float32", "quaternion", fixed(-TURN, TURN),
        rotations.twist_angle, needs=("unit", "unit"), derivative="operands"),
    row("quat_slerp(quat<F>, quat<F>, F) -> quat<F>", "quaternion", unit_components, rotations.slerp,
        requires=between_zero_and_one, needs=("unit", "unit", None), gives=always("unit")),
    row("quat_to_matrix(quat<F>) -> mat33<F>", "quaternion", unit_components, rotations.to_matrix,
        needs=("unit",), gives=always("rotation"), derivative="operands"),
    row("quat_from_matrix(mat33<F>) -> quat<F>; quat_from_matrix(mat44<F>) -> quat<F>", "quaternion",
        unit_components, rotations.from_matrix, gives=always("unit"), derivative="operands"),
    row("quaternion_component: quat<F>[index] -> F", "quaternion", first, meanings.pick,
        requires=literal_index, derivative="linear"),
)
# fmt: on
