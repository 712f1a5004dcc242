"""Writes compile-time values of a kernel as source text that creates them again."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
from warp._src import types as warp_types

from .type_text import Named, type_text


def is_known(value: Any) -> bool:
    """Whether Warp takes a value for a constant: a number, a vector and the like, or text."""
    return isinstance(value, str) or bool(warp_types.is_value(value))


def value_text(value: Any, named: Named) -> str:
    """An expression whose value is `value`; `named` gives the name of whatever needs a definition of its own.

    Raises `NoText`.
    """
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, (bool, int, str)) or value is None:
        return repr(value)
    if isinstance(value, (float, np.floating)):
        return _float_text(float(value))
    if isinstance(value, (np.integer, np.bool_)):
        return repr(value.item())
    if isinstance(value, (list, tuple)):
        inside = ", ".join(value_text(item, named) for item in value)
        brackets = "[{}]" if isinstance(value, list) else "({},)" if len(value) == 1 else "({})"
        return brackets.format(inside)
    if isinstance(value, dict):
        pairs = (f"{value_text(key, named)}: {value_text(item, named)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if hasattr(type(value), "_wp_generic_type_str_"):
        numbers = np.array(value, dtype=object).ravel().tolist() if len(type(value)._shape_) > 1 else value
        inside = ", ".join(value_text(number, named) for number in numbers)
        return f"{type_text(type(value), named)}({inside})"
    if type(value) in warp_types.scalar_types or type(value) is warp_types.bool:
        return f"wp.{type(value).__name__}({value_text(_as_said(value.value), named)})"
    return named(value)


def _as_said(number: Any) -> Any:
    """What a scalar of Warp holds. Of a number of numpy's, Warp writes as many digits as its type has."""
    return float(str(number)) if isinstance(number, np.floating) else number


def _float_text(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return 'float("nan")' if math.isnan(value) else f'float("{"-" * (value < 0)}inf")'
