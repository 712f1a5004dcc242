"""An element read, then overwritten.

`x` gets the new value of `s`.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [0], "o": [6]}
WARP = {"x": [0]}
RIGHT = {"x": [3]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float], o: wp.array[float]):
    o[0] = x[0] * s[0]
    s[0] = 0.0
