"""A function that changes the array it reads.

The call is run again, and changes the array once more.

Barred: an array that is read (in an operand, a condition, an index, a call, or by `*=` and `/=`),
of integers too, must not be stored to by the kernel or its functions; `+=` and `-=` are right.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [4], "o": [8]}
WARP = {"x": [5]}
RIGHT = {"x": [4]}


@wp.func
def next(s: wp.array[float]) -> float:
    s[0] = s[0] + 1.0
    return s[0]


@wp.kernel
def k(x: wp.array[float], s: wp.array[float], o: wp.array[float]):
    a = next(s)
    o[0] = a * x[0]
