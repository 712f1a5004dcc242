"""A sum by plain assignment, with a constant factor."""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [11]}
RIGHT = {"x": [2, 6]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        a = 0.5 * a + x[j] * x[j]
    o[0] = a
