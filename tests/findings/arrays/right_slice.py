"""A slice of an array."""

import warp as wp

INPUTS = {"x": [2, 3]}
OUTPUTS = {"o": [6]}
RIGHT = {"x": [3, 2]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    t = x[0:2]
    o[0] = t[0] * t[1]
