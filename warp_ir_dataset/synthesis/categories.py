"""The names of all families of kernels. No family is imported for them: `--help` names families too."""

from __future__ import annotations

from .idioms import IDIOMS

# Kinds of random programs: `kinds.py` says what is one, `families.py` how one is drawn. All others have
# templates.
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
