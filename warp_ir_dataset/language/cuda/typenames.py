"""The names of types in plain CUDA: ``float``, ``int64_t``, ``vec3``, ``mat22d``, ``Array<float, 2>``."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_never

from ..types import (
    SCALARS,
    Array,
    Handle,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Struct,
    Tile,
    Transform,
    Type,
    Value,
    Vector,
    full_name,
    short_name,
)
from .names import Names
from .refusals import NoPlainForm
from .used import Used

INT_BYTES = 4  # C++ computes whole numbers of fewer bytes as int


def scalar_name(scalar: str) -> str:
    """Raises `NoPlainForm` for half precision, which plain CUDA has in a header of its own."""
    name = SCALARS[scalar].cuda
    if name is None:
        raise NoPlainForm(f"{scalar} has no plain form")
    return name


def type_name(type: Type, names: Names, used: Used) -> str:
    """The text of a type; records what it needs in `used`."""
    match type:
        case Scalar(scalar):
            return scalar_name(scalar)
        case Struct(name):
            return names.of(name)
        case Array(element, ndim):
            used.pieces.add("array")
            used.names.add("Array")
            return f"Array<{type_name(element, names, used)}, {ndim}>"
        case Vector() | Matrix() | Quaternion() | Transform():
            scalar_name(type.scalar)
            used.pieces.add(kind(type))
            used.types.add(type)
            used.names.add(short_name(type))
            return short_name(type)
        case Several() | Tile() | Handle():
            raise NoPlainForm(f"{full_name(type)} has no plain form")
        case _:
            assert_never(type)


def template(type: Value) -> str:
    """The template that a short name is an alias of."""
    scalar = scalar_name(type.scalar)
    match type:
        case Vector(_, length):
            return f"vec<{length}, {scalar}>"
        case Matrix(_, rows, columns):
            return f"mat<{rows}, {columns}, {scalar}>"
        case Quaternion():
            return f"quat_t<{scalar}>"
        case Transform():
            return f"transform_t<{scalar}>"
        case Scalar():
            return scalar
        case _:
            assert_never(type)


def kind(type: Type) -> str:
    """The kind by which overloads of the prelude differ: every number is a ``scalar``, every vector a
    ``vec``."""
    match type:
        case Scalar():
            return "scalar"
        case Vector():
            return "vec"
        case Matrix():
            return "mat"
        case Quaternion():
            return "quat"
        case Transform():
            return "transform"
        case Array():
            return "array"
        case Struct() | Several() | Tile() | Handle():
            return full_name(type)
        case _:
            assert_never(type)


def is_narrow(type: Type) -> bool:
    """Whether C++ computes in a wider type than this one."""
    return isinstance(type, Scalar) and type.is_integer and width(type) < INT_BYTES


def width(type: Scalar) -> int:
    return np.dtype(SCALARS[type.scalar].numpy).itemsize
