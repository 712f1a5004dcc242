"""A function with several results, one unused."""

import warp as wp

INPUTS = {"x": [2], "y": [3]}
OUTPUTS = {"o": [36]}
RIGHT = {"x": [36], "y": [24]}


@wp.func
def both(a: float, b: float):
    if a > b:
        return a, b
    return b, a * b


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], o: wp.array[float]):
    a, b = both(x[0], y[0])
    o[0] = b * b
