"""Geometry, and what kernels ask of meshes, trees, grids and volumes that the host has made.

These rows mean what their native code computes. Of what a handle stands for nothing is known, so that no
program with one is legal yet. No row: queries, whose results are records and iterators of Warp's own, and
what stores voxels.
"""

from __future__ import annotations

from ... import domains
from ...domains import Interval
from ...types import FLOAT, INT, SCALARS, Scalar
from ..bounds import Bound, fixed, on
from ..meanings import native
from ..row import row


def unknown(type: Scalar) -> Bound:
    """Anything that a program may keep in a type."""
    limits = SCALARS[type.scalar].limits
    return fixed(limits.lo, limits.hi)


def _apart(p: Interval, q: Interval, r: Interval, s: Interval, epsilon: Interval) -> Interval:
    """Shares of two edges, and a distance within the box of all points."""
    return Interval(0.0, max(1.0, 3**0.5 * domains.joined((p, q, r, s)).width))


# fmt: off
ROWS = (
    row("closest_point_edge_edge(vec3<float32>*4, float32) -> vec3<float32>", "geometry", on(_apart), native,
        derivative="operands", underived=(4,),
        words="where the edges from {0} to {1} and from {2} to {3} come closest"),
    row("intersect_tri_tri(vec3<F>*6) -> int32 for F in float32, float64", "geometry", fixed(0, 1), native,
        derivative="flat", words="whether the triangles ({0}, {1}, {2}) and ({3}, {4}, {5}) intersect"),
    row("mesh_eval_position(mesh, int32, float32, float32) -> vec3<float32>", "mesh", unknown(FLOAT),
        native, derivative="operands", words="the point ({2}, {3}) of face {1} of the mesh {0}"),
    row("mesh_eval_velocity(mesh, int32, float32, float32) -> vec3<float32>", "mesh", unknown(FLOAT),
        native, derivative="operands", words="the velocity at ({2}, {3}) of face {1} of the mesh {0}"),
    row("mesh_eval_face_normal(mesh, int32) -> vec3<float32>", "mesh", fixed(-1.0, 1.0), native,
        derivative="flat", words="the normal of face {1} of the mesh {0}"),
    row("mesh_get_point(mesh, int32) -> vec3<float32>", "mesh", unknown(FLOAT), native,
        derivative="flat", words="corner {1} of the mesh {0}"),
    row("mesh_get_velocity(mesh, int32) -> vec3<float32>", "mesh", unknown(FLOAT), native,
        derivative="flat", words="the velocity of corner {1} of the mesh {0}"),
    row("mesh_get_index(mesh, int32) -> int32", "mesh", unknown(INT), native, derivative="flat",
        words="index {1} of the mesh {0}"),
    row("mesh_get_bvh(mesh) -> bvh", "mesh", fixed(0, 0), native, derivative="flat",
        words="the tree of the mesh {0}"),
    row("mesh_get_group_root(mesh, int32) -> int32", "mesh", unknown(INT), native, derivative="flat",
        words="the root of group {1} of the mesh {0}"),
    row("mesh_query_ray_anyhit(mesh, vec3<float32>, vec3<float32>, float32, int32) -> bool", "mesh",
        fixed(0, 1), native, derivative="flat", words="whether a ray from {1} along {2} hits the mesh {0}"),
    row("mesh_query_ray_count_intersections(mesh, vec3<float32>, vec3<float32>, int32) -> int32", "mesh",
        unknown(INT), native, derivative="flat",
        words="how often a ray from {1} along {2} hits the mesh {0}"),
    row("bvh_get_group_root(bvh, int32) -> int32", "mesh", unknown(INT), native, derivative="flat",
        words="the root of group {1} of the tree {0}"),
    row("hash_grid_point_id(hash_grid, int32) -> int32", "mesh", unknown(INT), native,
        derivative="flat", words="the number of point {1} of the grid {0}"),
    row("volume_sample_f(volume, vec3<float32>, int32) -> float32", "volume", unknown(FLOAT), native,
        derivative="operands", words="the volume {0} at {1}"),
    row("volume_sample_v(volume, vec3<float32>, int32) -> vec3<float32>", "volume", unknown(FLOAT), native,
        derivative="operands", words="the volume {0} at {1}"),
    row("volume_sample_i(volume, vec3<float32>) -> int32", "volume", unknown(INT), native,
        derivative="flat", words="the volume {0} at {1}"),
    row("volume_lookup_f(volume, int32*3) -> float32", "volume", unknown(FLOAT), native,
        derivative="flat", words="voxel ({1}, {2}, {3}) of the volume {0}"),
    row("volume_lookup_v(volume, int32*3) -> vec3<float32>", "volume", unknown(FLOAT), native,
        derivative="flat", words="voxel ({1}, {2}, {3}) of the volume {0}"),
    row("volume_lookup_i(volume, int32*3) -> int32", "volume", unknown(INT), native,
        derivative="flat", words="voxel ({1}, {2}, {3}) of the volume {0}"),
    row("volume_lookup_index(volume, int32*3) -> int32", "volume", unknown(INT), native,
        derivative="flat", words="the number of voxel ({1}, {2}, {3}) of the volume {0}"),
    row("volume_voxel_count(volume) -> int32", "volume", unknown(INT), native, derivative="flat",
        words="the number of voxels of the volume {0}"),
    row("volume_index_to_world(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", words="{1} of the volume {0}, in the world"),
    row("volume_world_to_index(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", words="{1} in the volume {0}"),
    row("volume_index_to_world_dir(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear",
        words="the direction {1} of the volume {0}, in the world"),
    row("volume_world_to_index_dir(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", words="the direction {1} in the volume {0}"),
)
# fmt: on
