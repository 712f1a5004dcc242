"""A struct changed after a function took it.

The adjoint of the call reads the struct as changed. (A member that the kernel reads itself is
copied first, and is right.)

Barred: after a struct was an operand of a call, none of its members may be assigned or accumulated
on a path, or anywhere in the same loop.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [4]}
WARP = {"x": [0]}
RIGHT = {"x": [4]}


@wp.struct
class S:
    a: float


@wp.func
def square(s: S) -> float:
    return s.a * s.a


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    s = S()
    s.a = x[0]
    b = square(s)
    s.a = 0.0
    o[0] = b
