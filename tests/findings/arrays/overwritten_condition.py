"""A condition on an element that is overwritten.

The backward pass does not take the branch.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [-2]}
WARP = {"x": [0], "s": [1]}
RIGHT = {"x": [-1], "s": [0]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float]):
    if s[0] > 0.0:
        s[0] = -x[0]
