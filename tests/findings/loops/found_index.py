"""An index found by a loop.

`c` has its initial value, 0, so the gradient goes to another element.

Barred: an index of an array with a gradient must not need a name that a dynamic loop changes.
"""

import warp as wp

INPUTS = {"x": [2, 5, 3], "n": [3]}
OUTPUTS = {"o": [5]}
WARP = {"x": [1, 0, 0]}
RIGHT = {"x": [0, 1, 0]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    c = int(0)
    for j in range(n):
        if x[j] > x[c]:
            c = j
    o[0] = x[c]
