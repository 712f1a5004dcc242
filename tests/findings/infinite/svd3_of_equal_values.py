"""`svd3` at equal singular values.

`adj_svd3` of `svd.h` divides by differences of squares, kept from zero by an epsilon; `svd2` does
the same.

Barred: by the finite differences of the row; no rule can decide it from intervals.
"""

import warp as wp

INPUTS = {"m": [2, 0, 0, 0, 2, 0, 0, 0, 1]}
OUTPUTS = {"o": [0]}
WARP = {"m": [0, 0, 0, 0, 0, 0, 0, 0, 0]}
RIGHT = {"m": [0, 0.25, 0, -0.25, 0, 0, 0, 0, 0]}


@wp.kernel
def k(m: wp.array[wp.mat33], o: wp.array[float]):
    u, s, v = wp.svd3(m[0])
    r = u * wp.transpose(v)
    o[0] = r[0, 1]
