"""A value that an atomic maximum replaces.

`adj_atomic_minmax` of `builtin.h` leaves the gradient with the element that lost.

Barred: an atomic minimum or maximum must not start from an input (an inout array).
"""

import warp as wp

INPUTS = {"x": [5], "s": [3]}
OUTPUTS = {"s": [5]}
WARP = {"s": [1]}
RIGHT = {"s": [0]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float]):
    wp.atomic_max(s, 0, x[0])
