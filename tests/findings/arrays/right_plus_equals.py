"""Elements by `+=` and `-=`."""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [5]}
RIGHT = {"x": [3], "s": [1]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float]):
    s[0] += x[0] * x[0]
    s[0] -= x[0]
