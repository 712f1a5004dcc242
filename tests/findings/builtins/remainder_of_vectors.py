"""A remainder of vectors.

`adj_mod` of `vec.h` is empty.

Barred: both operands of `mod` of vectors are underived.
"""

import warp as wp

INPUTS = {"v": [7, 8]}
OUTPUTS = {"ov": [1, 3]}
WARP = {"v": [0, 0]}
RIGHT = {"v": [1, 1]}


@wp.kernel
def k(v: wp.array[wp.vec2], ov: wp.array[wp.vec2]):
    ov[0] = wp.mod(v[0], wp.vec2(3.0, 5.0))
