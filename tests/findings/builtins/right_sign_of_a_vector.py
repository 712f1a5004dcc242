"""The sign of a vector.

Upstream: 1466, which is fixed.
"""

import warp as wp

INPUTS = {"v": [2, 3]}
OUTPUTS = {"ov": [2, 3]}
RIGHT = {"v": [1, 1]}


@wp.kernel
def k(v: wp.array[wp.vec2], ov: wp.array[wp.vec2]):
    ov[0] = wp.cw_mul(wp.sign(v[0]), v[0])
