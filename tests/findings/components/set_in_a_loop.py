"""A component set in every iteration.

Each iteration passes the gradient of `v[0]` on to the one before it.

Barred: a component may be assigned only where the vector has started as zeros or constants in the
same body, outside any dynamic loop around the assignment, and no path has assigned or accumulated
that component before.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [5]}
WARP = {"x": [2, 1]}
RIGHT = {"x": [1, 1]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    v = wp.vec2()
    a = float(0.0)
    for j in range(n):
        v[0] = x[j]
        a += v[0]
    o[0] = a
