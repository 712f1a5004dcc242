"""Segments and triangles: how near they are, on numpy arrays."""

from __future__ import annotations

import math

import numpy as np

from .. import domains
from ..domains import Interval
from ..program import Expr
from ..types import Value
from .bounds import Of

TOUCH = 1e-6  # a corner this near to a triangle's plane lies in it, by the plane's own scale


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(-1)


def _fraction(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a / np.where(b != 0, b, 1.0)


def closest_of_segments(
    type: Value, p1: np.ndarray, q1: np.ndarray, p2: np.ndarray, q2: np.ndarray, epsilon: np.ndarray
) -> np.ndarray:
    """Where two segments are nearest, as a fraction of each, and how far apart they are there (Ericson 2005,
    5.1.9). A segment whose squared length is at most `epsilon` is a point; of parallel ones the first counts
    from its start."""
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
    gap = p2 + t[..., None] * d2 - p1 - s[..., None] * d1
    return np.stack(np.broadcast_arrays(s, t, np.sqrt(_dot(gap, gap))), -1)


def triangles_meet(type: Value, *corners: np.ndarray) -> np.ndarray:
    """1 where two triangles, given by three corners each, have a point in common: where no axis divides them.
    Axes are the normals, the cross products of edges, and for triangles in one plane what is at right angles
    to an edge within it."""
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


# ---- bounds


def gap(of: Of, *operands: Expr) -> Interval:
    """Fractions, and a distance between points of two segments."""
    held = domains.joined(of(operand) for operand in operands[:-1])
    return Interval(0.0, max(1.0, math.sqrt(3.0) * held.width))
