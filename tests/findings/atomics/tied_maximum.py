"""A tie for an atomic maximum.

Every thread that has the maximum gets the whole gradient; differences give each half of it.

Barred: inputs have no ties (the proof refuses kinks).
"""

import warp as wp

INPUTS = {"x": [5, 5]}
OUTPUTS = {"o": [5]}
THREADS = 2
WARP = {"x": [1, 1]}
RIGHT = {"x": [0.5, 0.5]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    i = wp.tid()
    wp.atomic_max(o, 0, x[i])
