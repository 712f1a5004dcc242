"""Operations that can be written in several ways, for canonical forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf

Relation = OneOf["below", "up to", "equal", "apart"]

# What a comparison asks of its operands, and whether of the second one first.
RELATIONS: Mapping[str, tuple[Relation, bool]] = {
    **dict.fromkeys(("lt", "mixed_lt"), ("below", False)),
    **dict.fromkeys(("gt", "mixed_gt"), ("below", True)),
    **dict.fromkeys(("le", "mixed_le"), ("up to", False)),
    **dict.fromkeys(("ge", "mixed_ge"), ("up to", True)),
    **dict.fromkeys(("eq", "float_eq", "bool_eq", "mixed_eq"), ("equal", False)),
    **dict.fromkeys(("ne", "float_ne", "bool_ne", "mixed_ne"), ("apart", False)),
}
# What reads a part of a vector, a quaternion or a matrix; parts are written in the same way.
PARTS = frozenset(
    ("component", "matrix_component", "matrix_row", "quaternion_component", "transform_component")
) | {"spatial_entry", "spatial_row"}
# A value of all its parts, of one number in all of them, or of nothing: zero.
BUILT = ("build", "quaternion", "spatial_of_numbers", "transform_of_numbers")
FILLED = ("splat", "spatial_splat", "spatial_matrix_splat", "transform_splat")
ZERO = ("quaternion_zero", "spatial_zero", "spatial_matrix_zero", "transform_zero")
# What gives back what it is given.
COPIES = ("pos", "same", "quaternion_copy", "spatial_copy", "transform_copy")
# Which operand of a value times a number is the number.
SCALED: Mapping[str, int] = {
    **dict.fromkeys(("scale_left", "quaternion_scale_left", "transform_scale_left"), 0),
    **dict.fromkeys(("scale_right", "quaternion_scale_right", "transform_scale_right"), 1),
}
# Operations that are members too: ``pose.p``.
MEMBERS: Mapping[str, str] = {"transform_get_translation": "p", "transform_get_rotation": "q"}
NEGATIVE = "neg"
AS_FLOAT = "to_float"
ANY = "or"
# What an augmented assignment is on an element of an array: other threads may do the same.
ATOMICS: Mapping[str, str] = {
    "+": "atomic_add",
    "-": "atomic_sub",
    "&": "atomic_and",
    "|": "atomic_or",
    "^": "atomic_xor",
}
