"""A square stored onto its operand.

The derivative is taken at the square, 9, not at 3.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"s": [3]}
OUTPUTS = {"s": [9]}
WARP = {"s": [18]}
RIGHT = {"s": [6]}


@wp.kernel
def k(s: wp.array[float]):
    s[0] = s[0] * s[0]
