"""The divisor of `%`.

`adj_mod` of `builtin.h` has only the first half.

Barred: operand 1 of `mod` is underived.
"""

import warp as wp

INPUTS = {"x": [7], "y": [3]}
OUTPUTS = {"o": [1]}
WARP = {"y": [0]}
RIGHT = {"y": [-2]}


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], o: wp.array[float]):
    o[0] = x[0] % y[0]
