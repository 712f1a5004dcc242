"""Signatures: what a line promises."""

from __future__ import annotations

import pytest

from warp_ir_dataset.language.operations.signatures import signature
from warp_ir_dataset.language.operations.spelling import Conditional, Constant, Function, Infix, Subscript
from warp_ir_dataset.language.types import (
    BOOL,
    FLOAT,
    FLOATS,
    INT,
    Array,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Transform,
    Vector,
)


def test_a_letter_means_one_thing_in_a_line() -> None:
    read = signature("dot(vec<L,F>, vec<L,F>) -> F")
    assert (read.name, read.spelling) == ("dot", Function("wp.dot"))
    assert len(read.instances) == 4 * len(FLOATS)
    assert all(a == b and a.element == result for (a, b), result in read.instances)


def test_a_prime_means_another_one() -> None:
    read = signature("to: F(F') -> F")
    assert read.spelling == Function("")
    assert len(read.instances) == len(FLOATS) * (len(FLOATS) - 1)
    assert all(given != result for (given,), result in read.instances)


def test_for_goes_through_its_choices() -> None:
    read = signature("add: X + X -> X for X in float32, vec3<float32>, mat<2,3,float32>")
    assert isinstance(read.spelling, Infix) and read.spelling.symbol == "+"
    assert [result for _, result in read.instances] == [FLOAT, Vector("float32", 3), Matrix("float32", 2, 3)]


def test_lines_are_joined() -> None:
    read = signature(
        "make: vec2<F>(F*2) -> vec2<F> for F in float32; mat22<float32>(float32*4) -> mat22<float32>"
    )
    assert [len(operands) for operands, _ in read.instances] == [2, 4]


def test_what_is_written_how() -> None:
    assert signature("part: vec3<F>[index] -> F").spelling == Subscript()
    assert signature("part: vec3<F>[index] -> F").literal == (1,)
    assert signature("pi: wp.PI -> float32").spelling == Constant("wp.PI")
    assert signature("pi: wp.PI -> float32").instances == (((), FLOAT),)
    choice = signature("choose: float32 if bool else int32 -> float32")
    assert choice.spelling == Conditional()
    assert choice.instances == (((BOOL, FLOAT, INT), FLOAT),)
    assert signature("power: F ** F -> F").spelling.right


def test_operands_that_change_and_arrays() -> None:
    read = signature("atomic_add(&array<D,X>, int32*D, X) -> X for X in float32, vec3<float32>")
    assert read.changed == (0,)
    assert ((Array(FLOAT, 2), INT, INT, FLOAT), FLOAT) in read.instances
    assert len(read.instances) == 8


def test_several_results_and_none() -> None:
    read = signature("qr3(mat33<F>) -> mat33<F>, vec3<F>")
    for (given,), result in read.instances:
        assert result == Several((given, Vector(given.scalar, 3)))
        assert read.takes(result) == ((given,),)
    none = signature("turn(&vec3<float32>, float32) -> ()")
    assert none.changed == (0,) and none.instances == (((Vector("float32", 3), FLOAT), Several()),)


def test_arguments_that_only_tell_a_type() -> None:
    read = signature("identity(n=N, dtype=F) -> mat<N,N,F>")
    assert read.spelling == Function("wp.identity", ("n", "dtype"))
    assert all(operands == () for operands, _ in read.instances) and len(read.instances) == 3 * len(FLOATS)
    assert signature("zero(dtype?=F) -> quat<F>").spelling == Function("wp.zero", ("dtype?",))


def test_rotations() -> None:
    read = signature("transform_point(transform<F>, vec3<F>) -> vec3<F>")
    assert read.takes(Vector("float64", 3)) == ((Transform("float64"), Vector("float64", 3)),)
    read = signature("quat_identity: quat<F>() -> quat<F>")
    assert read.gives(()) == tuple(map(Quaternion, FLOATS))


def test_square_matrices_come_first() -> None:
    read = signature("product: mat<M,K,F> * mat<K,N,F> -> mat<M,N,F>")
    inner = [left.columns for left, _ in read.takes(Matrix("float32", 3, 3))]
    assert inner == [3, 2, 4]


def test_all_are_found_from_both_sides() -> None:
    read = signature("outer(vec<M,F>, vec<N,F>) -> mat<M,N,F>")
    for operands, result in read.instances:
        assert operands in read.takes(result) and read.gives(operands) == (result,)
    assert read.takes(Scalar("float32")) == ()


@pytest.mark.parametrize(
    "text",
    [
        "sin(F)",
        "sin(Q) -> Q",
        "+ -> F",
        "F + F -> F",
        "sin(vec<F>) -> F",
        "mix: min(F, F) -> F; F + F -> F",
        "sin(float33) -> float33",
        "sin(vec<Q,F>) -> F",
        "fill(F) -> array<D,F>",
        "touch(F*2, &vec3<F>) -> ()",
        "part: vec3<F>(F*2, index) -> vec3<F>",
    ],
)
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError):
        _ = signature(text).instances
