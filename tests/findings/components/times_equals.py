"""A component by `*=`.

Warp turns it into `a[0] = a[0] * x[0]`.

Barred: a component may be accumulated by `+=` and `-=` alone.

Upstream: 1697.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"ov": [4, 1]}
WARP = {"x": [5]}
RIGHT = {"x": [4]}


@wp.kernel
def k(x: wp.array[float], ov: wp.array[wp.vec2]):
    a = wp.vec2(1.0, 1.0)
    a[0] *= x[0]
    a[0] *= x[0]
    ov[0] = a
