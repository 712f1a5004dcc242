"""Members and components of array elements."""

import warp as wp

INPUTS = {"x": [2], "sv": [3, 4]}
OUTPUTS = {"sv": [2, 6], "os": [4]}
RIGHT = {"x": [6], "sv": [0, 1]}


@wp.struct
class S:
    a: float


@wp.kernel
def k(x: wp.array[float], sv: wp.array[wp.vec2], os: wp.array(dtype=S)):
    os[0].a = x[0] * x[0]
    sv[0][1] += x[0]
    sv[0].x = x[0]
