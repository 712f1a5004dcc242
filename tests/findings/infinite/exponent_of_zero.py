"""The exponent of a power of zero.

`adj_pow` of `builtin.h` takes log(0).

Barred: a base is above zero where a gradient runs through the exponent.
"""

from math import nan

import warp as wp

INPUTS = {"x": [0], "y": [2]}
OUTPUTS = {"o": [0]}
WARP = {"y": [nan]}
RIGHT = {"y": [0]}


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], o: wp.array[float]):
    o[0] = wp.pow(x[0], y[0])
