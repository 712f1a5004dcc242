"""The table of formulas: for each operation its notation, its precedence and its explanation.

An operation that has no row here goes by Warp's own name: those of the groups `BY_NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ... import ir
from ...operations.row import Operation
from ...operations.spelling import Function
from ...operations.table import TABLE
from . import builders as b
from . import parts
from .parts import ATOM, BITS, COMPARE, MODULO, NEGATED, POWER, RATIO, Part

Writer = Callable[[Sequence[Part], ir.Apply], Part]


@dataclass(frozen=True)
class Formula:
    """`text` has a place for each operand; `{}` is for all of them. `notes` are keys of `NOTES`; with a ``*``
    behind it, what works component by component where operands are vectors."""

    write: str | Writer
    strength: int = ATOM
    notes: tuple[str, ...] = ()

    def of(self, operands: Sequence[Part], node: ir.Apply) -> Part:
        if not isinstance(self.write, str):
            return self.write(operands, node)
        if "{}" in self.write:
            return Part(self.write.format(", ".join(map(format, operands))), self.strength)
        return Part(self.write.format(*operands), self.strength)


_ROWS: tuple[tuple[str, str | Writer, int, str], ...] = (
    ("add", lambda p, _: parts.added(*p), ATOM, ""),
    ("sub", lambda p, _: parts.subtracted(*p), ATOM, ""),
    ("neg", lambda p, _: parts.negated(*p), ATOM, ""),
    ("mul scale_left scale_right whole_scale_left whole_scale_right", b.product, ATOM, ""),
    ("matrix_vector matrix_matrix spatial_matrix_vector spatial_matrix_matrix", b.product, ATOM, ""),
    ("quaternion_scale_left quaternion_scale_right", b.product, ATOM, ""),
    ("quaternion_product", b.product, ATOM, "hamilton quaternion"),
    ("transform_product transform_multiply", b.product, ATOM, "after transform hamilton rotate"),
    ("transform_scale_left transform_scale_right", b.product, ATOM, ""),
    ("vector_matrix spatial_vector_matrix", "{0:power}·{1:power}", RATIO, "row_vector"),
    ("div shrink quaternion_shrink", b.ratio, ATOM, ""),
    ("div_approx shrink_approx quaternion_shrink_approx", "div_approx({0}, {1})", ATOM, "approx"),
    ("divide_approx quaternion_divide_approx", "div_approx({0}, {1})", ATOM, "approx each"),
    ("cw_mul matrix_cw_mul whole_cw_mul", "{0:power} ⊙ {1:power}", RATIO, "⊙"),
    ("cw_div matrix_cw_div", "{0:power} ⊘ {1:power}", RATIO, "⊘"),
    ("vector_divide matrix_divide quaternion_divide", "{0:power} ⊘ {1:power}", RATIO, "⊘ spread"),
    ("whole_cw_div", "trunc({0:power} ⊘ {1:power})", ATOM, "⊘ trunc"),
    ("whole_divide", "trunc({0:power} ⊘ {1:power})", ATOM, "⊘ spread trunc"),
    ("whole_shrink", "trunc({0:product} / {1:power})", ATOM, "trunc"),
    ("int_div", "trunc({0:product} / {1:power})", ATOM, "trunc"),
    ("floordiv float_floordiv", "⌊{0:product} / {1:power}⌋", ATOM, ""),
    ("mod vector_mod", "{0:power} mod {1:power}", MODULO, "mod mod*"),
    ("min vector_min", "min({0}, {1})", ATOM, "min*"),
    ("max vector_max", "max({0}, {1})", ATOM, "max*"),
    ("abs vector_abs", b.magnitude, ATOM, "abs*"),
    ("sign vector_sign", "sign({0})", ATOM, "sign sign*"),
    ("clamp", "min(max({0}, {1}), {2})", ATOM, ""),
    ("bit_and vector_bit_and", "{0:power} bitand {1:power}", BITS, "bitand"),
    ("bit_or vector_bit_or", "{0:power} bitor {1:power}", BITS, "bitor"),
    ("bit_xor vector_bit_xor", "{0:power} bitxor {1:power}", BITS, "bitxor"),
    ("lshift vector_lshift", "{0:power} << {1:power}", BITS, "shift"),
    ("rshift vector_rshift", "{0:power} >> {1:power}", BITS, "shift"),
    ("invert vector_invert", "bitnot({0})", ATOM, "invert"),
    ("bit_count", "bit_count({0})", ATOM, "bit_count"),
    ("lt mixed_lt", "{0:modulo} < {1:modulo}", COMPARE, ""),
    ("le mixed_le", "{0:modulo} ≤ {1:modulo}", COMPARE, ""),
    ("gt mixed_gt", "{0:modulo} > {1:modulo}", COMPARE, ""),
    ("ge mixed_ge", "{0:modulo} ≥ {1:modulo}", COMPARE, ""),
    ("eq mixed_eq float_eq vector_eq", "{0:modulo} = {1:modulo}", COMPARE, ""),
    ("ne mixed_ne float_ne", "{0:modulo} ≠ {1:modulo}", COMPARE, ""),
    ("bool_eq", "{0:modulo} equals {1:modulo}", COMPARE, ""),
    ("bool_ne", "{0:modulo} differs from {1:modulo}", COMPARE, ""),
    ("and", b.joined("and"), ATOM, ""),
    ("or", b.joined("or"), ATOM, ""),
    ("not", "not {0:atom}", NEGATED, ""),
    ("where conditional", b.choice, ATOM, ""),
    ("copysign", "copysign({0}, {1})", ATOM, "copysign"),
    ("step", "step({0})", ATOM, "step"),
    ("nonzero", "nonzero({0})", ATOM, "nonzero"),
    ("isfinite", "isfinite({0})", ATOM, "finite"),
    ("isnan", "isnan({0})", ATOM, "finite"),
    ("isinf", "isinf({0})", ATOM, "finite"),
    ("sqrt", "sqrt({0})", ATOM, ""),
    ("cbrt", "cbrt({0})", ATOM, ""),
    ("exp", "exp({0})", ATOM, ""),
    ("log", "ln({0})", ATOM, ""),
    ("log2", "log2({0})", ATOM, ""),
    ("log10", "log10({0})", ATOM, ""),
    ("pow power", "{0:atom}^{1:atom}", POWER, ""),
    ("sin", "sin({0})", ATOM, ""),
    ("cos", "cos({0})", ATOM, ""),
    ("tan", "tan({0})", ATOM, ""),
    ("asin", "arcsin({0})", ATOM, ""),
    ("acos", "arccos({0})", ATOM, ""),
    ("atan", "arctan({0})", ATOM, ""),
    ("atan2", "atan2({0}, {1})", ATOM, ""),
    ("sinh", "sinh({0})", ATOM, ""),
    ("cosh", "cosh({0})", ATOM, ""),
    ("tanh", "tanh({0})", ATOM, ""),
    ("erf", "erf({0})", ATOM, "erf"),
    ("erfc", "erfc({0})", ATOM, "erfc"),
    ("erfinv", "erfinv({0})", ATOM, "erfinv"),
    ("erfcinv", "erfcinv({0})", ATOM, "erfcinv"),
    ("degrees", "degrees({0})", ATOM, "degrees"),
    ("radians", "radians({0})", ATOM, "radians"),
    ("lerp vector_lerp matrix_lerp quaternion_lerp transform_lerp", "lerp({0}, {1}, {2})", ATOM, "lerp"),
    ("smoothstep", "smoothstep({0}, {1}, {2})", ATOM, "smoothstep"),
    ("floor", "⌊{0}⌋", ATOM, ""),
    ("ceil", "⌈{0}⌉", ATOM, ""),
    ("round", "round({0})", ATOM, "round"),
    ("rint", "rint({0})", ATOM, "rint"),
    ("trunc", "trunc({0})", ATOM, "trunc"),
    ("frac", "frac({0})", ATOM, "frac"),
    # Conversions: told where they change something.
    ("pos same vector_copy quaternion_copy transform_copy spatial_copy", b.unchanged, ATOM, ""),
    ("to_float vector_to_float matrix_convert quaternion_convert", b.as_float, ATOM, ""),
    ("to_integer vector_to_integer unsigned_to_integer unsigned_vector_to_integer", b.as_integer, ATOM, ""),
    ("to_unsigned float_to_unsigned unsigned_to_unsigned vector_to_unsigned", b.as_unsigned, ATOM, ""),
    ("bool_to_number", b.of_truth, ATOM, ""),
    ("to_bool", "{0:modulo} ≠ 0", COMPARE, ""),
    ("bits_of_float", "bits({0})", ATOM, "raw"),
    ("float_of_bits", "float_of_bits({0})", ATOM, "raw"),
    # Vectors.
    ("dot spatial_dot quaternion_dot whole_dot", "dot({0}, {1})", ATOM, ""),
    ("cross whole_cross", "cross({0}, {1})", ATOM, ""),
    ("length norm_l2 quaternion_length", b.norm, ATOM, ""),
    ("length_sq quaternion_length_sq whole_length_sq", b.squared_norm, ATOM, ""),
    ("normalize", "normalize({0})", ATOM, "normalize"),
    ("quaternion_normalize", "normalize({0})", ATOM, "direction quaternion"),
    ("smallest", "smallest({0})", ATOM, "smallest"),
    ("largest", "largest({0})", ATOM, "largest"),
    ("argmin", "argmin({0})", ATOM, "argmin"),
    ("argmax", "argmax({0})", ATOM, "argmax"),
    ("norm_l1", "norm1({0})", ATOM, "norm1"),
    ("norm_huber", "huber({0}, {1})", ATOM, "huber"),
    ("norm_huber_of_one", "huber({0}, 1)", ATOM, "huber"),
    ("norm_pseudo_huber", "pseudo_huber({0}, {1})", ATOM, "pseudo_huber"),
    ("norm_pseudo_huber_of_one", "pseudo_huber({0}, 1)", ATOM, "pseudo_huber"),
    ("smooth_normalize", "smooth_normalize({0}, {1})", ATOM, "smooth"),
    ("smooth_normalize_of_one", "smooth_normalize({0}, 1)", ATOM, "smooth"),
    ("build matrix_build spatial_matrix spatial_of_numbers", b.built, ATOM, ""),
    ("splat whole_splat matrix_splat spatial_splat spatial_matrix_splat", b.splat, ATOM, ""),
    ("vector_zero spatial_zero spatial_matrix_zero", b.zero, ATOM, ""),
    ("component quaternion_component", b.component, ATOM, ""),
    ("transform_component", "{0:atom}[{1}]", ATOM, "transform"),
    ("matrix_component spatial_entry", "{0:atom}[{1}, {2}]", ATOM, "entry"),
    ("matrix_row oblong_row spatial_row", "{0:atom}[{1}]", ATOM, "row"),
    # Matrices.
    ("transpose spatial_transpose", "{0:atom}ᵀ", POWER, ""),
    ("inverse", "{0:atom}⁻¹", POWER, ""),
    ("determinant", "det({0})", ATOM, ""),
    ("trace spatial_trace", "trace({0})", ATOM, ""),
    ("ddot spatial_ddot", "ddot({0}, {1})", ATOM, "ddot"),
    ("outer spatial_outer", "outer({0}, {1})", ATOM, "outer"),
    ("diag spatial_diag", "diag({0})", ATOM, "diag"),
    ("get_diag spatial_get_diag", "diagonal({0})", ATOM, "diagonal"),
    ("skew", "skew({0})", ATOM, "skew"),
    ("identity spatial_identity", b.identity, ATOM, "identity"),
    ("matrix_from_rows", "matrix_from_rows({})", ATOM, ""),
    ("matrix_from_cols", "matrix_from_columns({})", ATOM, ""),
    # Numbers that have names.
    ("pi", "π", ATOM, ""),
    ("half_pi", "π / 2", RATIO, ""),
    ("tau", "2·π", parts.PRODUCT, ""),
    ("e", "exp(1)", ATOM, ""),
    ("log2e", "log2(exp(1))", ATOM, ""),
    ("log10e", "log10(exp(1))", ATOM, ""),
    ("ln2", "ln(2)", ATOM, ""),
    ("ln10", "ln(10)", ATOM, ""),
    ("phi", "(1 + sqrt(5)) / 2", RATIO, ""),
    # Rotations and moves.
    ("quaternion", "quaternion({})", ATOM, "quaternion"),
    ("quaternion_of_vector", "quaternion({0}, {1})", ATOM, "quaternion"),
    ("quaternion_zero", "quaternion(0, 0, 0, 0)", ATOM, "quaternion"),
    ("quat_identity", "quaternion(0, 0, 0, 1)", ATOM, "quaternion"),
    ("quat_rotate", "quat_rotate({0}, {1})", ATOM, "rotate quaternion"),
    ("quat_rotate_inv", "quat_rotate_inv({0}, {1})", ATOM, "rotate_inv quaternion"),
    ("quat_inverse", "quat_inverse({0})", ATOM, "conjugate quaternion"),
    ("quat_from_axis_angle", "quat_from_axis_angle({0}, {1})", ATOM, "axis_angle quaternion"),
    ("transform", "transform({0}, {1})", ATOM, "transform"),
    ("transform_of_position", "transform({0}, quaternion(0, 0, 0, 1))", ATOM, "transform quaternion"),
    ("transform_of_numbers", "transform({})", ATOM, "transform"),
    ("transform_get_translation", "{0:atom}.p", ATOM, "transform"),
    ("transform_get_rotation", "{0:atom}.q", ATOM, "transform"),
    ("transform_point matrix_point", "transform_point({0}, {1})", ATOM, "moved transform rotate"),
    ("transform_vector matrix_direction", "transform_vector({0}, {1})", ATOM, "turned transform rotate"),
    ("transform_inverse", "transform_inverse({0})", ATOM, "undone transform rotate conjugate"),
    ("transform_splat", "transform({0}, {0}, {0}, {0}, {0}, {0}, {0})", ATOM, "transform"),
    ("transform_zero", "transform(0, 0, 0, 0, 0, 0, 0)", ATOM, "transform"),
    ("transform_identity", "transform((0, 0, 0), quaternion(0, 0, 0, 1))", ATOM, "transform quaternion"),
    ("spatial_vector", "spatial_vector({0}, {1})", ATOM, ""),
    ("spatial_top", "spatial_top({0})", ATOM, "top"),
    ("spatial_bottom", "spatial_bottom({0})", ATOM, "bottom"),
    ("lower_bound lower_bound_of", "lower_bound({})", ATOM, "lower_bound"),
)

# What an atomic does to a place, of the operands behind its indices.
ATOMICS: Mapping[str, str] = {
    "atomic_add": "atomically add {1} to {0}",
    "atomic_sub": "atomically subtract {1} from {0}",
    "atomic_min": "atomically set {0} to min(itself, {1})",
    "atomic_max": "atomically set {0} to max(itself, {1})",
    "atomic_and": "atomically set {0} to itself bitand {1:power}",
    "atomic_or": "atomically set {0} to itself bitor {1:power}",
    "atomic_xor": "atomically set {0} to itself bitxor {1:power}",
    "atomic_exch": "atomically set {0} to {1}",
    "atomic_cas": "atomically set {0} to {2} if it equals {1}",
}

# Groups of operations that go by Warp's names where they have no row.
BY_NAME = frozenset(
    [
        "quaternion",
        "transform",
        "spatial",
        "matrices",
        "decompositions",
        "random",
        "noise",
        "geometry",
        "mesh",
        "volume",
        "tile",
        "checks",
    ]
)


def _named(row: Operation) -> Formula:
    name = row.spelling.name if isinstance(row.spelling, Function) else row.name
    return Formula(
        (name or row.name) + "({})", notes=("random",) if row.changed and row.group == "random" else ()
    )


FORMULAS: Mapping[str, Formula] = {
    name: Formula(write, strength, tuple(notes.split()))
    for names, write, strength, notes in _ROWS
    for name in names.split()
}
NAMED: Mapping[str, Formula] = {
    row.name: _named(row) for row in TABLE.values() if row.group in BY_NAME and row.name not in FORMULAS
}
