"""A `continue` after a sum.

The jump skips the adjoint of the sum before it in the iteration.

Barred: in a dynamic loop no carried variable with a gradient may be changed, and nothing stored,
before a `continue` on its path through the iteration.

Upstream: 1552.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [13]}
WARP = {"x": [4, 0]}
RIGHT = {"x": [4, 6]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        a += x[j] * x[j]
        if j == 1:
            continue
    o[0] = a
