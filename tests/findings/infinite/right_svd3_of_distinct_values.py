"""`svd3` at distinct singular values."""

import warp as wp

INPUTS = {"m": [3, 1, 0, 0, 2, 0, 0, 0, 1]}
OUTPUTS = {"o": [0.1961]}
RIGHT = {"m": [-0.0377, 0.1886, 0, -0.1886, -0.0377, 0, 0, 0, 0]}


@wp.kernel
def k(m: wp.array[wp.mat33], o: wp.array[float]):
    u, s, v = wp.svd3(m[0])
    r = u * wp.transpose(v)
    o[0] = r[0, 1]
