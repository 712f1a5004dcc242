"""Geometry, and operations that read meshes, trees, grids and volumes that the host has made.

A handle is the number of a mesh, a tree, a grid or a volume. The meaning of a row that takes one is what
Warp's native code computes. The domain of a handle is unknown yet, so no program with one is legal.

These operations have no row: queries whose results are records or iterators of Warp's own
(`mesh_query_point`, `bvh_query_aabb`), and operations that store voxels.
"""

from __future__ import annotations

import math

import numpy as np

from ... import domains, ir
from ...domains import Interval
from ...types import FLOAT, INT, SCALARS, Scalar, Value
from ..bounds import Bound, Of, fixed, not_negative_last
from ..meanings import native
from ..row import row


def unknown(type: Scalar) -> Bound:
    """Bounds a result by nothing but the limits of its type."""
    limits = SCALARS[type.scalar].limits
    return fixed(limits.lo, limits.hi)


# A corner this near to a triangle's plane lies in it. The distance is a dot product with the plane's normal,
# whose length is not 1.
TOUCH = 1e-6


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    product: np.ndarray = (a * b).sum(-1)
    return product


def _fraction(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a / np.where(b != 0, b, 1.0)


def closest_of_segments(
    type: Value, p1: np.ndarray, q1: np.ndarray, p2: np.ndarray, q2: np.ndarray, epsilon: np.ndarray
) -> np.ndarray:
    """Returns where two segments are nearest, as a fraction of each, and their distance there. The formulas
    and their letters are those of Ericson (Real-Time Collision Detection, 2005, 5.1.9). A segment whose
    squared length is at most `epsilon` is a point. If the segments are parallel, the point on the first is
    its start."""
    d1, d2, r = q1 - p1, q2 - p2, p1 - p2
    a, e, b, c, f = _dot(d1, d1), _dot(d2, d2), _dot(d1, d2), _dot(d1, r), _dot(d2, r)
    point1, point2 = a <= epsilon, e <= epsilon
    across = a * e - b * b
    s = np.where(across > 0, np.clip(_fraction(b * f - c * e, across), 0.0, 1.0), 0.0)
    t = _fraction(b * s + f, e)
    ends = [np.clip(_fraction(-c, a), 0.0, 1.0), np.clip(_fraction(b - c, a), 0.0, 1.0)]
    s, t = np.where(t < 0, ends[0], np.where(t > 1, ends[1], s)), np.clip(t, 0.0, 1.0)
    s, t = np.where(point2, ends[0], s), np.where(point2, 0.0, t)
    t = np.where(point1, np.where(point2, 0.0, np.clip(_fraction(f, e), 0.0, 1.0)), t)
    s = np.where(point1, 0.0, s)
    between = p2 + t[..., None] * d2 - p1 - s[..., None] * d1
    return np.stack(np.broadcast_arrays(s, t, np.sqrt(_dot(between, between))), -1)


def triangles_meet(type: Value, *corners: np.ndarray) -> np.ndarray:
    """Returns 1 where two triangles, given by three corners each, have a point in common, and 0 elsewhere.
    They have one if no axis separates them. The axes to try are the two normals, the cross products of an
    edge of each, and, for triangles in one plane, the directions in that plane at right angles to an edge."""
    first, second = np.broadcast_arrays(*corners)[:3], np.broadcast_arrays(*corners)[3:]
    edges = [[t[(k + 1) % 3] - t[k] for k in range(3)] for t in (first, second)]
    normals = [np.cross(one, two) for one, two, _ in edges]
    axes = [*normals, *(np.cross(a, b) for a in edges[0] for b in edges[1])]
    axes += [np.cross(normal, edge) for normal, sides in zip(normals, edges, strict=True) for edge in sides]
    apart = np.zeros(first[0].shape[:-1], bool)
    for axis in axes:
        one, two = (np.stack([_dot(axis, corner) for corner in t], -1) for t in (first, second))
        slack = TOUCH if axis is axes[0] or axis is axes[1] else 0.0
        apart |= (one.max(-1) < two.min(-1) - slack) | (two.max(-1) < one.min(-1) - slack)
    return np.where(apart, 0, 1)


def gap(of: Of, *operands: ir.Expr) -> Interval:
    """Bounds two fractions and a distance between points of two segments."""
    held = domains.joined(of(operand) for operand in operands[:-1])
    return Interval(0.0, max(1.0, math.sqrt(3.0) * held.width))


# fmt: off
ROWS = (
    row("closest_point_edge_edge(vec3<float32>*4, float32) -> vec3<float32>", "geometry", gap,
        closest_of_segments, requires=not_negative_last, derivative="operands", rounds="products"),
    row("intersect_tri_tri(vec3<F>*6) -> int32 for F in float32, float64", "geometry", fixed(0, 1),
        triangles_meet, derivative="flat"),
    row("mesh_eval_position(mesh, int32, float32, float32) -> vec3<float32>", "mesh", unknown(FLOAT), native,
        derivative="operands", rounds="result"),
    row("mesh_eval_velocity(mesh, int32, float32, float32) -> vec3<float32>", "mesh", unknown(FLOAT), native,
        derivative="operands", rounds="result"),
    row("mesh_eval_face_normal(mesh, int32) -> vec3<float32>", "mesh", fixed(-1.0, 1.0), native,
        derivative="flat", rounds="result"),
    row("mesh_get_point(mesh, int32) -> vec3<float32>", "mesh", unknown(FLOAT), native, derivative="flat"),
    row("mesh_get_velocity(mesh, int32) -> vec3<float32>", "mesh", unknown(FLOAT), native, derivative="flat"),
    row("mesh_get_index(mesh, int32) -> int32", "mesh", unknown(INT), native, derivative="flat"),
    row("mesh_get_bvh(mesh) -> bvh", "mesh", fixed(0, 0), native, derivative="flat"),
    row("mesh_get_group_root(mesh, int32) -> int32", "mesh", unknown(INT), native, derivative="flat"),
    row("mesh_query_ray_anyhit(mesh, vec3<float32>, vec3<float32>, float32, int32) -> bool", "mesh",
        fixed(0, 1), native, derivative="flat"),
    row("mesh_query_ray_count_intersections(mesh, vec3<float32>, vec3<float32>, int32) -> int32", "mesh",
        unknown(INT), native, derivative="flat"),
    row("bvh_get_group_root(bvh, int32) -> int32", "mesh", unknown(INT), native, derivative="flat"),
    row("hash_grid_point_id(hash_grid, int32) -> int32", "mesh", unknown(INT), native, derivative="flat"),
    row("volume_sample_f(volume, vec3<float32>, int32) -> float32", "volume", unknown(FLOAT), native,
        derivative="operands", rounds="result"),
    row("volume_sample_v(volume, vec3<float32>, int32) -> vec3<float32>", "volume", unknown(FLOAT), native,
        derivative="operands", rounds="result"),
    row("volume_sample_i(volume, vec3<float32>) -> int32", "volume", unknown(INT), native, derivative="flat"),
    row("volume_lookup_f(volume, int32*3) -> float32", "volume", unknown(FLOAT), native, derivative="flat"),
    row("volume_lookup_v(volume, int32*3) -> vec3<float32>", "volume", unknown(FLOAT), native,
        derivative="flat"),
    row("volume_lookup_i(volume, int32*3) -> int32", "volume", unknown(INT), native, derivative="flat"),
    row("volume_lookup_index(volume, int32*3) -> int32", "volume", unknown(INT), native, derivative="flat"),
    row("volume_voxel_count(volume) -> int32", "volume", unknown(INT), native, derivative="flat"),
    row("volume_index_to_world(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", rounds="products"),
    row("volume_world_to_index(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", rounds="products"),
    row("volume_index_to_world_dir(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", rounds="products"),
    row("volume_world_to_index_dir(volume, vec3<F>) -> vec3<F> for F in float32, float64", "volume",
        unknown(FLOAT), native, derivative="linear", rounds="products"),
)
# fmt: on
