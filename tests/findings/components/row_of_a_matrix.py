"""A row of a matrix overwritten.

The old row keeps its gradient; `mat.h` does as `vec.h`.

Barred: a component may be assigned only where the vector has started as zeros or constants in the
same body, outside any dynamic loop around the assignment, and no path has assigned or accumulated
that component before.
"""

import warp as wp

INPUTS = {"v": [2, 3], "m": [1, 2, 3, 4]}
OUTPUTS = {"om": [1, 2, 2, 3]}
WARP = {"m": [1, 1, 1, 1]}
RIGHT = {"m": [1, 1, 0, 0]}


@wp.kernel
def k(v: wp.array[wp.vec2], m: wp.array[wp.mat22], om: wp.array[wp.mat22]):
    a = m[0] * 1.0
    a[1] = v[0]
    om[0] = a
