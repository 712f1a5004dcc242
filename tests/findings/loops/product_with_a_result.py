"""A loop's result as a factor.

After the loop `a` has its initial value, 5, in the backward pass.

Barred: no derivative, condition, index or call may need a name that a dynamic loop changes, or that
is computed from one.

Upstream: 1694 (1740 and 1754 say the same about functions).
"""

import warp as wp

INPUTS = {"x": [2], "n": [3]}
OUTPUTS = {"o": [16]}
WARP = {"x": [5]}
RIGHT = {"x": [8]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(5.0)
    for j in range(n):
        a += 1.0
    o[0] = a * x[0]
