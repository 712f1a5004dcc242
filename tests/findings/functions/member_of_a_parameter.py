"""A function sets a member of its parameter.

The function's adjoint sets the caller's gradient to zero, including that of `s.a` after the call.

Barred: a function must not assign to members or components of its parameters.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [2]}
WARP = {"x": [0]}
RIGHT = {"x": [1]}


@wp.struct
class S:
    a: float


@wp.func
def cleared(s: S) -> float:
    s.a = 0.0
    return s.a


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    s = S()
    s.a = x[0]
    b = cleared(s)
    o[0] = s.a + b
