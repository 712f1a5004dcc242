"""The names of all families of kernels. No template is imported for them: `--help` lists them too."""

from __future__ import annotations

from .idioms import IDIOMS

# Kinds of random programs: `kinds.py` defines each by a predicate, `families.py` says how they are made. All
# other families have templates.
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
