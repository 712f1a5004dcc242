"""A sum that starts as an exponential.

`adj_exp` of `builtin.h` uses the result, which the backward pass of the loop has changed.

Barred: a variable that a dynamic loop changes must not start as an operation whose derivative label
is `result`.
"""

import warp as wp

INPUTS = {"x": [1], "n": [2]}
OUTPUTS = {"o": [8.718]}
WARP = {"x": [8.718]}
RIGHT = {"x": [2.718]}


@wp.kernel
def k(x: wp.array[float], n: int, o: wp.array[float]):
    a = wp.exp(x[0])
    for j in range(n):
        a += 3.0
    o[0] = a
