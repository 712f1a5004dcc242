"""All families of kernels: grown ones, drawn from the table of operations; idioms, which have purposes."""

from __future__ import annotations

from .families import CATEGORIES as GROWN
from .idioms import IDIOMS

CATEGORIES = (*GROWN, *IDIOMS)
