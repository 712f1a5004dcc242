"""A component of a struct's vector set.

The adjoint is that of a copy of the member (`emit_Assign` of `codegen.py`): the new value gets no
gradient, the old one all of it.

Barred: a component of a member must not be assigned or accumulated.
"""

import warp as wp

INPUTS = {"x": [2], "v": [3, 4]}
OUTPUTS = {"o": [2]}
WARP = {"x": [0], "v": [1, 0]}
RIGHT = {"x": [1], "v": [0, 0]}


@wp.struct
class S:
    a: wp.vec2


@wp.kernel
def k(x: wp.array[float], v: wp.array[wp.vec2], o: wp.array[float]):
    s = S()
    s.a = v[0]
    s.a[0] = x[0]
    o[0] = s.a[0]
