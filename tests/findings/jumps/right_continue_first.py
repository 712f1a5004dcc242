"""A `continue` before any work."""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [9]}
RIGHT = {"x": [0, 6]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        if j == 0:
            continue
        a += x[j] * x[j]
    o[0] = a
