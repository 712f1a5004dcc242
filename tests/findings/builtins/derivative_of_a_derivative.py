"""A derivative of `wp.grad`.

`add_grad_call` of `codegen.py` records no adjoint.

Barred: `wp.grad` in a kernel is underived.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [12]}
WARP = {"x": [0]}
RIGHT = {"x": [12]}


@wp.func
def cube(a: float) -> float:
    return a * a * a


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    o[0] = wp.grad(cube)(x[0])
