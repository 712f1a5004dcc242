"""A `return` in a loop.

The backward pass includes iterations that never ran, and counts what they would have stored to
`o[1]`.

Barred: a loop with `break` or `return` must not change a carried variable with a gradient, store to
an array, or change one atomically.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [4, 0]}
WARP = {"x": [4, 6]}
RIGHT = {"x": [4, 0]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    for j in range(n):
        o[j] = x[j] * x[j]
        if j == 0:
            return
