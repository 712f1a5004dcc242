"""The square of a loop's result, inside a function.

The call is run again as a whole, but the function's own adjoint skips its loop.

Barred: a function with a dynamic loop is barred, unless it only passes sums on
(`right_sum_in_a_function.py`).

Upstream: 1740, 1754.
"""

import warp as wp

INPUTS = {"x": [2, 3], "n": [2]}
OUTPUTS = {"o": [25]}
WARP = {"x": [0, 0]}
RIGHT = {"x": [10, 10]}


@wp.func
def square_of_sum(x: wp.array[float], n: int) -> float:
    a = float(0.0)
    for j in range(n):
        a += x[j]
    return a * a


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    o[0] = square_of_sum(x, n)
