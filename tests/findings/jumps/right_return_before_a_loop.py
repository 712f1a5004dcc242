"""A `return` outside loops."""

import warp as wp

INPUTS = {"x": [2, 3]}
OUTPUTS = {"o": [4, 0]}
THREADS = 2
RIGHT = {"x": [4, 0]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    i = wp.tid()
    if i == 1:
        return
    o[i] = x[i] * x[i]
