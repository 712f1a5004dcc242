"""A function that stores."""

import warp as wp

INPUTS = {"x": [2]}
OUTPUTS = {"o": [4]}
RIGHT = {"x": [4]}


@wp.func
def put(o: wp.array[float], a: float):
    o[0] = a * a


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    put(o, x[0])
