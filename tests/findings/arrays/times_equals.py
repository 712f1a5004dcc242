"""An element by `*=`.

`x` gets the product, not the factor.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [6]}
WARP = {"x": [6]}
RIGHT = {"x": [3]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float]):
    s[0] *= x[0]
