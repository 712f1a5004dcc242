"""Signatures that are not the kernel's are refused before anything runs; plain values arrive bit for bit."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.units import Member
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import (
    FLOAT,
    INT,
    SCALARS,
    Array,
    Matrix,
    Quaternion,
    Scalar,
    Struct,
    Transform,
    Type,
    Value,
    Vector,
    shaped,
)
from warp_ir_dataset.proof.inputs import draw_cases, fit_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.run import Runner, check_signature
from warp_ir_dataset.proof.subject import Cases, Subject

UNIT = Interval(0.0, 1.0)
SOURCE = """import warp as wp


@wp.kernel
def shade(image: wp.array2d[float], tint: wp.vec3, out: wp.array2d(dtype=wp.vec3), count: int):
    i, j = wp.tid()
    out[i, j] = tint * image[i, j] * float(count)
"""
IMAGE = ir.Argument("image", FLOAT, "input", (4, 3), UNIT)
TINT = ir.Argument("tint", Vector("float32", 3), "input", (), UNIT)
OUT = ir.Argument("out", Vector("float32", 3), "output", (4, 3), UNIT)
COUNT = ir.Argument("count", INT, "input", (), Interval(1, 4))
SIGNATURE = ir.Signature("shade", (IMAGE, TINT, OUT, COUNT), (4, 3))

WRONG = {
    "another name": (replace(IMAGE, name="picture"), TINT, OUT, COUNT),
    "another scalar type": (replace(IMAGE, type=Scalar("float64")), TINT, OUT, COUNT),
    "a scalar for a vector": (IMAGE, replace(TINT, type=FLOAT), OUT, COUNT),
    "a vector of another length": (IMAGE, replace(TINT, type=Vector("float32", 4)), OUT, COUNT),
    "a matrix for a vector": (IMAGE, TINT, replace(OUT, type=Matrix("float32", 3, 1)), COUNT),
    "fewer dimensions": (replace(IMAGE, shape=(12,)), TINT, OUT, COUNT),
    "a plain value for an array": (replace(IMAGE, shape=()), TINT, OUT, COUNT),
    "an array for a plain value": (IMAGE, TINT, OUT, replace(COUNT, shape=(1,))),
    "another order": (TINT, IMAGE, OUT, COUNT),
    "an argument less": (IMAGE, TINT, OUT),
    "an argument more": (IMAGE, TINT, OUT, COUNT, replace(COUNT, name="more")),
}


@pytest.fixture(scope="module")
def shade() -> toolchain.Translation:
    return toolchain.translate(SOURCE, "shade", backward=False, cuda=True)


def test_the_kernels_own_signature_is_accepted(shade: toolchain.Translation) -> None:
    check_signature(SIGNATURE, shade)
    check_signature(replace(SIGNATURE, launch_dim=(4, 3, 2)), shade)


@pytest.mark.parametrize("fault", WRONG)
def test_another_signature_is_refused_in_one_line(fault: str, shade: toolchain.Translation) -> None:
    with pytest.raises(UserError, match="signature of shade") as caught:
        check_signature(replace(SIGNATURE, arguments=WRONG[fault]), shade)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("launch", [(), (12,)])
def test_a_launch_of_too_few_dimensions_is_refused(
    launch: tuple[int, ...], shade: toolchain.Translation
) -> None:
    with pytest.raises(UserError, match=r"^shade .* 2 ") as caught:
        check_signature(replace(SIGNATURE, launch_dim=launch), shade)
    assert "\n" not in str(caught.value)


@pytest.mark.compile
def test_a_kernel_does_not_run_under_another_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    signature = replace(SIGNATURE, arguments=WRONG["another scalar type"])
    monkeypatch.setattr(Runner, "launch", lambda *_: pytest.fail("it ran"))
    monkeypatch.setattr(Runner, "_call", lambda *_: pytest.fail("it ran"))
    subject = Subject(SOURCE, signature, draw_cases(signature, "x"))
    with pytest.raises(UserError, match="signature of shade"):
        prove([subject], CONFIGS["cpu"], "sm_80", lambda index: None)


KINDS: dict[str, Type] = {
    "wp.array[wp.quat]": Array(Quaternion("float32"), 1),
    "wp.quatd": Quaternion("float64"),
    "wp.transform": Transform("float32"),
    "wp.spatial_vector": Vector("float32", 6),  # which is one
    "wp.array3d(dtype=wp.spatial_matrixh)": Array(Matrix("float16", 6, 6), 3),
    "wp.array4d[wp.vec2ui]": Array(Vector("uint32", 2), 4),
    "wp.bfloat16": Scalar("bfloat16"),  # which the language does not know
}


@pytest.mark.parametrize("annotation", KINDS)
def test_kinds_of_arguments(annotation: str) -> None:
    source = (
        f"import warp as wp\n\n\n@wp.kernel\ndef turn(q: {annotation}, o: wp.array[float]):\n    o[0] = 1.0\n"
    )
    found = toolchain.translate(source, "turn", backward=False, cuda=False).parameters
    assert found == (("q", KINDS[annotation]), ("o", Array(FLOAT, 1)))


STRUCTS = """import warp as wp


