"""Transforms: a position and a rotation; and matrices that do the same."""

from __future__ import annotations

import numpy as np

from ... import domains
from ...domains import Interval
from .. import meanings, rotations
from ..bounds import always, blend, first, fixed, literal_index, on, spread, with_zero
from ..meanings import each, scaling
from ..rotations import column_lengths, composed, if_unit, inverted, moved, products, scaled_axes, turned
from ..row import row

# fmt: off
ROWS = (
    row("transform: transform<F>(vec3<F>, quat<F>) -> transform<F>", "transform", spread, rotations.joined,
        gives=if_unit(1), derivative="linear", formula="transform({0}, {1})", notes="transform"),
    row("transform_of_position: transform<F>(vec3<F>) -> transform<F>", "transform",
        lambda of, p: of(p).join(Interval(0, 1)), rotations.at_position, gives=always("unit"),
        derivative="linear", formula="transform({0}, quaternion(0, 0, 0, 1))", notes="transform quaternion",
        cuda="translation"),
    row("transform_of_numbers: transform<F>(F*7) -> transform<F>", "transform", spread, meanings.assemble,
        derivative="linear", builds=True, formula="transform({})", notes="transform"),
    row("transform_splat: transform<F>(F) -> transform<F>", "transform", first, meanings.spread,
        derivative="linear", fills=True, formula="transform({0}, {0}, {0}, {0}, {0}, {0}, {0})",
        notes="transform"),
    row("transform_copy: transform<F>(transform<F>) -> transform<F>", "transform", first, each(np.positive),
        gives=if_unit(0), derivative="linear", copies=True, formula="unchanged"),
    row("transform_zero: transform<F>() -> transform<F>", "transform", fixed(0, 0), meanings.zeros,
        derivative="flat", formula="transform(0, 0, 0, 0, 0, 0, 0)", notes="transform"),
    row("transform_identity(dtype?=F) -> transform<F>", "transform", fixed(0, 1), rotations.identity,
        gives=always("unit"), derivative="flat", formula="transform((0, 0, 0), quaternion(0, 0, 0, 1))",
        notes="transform quaternion"),
    row("transform_get_translation(transform<F>) -> vec3<F>", "transform", first, rotations.position,
        derivative="linear", parameters="xform", formula="{0:atom}.p", notes="transform"),
    row("transform_get_rotation(transform<F>) -> quat<F>", "transform", first, rotations.rotation,
        gives=if_unit(0), derivative="linear", parameters="xform", formula="{0:atom}.q", notes="transform"),
    row("transform_set_translation(&transform<F>, vec3<F>) -> ()", "transform", spread,
        rotations.with_position, derivative="linear", underived=(0,), parameters="xform p"),
    row("transform_set_rotation(&transform<F>, quat<F>) -> ()", "transform", spread, rotations.with_rotation,
        derivative="linear", underived=(0,), parameters="xform q"),
    row("transform_multiply(transform<F>, transform<F>) -> transform<F>", "transform", composed,
        rotations.compose, needs=("unit", "unit"), gives=always("unit"), derivative="operands",
        rounds="products", parameters="a b", formula="product", notes="after transform hamilton rotate"),
    row("transform_product: transform<F> * transform<F> -> transform<F>", "transform", composed,
        rotations.compose, needs=("unit", "unit"), gives=always("unit"), derivative="operands",
        rounds="products", formula="product", notes="after transform hamilton rotate",
        cuda="transform_multiply"),
    row("transform_scale_left: F * transform<F> -> transform<F>", "transform", on(domains.mul),
        scaling(np.multiply), derivative="bilinear", rounds="result", formula="product"),
    row("transform_scale_right: transform<F> * F -> transform<F>", "transform", on(domains.mul),
        scaling(np.multiply), derivative="bilinear", rounds="result", formula="product"),
    row("transform_lerp: lerp(transform<F>, transform<F>, F) -> transform<F>", "transform", on(blend),
        each(lambda a, b, t: a + (b - a) * t[..., None]), derivative="operands", rounds="products",
        parameters="a b t", formula="lerp({0}, {1}, {2})", notes="lerp"),
    row("transform_point(transform<F>, vec3<F>) -> vec3<F>", "transform", moved, rotations.point,
        needs=("unit", None), derivative="operands", rounds="products", parameters="xform point",
        formula="transform_point({0}, {1})", notes="moved transform rotate"),
    row("transform_vector(transform<F>, vec3<F>) -> vec3<F>", "transform", turned, rotations.direction,
        needs=("unit", None), derivative="operands", rounds="products", parameters="xform vec",
        formula="transform_vector({0}, {1})", notes="turned transform rotate"),
    row("matrix_point: transform_point(mat44<F>, vec3<F>) -> vec3<F>", "transform",
        lambda of, m, x: domains.add(products(3)(of, m, x), of(m)), rotations.matrix_point,
        derivative="operands", rounds="products", parameters="mat point", formula="transform_point({0}, {1})",
        notes="moved transform rotate"),
    row("matrix_direction: transform_vector(mat44<F>, vec3<F>) -> vec3<F>", "transform", products(3),
        rotations.matrix_direction, derivative="bilinear", rounds="products", parameters="mat vec",
        formula="transform_vector({0}, {1})", notes="turned transform rotate"),
    row("transform_inverse(transform<F>) -> transform<F>", "transform", inverted, rotations.inverse,
        needs=("unit",), gives=always("unit"), derivative="operands", rounds="products", parameters="xform",
        formula="transform_inverse({0})", notes="undone transform rotate conjugate"),
    row("transform_to_matrix(transform<F>) -> mat44<F>", "transform", on(with_zero), rotations.to_homogeneous,
        needs=("unit",), derivative="operands", rounds="products", parameters="xform"),
    row("transform_from_matrix(mat44<F>) -> transform<F>", "transform",
        lambda of, m: of(m).join(Interval(-1, 1)), rotations.from_homogeneous, gives=always("unit"),
        derivative="operands", rounds="products", parameters="mat"),
    row("transform_compose(vec3<F>, quat<F>, vec3<F>) -> mat44<F>", "transform", scaled_axes,
        rotations.assembled, needs=(None, "unit", None), derivative="operands", rounds="products",
        parameters="position rotation scale"),
    row("transform_decompose(mat44<F>) -> vec3<F>, quat<F>, vec3<F>", "transform", column_lengths,
        rotations.taken_apart, derivative="result", rounds="products", parameters="m"),
    row("transform_component: transform<F>[index] -> F", "transform", first, meanings.pick,
        requires=literal_index, derivative="linear", formula="{0:atom}[{1}]", notes="transform"),
)
# fmt: on
