"""Writes types as text: ``float``, ``wp.vec3d``, ``mat23``, ``wp.array2d(dtype=float)``."""

from __future__ import annotations

from typing_extensions import assert_never

from ... import ir
from ...types import (
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
    is_spatial,
    short_name,
)

_BUILT_IN_SHAPES = {(n,) for n in (2, 3, 4)} | {(n, n) for n in (2, 3, 4)}
PLAIN = ir.Style()


def type_name(t: Type, style: ir.Style = PLAIN) -> str:
    """The text of a type: ``float``, ``wp.float64``, ``wp.vec3``, ``mat23``, a struct's name, an array."""
    match t:
        case Struct(name):
            return name
        case Array(element, ndim):
            return _array(type_name(element, style), ndim, style)
        case Scalar(scalar):
            python = SCALARS[scalar].python
            return f"wp.{scalar}" if python is None or style.full_names else python
        case Vector() | Matrix() | Quaternion() | Transform():
            name = short_name(t)
        case Handle():
            return "wp.uint64"
        case Several() | Tile():
            raise ValueError(f"no type that can be written: {full_name(t)}")
        case _:
            assert_never(t)
    return f"wp.{name}" if is_built_in(t) else name


def _array(name: str, ndim: int, style: ir.Style) -> str:
    array = "array" if ndim == 1 else f"array{ndim}d"
    return f"wp.{array}[{name}]" if style.subscripts else f"wp.{array}(dtype={name})"


def any_array(ndim: int, style: ir.Style) -> str:
    """An array whose elements may be of any type."""
    return _array("Any", ndim, style)


def is_built_in(t: Value) -> bool:
    """Whether Warp has a name for a type."""
    match t:
        case Vector():
            return t.shape in _BUILT_IN_SHAPES or is_spatial(t)
        case Matrix():
            return (t.is_float and t.shape in _BUILT_IN_SHAPES) or is_spatial(t)
        case Scalar() | Quaternion() | Transform():
            return True
        case _:
            assert_never(t)


def alias(t: Value) -> str:
    """The line that names a type that Warp has no name for."""
    scalar = f"wp.{t.scalar}"
    match t:
        case Vector(_, length):
            return f"{type_name(t)} = wp.types.vector(length={length}, dtype={scalar})"
        case Matrix(_, rows, columns):
            return f"{type_name(t)} = wp.types.matrix(shape=({rows}, {columns}), dtype={scalar})"
        case Scalar() | Quaternion() | Transform():
            raise ValueError(f"{type_name(t)} has a name already")
        case _:
            assert_never(t)
