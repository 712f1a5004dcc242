"""The counter of a `while` loop as a factor.

`c` has its initial value, 0.

Barred: no derivative, condition, index or call may need a name that a dynamic loop changes, or that
is computed from one.
"""

import warp as wp

INPUTS = {"x": [2], "n": [3]}
OUTPUTS = {"o": [6]}
WARP = {"x": [0]}
RIGHT = {"x": [3]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    c = int(0)
    while c < n:
        c += 1
    o[0] = x[0] * float(c)
