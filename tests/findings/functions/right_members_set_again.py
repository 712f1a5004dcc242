"""Members set again and again."""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [10]}
RIGHT = {"x": [13]}


@wp.struct
class S:
    a: float


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    s = S()
    s.a = x[0]
    b = s.a * s.a
    s.a = s.a * b
    s.a += x[0]
    o[0] = s.a
