"""Matrix operations: products, transposes, determinants, inverses, entries."""

from __future__ import annotations

import numpy as np

from ... import domains
from ...domains import Interval
from ...types import FLOATS
from .. import meanings
from ..bounds import (
    determinant,
    diagonal_sum,
    dominant,
    dot,
    first,
    inverse,
    literal_index,
    on,
    products,
    with_zero,
)
from ..meanings import each
from ..row import Operation
from ..signatures import (
    crossed,
    diagonal,
    diagonal_of,
    matrix_matrix,
    matrix_row,
    matrix_vector,
    only,
    outer_product,
    reduced,
    taken_from_matrix,
    transposed,
)
from ..spelling import PRODUCT, Function, Infix, Subscript

# fmt: off
ROWS = (
    Operation("matrix_vector", "matrix", Infix("*", PRODUCT), matrix_vector, products,
              each(lambda m, v: (m @ v[..., None])[..., 0]), derivative="bilinear", words="{0} times {1}"),
    Operation("matrix_matrix", "matrix", Infix("*", PRODUCT), matrix_matrix, products, each(np.matmul),
              derivative="bilinear", words="the matrix product of {0} and {1}"),
    Operation("transpose", "matrix", Function("wp.transpose"), transposed, first,
              each(lambda m: m.swapaxes(-1, -2)), derivative="linear", words="the transpose of {0}"),
    Operation("determinant", "matrix", Function("wp.determinant"), reduced(FLOATS, 2, 1, square=True),
              determinant, each(np.linalg.det), words="the determinant of {0}"),
    Operation("trace", "matrix", Function("wp.trace"), reduced(FLOATS, 2, 1, square=True), diagonal_sum,
              each(lambda m: np.trace(m, axis1=-2, axis2=-1)), derivative="linear",
              words="the trace of {0}"),
    Operation("ddot", "matrix", Function("wp.ddot"), reduced(FLOATS, 2, 2), dot,
              each(lambda a, b: (a * b).sum((-2, -1))), derivative="bilinear",
              words="the double dot product of {0} and {1}"),
    Operation("outer", "matrix", Function("wp.outer"), outer_product, on(domains.mul),
              each(lambda a, b: a[..., :, None] * b[..., None, :]), derivative="bilinear",
              words="the outer product of {0} and {1}"),
    Operation("diag", "matrix", Function("wp.diag"), diagonal, on(with_zero),
              each(lambda v: v[..., None] * np.eye(v.shape[-1])), derivative="linear",
              words="the diagonal matrix of {0}"),
    Operation("get_diag", "matrix", Function("wp.get_diag"), diagonal_of, first,
              each(lambda m: np.diagonal(m, axis1=-2, axis2=-1)), derivative="linear",
              words="the diagonal of {0}"),
    Operation("skew", "matrix", Function("wp.skew"), crossed,
              on(lambda v: Interval(-v.magnitude, v.magnitude)), meanings.cross_matrix, derivative="linear",
              words="the cross-product matrix of {0}"),
    Operation("inverse", "matrix", Function("wp.inverse"), only((2, 2), (3, 3), (4, 4)), inverse,
              each(np.linalg.inv), requires=dominant, words="the inverse of {0}"),
    Operation("matrix_component", "component", Subscript(), taken_from_matrix, first, meanings.pick,
              requires=literal_index, derivative="linear", words="entry ({1}, {2}) of {0}"),
    Operation("matrix_row", "component", Subscript(), matrix_row, first, meanings.pick,
              requires=literal_index, derivative="linear", words="row {1} of {0}"),
)
# fmt: on
