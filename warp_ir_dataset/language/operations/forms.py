"""Operations that canonical forms know more of than their names: other ways to write the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf

Relation = OneOf["below", "up to", "equal", "apart"]

# What a comparison asks of its operands, and whether of the second one first.
RELATIONS: Mapping[str, tuple[Relation, bool]] = {
    "lt": ("below", False),
    "gt": ("below", True),
    "le": ("up to", False),
    "ge": ("up to", True),
    **dict.fromkeys(("eq", "float_eq", "bool_eq"), ("equal", False)),
    **dict.fromkeys(("ne", "float_ne", "bool_ne"), ("apart", False)),
}
# What reads a part of a vector, a quaternion or a matrix; parts are written in the same way.
PARTS = frozenset(("component", "matrix_component", "matrix_row"))
BUILT, FILLED = "build", "splat"  # a value of its parts, and of one number in all of them
SCALED: Mapping[str, int] = {"scale_left": 0, "scale_right": 1}  # which operand is the number
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
