"""Atomic operations on an element of an array: what they return is the value from before."""

from __future__ import annotations

import numpy as np

from ...types import NUMBERS
from ..bounds import element
from ..meanings import each
from ..row import Operation
from ..signatures import in_array
from ..spelling import Function

# fmt: off
ROWS = (
    Operation("atomic_add", "atomic", Function("wp.atomic_add"), in_array(NUMBERS, (0, 1, 2)), element,
              each(np.add), changes=0, commutes=np.add, words="the sum of {0} so far"),
    Operation("atomic_sub", "atomic", Function("wp.atomic_sub"), in_array(NUMBERS, (0, 1, 2)), element,
              each(np.subtract), changes=0, commutes=np.subtract, words="the difference of {0} so far"),
    Operation("atomic_min", "atomic", Function("wp.atomic_min"), in_array(NUMBERS, (0, 1)), element,
              each(np.minimum), changes=0, commutes=np.minimum, words="the smallest of {0} so far"),
    Operation("atomic_max", "atomic", Function("wp.atomic_max"), in_array(NUMBERS, (0, 1)), element,
              each(np.maximum), changes=0, commutes=np.maximum, words="the largest of {0} so far"),
)
# fmt: on
