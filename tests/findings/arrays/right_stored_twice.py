"""An element stored twice."""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [4]}
RIGHT = {"x": [4]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    o[0] = x[0]
    o[0] = x[0] * x[0]
