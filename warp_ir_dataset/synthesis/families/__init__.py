"""The families of kernels: one file each, which defines `FAMILY`. A new one is a new file and a line here."""

from __future__ import annotations

from importlib import import_module

from ..growing.family import Family

CATEGORIES = (
    "arithmetic",
    "vector",
    "matrix",
    "control_flow",
    "math",
    "atomic",
    "nested_loop",
    "multi_conditional",
    "combined",
    "scalar_param",
)

FAMILIES: dict[str, Family] = {name: import_module(f".{name}", __name__).FAMILY for name in CATEGORIES}
