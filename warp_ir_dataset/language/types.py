"""The types of values: a table of scalar types, and the types built from them, as a closed union.

A new scalar type is one row of `SCALARS`. A new kind of type is a class of the union `Type`; every function
that distinguishes kinds ends in `assert_never`, so that mypy lists those that lack the new kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

import numpy as np
from typing_extensions import assert_never

from .domains import Interval

# A kernel performs at most some hundred roundings per value, each of half a unit in the last place; another
# compiler or C library may round each of them the other way.
ROUNDINGS = 1024


@dataclass(frozen=True)
class ScalarRow:
    """The properties of a scalar type.

    `limits` are the values in a legal program: floats stay far from overflow and within the range where
    float32 keeps its digits, signed integers stay a factor of two below the type's end. Two results count as
    equal if they differ by at most `tolerance`, relative to their size; integers must be equal.
    """

    kind: OneOf["float", "signed", "unsigned", "truth"]
    numpy: type[np.generic]
    limits: Interval
    suffix: str  # ends the names of vector and matrix types: vec3d; empty if there are none
    python: str | None = None  # Python's own name, if it has one: such literals are written bare
    implied: bool = False  # sources omit the suffix: wp.vec3
    tolerance: float = 0.0
    usual: bool = False  # any kernel may use it; others only if a family asks for them
    cuda: str | None = None  # its type in plain CUDA C++; None if there is none


def _rounded(type: type[np.floating], roundings: int = ROUNDINGS) -> float:
    return roundings * float(np.finfo(type).eps)


# fmt: off
SCALARS: Mapping[str, ScalarRow] = {
    "float32": ScalarRow("float", np.float32, Interval(-1e6, 1e6), "f", "float", True, _rounded(np.float32),
                         usual=True, cuda="float"),
    "float64": ScalarRow("float", np.float64, Interval(-1e6, 1e6), "d", tolerance=_rounded(np.float64),
                         usual=True, cuda="double"),
    # Half a dozen digits in base 2 must be left after all roundings, so only short programs compute in it.
    "float16": ScalarRow("float", np.float16, Interval(-1e3, 1e3), "h", tolerance=_rounded(np.float16, 32)),
    "int32": ScalarRow("signed", np.int32, Interval(-(2**30), 2**30), "i", "int", usual=True, cuda="int"),
    "int64": ScalarRow("signed", np.int64, Interval(-(2**53), 2**53), "l", usual=True, cuda="int64_t"),
    "int8": ScalarRow("signed", np.int8, Interval(-(2**6), 2**6), "b", cuda="int8_t"),
    "int16": ScalarRow("signed", np.int16, Interval(-(2**14), 2**14), "s", cuda="int16_t"),
    "uint32": ScalarRow("unsigned", np.uint32, Interval(0, 2**32 - 1), "ui", usual=True, cuda="uint32_t"),
    "uint8": ScalarRow("unsigned", np.uint8, Interval(0, 2**8 - 1), "ub", cuda="uint8_t"),
    "uint16": ScalarRow("unsigned", np.uint16, Interval(0, 2**16 - 1), "us", cuda="uint16_t"),
    "uint64": ScalarRow("unsigned", np.uint64, Interval(0, 2**53), "ul", cuda="uint64_t"),
    "bool": ScalarRow("truth", np.bool_, Interval(0, 1), "", "bool", usual=True, cuda="bool"),
}
# fmt: on


def _of_kind(*kinds: str) -> tuple[str, ...]:
    return tuple(name for name, row in SCALARS.items() if row.kind in kinds)


FLOATS = _of_kind("float")
INTEGERS = _of_kind("signed", "unsigned")
SIGNED_INTEGERS = _of_kind("signed")
UNSIGNED_INTEGERS = _of_kind("unsigned")
SIGNED = (*FLOATS, *SIGNED_INTEGERS)
NUMBERS = (*FLOATS, *INTEGERS)

# The types of kernels whose family names no others.
USUAL = tuple(name for name, row in SCALARS.items() if row.usual)
USUAL_FLOATS = tuple(name for name in FLOATS if name in USUAL)
USUAL_INTEGERS = tuple(name for name in INTEGERS if name in USUAL)
USUAL_NUMBERS = (*USUAL_FLOATS, *USUAL_INTEGERS)

# Finite differences are taken in this type.
WIDEST_FLOAT = "float64"


class Kind:
    """The attributes of every type."""

    if TYPE_CHECKING:  # each class has some as fields, some as constants, and computes the others

        @property
        def scalar(self) -> str: ...  # a key of `SCALARS`
        @property
        def shape(self) -> tuple[int, ...]: ...  # of one value as a numpy array
        @property
        def is_float(self) -> bool: ...
        @property
        def is_integer(self) -> bool: ...
        @property
        def size(self) -> int: ...  # number of components
        @property
        def element(self) -> Any: ...  # the type of one component; of an array's elements
        @property
        def ndim(self) -> int: ...  # dimensions of an array, 0 of other types


class _NotNumeric(Kind):
    """Types whose values are not numbers."""

    scalar = ""
    shape = ()
    is_float = False
    is_integer = False
    size = 0
    ndim = 0


class _Components(Kind):
    """The shared properties of numbers of a fixed shape."""

    ndim = 0

    @cached_property
    def is_float(self) -> bool:
        return SCALARS[self.scalar].kind == "float"

    @cached_property
    def is_integer(self) -> bool:
        return SCALARS[self.scalar].kind in ("signed", "unsigned")

    @cached_property
    def size(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def element(self) -> Scalar:
        return Scalar(self.scalar)


@dataclass(frozen=True)
class Scalar(_Components):
    scalar: str

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return ()


@dataclass(frozen=True)
class Vector(_Components):
    scalar: str
    length: int

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return (self.length,)


@dataclass(frozen=True)
class Matrix(_Components):
    scalar: str
    rows: int
    columns: int

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return (self.rows, self.columns)


@dataclass(frozen=True)
class Quaternion(_Components):
    """x, y, z and w, in this order."""

    scalar: str

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return (4,)


@dataclass(frozen=True)
class Transform(_Components):
    """A position, and a rotation as a quaternion."""

    scalar: str

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return (7,)


# A spatial vector is a vector of length 6, a spatial matrix one of 6 rows and columns.
Value = Scalar | Vector | Matrix | Quaternion | Transform
SPATIAL = 6


@dataclass(frozen=True)
class Struct(_NotNumeric):
    """A record type. Members are numbers, structs and arrays."""

    name: str
    members: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class Array(_NotNumeric):
    """An array of 1 to 4 dimensions: the type of an argument, a parameter or a member."""

    element: Any  # any type except an array; `Any`, since `element` is read of any type
    ndim: int


@dataclass(frozen=True)
class Several(_NotNumeric):
    """The result type of a function that returns several values, or none."""

    types: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Tile(_NotNumeric):
    """A block of numbers that the threads of a block share: `sizes` are its dimensions."""

    element: Scalar
    sizes: tuple[int, ...]


# Objects of the host that a kernel refers to by a number.
HANDLES = ("mesh", "bvh", "hash_grid", "volume")


@dataclass(frozen=True)
class Handle(_NotNumeric):
    """The number of a mesh, a volume or the like: one of `HANDLES`. In a source it is a ``wp.uint64``."""

    kind: str


Type = Value | Struct | Array | Several | Tile | Handle

BOOL = Scalar("bool")
INT = Scalar("int32")
FLOAT = Scalar("float32")


@cache
def shaped(scalar: str, shape: tuple[int, ...] = ()) -> Value:
    """A scalar (shape ``()``), a vector (``(n,)``) or a matrix (``(rows, columns)``) of one scalar type."""
    if not shape:
        return Scalar(scalar)
    return Vector(scalar, *shape) if len(shape) == 1 else Matrix(scalar, *shape)


def numpy_type(type: Type) -> type[np.generic]:
    """The numpy type of one component."""
    return SCALARS[type.scalar].numpy


def full_name(type: Type) -> str:
    """`float32`, `vec3f`, `mat23d`: Warp's own names, extended to sizes that Warp has no name for."""
    match type:
        case Scalar(scalar):
            return scalar
        case Struct(name):
            return name
        case Array(inner, ndim):
            return f"array{ndim}d[{full_name(inner)}]"
        case Several(types):
            return f"({', '.join(map(full_name, types))})"
        case Tile(part, sizes):
            return f"tile{list(sizes)} of {full_name(part)}"
        case Handle(kind):
            return kind
        case _:
            return stem(type) + SCALARS[type.scalar].suffix


