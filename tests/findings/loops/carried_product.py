"""A product carried by a loop.

Each iteration multiplies the gradient by the value of `a` before the loop.

Barred: a dynamic loop must not read a variable that it carries and that a gradient runs through,
except by `a += …`, `a -= …`, `a = a + …`, or times factors that no loop changes.

Upstream: 1293 (its reproduction carries a rotation).
"""

import warp as wp

INPUTS = {"x": [2, 3, 4], "n": [3]}
OUTPUTS = {"o": [24]}
WARP = {"x": [288, 48, 4]}
RIGHT = {"x": [12, 8, 6]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = float(1.0)
    for j in range(n):
        a = a * x[j]
    o[0] = a
