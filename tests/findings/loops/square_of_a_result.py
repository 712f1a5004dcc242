"""The square of a loop's result.

After the loop `a` has its initial value, 0, in the backward pass.

Barred: no derivative, condition, index or call may need a name that a dynamic loop changes, or that
is computed from one.

Upstream: 1694.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [25]}
WARP = {"x": [0, 0]}
RIGHT = {"x": [10, 10]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        a += x[j]
    o[0] = a * a
