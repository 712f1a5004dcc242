"""Matrix operations: products, transposes, determinants, inverses, entries."""

from __future__ import annotations

import numpy as np

from ... import domains
from ...domains import Interval
from .. import meanings
from ..bounds import (
    determinant,
    diagonal_sum,
    dot,
    first,
    inverse,
    literal_index,
    on,
    products,
    with_zero,
)
from ..meanings import each
from ..row import row

# fmt: off
ROWS = (
    row("matrix_vector: mat<M,N,F> * vec<N,F> -> vec<M,F>", "matrix", products,
        each(lambda m, v: (m @ v[..., None])[..., 0]), derivative="bilinear", words="{0} times {1}"),
    row("matrix_matrix: mat<M,K,F> * mat<K,N,F> -> mat<M,N,F>", "matrix", products, each(np.matmul),
        derivative="bilinear", words="the matrix product of {0} and {1}"),
    row("transpose(mat<M,N,F>) -> mat<N,M,F>", "matrix", first, each(lambda m: m.swapaxes(-1, -2)),
        derivative="linear", words="the transpose of {0}"),
    row("determinant(mat<N,N,F>) -> F", "matrix", determinant, each(np.linalg.det),
        words="the determinant of {0}"),
    row("trace(mat<N,N,F>) -> F", "matrix", diagonal_sum, each(lambda m: np.trace(m, axis1=-2, axis2=-1)),
        derivative="linear", words="the trace of {0}"),
    row("ddot(mat<M,N,F>, mat<M,N,F>) -> F", "matrix", dot, each(lambda a, b: (a * b).sum((-2, -1))),
        derivative="bilinear", words="the double dot product of {0} and {1}"),
    row("outer(vec<M,F>, vec<N,F>) -> mat<M,N,F>", "matrix", on(domains.mul),
        each(lambda a, b: a[..., :, None] * b[..., None, :]), derivative="bilinear",
        words="the outer product of {0} and {1}"),
    row("diag(vec<N,F>) -> mat<N,N,F>", "matrix", on(with_zero),
        each(lambda v: v[..., None] * np.eye(v.shape[-1])), derivative="linear",
        words="the diagonal matrix of {0}"),
    row("get_diag(mat<N,N,F>) -> vec<N,F>", "matrix", first,
        each(lambda m: np.diagonal(m, axis1=-2, axis2=-1)), derivative="linear",
        words="the diagonal of {0}"),
    row("skew(vec3<F>) -> mat33<F>", "matrix", on(lambda v: Interval(-v.magnitude, v.magnitude)),
        meanings.cross_matrix, derivative="linear", words="the cross-product matrix of {0}"),
    row("inverse(mat<N,N,F>) -> mat<N,N,F>", "matrix", inverse, each(np.linalg.inv), needs=("dominant",),
        words="the inverse of {0}"),
    row("matrix_component: mat<M,N,F>[index, index] -> F", "component", first, meanings.pick,
        requires=literal_index, derivative="linear", words="entry ({1}, {2}) of {0}"),
    row("matrix_row: mat<N,N,F>[index] -> vec<N,F>", "component", first, meanings.pick,
        requires=literal_index, derivative="linear", words="row {1} of {0}"),
)
# fmt: on
