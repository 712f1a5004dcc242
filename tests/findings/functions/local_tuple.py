"""A local tuple.

The hidden built-in `tuple` is registered with `is_differentiable=False` in `builtins.py`. The same
holds for results of a call that stay together (`t = f(x)`, then `t[0]`).

Barred: a tuple is unpacked where it is made, or holds no gradient.
"""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [6]}
WARP = {"x": [0]}
RIGHT = {"x": [3]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    t = (x[0], 3.0)
    o[0] = t[0] * t[1]
