"""Quaternions, transforms and spatial vectors on numpy arrays, and bounds of their results.

A quaternion is x, y, z, w along the last axis, a transform a position and then a quaternion, a spatial vector
an angular part and then a linear one. Formulas are those of the native headers `quat.h` and `spatial.h`, also
where a quaternion is not of length 1: what a rotation does to it then is no rotation, but defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .. import domains, ir
from ..domains import Interval, Trait
from ..types import Value
from .bounds import Bound, Giver, Of

EPSILON = 1e-6  # rounding of what is written with six digits

# ---- quaternions


def identity(type: Value) -> np.ndarray:
    """The quaternion, or the transform, that leaves everything where it is."""
    last: np.ndarray = np.eye(type.shape[0])[-1][None, None]
    return last


def product(type: Value, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Hamilton's product."""
    return _hamilton(a, b)


def _hamilton(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    v, w = a[..., :3], a[..., 3:]
    u, s = b[..., :3], b[..., 3:]
    return np.concatenate([w * u + s * v + np.cross(v, u), w * s - (v * u).sum(-1, keepdims=True)], -1)


def conjugate(type: Value, q: np.ndarray) -> np.ndarray:
    conjugated: np.ndarray = q * np.array([-1.0, -1.0, -1.0, 1.0])
    return conjugated


def rotate(type: Value, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _rotated(q, x)


def rotate_back(type: Value, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _rotated(conjugate(type, q), x)


def _rotated(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    v, w = q[..., :3], q[..., 3:]
    rotated: np.ndarray = (
        x * (2 * w * w - 1) + 2 * v * (v * x).sum(-1, keepdims=True) + 2 * w * np.cross(v, x)
    )
    return rotated


def normalized(type: object, q: np.ndarray) -> np.ndarray:
    """The direction of a quaternion; of zero the identity."""
    length = np.sqrt((q * q).sum(-1, keepdims=True))
    return np.where(length > 0, q / np.where(length > 0, length, 1.0), [0.0, 0.0, 0.0, 1.0])


def from_axis_angle(type: Value, axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    half = angle[..., None] / 2
    turned = axis * np.sin(half)
    return np.concatenate([turned, np.broadcast_to(np.cos(half), (*turned.shape[:-1], 1))], -1)


def to_axis_angle(type: object, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The axis and the angle, which is at most pi: the axis points the other way where w is negative."""
    v, w = q[..., :3], q[..., 3]
    length = np.sqrt((v * v).sum(-1))
    axis = v / np.where(length > 0, length, 1.0)[..., None]
    return np.where(w[..., None] < 0, -axis, axis), 2 * np.arctan2(length, np.abs(w))


def slerp(type: Value, a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    axis, angle = to_axis_angle(type, _hamilton(conjugate(type, a), b))
    return _hamilton(a, from_axis_angle(type, axis, t * angle))


def from_rpy(type: Value, roll: np.ndarray, pitch: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Turned about x, then about y, then about z."""
    return from_euler(type, np.stack(np.broadcast_arrays(roll, pitch, yaw), -1), *_AXES)


def to_rpy(type: Value, q: np.ndarray) -> np.ndarray:
    x, y, z, w = np.moveaxis(q, -1, 0)
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], -1)


_AXES = tuple(np.full((1, 1), axis) for axis in range(3))


def _axis(index: np.ndarray) -> int:
    """An axis, which is a literal and so the same for all threads."""
    return int(index.flat[0])


def from_euler(type: Value, angles: np.ndarray, *axes: np.ndarray) -> np.ndarray:
    """Turned about three fixed axes, one after the other, each by the angle of its number."""
    made = np.array([0.0, 0.0, 0.0, 1.0])
    for axis in map(_axis, axes):
        turn = from_axis_angle(type, np.eye(3)[axis], angles[..., axis])
        made = _hamilton(turn, np.broadcast_to(made, turn.shape))
    return made


def to_euler(type: Value, q: np.ndarray, *axes: np.ndarray) -> np.ndarray:
    """The angles about three fixed axes (Bernardes and Viollet 2022), each at its axis's number; where the
    third axis is the first one, its angle stands at the number that is left."""
    i, j, k = map(_axis, axes)
    proper = i == k
    k = 3 - i - j if proper else k
    sign = (i - j) * (j - k) * (k - i) / 2
    w = q[..., 3]
    a, b, c, d = w, q[..., i], q[..., j], q[..., k] * sign
    if not proper:
        a, b, c, d = a - c, b + d, c + a, d - b
    middle = np.arccos(2 * (a * a + b * b) / (a * a + b * b + c * c + d * d) - 1)
    plus, minus = np.arctan2(b, a), np.arctan2(d, c)
    first, last = plus - minus, plus + minus
    level, turned = np.abs(middle) < EPSILON, np.abs(middle - math.pi) < EPSILON
    first = np.where(level | turned, 0.0, first)
    last = np.where(level, 2 * plus, np.where(turned, 2 * minus, last))
    found = np.empty((*w.shape, 3))
    found[..., i], found[..., j] = first, middle if proper else middle - math.pi / 2
    found[..., k] = last if proper else last * sign
    return found


def twist(type: Value, axis: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The part of a rotation that turns about an axis."""
    along = (axis * q[..., :3]).sum(-1, keepdims=True)
    return normalized(type, np.concatenate([along * axis, q[..., 3:]], -1))


def twist_angle(type: Value, axis: np.ndarray, q: np.ndarray) -> np.ndarray:
    angle: np.ndarray = 2 * np.arctan2((axis * q[..., :3]).sum(-1), q[..., 3])
    return angle


def unsigned_twist_angle(type: Value, axis: np.ndarray, q: np.ndarray) -> np.ndarray:
    angle: np.ndarray = 2 * np.arctan2(np.abs((axis * q[..., :3]).sum(-1)), q[..., 3])
    return angle


# ---- and matrices


def to_matrix(type: Value, q: np.ndarray) -> np.ndarray:
    return _matrix(q)


def _matrix(q: np.ndarray) -> np.ndarray:
    return np.stack([_rotated(q, np.broadcast_to(unit, (*q.shape[:-1], 3))) for unit in np.eye(3)], -1)


def from_matrix(type: object, m: np.ndarray) -> np.ndarray:
    """The quaternion of a rotation (Shepperd 1978): from the trace where that is not negative, else from the
    largest entry of the diagonal, the first of several. Of any other matrix it is what the formula gives."""
    diagonal = np.stack([m[..., k, k] for k in range(3)], -1)
    trace = diagonal.sum(-1)
    found = _by_trace(m, trace)
    largest = diagonal.argmax(-1)
    for axis in range(3):
        chosen = (trace < 0) & (largest == axis)
        found = np.where(chosen[..., None], _by_diagonal(m, axis), found)
    return normalized(type, found)


def _by_trace(m: np.ndarray, trace: np.ndarray) -> np.ndarray:
    root = np.sqrt(np.maximum(trace, 0.0) + 1)
    parts = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    return np.stack([*(part * 0.5 / root for part in parts), 0.5 * root], -1)


def _by_diagonal(m: np.ndarray, i: int) -> np.ndarray:
    j, k = (i + 1) % 3, (i + 2) % 3
    root = np.sqrt(np.maximum(m[..., i, i] - m[..., j, j] - m[..., k, k] + 1, 1e-300))
    parts = [root, root, root, root]
    parts[i] = 0.5 * root
    parts[j] = (m[..., i, j] + m[..., j, i]) * 0.5 / root
    parts[k] = (m[..., k, i] + m[..., i, k]) * 0.5 / root
    parts[3] = (m[..., k, j] - m[..., j, k]) * 0.5 / root
    return np.stack(parts, -1)


# ---- transforms


def position(type: Value, t: np.ndarray) -> np.ndarray:
    return t[..., :3]


def rotation(type: Value, t: np.ndarray) -> np.ndarray:
    return t[..., 3:]


def joined(type: Value, *parts: np.ndarray) -> np.ndarray:
    """Vectors, scalars and quaternions one behind the other."""
    flat = [part if part.ndim > 2 else part[..., None] for part in parts]
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in flat))
    return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in flat], -1)


def at_position(type: Value, p: np.ndarray) -> np.ndarray:
    """A transform that only moves."""
    return joined(type, p, np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*p.shape[:-1], 4)))


def with_position(type: object, t: np.ndarray, p: np.ndarray) -> tuple[tuple[()], np.ndarray]:
    return (), np.concatenate([p, t[..., 3:]], -1)


def with_rotation(type: object, t: np.ndarray, q: np.ndarray) -> tuple[tuple[()], np.ndarray]:
    return (), np.concatenate([t[..., :3], q], -1)


def compose(type: Value, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """First b, then a."""
    moved = _rotated(a[..., 3:], b[..., :3]) + a[..., :3]
    return np.concatenate([moved, _hamilton(a[..., 3:], b[..., 3:])], -1)


def inverse(type: Value, t: np.ndarray) -> np.ndarray:
    back = conjugate(type, t[..., 3:])
    return np.concatenate([-_rotated(back, t[..., :3]), back], -1)


def point(type: Value, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    moved: np.ndarray = _rotated(t[..., 3:], x) + t[..., :3]
    return moved


def direction(type: Value, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _rotated(t[..., 3:], x)


def matrix_point(type: Value, m: np.ndarray, x: np.ndarray) -> np.ndarray:
    moved: np.ndarray = matrix_direction(type, m, x) + m[..., :3, 3]
    return moved


def matrix_direction(type: Value, m: np.ndarray, x: np.ndarray) -> np.ndarray:
    turned: np.ndarray = (m[..., :3, :3] @ x[..., None])[..., 0]
    return turned


def assembled(type: Value, p: np.ndarray, q: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The matrix that scales, rotates and moves, in this order."""
    turned = _matrix(q) * scale[..., None, :]
    made = np.zeros((*turned.shape[:-2], 4, 4))
    made[..., :3, :3], made[..., :3, 3], made[..., 3, 3] = turned, p, 1.0
    return made


def to_homogeneous(type: Value, t: np.ndarray) -> np.ndarray:
    return assembled(type, t[..., :3], t[..., 3:], np.ones(3))


def from_homogeneous(type: Value, m: np.ndarray) -> np.ndarray:
    return np.concatenate([m[..., :3, 3], from_matrix(type, m)], -1)


def taken_apart(type: object, m: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, rotation and scale; the lengths of the columns are the scale."""
    scale = np.sqrt((m[..., :3, :3] ** 2).sum(-2))
    turned = m[..., :3, :3] / np.where(scale != 0, scale, 1.0)[..., None, :]
    return m[..., :3, 3], from_matrix(type, turned), scale


# ---- spatial vectors


def halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return a[..., :3], a[..., 3:]


def spatial_cross(type: Value, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (w, v), (u, s) = halves(a), halves(b)
    return np.concatenate([np.cross(w, u), np.cross(v, u) + np.cross(w, s)], -1)


def spatial_cross_dual(type: Value, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (w, v), (u, s) = halves(a), halves(b)
    return np.concatenate([np.cross(w, u) + np.cross(v, s), np.cross(w, s)], -1)


def adjoint_matrix(type: Value, r: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Rotations on the diagonal, s below them."""
    return np.concatenate([np.concatenate([r, np.zeros_like(r)], -1), np.concatenate([s, r], -1)], -2)


def velocity(type: Value, twist: np.ndarray, r: np.ndarray) -> np.ndarray:
    w, v = halves(twist)
    return v + np.cross(w, r)


def transformed_twist(type: Value, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    w, v = (_rotated(t[..., 3:], part) for part in halves(x))
    return np.concatenate([w, v + np.cross(t[..., :3], w)], -1)


def transformed_wrench(type: Value, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    torque, force = (_rotated(t[..., 3:], part) for part in halves(x))
    return np.concatenate([torque + np.cross(t[..., :3], force), force], -1)


# ---- bounds


def around_zero(bound: float) -> Interval:
    return Interval(-bound, bound)


def turned(of: Of, q: ir.Expr, x: ir.Expr) -> Interval:
    """A rotated vector is as long as before."""
    return around_zero(math.sqrt(3.0) * of(x).magnitude)


def moved(of: Of, t: ir.Expr, x: ir.Expr) -> Interval:
    return domains.add(of(t), turned(of, t, x))


def composed(of: Of, a: ir.Expr, b: ir.Expr) -> Interval:
    return moved(of, a, b).join(Interval(-1.0, 1.0))


def inverted(of: Of, t: ir.Expr) -> Interval:
    return turned(of, t, t).join(Interval(-1.0, 1.0))


def unit_components(of: Of, *operands: ir.Expr) -> Interval:
    return Interval(-1.0, 1.0)


def products(count: int) -> Bound:
    """A sum of so many products of a component of the one and one of the other."""
    return lambda of, a, b: around_zero(count * of(a).magnitude * of(b).magnitude)


def screwed(of: Of, t: ir.Expr, x: ir.Expr) -> Interval:
    """A rotated part and the cross product of a position with one."""
    longest = math.sqrt(3.0) * of(x).magnitude
    return around_zero(longest + 2 * of(t).magnitude * longest)


def scaled_axes(of: Of, p: ir.Expr, q: ir.Expr, scale: ir.Expr) -> Interval:
    return of(p).join(around_zero(max(1.0, of(scale).magnitude)))


def column_lengths(of: Of, m: ir.Expr) -> Interval:
    return of(m).join(around_zero(max(1.0, math.sqrt(3.0) * of(m).magnitude)))


# ---- where they are defined


def distinct_axes(of: Of, e: ir.Expr, i: ir.Expr, j: ir.Expr, k: ir.Expr) -> bool:
    """Three axes, of which none comes twice in a row."""
    axes = [axis.value for axis in (i, j, k) if isinstance(axis, ir.Literal) and 0 <= axis.value <= 2]
    return len(axes) == 3 and axes[0] != axes[1] != axes[2]


def between_zero_and_one(of: Of, *operands: ir.Expr) -> bool:
    """The last operand is a weight."""
    return of(operands[-1]).within(Interval(0.0, 1.0))


# ---- traits of results


def if_unit(*places: int) -> Giver:
    """The result is a unit where these operands are."""

    def gives(of: Of, trait: Callable[[ir.Expr], Trait | None], *operands: ir.Expr) -> Trait | None:
        return "unit" if all(trait(operands[place]) == "unit" for place in places) else None

    return gives


def if_length_one(of: Of, trait: Callable[[ir.Expr], Trait | None], *operands: ir.Expr) -> Trait | None:
    """Components that are known, and whose squares have the sum one."""
    spans = [of(operand) for operand in operands]
    if any(span.width for span in spans):
        return None
    return "unit" if abs(sum(span.lo * span.lo for span in spans) - 1.0) < EPSILON else None
