"""`eig3` at equal eigenvalues.

`adj_eig3` of `svd.h` divides by their difference.

Barred: by the finite differences of the row; no rule can decide it from intervals.
"""

from math import nan

import warp as wp

INPUTS = {"m": [1, 0, 0, 0, 1, 0, 0, 0, 2]}
OUTPUTS = {"om": [1, 0, 0, 0, 1, 0, 0, 0, 4]}
WARP = {"m": [nan, nan, nan, nan, nan, nan, nan, nan, nan]}
RIGHT = {"m": [2, 2, 3, 2, 2, 3, 3, 3, 4]}


@wp.kernel
def k(m: wp.array[wp.mat33], om: wp.array[wp.mat33]):
    q, d = wp.eig3(0.5 * (m[0] + wp.transpose(m[0])))
    om[0] = q * wp.diag(wp.cw_mul(d, d)) * wp.transpose(q)
