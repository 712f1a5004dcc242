"""A function adds to a component of its parameter.

The gradient that the caller's vector has after the call also goes to `b`.

Barred: a function must not assign to members or components of its parameters.
"""

import warp as wp

INPUTS = {"x": [2], "y": [3]}
OUTPUTS = {"o": [7]}
WARP = {"y": [2]}
RIGHT = {"y": [1]}


@wp.func
def moved(a: wp.vec2, b: float) -> float:
    a[0] += b
    return a[0]


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], o: wp.array[float]):
    a = wp.vec2(x[0], 1.0)
    b = moved(a, y[0])
    o[0] = a[0] + b
