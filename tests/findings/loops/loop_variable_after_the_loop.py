"""A loop variable read after its loop.

`j` has its initial value, 0.

Barred: a loop variable read after its dynamic loop counts as changed by it.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [9]}
WARP = {"x": [4, 0]}
RIGHT = {"x": [0, 6]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    for j in range(n):
        pass
    o[0] = x[j] * x[j]
