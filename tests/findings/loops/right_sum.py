"""Sums carried by a loop."""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [36]}
RIGHT = {"x": [12, 27]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(1.0)
    for j in range(n):
        b = x[j] * x[j]
        b *= x[j]
        a += b
    o[0] = a
