"""Warp's own type objects as text, in a module where Warp is ``wp``."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

import warp as wp
from warp._src import codegen
from warp._src import types as warp_types

from ...language.types import SCALARS

# Names that something which is no type of Warp's goes by: structs and native types, which must be defined.
Named = Callable[[Any], str]

_PYTHON: Mapping[Any, str] = {float: "float", int: "int", bool: "bool", str: "str"} | {
    wp.float32: "float",
    wp.int32: "int",
    wp.bool: "bool",
}
_ANY = "Any"
_GENERIC = ((wp.Scalar, "wp.Scalar"), (wp.Float, "wp.Float"), (wp.Int, "wp.Int"), (Any, _ANY))


class NoText(Exception):
    """Something that cannot be written down; the message says what."""


def type_text(kind: Any, named: Named) -> str:
    """How an annotation says it. `named` gives the name of a struct. Raises `NoText`."""
    if kind in _PYTHON:
        return _PYTHON[kind]
    for generic, text in _GENERIC:
        if kind is generic:
            return text
    if isinstance(kind, codegen.Struct):
        return named(kind)
    if warp_types.is_array(kind):
        return _array_text(kind, named)
    if typing.get_origin(kind) is tuple:
        return f"tuple[{', '.join(type_text(part, named) for part in typing.get_args(kind))}]"
    if warp_types.is_reference(kind):
        return f"wp.ref[{type_text(kind.value_type, named)}]"
    if warp_types.is_tile(kind):
        shape = _ANY if kind.shape is Any else f"({', '.join(map(str, kind.shape))},)"
        return f"wp.tile(dtype={type_text(kind.dtype, named)}, shape={shape}, storage={kind.storage!r})"
    if hasattr(kind, "_wp_generic_type_str_"):
        return _composed_text(kind, named)
    return _by_name(kind)


def _array_text(kind: Any, named: Named) -> str:
    family = warp_types.concrete_array_type(kind).__name__
    if family == "fixedarray":
        raise NoText("an array of fixed size in an annotation")
    if family != "array" or kind.ndim is Any:
        ndim = _ANY if kind.ndim is Any else kind.ndim
        return f"wp.{family}(dtype={_as_given(kind.dtype, named)}, ndim={ndim})"
    element = type_text(kind.dtype, named)
    return f"wp.array[{element}]" if kind.ndim == 1 else f"wp.array{kind.ndim}d[{element}]"


def _as_given(kind: Any, named: Named) -> str:
    """An element's type for what makes another type of ``float`` than of ``wp.float32``."""
    return f"wp.{kind.__name__}" if kind in warp_types.scalar_types else type_text(kind, named)


def _composed_text(kind: Any, named: Named) -> str:
    """A vector's, matrix's, quaternion's or transform's: its own name where Warp has one."""
    name = getattr(kind, "__name__", "")
    for known in (name.removesuffix("f"), name):  # ``vec3`` is ``vec3f``
        if known and getattr(wp, known, None) is kind:
            return f"wp.{known}"
    composed, scalar = kind._wp_generic_type_str_, type_text(kind._wp_scalar_type_, named)
    match composed:
        case "vec_t":
            return f"wp.types.vector(length={_size(kind._wp_type_params_[0])}, dtype={scalar})"
        case "mat_t":
            rows, columns = map(_size, kind._wp_type_params_[:2])
            return f"wp.types.matrix(shape=({rows}, {columns}), dtype={scalar})"
        case "quat_t":
            return f"wp.types.quaternion(dtype={_as_given(kind._wp_scalar_type_, named)})"
        case "transform_t":
            return f"wp.types.transformation(dtype={_as_given(kind._wp_scalar_type_, named)})"
        case _:
            raise NoText(f"the type {kind!r}")


def short_name(kind: Any) -> str:
    """A name to define a composed type under, such as ``vec6d`` or ``mat23``; of others the class's name."""
    row = SCALARS.get(getattr(getattr(kind, "_wp_scalar_type_", None), "__name__", ""))
    suffix = "" if row is None or row.implied else row.suffix
    sizes = "".join(str(size) for size in getattr(kind, "_shape_", ()))
    stem = {"vec_t": "vec", "mat_t": "mat", "quat_t": "quat", "transform_t": "transform"}.get(
        getattr(kind, "_wp_generic_type_str_", ""), ""
    )
    return f"{stem}{sizes}{suffix}" if stem in ("vec", "mat") else stem + suffix


def _size(size: Any) -> str:
    return _ANY if size is Any or size == 0 else str(size)


def _by_name(kind: Any) -> str:
    """Scalars, textures, queries and such: what Warp offers under the class's own name."""
    name = getattr(kind, "__name__", None)
    for place, module in (("wp", wp), ("wp.types", wp.types)):
        if name and getattr(module, name, None) is kind:
            return f"{place}.{name}"
    raise NoText(f"the type {inspect.formatannotation(kind)}")
