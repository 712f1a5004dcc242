"""A copy of a struct.

Warp copies the struct; Python would share it.
"""

import warp as wp

INPUTS = {"x": [2], "y": [3]}
OUTPUTS = {"o": [6]}
RIGHT = {"x": [3], "y": [2]}


@wp.struct
class S:
    a: float


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], o: wp.array[float]):
    s = S()
    s.a = x[0]
    t = s
    t.a = y[0]
    o[0] = s.a * t.a