def float_text(value: float) -> str:
    """A finite number as people write it: ``1e-6``, where Python would write ``1e-06``."""
    digits, e, exponent = repr(value).partition("e")
    return f"{digits}e{int(exponent)}" if e else digits


def stem(type: Vector | Matrix | Quaternion | Transform) -> str:
    """A type's name without its scalar: `vec3`, `mat23`, `quat`, `spatial_vector`."""
    match type:
        case Vector(_, length):
            return "spatial_vector" if is_spatial(type) else f"vec{length}"
        case Matrix(_, rows, columns):
            return "spatial_matrix" if is_spatial(type) else f"mat{rows}{columns}"
        case Quaternion():
            return "quat"
        case Transform():
            return "transform"
        case _:
            assert_never(type)


def short_name(type: Vector | Matrix | Quaternion | Transform) -> str:
    """A type's name, with the suffix of its scalar unless it is implied: `vec3`, `vec3d`, `mat23`."""
    row = SCALARS[type.scalar]
    return stem(type) + ("" if row.implied else row.suffix)


def holds_arrays(type: Type) -> bool:
    """Whether a type is an array, or a struct with one in it."""
    if isinstance(type, Struct):
        return any(holds_arrays(member) for _, member in type.members)
    return isinstance(type, Array)


def is_spatial(type: Value) -> bool:
    """Whether Warp has a name of its own for a vector or matrix of this size: for floats only."""
    return type.is_float and type.shape in ((SPATIAL,), (SPATIAL, SPATIAL))


_PARTS = "xyzw"


@cache
def part_type(type: Value, part: str) -> Value | None:
    """The type of ``v.x`` or ``pose.p``; None if a value has no such part. (Warp 1.19 has no ``v.xy``.)"""
    match type:
        case Vector(scalar, length) if len(part) == 1 and part in _PARTS[:length]:
            return Scalar(scalar)
        case Quaternion(scalar) if len(part) == 1 and part in _PARTS:
            return Scalar(scalar)
        case Transform(scalar) if part == "p":
            return Vector(scalar, 3)
        case Transform(scalar) if part == "q":
            return Quaternion(scalar)
        case Scalar() | Vector() | Matrix() | Quaternion() | Transform():
            return None
        case _:
            assert_never(type)
