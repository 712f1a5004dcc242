"""`quat_to_axis_angle` at the identity.

`adj_quat_to_axis_angle` of `quat.h` has a special case for the zero rotation.

Barred: by no rule: drawn inputs are never such points.
"""

import warp as wp

INPUTS = {"q": [0, 0, 0, 1]}
OUTPUTS = {"ov": [0, 0, 0]}
WARP = {"q": [0, 0, 0, 0]}
RIGHT = {"q": [2, 2, 2, 0]}


@wp.kernel
def k(q: wp.array[wp.quat], ov: wp.array[wp.vec3]):
    a, t = wp.quat_to_axis_angle(q[0])
    ov[0] = a * t
