"""A ternary of which the other side would divide by zero.

Upstream: 1736, which is fixed.
"""

import warp as wp

INPUTS = {"x": [2], "y": [0], "n": [0]}
OUTPUTS = {"o": [2]}
RIGHT = {"x": [1], "y": [0]}


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], n: int, o: wp.array[float]):
    a = x[0] / y[0] if n == 1 else x[0]
    o[0] = a
