"""All families of kernels: random programs, drawn from the table of operations, and idioms, with purposes."""

from __future__ import annotations

from .families import CATEGORIES as GROWN
from .idioms import IDIOMS

CATEGORIES = (*GROWN, *IDIOMS)
