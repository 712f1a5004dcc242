"""A random number that a loop draws as a factor.

On the way back the state starts from its value before the loop, so the last iteration gets the number
that the first one drew.

Barred: an operation that draws changes the state, so a dynamic loop carries it like a variable.
"""

import warp as wp

INPUTS = {"x": [1, 1, 1], "n": [3]}
OUTPUTS = {"o": [2.123]}
WARP = {"x": [0.9997, 0.4516, 0.672]}
RIGHT = {"x": [0.672, 0.4516, 0.9997]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    state = wp.rand_init(7, 0)
    total = float(0.0)
    for j in range(n):
        total += float(wp.randf(state)) * x[j]
    o[0] = total
