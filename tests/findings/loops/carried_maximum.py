"""A maximum carried by a loop.

Each iteration compares with the value of `a` before the loop; `wp.max(a, x[j])` does the same.

Barred: a dynamic loop must not use a carried name in a condition, nor in `min` and `max`.

Upstream: 1552.
"""

import warp as wp

INPUTS = {"x": [2, 5, 3], "n": [3]}
OUTPUTS = {"o": [5]}
WARP = {"x": [0, 0, 1]}
RIGHT = {"x": [0, 1, 0]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        if x[j] > a:
            a = x[j]
    o[0] = a
