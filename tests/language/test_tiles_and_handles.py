"""Rows on tiles, and on what a handle stands for: kernels of one operation, compiled; some of them run."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import warp as wp

from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.launch import launch
from warp_ir_dataset.compilers.units import Member, native_unit
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.values import ProgramIntervals
from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.table import TABLE, result_type
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import expression, type_name
from warp_ir_dataset.language.types import FLOAT, INT, Handle, Scalar, Tile, Type, full_name

ROWS = {
    name: row
    for name, row in TABLE.items()
    if any(isinstance(type, Tile | Handle) for type in row.signature.instances[0][0])
}


def kernel(row: Operation, operands: tuple[Type, ...], result: Type, name: str) -> str:
    """One application. Tiles are loaded and stored whole; a handle is an argument, others come in arrays."""
    parameters, body, names = [], ["i = wp.tid()"], []
    for place, type in enumerate(operands):
        match type:
            case Handle():
                parameters.append(f"x{place}: {type_name(type)}")
            case Tile(element, sizes):
                parameters.append(f"a{place}: wp.array(dtype={type_name(element)}, ndim={len(sizes)})")
                body.append(f"x{place} = wp.tile_load(a{place}, shape={sizes})")
            case _:
                parameters.append(f"a{place}: wp.array(dtype={type_name(type)})")
                body.append(f"x{place} = a{place}[i]")
        names.append(ir.Name(f"x{place}", type))
    value = expression(ir.Apply(row.name, tuple(names), result))
    if isinstance(result, Tile):
        body.append(f"wp.tile_store(out, {value})")
        out = f"wp.array(dtype={type_name(result.element)}, ndim={len(result.sizes)})"
    else:
        body.append(f"out[i] = {value}")
        out = f"wp.array(dtype={type_name(result)})"
    lines = [f"def {name}({', '.join([*parameters, f'out: {out}'])}):", *(f"    {line}" for line in body)]
    return "\n".join(["import warp as wp", "@wp.kernel", *lines]) + "\n"


def compiled(row: Operation, operands: tuple[Type, ...], result: Type):
    made = toolchain.translate(kernel(row, operands, result, "k"), "k", backward=False, cuda=False)
    member = Member("m", made)
    library = toolchain.compile_native(native_unit([member]))
    forward, _ = member.cpu_symbols
    return made, (ctypes.CFUNCTYPE(None)(library.address(forward)), None)


def launched(name: str, operands: tuple[Type, ...], arguments: list[np.ndarray], out: np.ndarray):
    row = TABLE[name]
    (result,) = row.signature.gives(operands)
    made, entries = compiled(row, operands, result)
    launch(made, entries, (1,), [*arguments, out])
    return out


@pytest.mark.compile
@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_compiles(name):
    instances = ROWS[name].signature.instances
    # Every scalar type once: sizes are the same code.
    seen = {
        tuple(full_name(t).rpartition("]")[2] for t in operands): (operands, result)
        for operands, result in instances
    }
    for operands, result in seen.values():
        compiled(ROWS[name], operands, result)


@pytest.mark.compile
def test_the_sum_of_a_tile():
    numbers = np.array([1.5, -2.0, 4.25], np.float32)
    found = launched("tile_sum", (Tile(FLOAT, (3,)),), [numbers], np.zeros(1, np.float32))
    assert found.tolist() == [3.75]


@pytest.mark.compile
def test_the_transpose_of_a_tile():
    numbers = np.arange(6, dtype=np.int32).reshape(2, 3)
    found = launched("tile_transpose", (Tile(INT, (2, 3)),), [numbers], np.zeros((3, 2), np.int32))
    assert (found == numbers.T).all()


@pytest.mark.compile
def test_a_point_of_a_mesh():
    toolchain.start()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 4]], np.float32)
    faces = np.array([0, 1, 2, 0, 2, 3], np.int32)
    mesh = wp.Mesh(
        points=wp.array(corners, dtype=wp.vec3, device="cpu"),
        indices=wp.array(faces, dtype=wp.int32, device="cpu"),
    )
    given = [
        np.array(mesh.id, np.uint64),
        *(np.array([x], t) for x, t in [(1, "i4"), (0.25, "f4"), (0.5, "f4")]),
    ]
    found = launched(
        "mesh_eval_position", (Handle("mesh"), INT, FLOAT, FLOAT), given, np.zeros((1, 3), np.float32)
    )
    assert np.allclose(found, 0.25 * corners[0] + 0.5 * corners[2] + 0.25 * corners[3])


def test_types_must_fit():
    assert result_type("tile_sum", (Tile(FLOAT, (3,)),)) == Tile(FLOAT, (1,))
    assert result_type("tile_dot", (Tile(FLOAT, (3,)), Tile(FLOAT, (2,)))) is None
    assert result_type("mesh_get_point", (Handle("mesh"), INT)) is not None
    assert result_type("mesh_get_point", (Handle("volume"), INT)) is None
    assert result_type("mesh_get_point", (Scalar("uint64"), INT)) is None


def test_names():
    assert full_name(Tile(FLOAT, (2, 3))) == "tile[2, 3] of float32"
    assert type_name(Handle("mesh")) == "wp.uint64"
    with pytest.raises(ValueError, match="tile"):
        type_name(Tile(FLOAT, (2,)))


def test_nothing_is_known_of_them():
    class Run(ProgramIntervals):
        def run(self, function) -> None:
            raise NotImplementedError

    program = read("import warp as wp\n@wp.kernel\ndef k(out: wp.array(dtype=float)):\n    out[0] = 1.0\n")
    for type in (Tile(FLOAT, (2,)), Handle("mesh")):
        with pytest.raises(Illegal, match="known"):
            Run(program).parts(ir.Name("x", type))
