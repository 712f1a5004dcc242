"""An array that the kernel makes.

`wp.zeros` is run again, the store is not: `t[0]` is 0.

Barred: an element of a local array may only be passed on linearly.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [4]}
WARP = {"x": [0]}
RIGHT = {"x": [4]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    t = wp.zeros(shape=1, dtype=float)
    t[0] = x[0]
    o[0] = t[0] * t[0]
