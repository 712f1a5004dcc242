"""Spatial vectors and matrices: an angular part, then a linear one."""

from __future__ import annotations

import numpy as np

from ... import domains
from .. import meanings, rotations
from ..bounds import diagonal_sum, dot, first, fixed, literal_index, on, spread, with_zero
from ..bounds import products as matrix_product
from ..meanings import each
from ..rotations import products, screwed
from ..row import row

# fmt: off
ROWS = (
    # Warp has the constructor of two vectors in float32 only.
    row("spatial_vector: vec6<float32>(vec3<float32>, vec3<float32>) -> vec6<float32>", "spatial", spread,
        rotations.joined, derivative="linear", formula="spatial_vector({0}, {1})", cuda="joined"),
    row("spatial_of_numbers: vec6<F>(F*6) -> vec6<F>", "spatial", spread, meanings.assemble,
        derivative="linear", builds=True, formula="built"),
    # The name of the type in float32 is that of a function, which takes neither of these.
    row("spatial_splat: vec6<F>(F) -> vec6<F> for F in float16, float64", "spatial", first, meanings.spread,
        derivative="linear", fills=True, formula="splat"),
    row("spatial_copy: vec6<F>(vec6<F>) -> vec6<F> for F in float16, float64", "spatial", first,
        each(np.positive), derivative="linear", copies=True, formula="unchanged"),
    row("spatial_zero: vec6<F>() -> vec6<F>", "spatial", fixed(0, 0), meanings.zeros, derivative="flat",
        formula="zero"),
    row("spatial_dot(vec6<F>, vec6<F>) -> F", "spatial", dot, each(lambda a, b: (a * b).sum(-1)),
        derivative="bilinear", rounds="products", parameters="a b", formula="dot({0}, {1})"),
    row("spatial_cross(vec6<F>, vec6<F>) -> vec6<F>", "spatial", products(4), rotations.spatial_cross,
        derivative="bilinear", rounds="products", parameters="a b"),
    row("spatial_cross_dual(vec6<F>, vec6<F>) -> vec6<F>", "spatial", products(4),
        rotations.spatial_cross_dual, derivative="bilinear", rounds="products", parameters="a b"),
    row("spatial_top(vec6<F>) -> vec3<F>", "spatial", first, each(lambda a: a[..., :3]), derivative="linear",
        parameters="svec", formula="spatial_top({0})", notes="top"),
    row("spatial_bottom(vec6<F>) -> vec3<F>", "spatial", first, each(lambda a: a[..., 3:]),
        derivative="linear", parameters="svec", formula="spatial_bottom({0})", notes="bottom"),
    row("spatial_adjoint(mat33<F>, mat33<F>) -> mat66<F>", "spatial",
        lambda of, r, s: with_zero(spread(of, r, s)), rotations.adjoint_matrix, derivative="linear",
        parameters="r s"),
    row("velocity_at_point(vec6<float32>, vec3<float32>) -> vec3<float32>", "spatial",
        lambda of, v, r: domains.add(of(v), products(2)(of, v, r)), rotations.velocity, derivative="operands",
        rounds="products", parameters="qd r"),
    row("transform_twist(transform<float32>, vec6<float32>) -> vec6<float32>", "spatial", screwed,
        rotations.transformed_twist, needs=("unit", None), derivative="operands", rounds="products",
        parameters="t x"),
    row("transform_wrench(transform<float32>, vec6<float32>) -> vec6<float32>", "spatial", screwed,
        rotations.transformed_wrench, needs=("unit", None), derivative="operands", rounds="products",
        parameters="t x"),
    row("spatial_matrix: mat66<F>(F*36) -> mat66<F>", "spatial", spread, meanings.assemble,
        derivative="linear", formula="built"),
    row("spatial_matrix_splat: mat66<F>(F) -> mat66<F>", "spatial", first, meanings.filled,
        derivative="linear", fills=True, formula="splat"),
    row("spatial_matrix_zero: mat66<F>() -> mat66<F>", "spatial", fixed(0, 0), meanings.zeros,
        derivative="flat", formula="zero"),
    row("spatial_identity: identity(n=6, dtype=F) -> mat66<F>", "spatial", fixed(0, 1), meanings.unit_matrix,
        derivative="flat", formula="identity", notes="identity"),
    row("spatial_matrix_vector: mat66<F> * vec6<F> -> vec6<F>", "spatial", matrix_product,
        each(lambda m, v: (m @ v[..., None])[..., 0]), derivative="bilinear", rounds="products",
        formula="product"),
    row("spatial_vector_matrix: vec6<F> * mat66<F> -> vec6<F>", "spatial", lambda of, v, m: dot(of, v, m),
        each(lambda v, m: (v[..., None, :] @ m)[..., 0, :]), derivative="bilinear", rounds="products",
        formula="{0:power}·{1:power}", strength="ratio", notes="row_vector"),
    row("spatial_matrix_matrix: mat66<F> * mat66<F> -> mat66<F>", "spatial", matrix_product, each(np.matmul),
        derivative="bilinear", rounds="products", formula="product"),
    row("spatial_transpose: transpose(mat66<F>) -> mat66<F>", "spatial", first,
        each(lambda m: m.swapaxes(-1, -2)), derivative="linear", parameters="a", formula="{0:atom}ᵀ",
        strength="power"),
    row("spatial_trace: trace(mat66<F>) -> F", "spatial", diagonal_sum,
        each(lambda m: np.trace(m, axis1=-2, axis2=-1)), derivative="linear", rounds="products",
        parameters="a", formula="trace({0})"),
    row("spatial_ddot: ddot(mat66<F>, mat66<F>) -> F", "spatial", dot,
        each(lambda a, b: (a * b).sum((-2, -1))), derivative="bilinear", rounds="products", parameters="a b",
        formula="ddot({0}, {1})", notes="ddot"),
    row("spatial_outer: outer(vec6<F>, vec6<F>) -> mat66<F>", "spatial", on(domains.mul),
        each(lambda a, b: a[..., :, None] * b[..., None, :]), derivative="bilinear", rounds="products",
        parameters="a b", formula="outer({0}, {1})", notes="outer"),
    row("spatial_diag: diag(vec6<F>) -> mat66<F>", "spatial", on(with_zero),
        each(lambda v: v[..., None] * np.eye(6)), derivative="linear", parameters="vec", formula="diag({0})",
        notes="diag"),
    row("spatial_get_diag: get_diag(mat66<F>) -> vec6<F>", "spatial", first,
        each(lambda m: np.diagonal(m, axis1=-2, axis2=-1)), derivative="linear", parameters="mat",
        formula="diagonal({0})", notes="diagonal"),
    row("spatial_entry: mat66<F>[index, index] -> F", "spatial", first, meanings.pick, requires=literal_index,
        derivative="linear", formula="{0:atom}[{1}, {2}]", notes="entry"),
    row("spatial_row: mat66<F>[index] -> vec6<F>", "spatial", first, meanings.pick, requires=literal_index,
        derivative="linear", formula="{0:atom}[{1}]", notes="row"),
)
# fmt: on
