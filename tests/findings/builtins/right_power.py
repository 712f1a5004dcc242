"""A power."""

import warp as wp

INPUTS = {"x": [2], "y": [3]}
OUTPUTS = {"o": [8]}
RIGHT = {"x": [12], "y": [5.545]}


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], o: wp.array[float]):
    o[0] = x[0] ** y[0]
