"""The memory layout of a kernel's arguments, as Warp defines it.

A kernel's arguments are one record, as the members of a struct are: numbers, structs, and for each array a
header that says where its elements are. Offsets and sizes are Warp's own: those of its C types.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from ..language.types import (
    SCALARS,
    Array,
    Matrix,
    Quaternion,
    Scalar,
    Struct,
    Transform,
    Type,
    Vector,
    numpy_type,
)

# The name of the record that all arguments of a kernel are.
ARGUMENTS = ""


@dataclass(frozen=True)
class Layout:
    """How a value lies in memory.

    `dtype` is that of one value: of numbers the scalar's with the value's shape, of a struct a record, of an
    array the header's; then `element` lays out its elements. `members` are a struct's, in their order.
    """

    type: Type
    dtype: np.dtype
    members: tuple[tuple[str, Layout], ...] = ()
    element: Layout | None = None


def of_arguments(arguments: Iterable[Any]) -> Layout:
    """The record of a kernel's arguments; `arguments` have a `label` and a `type`, as Warp's variables do."""
    kinds = [(argument.label, argument.type) for argument in arguments]
    fields = [(name, _ctype(kind)) for name, kind in kinds]
    packed = type("Arguments", (ctypes.Structure,), {"_fields_": fields})
    members = tuple((name, _layout(kind)) for name, kind in kinds)
    offsets = [getattr(packed, name).offset for name, _ in kinds]
    return _record(ARGUMENTS, members, offsets, ctypes.sizeof(packed))


def is_array(kind: Any) -> bool:
    """Whether an argument is a plain array: ``wp.array(dtype=float)``, or ``wp.array[float]``, which is no
    instance of `wp.array`."""
    return isinstance(kind, wp.array) or getattr(kind, "_concrete_cls", None) is wp.array


def is_struct(kind: Any) -> bool:
    return hasattr(kind, "instance_type")


def members_of(kind: Any) -> dict[str, Any]:
    """The kinds of a struct's members."""
    return {name: variable.type for name, variable in kind.vars.items()}


def _layout(kind: Any) -> Layout:
    if is_array(kind):
        element = _layout(kind.dtype)
        header = np.dtype(type(kind.__ctype__()).numpy_dtype())
        return Layout(Array(element.type, kind.ndim), header, element=element)
    if is_struct(kind):
        members = tuple((name, _layout(member)) for name, member in members_of(kind).items())
        offsets = [getattr(kind.ctype, name).offset for name, _ in members]
        return _record(kind.cls.__name__, members, offsets, ctypes.sizeof(kind.ctype))
    found = _numbers(kind)
    known = found.scalar in SCALARS
    return Layout(found, np.dtype((numpy_type(found), found.shape)) if known else np.dtype(np.void))


def _record(name: str, members: tuple[tuple[str, Layout], ...], offsets: list[int], size: int) -> Layout:
    """Warp's `numpy_dtype` of a struct says the same of its members, which a test holds."""
    dtype = np.dtype(
        {
            "names": [label for label, _ in members],
            "formats": [member.dtype for _, member in members],
            "offsets": offsets,
            "itemsize": size,
        }
    )
    return Layout(Struct(name, tuple((label, member.type) for label, member in members)), dtype, members)


def _numbers(kind: Any) -> Type:
    """The type of numbers; what is not in the language has its class's name for a scalar."""
    composed = getattr(kind, "_wp_generic_type_str_", None)
    scalar = _scalar(kind._wp_scalar_type_ if composed else kind)
    if scalar not in SCALARS:
        return Scalar(_scalar(kind))
    match composed:
        case None:
            return Scalar(scalar)
        case "vec_t":
            return Vector(scalar, *kind._shape_)
        case "mat_t":
            return Matrix(scalar, *kind._shape_)
        case "quat_t":
            return Quaternion(scalar)
        case "transform_t":
            return Transform(scalar)
        case _:
            return Scalar(_scalar(kind))


def _scalar(kind: Any) -> str:
    """A scalar's name, or the class's of what is none, such as an indexed array."""
    plain = {float: "float32", int: "int32", bool: "bool"}
    return str(plain.get(kind) or getattr(kind, "__name__", None) or type(kind).__name__)


def _ctype(kind: Any) -> Any:
    """The C type that Warp packs an argument in."""
    if is_array(kind):
        return type(kind.__ctype__())
    if is_struct(kind):
        return kind.ctype
    if isinstance(kind, type):
        return kind if issubclass(kind, ctypes.Array) else getattr(kind, "_type_", ctypes.c_void_p)
    return type(kind.__ctype__()) if hasattr(kind, "__ctype__") else ctypes.c_void_p