@wp.struct
class Frame:
    origin: wp.vec3h
    turn: wp.quatd


@wp.struct
class Grid:
    flag: bool
    frame: Frame
    step: wp.int8
    cells: wp.array2d[wp.mat22h]
    frames: wp.array(dtype=Frame)
    size: wp.int64


@wp.kernel
def walk(first: wp.uint8, grid: Grid, grids: wp.array2d(dtype=Grid)):
    grids[0, 0].step = grid.step
"""
FRAME = Struct("Frame", (("origin", Vector("float16", 3)), ("turn", Quaternion("float64"))))
GRID_MEMBERS: tuple[tuple[str, Type], ...] = (
    ("flag", Scalar("bool")),
    ("frame", FRAME),
    ("step", Scalar("int8")),
    ("cells", Array(Matrix("float16", 2, 2), 2)),
    ("frames", Array(FRAME, 1)),
    ("size", Scalar("int64")),
)
GRID = Struct("Grid", GRID_MEMBERS)


def _walk(grid: Struct) -> ir.Signature:
    arguments = (
        ir.Argument("first", Scalar("uint8"), "input", (), UNIT),
        ir.Argument("grid", grid, "input", (), UNIT),
        ir.Argument("grids", grid, "inout", (2, 3), UNIT),
    )
    return ir.Signature("walk", arguments, (1,))


def test_structs_and_their_members() -> None:
    text = toolchain.translate(STRUCTS, "walk", backward=False, cuda=False)
    check_signature(_walk(GRID), text)
    for members in (GRID_MEMBERS[::-1], GRID_MEMBERS[1:], (*GRID_MEMBERS[:-1], ("size", Scalar("int32")))):
        with pytest.raises(UserError, match=r"grid: Grid\(") as caught:
            check_signature(_walk(Struct("Grid", members)), text)
        assert "\n" not in str(caught.value)


def test_records_are_laid_out_as_warp_lays_them_out() -> None:
    """Its own account of a struct for numpy, and the C struct that its launch packs arguments in."""
    text = toolchain.translate(STRUCTS, "walk", backward=False, cuda=False)
    grid = text.kernel.adj.args[1].type
    (_, first), (_, plain), (_, array) = text.arguments.members
    assert array.element is not None
    assert plain.dtype == array.element.dtype == np.dtype(grid.numpy_dtype())
    assert plain.dtype.itemsize == ctypes.sizeof(grid.ctype)
    assert first.dtype == np.uint8
    offsets = {name: field[1] for name, field in (text.arguments.dtype.fields or {}).items()}
    assert offsets == {"first": 0, "grid": 8, "grids": 8 + ctypes.sizeof(grid.ctype)}


# ---- cases


def _cases(**changes: Any) -> Cases:
    good = draw_cases(SIGNATURE, "x")
    return Cases(good.inputs[:1], good.output_gradients) if not changes else replace(good, **changes)


def test_cases_that_are_the_signatures() -> None:
    drawn = draw_cases(SIGNATURE, "x")
    fitted = fit_cases(SIGNATURE, drawn)
    for before, after in zip(drawn.inputs, fitted.inputs, strict=True):
        assert list(before) == list(after) == ["image", "tint", "count"]
        assert all(np.array_equal(before[name], after[name]) for name in before)
    wide = {"count": np.int64(2), "tint": np.full(3, 0.1), "image": np.full((4, 3), 0.1)}
    (found,) = fit_cases(SIGNATURE, Cases((wide,), drawn.output_gradients)).inputs
    assert [str(value.dtype) for value in found.values()] == ["float32", "float32", "int32"]
    assert found["image"][0, 0] == np.float32(0.1)


@pytest.mark.parametrize(
    "cases",
    [
        _cases(inputs=()),
        _cases(inputs=({"image": np.zeros((4, 3)), "tint": np.zeros(3)},)),
        _cases(inputs=({"image": np.zeros((3, 4)), "tint": np.zeros(3), "count": np.int32(1)},)),
        _cases(output_gradients={}),
        _cases(output_gradients={"out": np.zeros((4, 3))}),
    ],
)
def test_cases_that_are_not(cases: Cases) -> None:
    with pytest.raises(UserError, match="shade") as caught:
        fit_cases(SIGNATURE, cases)
    assert "\n" not in str(caught.value)


# ---- plain values

# Bit patterns that a detour over another type would change: the last bits, signs of zero, ends of a type.
VALUES: dict[str, list[float | int | bool]] = {
    "bool": [True, False],
    "int8": [-(2**7), 2**7 - 1, -1],
    "uint8": [2**8 - 1, 2**7, 1],
    "int16": [-(2**15), 2**15 - 1, -1],
    "uint16": [2**16 - 1, 2**15, 1],
    "int32": [-(2**31), 2**31 - 1, -1],
    "uint32": [2**32 - 1, 2**31, 1],
    "int64": [-(2**63), 2**63 - 1, 2**53 + 1],
    "uint64": [2**64 - 1, 2**63, 2**53 + 1],
    "float16": [0.1, -0.0, 65504.0, 6e-8],
    "float32": [0.1, -0.0, 3.4028235e38, 1e-45],
    "float64": [0.1, -0.0, 1.7976931348623157e308, 5e-324, 1 + 2**-52],
}


def test_every_scalar_type_is_here() -> None:
    assert VALUES.keys() == SCALARS.keys()


def _copies(type: Value) -> tuple[str, ir.Signature]:
    """A kernel that writes what it is given into an array, one component per thread."""
    scalar = type.scalar
    kinds = {0: "wp.{}", 1: "wp.types.vector(length={1}, dtype=wp.{0})"}
    given = (kinds | {2: "wp.types.matrix(shape=({1}, {2}), dtype=wp.{0})"})[len(type.shape)]
    index = {
        0: "",
        1: "[i]",
        2: f"[i // {type.shape[-1] if type.shape else 1}, i % {(*type.shape, 1, 1)[1]}]",
    }
    source = (
        f"import warp as wp\n\nGiven = {given.format(scalar, *type.shape)}\n\n\n@wp.kernel\n"
        f"def copy(x: Given, o: wp.array(dtype=wp.{scalar})):\n    i = wp.tid()\n"
        f"    o[i] = x{index[len(type.shape)]}\n"
    )
    size = type.size
    arguments = (
        ir.Argument("x", type, "input", (), UNIT),
        ir.Argument("o", Scalar(scalar), "output", (size,), UNIT),
    )
    return source, ir.Signature("copy", arguments, (size,))


@pytest.mark.compile
@pytest.mark.parametrize("scalar", SCALARS)
def test_plain_values_reach_the_kernel_bit_for_bit(scalar: str) -> None:
    # Vectors and matrices of truth values do not compile in Warp.
    shapes: list[tuple[int, ...]] = [()] if scalar == "bool" else [(), (3,), (2, 3)]
    copies = [_copies(shaped(scalar, shape)) for shape in shapes]
    members = [
        Member(f"k{n}", toolchain.translate(source, "copy", backward=False, cuda=True))
        for n, (source, _) in enumerate(copies)
    ]
    library = toolchain.compile_native(units.native_unit(members, members))
    for shape, member, (_, signature) in zip(shapes, members, copies, strict=True):
        runner = Runner(signature, member, library, cuda=True)
        size = int(np.prod(shape))
        for first in range(len(VALUES[scalar])):
            some = [VALUES[scalar][(first + k) % len(VALUES[scalar])] for k in range(size)]
            value = np.array(some, SCALARS[scalar].numpy).reshape(shape)
            for way in (runner.launch, runner.run, runner.run_cuda):
                found = way({"x": value}, None).outputs["o"]
                assert found.tobytes() == value.tobytes(), (way, value, found)
    library.unload()
