"""Geometry that needs no structure of its own: segments and triangles."""

from __future__ import annotations

from .. import proximity
from ..bounds import fixed, not_negative_last
from ..row import row

# fmt: off
ROWS = (
    row("closest_point_edge_edge(vec3<float32>*4, float32) -> vec3<float32>", "proximity", proximity.gap,
        proximity.closest_of_segments, requires=not_negative_last, derivative="operands",
        words="where the segments from {0} to {1} and from {2} to {3} are nearest"),
    row("intersect_tri_tri(vec3<F>*6) -> int32 for F in float32, float64", "proximity", fixed(0, 1),
        proximity.triangles_meet, derivative="flat", words="whether the triangles ({}) meet"),
)
# fmt: on
