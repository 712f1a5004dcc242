"""Kinds of values: what makes a value of one, and zeros of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from . import numbers as n
from .tokens import Unreadable

Names = dict[str, Any]


def of_kind(kind: str | None, structs: Any) -> Callable[[Any], Any]:
    """What makes a value of a kind: real where it is not said."""
    if kind is None:
        return lambda value: float(value) if not isinstance(value, bool) else value
    if kind == "truth value":
        return bool
    if kind == "integer" or re.fullmatch(r"int\d+", kind):
        return n.whole
    if re.fullmatch(r"uint\d+", kind):
        return n.unsigned(kind)
    if re.fullmatch(r"float\d+", kind):
        return float
    if found := re.fullmatch(r"\d+-vector(?: of (\w+))?", kind):
        scalar = found[1] or ""
        carrier = np.int64 if scalar.startswith("int") else scalar if scalar.startswith("u") else float
        return _of_shape(shape_of(kind), carrier)
    if re.fullmatch(r"(\d+×\d+ matrix|quaternion|transform)(?: of \w+)?", kind):
        return _of_shape(shape_of(kind), float)
    if kind in structs:
        return lambda value: dict(value)
    if "array" in kind:
        return lambda value: value
    raise Unreadable(f"a local that is a {kind}")


def _of_shape(shape: tuple[int, ...], carrier: Any) -> Callable[[Any], Any]:
    """Vectors and matrices; the number 0 is a sum of none of them."""
    return lambda value: np.broadcast_to(np.asarray(value, carrier), shape).copy()


NOTHING = object()


def nothing(names: Names) -> Any:
    """What a member is that nobody gave a value."""
    return NOTHING


def of_member(kind: str, structs: Any) -> Callable[[Any], Any]:
    """What makes a value of the kind of a member, or zeros of it."""
    if kind in structs:
        inner = {name: of_member(part, structs) for name, part in structs[kind].items()}
        return lambda value: _zeros(inner) if value is NOTHING else dict(value)
    if "array" in kind:
        return lambda value: value
    convert = bool if kind == "bool" else of_kind(kind, structs)
    shape = shape_of(kind)
    zero = np.zeros(shape) if shape else 0
    return lambda value: convert(zero if value is NOTHING else value)


def _zeros(members: dict[str, Callable[[Any], Any]]) -> dict[str, Any]:
    return {name: make(NOTHING) for name, make in members.items()}


def shape_of(kind: str) -> tuple[int, ...]:
    """Of one value: ``3-vector``, ``2×2 matrices``."""
    if found := re.search(r"(\d+)-vector", kind):
        return (int(found[1]),)
    if found := re.search(r"(\d+)×(\d+) matri", kind):
        return int(found[1]), int(found[2])
    return (4,) if "quaternion" in kind else (7,) if "transform" in kind else ()
