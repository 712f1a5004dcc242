"""`quat_slerp` of equal quaternions.

`adj_quat_slerp` of `quat.h` has a special case for the zero rotation.

Barred: by no rule: drawn inputs are never such points.
"""

import warp as wp

INPUTS = {"q": [0, 0, 0, 1]}
OUTPUTS = {"oq": [0, 0, 0, 1]}
WARP = {"q": [1, 1, 1, 1]}
RIGHT = {"q": [0.5, 0.5, 0.5, 1]}


@wp.kernel
def k(q: wp.array[wp.quat], oq: wp.array[wp.quat]):
    oq[0] = wp.quat_slerp(q[0], wp.quat(0.0, 0.0, 0.0, 1.0), 0.5)
