"""Atomic operations on an element of an array: what they return is the value from before."""

from __future__ import annotations

import numpy as np

from ..bounds import element
from ..meanings import atomically
from ..row import row

# fmt: off
ROWS = (
    row("atomic_add(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T>, mat<M,N,F>", "atomic", element,
        atomically(np.add), commutes=np.add, derivative="linear", words="the sum of {0} so far"),
    row("atomic_sub(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T>, mat<M,N,F>", "atomic", element,
        atomically(np.subtract), commutes=np.subtract, derivative="linear",
        words="the difference of {0} so far"),
    row("atomic_min(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T>", "atomic", element,
        atomically(np.minimum), commutes=np.minimum, words="the smallest of {0} so far"),
    row("atomic_max(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T>", "atomic", element,
        atomically(np.maximum), commutes=np.maximum, words="the largest of {0} so far"),
)
# fmt: on
