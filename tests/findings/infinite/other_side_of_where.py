"""The side that `where` does not take.

`wp.where` evaluates both sides, and the adjoint of the logarithm is 0 / 0. (A branch and `a if c
else b` are right.)

Barred: both sides of `where` are legal for every input (legality).
"""

from math import nan

import warp as wp

INPUTS = {"x": [0]}
OUTPUTS = {"o": [0]}
WARP = {"x": [nan]}
RIGHT = {"x": [1]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    o[0] = wp.where(x[0] < 1.0, x[0], wp.log(x[0]))
