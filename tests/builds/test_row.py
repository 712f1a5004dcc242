"""Rows: one schema, plain values, text that does not depend on the machine."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from toys.rows import TASKS

from warp_ir_dataset.builds.arguments import argument_rows
from warp_ir_dataset.builds.prompts import prompt
from warp_ir_dataset.builds.repair.mistake import Mistake
from warp_ir_dataset.builds.row import (
    CHECKS,
    SCHEMA,
    builtins,
    entry_point,
    examples_text,
    features,
    make_row,
    round_up,
    schema,
)
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.versions import GENERATOR_VERSION
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.cuda.harness import Harness
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.identity import Identity
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, Array, Matrix, Scalar, Struct, Vector, full_name
from warp_ir_dataset.proof.checks import Checks
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.subject import PlainParts, Proof
from warp_ir_dataset.synthesis.sample import Sample

SOURCE = """import warp as wp

vec5 = wp.types.vector(length=5, dtype=wp.float32)


@wp.func
def soften(x: float) -> float:
    return wp.sqrt(x + wp.float32(1.0))


@wp.kernel
def pull(masses: wp.array(dtype=float), gain: float, forces: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = wp.vec3(masses[i], gain, 1.0)
    if wp.length(v) > 2.0:
        forces[i] = wp.normalize(v) * soften(gain) + vec5(0.0)[1] * wp.matrix_from_rows(v, v, v)[0]
    wp.atomic_add(forces, i, wp.normalize(v))
"""

ANY = Interval(-1, 1)
SIGNATURE = ir.Signature(
    name="pull",
    arguments=(
        ir.Argument("masses", FLOAT, "input", (8,), ANY),
        ir.Argument("gain", FLOAT, "input", (), ANY),
        ir.Argument("forces", Vector("float32", 3), "inout", (8,), ANY),
    ),
    launch_dim=(8,),
)
DRAWN = Sample(ir.Program(SIGNATURE, body=()), category="vector", difficulty=3, description="Pulls.")
IDENTITY = Identity(id="0123456789abcdef", skeleton="fedcba9876543210")
CHECKED = Checks(
    native_compile=True,
    warp_launch=True,
    cases=1,
    numpy_matches=True,
    numpy_error=2e-6,
    cuda_text_matches=True,
    cuda_text_error=3e-7,
)


def row(config: str = "cuda") -> dict:
    proof = Proof(
        code="extern",
        ptx=None if config == "cpu" else ".version 9.4",
        examples=({"inputs": {"masses": np.float32([0.1, 0.25])}, "outputs": {}},),
        checks=CHECKED,
        warp_version="1.19.0",
        plain=PlainParts("__global__ void pull();", Harness("#include", "int main"))
        if CONFIGS[config].plain
        else None,
    )
    address = Address(2**63 - 1, "vector", 41)
    mistake = (
        Mistake("undefined name", "import warp as w\n", "Warp says: no w") if CONFIGS[config].broken else None
    )
    return make_row(CONFIGS[config], address, DRAWN, SOURCE, IDENTITY, "sm_80", proof, mistake)


def entry(name: str, type: str, shape: list[str], role: str) -> dict:
    # Its program does nothing: only what is changed as well hands on the gradient that arrives.
    bounds = {"low": -1.0, "high": 1.0, "trait": None, "differentiable": role == "inout"}
    return {"name": name, "type": type, "ndim": len(shape), "shape": shape, "role": role, **bounds}


def test_a_row_has_the_columns_of_the_schema_and_survives_arrow():
    assert list(row()) == SCHEMA.names
    assert list(row()["checks"]) == [field.name for field in CHECKS]
    for config in TASKS:
        rows = [row(config)]
        assert pa.Table.from_pylist(rows, schema=schema(config)).to_pylist() == rows


@pytest.mark.parametrize("config", TASKS)
def test_only_plain_cuda_has_a_harness_and_checks_of_its_own(config: str) -> None:
    found = row(config)
    assert list(found) == schema(config).names
    if CONFIGS[config].plain:
        assert found["harness"] == {"prelude": "#include", "main": "int main"} and "ptx" not in found
        assert list(found["checks"])[: len(CHECKS)] == [field.name for field in CHECKS]
        assert "```cuda\n__global__ void pull();\n```" in found["prompt"]
    else:
        assert "harness" not in found
        assert [name for name in found if name not in ("broken", "kind", "message")] == SCHEMA.names
        assert "```cuda" not in found["prompt"]
        # What is asked for in words ends with them.
        end = found["specification"] if CONFIGS[config].python else "```\n"
        assert found["prompt"].endswith(end)


def test_a_prompt_to_repair_holds_the_mistake_and_what_was_said_of_it() -> None:
    found = row("repair")
    said = "```python\nimport warp as w\n```\n\n```text\nWarp says: no w\n```\n\nWrite a kernel pull."
    assert said in found["prompt"] and SOURCE not in found["prompt"]
    assert (found["broken"], found["kind"]) == ("import warp as w\n", "undefined name")
    assert found["message"] == "Warp says: no w"
    assert all("kind" not in schema(config).names for config in TASKS if config != "repair")


def test_a_row_says_where_the_kernel_lives_and_what_it_is():
    found = row()
    assert (found["seed"], found["category"], found["draw"]) == (2**63 - 1, "vector", 41)
    assert (found["id"], found["skeleton"]) == ("0123456789abcdef", "fedcba9876543210")
    assert (found["generator_version"], found["warp_version"]) == (GENERATOR_VERSION, "1.19.0")
    assert found["launch_dim"] == [8]
    assert (found["kernel_name"], found["difficulty"], found["description"]) == ("pull", 3, "Pulls.")
    assert (found["completion"], found["ptx"], found["arch"]) == ("extern", ".version 9.4", "sm_80")
    assert (row("cpu")["ptx"], row("cpu")["arch"]) == (None, "x86_64")
    assert found["arguments"] == [
        entry("masses", "float32", ["8"], "input"),
        entry("gain", "float32", [], "input"),
        entry("forces", "vec3f", ["8"], "inout"),
    ]


def test_the_same_schema_for_datasets():
    found = features()
    assert found.arrow_schema.names == SCHEMA.names
    assert found.arrow_schema.types == SCHEMA.types


def test_a_prompt_asks_for_its_config_and_holds_the_source():
    compiled = [name for name in TASKS if not CONFIGS[name].python]
    prompts = {name: prompt(CONFIGS[name], SOURCE) for name in compiled}
    assert len(set(prompts.values())) == len(compiled)
    for config, text in prompts.items():
        assert f"```python\n{SOURCE}```\n" in text
        assert ("adjoint" in text) == (config == "cuda_backward")
        assert ("CUDA" in text) == (config != "cpu")


MANY = """import warp as w
from warp import sqrt as root


@w.func
def soften(x: float):
    return root(abs(x) + w.float32(1.0))


@w.kernel
def push(a: w.array(dtype=float), o: w.array(dtype=w.vec3)):
    i = w.tid()
    v = w.vec3(a[i], min(a[i], 2.0), float(i) * w.PI)
    if w.length(v) > 2.0:
        o[i] = w.normalize(v) * soften(a[i]) if v.x > 0.0 else v
    print(i)
    w.printf("%d", i)
    w.atomic_add(o, i, w.where(v.y > 0.0, v, v * 2.0))
"""


def test_builtins_are_the_functions_called_and_no_types():
    assert builtins(read(MANY)) == [
        "abs",
        "atomic_add",
        "length",
        "min",
        "normalize",
        "print",
        "printf",
        "sqrt",
        "tid",
        "where",
    ]


def test_members_of_structs_have_rows_of_their_own():
    """They are those that the examples have values for."""
    place = Struct("Place", (("at", Vector("float64", 3)), ("cell", Scalar("int8"))))
    grid = Struct("Grid", (("place", place), ("cells", Array(place, 2))))
    grids = ir.Argument("grids", grid, "inout", (4,), ANY, (("cells", (2, 3)),))
    plain = ir.Argument("place", place, "input", (), ANY)
    signature = ir.Signature("walk", (plain, grids), (4,))
    drawn = Sample(ir.Program(signature, body=()), category="vector", difficulty=3, description="Walks.")
    proof = Proof("extern", None, ({"inputs": make_inputs(signature, "x")},), CHECKED, "1.19.0")
    found = make_row(CONFIGS["cpu"], Address(0, "vector", 1), drawn, SOURCE, IDENTITY, "", proof)
    entries = [(entry["name"], entry["type"], entry["ndim"], entry["role"]) for entry in found["arguments"]]
    assert entries == [
        ("place", "Place", 0, "input"),
        ("place.at", "vec3d", 0, "input"),
        ("place.cell", "int8", 0, "input"),
        ("grids", "Grid", 1, "inout"),
        ("grids.place.at", "vec3d", 1, "inout"),
        ("grids.place.cell", "int8", 1, "inout"),
        ("grids.cells.at", "vec3d", 3, "inout"),
        ("grids.cells.cell", "int8", 3, "inout"),
    ]
    inputs = json.loads(found["examples"])[0]["inputs"]
    assert list(inputs) == [name for name, *_ in entries if "." in name]
    assert np.shape(inputs["grids.cells.at"]) == (4, 2, 3, 3) and np.shape(inputs["place.at"]) == (3,)


@pytest.mark.parametrize(
    ("type", "name"),
    [
        (Scalar("bool"), "bool"),
        (Scalar("float64"), "float64"),
        (Vector("float32", 5), "vec5f"),
        (Vector("uint32", 2), "vec2ui"),
        (Matrix("float64", 2, 3), "mat23d"),
    ],
)
def test_type_names(type, name):
    assert full_name(type) == name


def test_examples_are_short_and_exact():
    values = {
        "a": np.float32([[0.1, -1e-9], [16777217.0, 3.4028235e38]]),
        "b": np.float64([0.1, 1 / 3]),
        "c": np.array([2**63 - 1, -1], np.int64),
        "d": np.array([True, False]),
        "e": np.float32(0.7),
        "f": 3,
        "g": np.zeros((0, 3), np.float32),
    }
    text = examples_text([{"inputs": values}])
    assert text == (
        '[{"inputs":{"a":[[0.1,-1e-09],[16777216.0,3.4028235e+38]],"b":[0.1,0.3333333333333333],'
        '"c":[9223372036854775807,-1],"d":[true,false],"e":0.7,"f":3,"g":[]}}]'
    )
    back = json.loads(text)[0]["inputs"]
    assert np.array_equal(np.float32(back["a"]), values["a"])
    for value in (math.nan, np.float32("inf"), np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="JSON"):
            examples_text([{"outputs": {"y": value}}])


@pytest.mark.parametrize(
    ("error", "rounded"),
    [
        (0.0, 0.0),
        (3e-7, 1e-6),
        (1e-7, 1e-7),
        (1.0000001e-7, 1e-6),
        (9.99e-300, 1e-299),
        (1.0, 1.0),
        (2.5, 10.0),
    ],
)
def test_errors_are_rounded_up_to_powers_of_ten(error, rounded):
    assert round_up(error) == rounded
    assert row()["checks"]["cuda_text_error"] == 1e-6
    assert row()["checks"]["adjoint_error"] is None


FACTORY = """import warp as wp


def create_scaled(factor: float):
    @wp.kernel
    def scaled(x: wp.array[float], out: wp.array[float]):
        i = wp.tid()
        out[i] = factor * x[i]

    return scaled


scaled = create_scaled(2.5)
"""


@pytest.mark.compile
@pytest.mark.parametrize(
    ("source", "name"),
    [
        (FACTORY, "create_scaled__locals__scaled"),
        (FACTORY.replace("@wp.kernel", "@wp.kernel(cuda_max_registers=64)"), "create_scaled__locals__scaled"),
        (
            FACTORY.replace("@wp.kernel", "@wp.kernel(launch_bounds=64, cluster_dim=2)"),
            "create_scaled__locals__scaled",
        ),
        (FACTORY.replace("@wp.kernel", '@wp.kernel(name="other")'), "other"),
    ],
)
def test_the_entry_point_is_the_function_in_the_code(source: str, name: str) -> None:
    text = warp.translate(source, "scaled", backward=True, cuda=True)
    assert entry_point(CONFIGS["cpu"], text.cpu) == f"{name}_cpu_forward"
    for config in ("cuda", "cuda_backward", "handwritten"):
        assert (
            entry_point(CONFIGS[config], text.cuda or "")
            == text.cuda_kernels[0]
            == f"{name}_cuda_kernel_forward"
        )
    for config in ("spec_to_warp", "repair"):
        assert entry_point(CONFIGS[config], source) is None
    plain = "__global__ void __launch_bounds__(256) scaled(const float* x, float* out)\n{\n}\n"
    assert entry_point(CONFIGS["warp_to_cuda"], plain) == "scaled"


STEERED = """import warp as wp


@wp.struct
class Grid:
    cells: wp.array(dtype=float)
    unread: wp.array(dtype=float)
    scale: float
    size: int


@wp.struct
class Piece:
    start: float
    slope: float


@wp.func
def value_of(piece: Piece, t: float) -> float:
    return piece.slope * t


@wp.kernel
def k(x: wp.array[float], gate: wp.array[float], place: wp.array[float], index: wp.array[int], gain: float,
      grid: Grid, pieces: wp.array[Piece], total: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    if gate[i] > 0.5:
        total[i] += 1.0
    out[i] = gain * x[index[i]] + grid.cells[int(wp.floor(place[i]))] + value_of(pieces[i], 2.0)
"""


def test_arguments_tell_which_inputs_have_a_gradient() -> None:
    """What only steers a comparison or an index has none; what is added to hands on the one that arrives."""
    program = read(STEERED)
    arguments = [replace(a, role="inout" if a.name == "total" else a.role) for a in program.arguments]
    signature = replace(program.signature, arguments=tuple(arguments))
    told = {entry["name"]: entry["differentiable"] for entry in argument_rows(signature, None, program)}
    of_structs = {"grid", "grid.cells", "pieces", "pieces.slope"}  # nothing reads the other members
    assert {name for name, flows in told.items() if flows} == {"x", *of_structs, "total"}
    assert {name for name, flows in told.items() if flows is None} == {"out"}
    assert {entry["differentiable"] for entry in argument_rows(signature, None, None)} == {None}
