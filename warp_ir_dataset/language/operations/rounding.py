"""Simulates other rounding in the interpreter, to find kernels whose outputs depend on rounding.

Other rounding comes from a processor that fuses a product with a sum, a library with another `sin`, or a
compiler that adds in another order. The interpreter computes in float64. Given a `Rounding`, it adds to each
result that is not exact in its type an error of up to one unit in the last place, as Monte Carlo arithmetic
does (D. Stott Parker, "Monte Carlo Arithmetic: Exploiting Randomness in Floating-Point Arithmetic", UCLA
CSD-970002, 1997). Exact results stay exact: sums of integers, products with powers of two, copies,
comparisons and choices. So do decompositions of matrices, and sums over threads, whose order is checked
elsewhere. The errors are a fixed sequence of independent numbers, so two runs are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import FLOAT, WIDEST_FLOAT, Type, Value
from .row import Operation

# Operations whose result is rounded.
_RESULTS = """
    add sub mul div div_approx degrees radians sqrt cbrt exp log log2 log10 pow power sin cos tan asin acos
    atan atan2 sinh cosh tanh erf erfc erfinv erfcinv
    scale_left scale_right shrink shrink_approx cw_mul cw_div vector_divide divide_approx
    whole_scale_left whole_scale_right whole_shrink whole_divide whole_cw_mul whole_cw_div
    matrix_divide matrix_cw_div matrix_cw_mul
    quaternion_scale_left quaternion_scale_right quaternion_shrink quaternion_shrink_approx quaternion_divide
    quaternion_divide_approx quat_from_axis_angle quat_to_axis_angle quat_rpy quat_from_euler
    transform_scale_left transform_scale_right
    randf_between randu_between randn sample_triangle sample_unit_ring sample_unit_disk sample_unit_square
    sample_unit_cube sample_unit_sphere sample_unit_sphere_surface sample_unit_hemisphere
    sample_unit_hemisphere_surface noise pnoise curlnoise curlnoise_of
    mesh_eval_position mesh_eval_velocity mesh_eval_face_normal volume_sample_f volume_sample_v"""
# Operations that round on their way, where more may be lost than a unit of the result: products that cancel.
# An error in the first operand stands for that.
_PRODUCTS = """
    lerp smoothstep dot cross length length_sq normalize vector_lerp whole_dot whole_cross whole_length_sq
    norm_l1 norm_l2 norm_huber norm_pseudo_huber smooth_normalize norm_huber_of_one norm_pseudo_huber_of_one
    smooth_normalize_of_one matrix_vector vector_matrix matrix_matrix matrix_lerp determinant trace ddot outer
    inverse inverse_approx
    quaternion_product quaternion_dot quaternion_length quaternion_length_sq quaternion_normalize
    quaternion_lerp quat_rotate quat_rotate_inv quat_to_rpy quat_to_euler quat_twist
    quat_twist_angle quat_twist_angle_signed quat_slerp quat_to_matrix quat_from_matrix
    transform_multiply transform_product transform_lerp transform_point transform_vector transform_inverse
    transform_to_matrix transform_from_matrix transform_compose transform_decompose matrix_point
    matrix_direction spatial_dot spatial_cross spatial_cross_dual velocity_at_point
    transform_twist transform_wrench spatial_matrix_vector spatial_vector_matrix spatial_matrix_matrix
    spatial_trace spatial_ddot spatial_outer closest_point_edge_edge volume_index_to_world
    volume_world_to_index volume_index_to_world_dir volume_world_to_index_dir tile_sum tile_dot
    tile_scan_inclusive tile_scan_exclusive"""
OF_RESULT, OF_OPERANDS = frozenset(_RESULTS.split()), frozenset(_PRODUCTS.split())
# Operations whose derivative is infinite where the first operand is zero, or one. That of a length jumps
# at zero and is bounded, and most kernels leave out what is so short once they have its length.
AT_ZERO, AT_ONE = frozenset(("sqrt", "cbrt")), frozenset(("asin", "acos"))
OF_NO_LENGTH = frozenset(("normalize", "quaternion_normalize"))
WIDE = 16  # units that an error in float64 may have: of one, the interpreter loses nearly every other one
_NEAR = 1e-6  # what products of ordinary numbers that cancel may leave; meant numbers are larger


class Rounding:
    """The errors of one run. `hangs` names an operation whose derivative hangs on them: an operand was next
    to where it is infinite, as what cancels leaves it.

    The interpreter computes in float64, and so does not see which results are exact in that. They all count
    as exact, or if `wide` those alone that float32 holds. Nor can it add a part of a unit; so if `wide`,
    errors in float64 are of up to `WIDE` units, and their sum is not zero by chance.
    """

    def __init__(self, *, wide: bool = False) -> None:
        self.hangs: str | None = None
        self._holds = {WIDEST_FLOAT: FLOAT.scalar} if wide else {}
        self._units = {WIDEST_FLOAT: WIDE} if wide else {}
        self._errors = np.random.PCG64(0)  # the same numbers on any machine

    def apply(self, row: Operation, type: Type, values: list[Any], active: np.ndarray) -> Any:
        """`row.meaning`, as it may be rounded; `active` are the threads that ask for it, of each set."""
        if _is_steep(row.name, values, active):
            self.hangs = row.name
        if row.name in OF_OPERANDS and isinstance(type, Value) and type.is_float:
            first, *others = values
            return row.meaning(type, self._operand(type, first, others), *others)
        result = row.meaning(type, *values)
        return self.result(type, result) if row.name in OF_RESULT else result

    def result(self, type: Type, result: Any) -> Any:
        """A sum, product or function, as it may be rounded."""
        if not (isinstance(type, Value) and type.is_float):
            return result
        exact = result == result.astype(self._holds.get(type.scalar, type.scalar))
        return np.where(exact, result, self._off(type, result))

    def _operand(self, type: Value, first: np.ndarray, others: list[Any]) -> np.ndarray:
        """Products are exact with a power of two, and of two numbers of half the digits."""
        exact = (first == 0) | (np.abs(np.frexp(first)[0]) == 0.5)
        if all(_is_short(other) for other in others):
            exact |= first == first.astype(np.float16)
        return np.where(exact, first, self._off(type, first))

    def _off(self, type: Value, values: np.ndarray) -> np.ndarray:
        bits = self._errors.random_raw(values.size).reshape(values.shape)
        most = self._units.get(type.scalar, 1) * np.finfo(type.scalar).eps
        return values * (1 + most * ((bits >> 11) * 2.0**-52 - 1))


def _is_steep(name: str, values: list[Any], active: np.ndarray) -> bool:
    """Whether an operation is next to where its derivative is infinite. What is at that place itself is
    exact, and no rounding moves it."""
    if name in AT_ZERO:
        distance = np.abs(values[0])
    elif name in AT_ONE:
        distance = np.abs(1 - np.abs(values[0]))
    elif name in OF_NO_LENGTH:
        distance = np.abs(values[0]).max(axis=-1)
    else:
        return False
    return bool(((distance < _NEAR) & (distance > 0) & active).any())


def _is_short(value: Any) -> bool:
    return bool((value == np.asarray(value, np.float16)).all())
