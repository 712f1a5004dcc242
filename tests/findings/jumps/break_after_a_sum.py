"""A `break` after a sum.

The backward pass starts at the last iteration that the bounds allow and ends at the first that
breaks.

Barred: a loop with `break` or `return` must not change a carried variable with a gradient, store to
an array, or change one atomically.
"""

import warp as wp

INPUTS = {"x": [2, 3, 4], "n": [3]}
OUTPUTS = {"o": [13]}
WARP = {"x": [0, 0, 8]}
RIGHT = {"x": [4, 6, 0]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        a += x[j] * x[j]
        if j == 1:
            break
    o[0] = a
