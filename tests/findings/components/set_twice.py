"""A component set twice.

The first value keeps a gradient that it should not have.

Barred: a component may be assigned only where the vector has started as zeros or constants in the
same body, outside any dynamic loop around the assignment, and no path has assigned or accumulated
that component before.

Upstream: 1697.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"ov": [2, 0]}
WARP = {"x": [5]}
RIGHT = {"x": [1]}


@wp.kernel
def k(x: wp.array[float], ov: wp.array[wp.vec2]):
    a = wp.vec2()
    a[0] = x[0] * x[0]
    a[0] = x[0]
    ov[0] = a
