"""Rotations, transforms and decompositions: laws of what they mean, and what one kernel each cannot show."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from toys.native import Case, cases, compiled, faults
from toys.operations import Sample

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.intervals import ExpressionIntervals
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.operations import decompositions, rotations
from warp_ir_dataset.language.operations.builtins import geometry
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.python.write import expression
from warp_ir_dataset.language.types import FLOAT, INT, Matrix, Quaternion, Several, Transform, Vector

QUATERNION, VECTOR, POSE = Quaternion("float64"), Vector("float64", 3), Transform("float64")
NOTHING = Several()
RNG = np.random.default_rng(1)
ORDERS = [(i, j, k) for i in range(3) for j in range(3) for k in range(3) if i != j != k]


def units(count: int = 40) -> np.ndarray:
    q = RNG.normal(size=(1, count, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def vectors(count: int = 40) -> np.ndarray:
    return RNG.normal(size=(1, count, 3))


def same_rotation(a: np.ndarray, b: np.ndarray) -> bool:
    return np.allclose(np.abs((a * b).sum(-1)), 1.0)


def transposed(m: np.ndarray) -> np.ndarray:
    return m.swapaxes(-1, -2)


# ---- laws


def test_a_product_rotates_by_one_after_the_other():
    a, b, x = units(), units(), vectors()
    once = rotations.rotate(VECTOR, rotations.product(QUATERNION, a, b), x)
    assert np.allclose(once, rotations.rotate(VECTOR, a, rotations.rotate(VECTOR, b, x)))
    assert np.allclose(rotations.rotate_back(VECTOR, a, rotations.rotate(VECTOR, a, x)), x)


def test_a_quarter_about_z_takes_x_to_y():
    quarter = rotations.from_axis_angle(QUATERNION, np.array([[[0.0, 0.0, 1.0]]]), np.full((1, 1), np.pi / 2))
    assert np.allclose(rotations.rotate(VECTOR, quarter, np.array([[[1.0, 0.0, 0.0]]])), [0.0, 1.0, 0.0])


def test_a_rotation_and_its_matrix():
    q, x = units(), vectors()
    m = rotations.to_matrix(Matrix("float64", 3, 3), q)
    assert np.allclose((m @ x[..., None])[..., 0], rotations.rotate(VECTOR, q, x))
    assert np.allclose(np.linalg.det(m), 1.0)
    assert same_rotation(rotations.from_matrix(QUATERNION, m), q)
    axis, angle = rotations.to_axis_angle(NOTHING, q)
    assert same_rotation(rotations.from_axis_angle(QUATERNION, axis, angle), q) and angle.max() <= np.pi


def test_a_blend_of_rotations_begins_and_ends_with_them():
    a, b = units(), units()
    for t, end in ((0.0, a), (1.0, b)):
        assert same_rotation(rotations.slerp(QUATERNION, a, b, np.full((1, 1), t)), end)


@pytest.mark.parametrize("order", ORDERS)
def test_angles_of_a_rotation_turn_like_it(order):
    q = units()
    axes = [np.full((1, 1), axis) for axis in order]
    angles = rotations.to_euler(VECTOR, q, *axes)
    places = (order[0], order[1], 3 - order[0] - order[1])
    made = np.broadcast_to([0.0, 0.0, 0.0, 1.0], q.shape)
    for place, axis in zip(places, order, strict=True):
        turn = rotations.from_axis_angle(QUATERNION, np.eye(3)[axis], angles[..., place])
        made = rotations.product(QUATERNION, turn, made)
    assert same_rotation(made, q)
    if len(set(order)) == 3:
        assert same_rotation(rotations.from_euler(QUATERNION, angles, *axes), q)


def test_roll_pitch_and_yaw_and_back():
    q = units()
    angles = rotations.to_rpy(VECTOR, q)
    assert same_rotation(rotations.from_rpy(QUATERNION, *np.moveaxis(angles, -1, 0)), q)


def test_transforms():
    a, b = (np.concatenate([vectors(), units()], -1) for _ in range(2))
    x = vectors()
    both = rotations.compose(POSE, a, b)
    moved = rotations.point(VECTOR, b, x)
    assert np.allclose(rotations.point(VECTOR, both, x), rotations.point(VECTOR, a, moved))
    assert np.allclose(rotations.point(VECTOR, rotations.inverse(POSE, b), moved), x)
    matrix = rotations.to_homogeneous(Matrix("float64", 4, 4), b)
    assert np.allclose(rotations.matrix_point(VECTOR, matrix, x), moved)
    scale = RNG.uniform(0.5, 2.0, x.shape)
    found = rotations.taken_apart(NOTHING, rotations.assembled(matrix, b[..., :3], b[..., 3:], scale))
    assert np.allclose(found[0], b[..., :3]) and np.allclose(found[2], scale)
    assert same_rotation(found[1], b[..., 3:])


def test_spatial_cross_products_are_dual():
    a, b, c = (RNG.normal(size=(1, 40, 6)) for _ in range(3))
    left = (rotations.spatial_cross(VECTOR, a, b) * c).sum(-1)
    assert np.allclose(left, -(b * rotations.spatial_cross_dual(VECTOR, a, c)).sum(-1))


@pytest.mark.parametrize("size", [2, 3])
def test_decompositions_give_the_matrix_again(size):
    m = RNG.normal(size=(1, 200, size, size))
    u, s, v = (decompositions.svd2 if size == 2 else decompositions.svd3)(NOTHING, m)
    assert np.allclose(u * s[..., None, :] @ transposed(v), m)
    assert np.allclose(np.abs(s), np.linalg.svd(m)[1])
    assert np.allclose(np.linalg.det(v), 1.0)
    if size == 2:
        return
    assert np.allclose(np.linalg.det(u), 1.0)
    q, r = decompositions.qr3(NOTHING, m)
    assert np.allclose(q @ r, m) and np.allclose(np.tril(r, -1), 0.0) and r[..., 0, 0].min() >= 0
    q, d = decompositions.eig3(NOTHING, m + transposed(m))
    assert np.allclose(q * d[..., None, :] @ transposed(q), m + transposed(m))


def test_nearest_points_of_segments_are_nearest():
    ends = [vectors(60) for _ in range(4)]
    s, t, gap = np.moveaxis(geometry.closest_of_segments(VECTOR, *ends, np.full((1, 1), 1e-6)), -1, 0)
    p1, q1, p2, q2 = ends
    for u in np.linspace(0, 1, 21):
        for v in np.linspace(0, 1, 21):
            other = np.linalg.norm(p1 + u * (q1 - p1) - p2 - v * (q2 - p2), axis=-1)
            assert (gap <= other + 1e-9).all()
    here = p1 + s[..., None] * (q1 - p1) - p2 - t[..., None] * (q2 - p2)
    assert np.allclose(np.linalg.norm(here, axis=-1), gap)


def test_triangles_meet_where_an_edge_goes_through():
    flat = [np.array([[c]], float) for c in ([0, 0, 0], [4, 0, 0], [0, 4, 0])]

    def met(*corners: list[float]) -> int:
        return int(geometry.triangles_meet(INT, *flat, *(np.array([[c]], float) for c in corners)).item())

    assert met([1, 1, -1], [1, 1, 1], [2, 5, 1]) == 1
    assert met([3, 3, -1], [3, 3, 1], [9, 9, 1]) == 0
    assert met([1, 1, 0], [1, 2, 0], [2, 1, 0]) == 1  # in one plane, one within the other
    assert met([5, 5, 0], [6, 5, 0], [5, 6, 0]) == 0
    assert met([1, 1, 1], [1, 2, 1], [2, 1, 1]) == 0


# ---- traits


def test_units_are_followed():
    spans = ExpressionIntervals()
    spans.names |= {"a": Interval(-1.0, 1.0), "b": Interval(-1.0, 1.0)}
    spans.traits["a"] = "unit"
    a, b = ir.Name("a", Quaternion("float32")), ir.Name("b", Quaternion("float32"))
    assert spans.trait(spans.apply("quaternion_product", a, a)) == "unit"
    assert spans.trait(spans.apply("quaternion_product", a, b)) is None
    assert spans.trait(spans.apply("quaternion_normalize", b)) == "unit"
    axis = [ir.Literal(value, FLOAT) for value in (0.0, 0.6, 0.8)]
    up = spans.apply("build", *axis, type=Vector("float32", 3))
    assert spans.trait(up) == "unit"
    assert spans.trait(spans.apply("build", axis[1], *axis[1:], type=Vector("float32", 3))) is None
    turn = spans.apply("quat_from_axis_angle", up, ir.Literal(1.0, FLOAT))
    assert spans.of(spans.apply("quat_rotate", turn, up)).hi < 2.0


# ---- text


def test_what_only_tells_the_type_is_written():
    def text(name: str, type: object) -> str:
        return expression(ir.Apply(name, (), type))  # type: ignore[arg-type]

    assert text("quat_identity", Quaternion("float32")) == "wp.quat_identity()"
    assert text("quat_identity", QUATERNION) == "wp.quat_identity(dtype=wp.float64)"
    assert text("identity", Matrix("float32", 3, 3)) == "wp.identity(n=3, dtype=float)"
    assert text("identity", Matrix("float64", 4, 4)) == "wp.identity(n=4, dtype=wp.float64)"


# ---- against Warp


def in_order(name: str, order: tuple[int, int, int]) -> Case:
    """The case of a row of Euler angles, about other axes."""
    (case,) = cases(TABLE[name])
    axes = tuple(ir.Literal(axis, INT) for axis in order)
    node = replace(case.sample.node, operands=(case.sample.node.operands[0], *axes))
    first = case.sample.values[0]
    values = [first, *(np.full(first.shape[:2], axis) for axis in order)]
    return replace(case, sample=Sample(node, case.sample.spans, values))


@pytest.mark.compile
@pytest.mark.slow
@pytest.mark.parametrize("name", ["quat_from_euler", "quat_to_euler"])
def test_angles_about_any_axes(name):
    ready, failed = compiled([in_order(name, order) for order in ORDERS])
    assert not failed and len(ready) == 12 == len(ORDERS)
    assert not [line for case, translation, entries in ready for line in faults(case, translation, entries)]


def test_orders_are_all_there_are():
    assert {order for order in ORDERS if len(set(order)) == 3} == set(permutations(range(3)))
