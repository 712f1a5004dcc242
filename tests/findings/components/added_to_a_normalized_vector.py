"""A component added to after `normalize`.

`adj_normalize` of `vec.h` uses the result, which has changed by then.

Barred: a vector or matrix of which a component changes must not start as an operation whose
derivative label is `result` (normalize, inverse).
"""

import warp as wp

INPUTS = {"v": [3, 4]}
OUTPUTS = {"ov": [1.6, 0.8]}
WARP = {"v": [-0.568, -0.184]}
RIGHT = {"v": [0.032, -0.024]}


@wp.kernel
def k(v: wp.array[wp.vec2], ov: wp.array[wp.vec2]):
    a = wp.normalize(v[0])
    a[0] += 1.0
    ov[0] = a
