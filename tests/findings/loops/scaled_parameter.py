"""A parameter scaled by a loop of its function.

The adjoint of the function takes the caller's gradient of `u` by reference (`codegen_func` of
`codegen.py`) and scales all of it.

Barred: a function must not assign to its parameters inside a dynamic loop.
"""

import warp as wp

INPUTS = {"x": [2], "n": [3]}
OUTPUTS = {"o": [18]}
WARP = {"x": [16]}
RIGHT = {"x": [9]}


@wp.func
def doubled(a: float, n: int) -> float:
    for j in range(n):
        a = a * 2.0
    return a


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    u = x[0] * 1.0
    b = doubled(u, n)
    o[0] = u + b
