"""A kernel sets a member of its argument.

`get_adjoint` of `tape.py` starts the gradients of numbers in a struct from their values. (Through
this project's own launch, which starts them at zero, the kernel is right.)

Barred: a kernel must not assign to members of its arguments; a copy is right.
"""

import warp as wp

INPUTS = {"p.a": [5], "x": [2]}
OUTPUTS = {"o": [2]}
WARP = {"x": [6]}
RIGHT = {"x": [1]}


@wp.struct
class S:
    a: float


@wp.kernel
def k(p: S, x: wp.array[float], o: wp.array[float]):
    p.a = x[0]
    o[0] = p.a
