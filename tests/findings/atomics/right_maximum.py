"""An atomic maximum without ties."""

import warp as wp

INPUTS = {"x": [2, 5]}
OUTPUTS = {"o": [5]}
THREADS = 2
RIGHT = {"x": [0, 1]}


@wp.kernel
def k(x: wp.array[float], o: wp.array[float]):
    i = wp.tid()
    wp.atomic_max(o, 0, x[i])
