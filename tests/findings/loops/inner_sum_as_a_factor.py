"""The sum of an inner loop as a factor.

The inner loop is not run again within an iteration of the outer one.

Barred: no derivative within a loop may need a name that an inner dynamic loop changes.

Upstream: 1293.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [25]}
WARP = {"x": [5, 5]}
RIGHT = {"x": [10, 10]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(0.0)
    for j in range(n):
        b = float(0.0)
        for i in range(n):
            b += x[i]
        a += b * x[j]
    o[0] = a
