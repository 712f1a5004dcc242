"""A component of an input overwritten.

The old component keeps its gradient.

Barred: a component may be assigned only where the vector has started as zeros or constants in the
same body, outside any dynamic loop around the assignment, and no path has assigned or accumulated
that component before.

Upstream: 1697.
"""

import warp as wp

INPUTS = {"v": [2, 3]}
OUTPUTS = {"ov": [7, 3]}
WARP = {"v": [1, 1]}
RIGHT = {"v": [0, 1]}


@wp.kernel
def k(v: wp.array[wp.vec2], ov: wp.array[wp.vec2]):
    a = v[0] * 1.0
    a[0] = 7.0
    ov[0] = a
