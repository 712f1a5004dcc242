"""`atomic_cas`.

`adj_atomic_cas` of `builtin.h` is not implemented.

Barred: `atomic_exch` and `atomic_cas` must not touch an array with a gradient.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [2]}
WARP = {"x": [0]}
RIGHT = {"x": [1]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float]):
    wp.atomic_cas(s, 0, 3.0, x[0])
