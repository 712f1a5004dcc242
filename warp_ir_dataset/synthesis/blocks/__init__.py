"""Statements from which random kernels are composed: branches, loops, helper functions, structs, neighbours.

Each block takes a `Draft`, emits its statements, leaves its result pending there, and tells in a clause what
it does.
"""

from __future__ import annotations

from .branches import bounds_check, branch, early_exit, ladder, within
from .functions import helper, record
from .lines import ZERO, Block, beside, bindings, gather, neighbours, soft_span, working_type, zero
from .loops import accumulate, double_loop, fold, search, shrink_until, trip_count

__all__ = [
    "ZERO",
    "Block",
    "accumulate",
    "beside",
    "bindings",
    "bounds_check",
    "branch",
    "double_loop",
    "early_exit",
    "fold",
    "gather",
    "helper",
    "ladder",
    "neighbours",
    "record",
    "search",
    "shrink_until",
    "soft_span",
    "trip_count",
    "within",
    "working_type",
    "zero",
]
