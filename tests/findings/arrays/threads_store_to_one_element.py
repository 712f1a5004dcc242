"""Threads that store to one element.

`adj_array_store` of `array.h` sets the gradient to zero afterwards. The thread that goes backwards
first gets all of it, and on the CPU that is not the one whose value was kept.

Barred: every thread stores to elements of its own (legality).
"""

import warp as wp

INPUTS = {"x": [2, 3]}
OUTPUTS = {"o": [3]}
THREADS = 2
WARP = {"x": [1, 0]}
RIGHT = {"x": [0, 1]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    i = wp.tid()
    o[0] = x[i]
