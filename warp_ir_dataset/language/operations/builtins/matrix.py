"""Matrix operations: products, transposes, determinants, inverses, decompositions, entries, conversions.

The columns of a row are explained in `row.py`, the letters of its types in `signatures.py`. A formula is text
with places for operands, or the name of a function of `specification/formulas/builders.py`.
"""

from __future__ import annotations

import numpy as np

from ... import domains
from ...domains import Interval
from .. import decompositions, meanings
from ..bounds import (
    always,
    blend,
    determinant,
    diagonal_sum,
    divisible,
    dot,
    first,
    fixed,
    inverse,
    literal_index,
    on,
    products,
    spread,
    stretched,
    with_zero,
)
from ..meanings import each, scaling
from ..row import row

# fmt: off
ROWS = (
    row("matrix_vector: mat<M,N,F> * vec<N,F> -> vec<M,F>", "matrix", products,
        each(lambda m, v: (m @ v[..., None])[..., 0]), derivative="bilinear", rounds="products",
        called="transform", formula="product"),
    row("matrix_matrix: mat<M,K,F> * mat<K,N,F> -> mat<M,N,F>", "matrix", products, each(np.matmul),
        derivative="bilinear", rounds="products", called="multiply", formula="product"),
    row("transpose(mat<M,N,F>) -> mat<N,M,F>", "matrix", first, each(lambda m: m.swapaxes(-1, -2)),
        derivative="linear", called="transpose", parameters="a", formula="{0:atom}ᵀ", strength="power"),
    row("determinant(mat<N,N,F>) -> F", "matrix", determinant, each(np.linalg.det), rounds="products",
        parameters="a", formula="det({0})"),
    row("trace(mat<N,N,F>) -> F", "matrix", diagonal_sum, each(lambda m: np.trace(m, axis1=-2, axis2=-1)),
        derivative="linear", rounds="products", parameters="a", formula="trace({0})"),
    row("ddot(mat<M,N,F>, mat<M,N,F>) -> F", "matrix", dot, each(lambda a, b: (a * b).sum((-2, -1))),
        derivative="bilinear", commutative=True, rounds="products", called="contract", parameters="a b",
        formula="ddot({0}, {1})", notes="ddot"),
    row("outer(vec<M,F>, vec<N,F>) -> mat<M,N,F>", "matrix", on(domains.mul),
        each(lambda a, b: a[..., :, None] * b[..., None, :]), derivative="bilinear", rounds="products",
        called="outer_products_of", parameters="a b", formula="outer({0}, {1})", notes="outer"),
    row("diag(vec<N,F>) -> mat<N,N,F>", "matrix", on(with_zero),
        each(lambda v: v[..., None] * np.eye(v.shape[-1])), derivative="linear", called="spread",
        parameters="vec", formula="diag({0})", notes="diag"),
    row("get_diag(mat<N,N,F>) -> vec<N,F>", "matrix", first,
        each(lambda m: np.diagonal(m, axis1=-2, axis2=-1)), derivative="linear", called="diagonals_of",
        parameters="mat", formula="diagonal({0})", notes="diagonal"),
    row("skew(vec3<F>) -> mat33<F>", "matrix", on(lambda v: Interval(-v.magnitude, v.magnitude)),
        meanings.cross_matrix, derivative="linear", called="cross_matrices_of", parameters="vec",
        formula="skew({0})", notes="skew"),
    row("inverse(mat<N,N,F>) -> mat<N,N,F>", "matrix", inverse, each(np.linalg.inv), needs=("dominant",),
        rounds="products", called="invert", parameters="a", formula="{0:atom}⁻¹", strength="power"),
    row("matrix_component: mat<M,N,F>[index, index] -> F", "component", first, meanings.pick,
        requires=literal_index, derivative="linear", formula="{0:atom}[{1}, {2}]", notes="entry"),
    row("matrix_row: mat<N,N,F>[index] -> vec<N,F>", "component", first, meanings.pick,
        requires=literal_index, derivative="linear", formula="{0:atom}[{1}]", notes="row"),
    # Random programs choose none of what follows: no family of theirs names its groups.
    row("vector_matrix: vec<M,F> * mat<M,N,F> -> vec<N,F>", "matrices", dot,
        each(lambda v, m: (v[..., None, :] @ m)[..., 0, :]), derivative="bilinear", rounds="products",
        formula="{0:power}·{1:power}", strength="ratio", notes="row_vector"),
    row("matrix_divide: F / X -> X for X in mat<M,N,F>, mat66<F>", "matrices", on(domains.div),
        scaling(np.divide), requires=divisible, derivative="operands", rounds="result",
        formula="{0:power} ⊘ {1:power}", strength="ratio", notes="⊘ spread"),
    row("matrix_cw_div: cw_div(X, X) -> X for X in mat<M,N,F>, mat66<F>", "matrices", on(domains.div),
        each(np.divide), requires=divisible, derivative="quotient", rounds="result", parameters="a b",
        formula="{0:power} ⊘ {1:power}", strength="ratio", notes="⊘"),
    row("matrix_cw_mul: cw_mul(mat66<F>, mat66<F>) -> mat66<F>", "matrices", on(domains.mul),
        each(np.multiply), derivative="bilinear", rounds="result", parameters="a b",
        formula="{0:power} ⊙ {1:power}", strength="ratio", notes="⊙"),
    row("matrix_lerp: lerp(X, X, F) -> X for X in mat<M,N,F>, mat66<F>", "matrices", on(blend),
        each(lambda a, b, t: a + (b - a) * t[..., None, None]), derivative="operands", rounds="products",
        parameters="a b t", formula="lerp({0}, {1}, {2})", notes="lerp"),
    row("inverse_approx(mat<N,N,F>) -> mat<N,N,F>", "matrices", inverse, each(np.linalg.inv),
        needs=("dominant",), rounds="products", parameters="a"),
    row("identity(n=N, dtype=F) -> mat<N,N,F>", "matrices", fixed(0, 1), meanings.unit_matrix,
        gives=always("rotation"), derivative="flat", formula="identity", notes="identity"),
    row("matrix_from_cols(vec<M,F>*N) -> mat<M,N,F>", "matrices", spread, meanings.columns,
        derivative="linear", formula="matrix_from_columns({})"),
    row("matrix_from_rows(vec<N,F>*M) -> mat<M,N,F>", "matrices", spread, meanings.rows, derivative="linear",
        formula="matrix_from_rows({})"),
    row("matrix_build: mat23<F>(F*6) -> mat23<F>; mat24<F>(F*8) -> mat24<F>; mat32<F>(F*6) -> mat32<F>; "
        "mat33<F>(F*9) -> mat33<F>; mat34<F>(F*12) -> mat34<F>; mat42<F>(F*8) -> mat42<F>; "
        "mat43<F>(F*12) -> mat43<F>; mat44<F>(F*16) -> mat44<F>", "matrices", spread, meanings.assemble,
        derivative="linear", formula="built"),
    row("matrix_splat: mat<M,N,F>(F) -> mat<M,N,F>", "matrices", first, meanings.filled, derivative="linear",
        formula="splat"),
    # To float16 the adjoint does not compile.
    row("matrix_convert: "
        "X<float32>(X<Y>) -> X<float32> for Y in float16, float64 for X in mat22, mat33, mat44; "
        "X<float64>(X<Y>) -> X<float64> for Y in float16, float32 for X in mat22, mat33, mat44", "cast",
        first, each(np.positive), derivative="linear", formula="as_float"),
    row("oblong_row: X[index] -> vec2<F> for X in mat32<F>, mat42<F>; "
        "X[index] -> vec3<F> for X in mat23<F>, mat43<F>; X[index] -> vec4<F> for X in mat24<F>, mat34<F>",
        "matrices", first, meanings.pick, requires=literal_index, derivative="linear",
        formula="{0:atom}[{1}]", notes="row"),
    # Results of these are not unique; see `decompositions`. Gradients ask for values that are distinct;
    # that of `eig3` is one of symmetric changes.
    row("svd3(mat33<F>) -> mat33<F>, vec3<F>, mat33<F> for F in float32, float64", "decompositions",
        stretched, decompositions.svd3, needs=("dominant",)),
    row("svd2(mat22<F>) -> mat22<F>, vec2<F>, mat22<F> for F in float32, float64", "decompositions",
        stretched, decompositions.svd2, needs=("dominant",)),
    row("qr3(mat33<F>) -> mat33<F>, mat33<F> for F in float32, float64", "decompositions", stretched,
        decompositions.qr3, needs=("dominant",)),
    row("eig3(mat33<F>) -> mat33<F>, vec3<F> for F in float32, float64", "decompositions", stretched,
        decompositions.eig3, needs=("symmetric",)),
    row("svd3_into: svd3(mat33<F>, &mat33<F>, &vec3<F>, &mat33<F>) -> () for F in float32, float64",
        "decompositions", stretched, decompositions.into(decompositions.svd3), needs=("dominant",),
        underived=(1, 2, 3)),
    row("svd2_into: svd2(mat22<F>, &mat22<F>, &vec2<F>, &mat22<F>) -> () for F in float32, float64",
        "decompositions", stretched, decompositions.into(decompositions.svd2), needs=("dominant",),
        underived=(1, 2, 3)),
    row("qr3_into: qr3(mat33<F>, &mat33<F>, &mat33<F>) -> () for F in float32, float64", "decompositions",
        stretched, decompositions.into(decompositions.qr3), needs=("dominant",), underived=(1, 2)),
    row("eig3_into: eig3(mat33<F>, &mat33<F>, &vec3<F>) -> () for F in float32, float64", "decompositions",
        stretched, decompositions.into(decompositions.eig3), needs=("symmetric",), underived=(1, 2)),
)
# fmt: on
