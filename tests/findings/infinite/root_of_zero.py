"""The square root of zero.

`adj_sqrt` of `builtin.h` divides by the root.

Barred: an operand of `sqrt` is above zero where a gradient runs through it.
"""

from math import nan

import warp as wp

INPUTS = {"x": [0]}
OUTPUTS = {"o": [0]}
WARP = {"x": [nan]}
RIGHT = {"x": [0]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    a = x[0] * x[0]
    o[0] = wp.sqrt(a * a)
