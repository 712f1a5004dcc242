"""The names of all families of kernels. No family is imported for them: `--help` names families too."""

from __future__ import annotations

from .idioms import IDIOMS

# Families of random programs; each has a file in `families/`. All other families have templates.
GROWN = (
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
CATEGORIES = (*GROWN, *IDIOMS)
