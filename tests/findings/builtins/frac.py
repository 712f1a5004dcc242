"""`frac`.

`adj_frac` of `builtin.h` is empty.

Barred: operand 0 of `frac` is underived (`x - wp.floor(x)` is right).
"""

import warp as wp

INPUTS = {"x": [2.25]}
OUTPUTS = {"o": [0.25]}
WARP = {"x": [0]}
RIGHT = {"x": [1]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    o[0] = wp.frac(x[0])
