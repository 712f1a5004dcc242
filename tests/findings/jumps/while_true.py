"""A `while True` loop that ends by `break`.

`j` starts from 0 and is one ahead of the adjoint, and the last iteration's jump comes first.

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
    while True:
        a += x[j] * x[j]
        j += 1
        if j == n:
            break
    o[0] = a
