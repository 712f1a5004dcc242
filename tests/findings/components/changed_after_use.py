"""A component changed after the whole was used.

`+=` is in place, and `adj_dot` reads the vector as changed.

Barred: no component of a vector may change (by `+=` either) after the vector was an operand of
anything but a sum, a copy, a store or `v[i]`.
"""

import warp as wp

INPUTS = {"v": [2, 3]}
OUTPUTS = {"o": [13]}
WARP = {"v": [6, 6]}
RIGHT = {"v": [4, 6]}


@wp.kernel
def k(v: wp.array[wp.vec2], o: wp.array[float]):
    a = v[0] * 1.0
    b = wp.dot(a, a)
    a[0] += 1.0
    o[0] = b
