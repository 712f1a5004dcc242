"""The value that `atomic_add` returns.

The adjoint of `atomic_add` covers the summand, but not the returned value.

Barred: the value that an atomic returns must not reach an output, an index or a condition.
"""

import warp as wp

INPUTS = {"x": [2], "s": [3]}
OUTPUTS = {"s": [5], "o": [3]}
WARP = {"s": [1]}
RIGHT = {"s": [2]}


@wp.kernel
def k(x: wp.array[float], s: wp.array[float], o: wp.array[float]):
    a = wp.atomic_add(s, 0, x[0])
    o[0] = a
