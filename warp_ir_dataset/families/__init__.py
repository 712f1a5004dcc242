"""The families of kernels: one file each. A new family is a new file and one line here."""

from __future__ import annotations

from . import (
    arithmetic,
    atomic,
    combined,
    control_flow,
    math,
    matrix,
    multi_conditional,
    nested_loop,
    scalar_param,
    vector,
)

_MODULES = (
    arithmetic,
    vector,
    matrix,
    control_flow,
    math,
    atomic,
    nested_loop,
    multi_conditional,
    combined,
    scalar_param,
)

FAMILIES = {module.FAMILY.name: module.FAMILY for module in _MODULES}
CATEGORIES = tuple(FAMILIES)
