"""The names of all families of kernels. A row's category is its family.

This imports no template, so that `--help`, which lists them, is fast.
"""

from __future__ import annotations

from .idioms import IDIOMS

# Families of random programs, each of one kind: `kinds.py` defines it by a predicate, `families.py` says how
# they are made. All other families have templates.
RANDOM_KINDS = (
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
CATEGORIES = (*RANDOM_KINDS, *IDIOMS)
