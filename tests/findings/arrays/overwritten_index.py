"""An index that is overwritten.

The gradient goes to another element.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"x": [2, 3], "c": [1]}
OUTPUTS = {"o": [3]}
WARP = {"x": [1, 0]}
RIGHT = {"x": [0, 1]}


@wp.kernel
def k(x: wp.array[float], c: wp.array[int], o: wp.array[float]):
    j = c[0]
    c[0] = 0
    o[0] = x[j]
