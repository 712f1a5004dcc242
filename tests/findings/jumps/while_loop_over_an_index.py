"""A `while` loop over an index.

`j` starts from 0 and is one ahead of the adjoint.

Barred: a `while` loop must not change a variable with a gradient, nor store.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [13]}
WARP = {"x": [0, 4]}
RIGHT = {"x": [4, 6]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    j = int(0)
    while j < n:
        a += x[j] * x[j]
        j += 1
    o[0] = a
