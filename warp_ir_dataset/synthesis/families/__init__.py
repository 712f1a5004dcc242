"""The families of random programs: one file each, which defines `FAMILY`.

A new one is a new file, and its name in `categories.py`.
"""

from __future__ import annotations

from importlib import import_module

from ..categories import GROWN as CATEGORIES
from ..growing.family import Family

FAMILIES: dict[str, Family] = {name: import_module(f".{name}", __name__).FAMILY for name in CATEGORIES}
