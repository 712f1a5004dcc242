"""A vector's component carried by a loop.

A component is changed in place, like a variable.

Barred: assigning or accumulating a member or component changes the name at its root, which is
carried if it is declared outside the loop.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [25]}
WARP = {"x": [0, 0]}
RIGHT = {"x": [10, 10]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = wp.vec2()
    for j in range(n):
        a[0] += x[j]
    o[0] = a[0] * a[0]
