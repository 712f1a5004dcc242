"""A loop in a function that returns the sum, which the kernel squares.

Upstream: the workaround for 1694 that 1754 describes.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [169]}
RIGHT = {"x": [104, 156]}


@wp.func
def sum_of(x: wp.array[float], n: int) -> float:
    a = float(0.0)
    for j in range(n):
        a += x[j] * x[j]
    return a


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = sum_of(x, n)
    o[0] = a * a
