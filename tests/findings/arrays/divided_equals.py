"""An element by `/=`.

The derivative is taken at the quotient, not at the dividend.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [1.5]}
WARP = {"x": [-0.375]}
RIGHT = {"x": [-0.75]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float]):
    s[0] /= x[0]
