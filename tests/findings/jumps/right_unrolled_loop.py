"""A `continue` and a maximum in a loop that is unrolled.

Upstream: a part of 1552 that is fixed: such loops are unrolled.
"""

import warp as wp

INPUTS = {"x": [2, 5, 3]}
OUTPUTS = {"o": [25]}
RIGHT = {"x": [0, 10, 0]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    a = float(0.0)
    for j in range(3):
        if x[j] < a:
            continue
        a = x[j] * x[j]
    o[0] = a
