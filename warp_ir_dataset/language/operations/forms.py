"""Operations that can be written in several ways."""

from __future__ import annotations

from collections.abc import Mapping

# What reads a part of a vector, a quaternion or a matrix; parts are written in the same way.
PARTS = frozenset(
    ("component", "matrix_component", "matrix_row", "quaternion_component", "transform_component")
) | {"spatial_entry", "spatial_row"}
# A value of all its parts, or of one number in all of them.
BUILT = ("build", "quaternion", "spatial_of_numbers", "transform_of_numbers")
FILLED = ("splat", "spatial_splat", "spatial_matrix_splat", "transform_splat")
# What gives back what it is given.
COPIES = ("pos", "same", "quaternion_copy", "spatial_copy", "transform_copy")
NEGATIVE = "neg"
# What an augmented assignment is on an element of an array: other threads may do the same.
ATOMICS: Mapping[str, str] = {
    "+": "atomic_add",
    "-": "atomic_sub",
    "&": "atomic_and",
    "|": "atomic_or",
    "^": "atomic_xor",
}
