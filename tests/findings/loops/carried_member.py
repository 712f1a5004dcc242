"""A struct's member carried by a loop.

A member is changed in place, like a variable.

Barred: assigning or accumulating a member or component changes the name at its root, which is
carried if it is declared outside the loop.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [25]}
WARP = {"x": [0, 0]}
RIGHT = {"x": [10, 10]}


@wp.struct
class S:
    a: float


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    s = S()
    for j in range(n):
        s.a += x[j]
    o[0] = s.a * s.a
