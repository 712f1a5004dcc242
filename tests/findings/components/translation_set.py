"""The translation of a transform set.

`adj_transform_set_translation` of `spatial.h` leaves the old gradient.

Barred: `transform_set_*` count as an assigned component.
"""

import warp as wp

INPUTS = {"v": [2, 3, 4], "t": [1, 2, 3, 0, 0, 0, 1]}
OUTPUTS = {"ot": [2, 3, 4, 0, 0, 0, 1]}
WARP = {"t": [1, 1, 1, 1, 1, 1, 1]}
RIGHT = {"t": [0, 0, 0, 1, 1, 1, 1]}


@wp.kernel
def k(v: wp.array[wp.vec3], t: wp.array[wp.transform], ot: wp.array[wp.transform]):
    a = t[0]
    wp.transform_set_translation(a, v[0])
    ot[0] = a
