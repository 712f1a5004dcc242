"""A `break` before a store.

The backward pass starts at the last iteration that the bounds allow, and breaks at once.

Barred: a loop with `break` or `return` must not change a carried variable with a gradient, store to
an array, or change one atomically.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [4, 0]}
WARP = {"x": [0, 0]}
RIGHT = {"x": [4, 0]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    for j in range(n):
        if j == 1:
            break
        o[j] = x[j] * x[j]
