"""A component as a sum with itself.

Every step counts the later ones again: powers of two.

Barred: a component may be assigned only where the vector has started as zeros or constants in the
same body, outside any dynamic loop around the assignment, and no path has assigned or accumulated
that component before.

Upstream: 1697.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"ov": [4, 0]}
WARP = {"x": [3]}
RIGHT = {"x": [2]}


@wp.kernel
def k(x: wp.array[float], ov: wp.array[wp.vec2]):
    a = wp.vec2()
    a[0] = a[0] + x[0]
    a[0] = a[0] + x[0]
    ov[0] = a
