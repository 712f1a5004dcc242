"""Components set once, and added to."""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"ov": [4, 4]}
RIGHT = {"x": [6]}


@wp.kernel
def k(x: wp.array[float], ov: wp.array[wp.vec2]):
    a = wp.vec2()
    a[0] = x[0] * x[0]
    a[1] += x[0]
    a[1] += x[0]
    ov[0] = a
