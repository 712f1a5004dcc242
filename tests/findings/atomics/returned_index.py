"""An index that `atomic_add` returns.

The backward pass continues counting from where the launch ended: at other elements, and finally
beyond the array.

Barred: the value that an atomic returns must not reach an output, an index or a condition.
"""

import warp as wp

INPUTS = {"x": [2], "c": [0]}
OUTPUTS = {"o": [2, 0]}
WARP = {"x": [0]}
RIGHT = {"x": [1]}


@wp.kernel
def k(x: wp.array[float], c: wp.array[int], o: wp.array[float]):
    j = wp.atomic_add(c, 0, 1)
    o[j] = x[0] * float(j + 1)
