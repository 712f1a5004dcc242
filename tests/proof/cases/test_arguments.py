"""Structs as arguments: plain, nested, in arrays and with arrays in them, in every way to run a kernel."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp
from toys.constructs import PROGRAMS

from warp_ir_dataset import prove
from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.units import Member
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT, SCALARS, Scalar, Struct, Value, shaped
from warp_ir_dataset.proof.inputs import draw_cases, make_inputs, make_output_gradients
from warp_ir_dataset.proof.run import Runner
from warp_ir_dataset.proof.subject import Proof

pytestmark = pytest.mark.compile

STRUCTS = (
    "structs in an array",
    "structs written to an array",
    "a struct as an argument",
    "arrays in a struct",
    "arrays in structs in an array",
)
WITH_POSES = (*STRUCTS, "quaternions and transforms", "a transform by value", "spatial vectors")


@contextmanager
def _runners(programs: dict[str, ir.Program], backward: bool = True) -> Iterator[dict[str, Runner]]:
    members = {
        title: Member(
            f"k{number}", toolchain.translate(write(program), program.name, backward=backward, cuda=True)
        )
        for number, (title, program) in enumerate(programs.items())
    }
    library = toolchain.compile_native(units.native_unit(list(members.values()), list(members.values())))
    try:
        yield {t: Runner(programs[t].signature, member, library, cuda=True) for t, member in members.items()}
    finally:
        library.unload()


def test_three_ways_give_the_same_bits() -> None:
    programs = {title: PROGRAMS[title] for title in WITH_POSES}
    with _runners(programs) as runners:
        for title, program in programs.items():
            inputs = make_inputs(program.signature, title)
            seeds = make_output_gradients(program.signature, title)
            launched = runners[title].launch(inputs, seeds)
            for other in (runners[title].run(inputs, seeds), runners[title].run_cuda(inputs, seeds)):
                for mine, theirs in (
                    (launched.outputs, other.outputs),
                    (launched.gradients, other.gradients),
                ):
                    assert mine.keys() == theirs.keys() and mine
                    assert all(mine[key].tobytes() == theirs[key].tobytes() for key in mine), title


def test_results_are_by_leaf() -> None:
    """Plain members get no gradient, as plain arguments get none; whole numbers get none."""
    program = PROGRAMS["arrays in structs in an array"]
    inputs = make_inputs(program.signature, "x")
    with _runners({"": program}) as runners:
        found = runners[""].run(inputs, make_output_gradients(program.signature, "x"))
    assert {name: array.shape for name, array in found.gradients.items()} == {
        "ropes.gain": (8,),
        "ropes.knots": (8, 3, 3),
        "ropes.bodies.mass": (8, 2),
        "ropes.bodies.place.at": (8, 2, 3),
    }
    assert list(found.outputs) == ["o", "q"]
    assert np.array_equal(found.outputs["q"], inputs["ropes.bodies.place.cell"][:, 1])


# ---- as anyone would launch it


def _imported(program: ir.Program, folder: Path) -> Any:
    path = folder / f"{program.name}_module.py"
    path.write_text(write(program))
    spec = importlib.util.spec_from_file_location(f"plain_{program.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    wp.set_module_options({"optimization_level": 0, "cpu_compiler_flags": ""}, module)
    return module


def test_arrays_of_structs_give_the_bits_of_a_plain_import_and_a_tape(tmp_path: Path) -> None:
    program = PROGRAMS["structs in an array"]
    inputs, seeds = make_inputs(program.signature, "z"), make_output_gradients(program.signature, "z")
    with _runners({"": program}) as runners:
        ours = runners[""].launch(inputs, seeds)
    wp.config.kernel_cache_dir = str(tmp_path)
    module = _imported(program, tmp_path)
    records = np.zeros(8, module.Body.numpy_dtype())
    records["mass"], records["place"]["at"] = inputs["bodies.mass"], inputs["bodies.place.at"]
    records["place"]["cell"] = inputs["bodies.place.cell"]
    bodies = wp.array(records, dtype=module.Body, requires_grad=True, device="cpu")
    o = wp.zeros(8, dtype=float, requires_grad=True, device="cpu")
    q = wp.zeros(8, dtype=int, device="cpu")
    tape = wp.Tape()
    with tape:
        wp.launch(module.weighed, 8, inputs=[bodies, o, q], device="cpu")
    tape.backward(grads={o: wp.array(seeds["o"], dtype=float, device="cpu")})
    assert np.array_equal(o.numpy(), ours.outputs["o"]) and np.array_equal(q.numpy(), ours.outputs["q"])
    gradient = bodies.grad.numpy()
    assert np.array_equal(gradient["mass"], ours.gradients["bodies.mass"])
    assert np.array_equal(gradient["place"]["at"], ours.gradients["bodies.place.at"])


def test_a_struct_of_arrays_gives_the_bits_of_a_plain_import_and_a_tape(tmp_path: Path) -> None:
    program = PROGRAMS["arrays in a struct"]
    inputs, seeds = make_inputs(program.signature, "z"), make_output_gradients(program.signature, "z")
    with _runners({"": program}) as runners:
        ours = runners[""].launch(inputs, seeds)
    wp.config.kernel_cache_dir = str(tmp_path)
    module = _imported(program, tmp_path)

    def array(values: np.ndarray) -> wp.array:
        return wp.array(values, dtype=float, requires_grad=True, device="cpu")

    grid = module.Grid()
    grid.gain = float(inputs["grid.gain"])
    grid.cells, grid.sums = array(inputs["grid.cells"]), array(inputs["grid.sums"])
    a, o = array(inputs["a"]), array(np.zeros(8, np.float32))
    tape = wp.Tape()
    with tape:
        wp.launch(module.summed, 8, inputs=[a, grid, o], device="cpu")
    for leaf, given in {"o": o, "grid.cells": grid.cells, "grid.sums": grid.sums}.items():
        given.grad.assign(seeds[leaf])
    tape.backward()
    for leaf, given in {"a": a, "grid.cells": grid.cells, "grid.sums": grid.sums}.items():
        assert np.array_equal(given.grad.numpy(), ours.gradients[leaf]), leaf
        if leaf != "a":
            assert np.array_equal(given.numpy(), ours.outputs[leaf]), leaf


# ---- members of every type


def _mixed() -> tuple[str, ir.Signature]:
    """A kernel that copies every member of a struct by value, and of one in an array, into arrays."""
    members: list[tuple[str, str, Value]] = []  # a name, how its type is written, the type
    for scalar, row in SCALARS.items():
        members.append((f"s_{scalar}", f"wp.{scalar}", Scalar(scalar)))
        if row.kind != "truth":
            text = f"wp.types.vector(length=3, dtype=wp.{scalar})"
            members.append((f"v_{scalar}", text, shaped(scalar, (3,))))
        if row.kind == "float":
            text = f"wp.types.matrix(shape=(2, 3), dtype=wp.{scalar})"
            members.append((f"m_{scalar}", text, shaped(scalar, (2, 3))))
    # Neighbours of other sizes: what is between them is padding.
    members = [members[k * 7 % len(members)] for k in range(len(members))]
    outputs = ", ".join(f"o_{name}: wp.array(dtype=T_{name})" for name, *_ in members)
    lines = ["import warp as wp", *(f"T_{name} = {text}" for name, text, _ in members)]
    lines += ["@wp.struct", "class Mixed:", *(f"    {name}: T_{name}" for name, *_ in members)]
    lines += ["@wp.kernel", f"def copy(one: Mixed, many: wp.array(dtype=Mixed), {outputs}):"]
    for name, *_ in members:
        lines += [f"    o_{name}[0] = one.{name}", f"    o_{name}[1] = many[1].{name}"]
    struct = Struct("Mixed", tuple((name, type) for name, _, type in members))
    wide = Interval(0, 100)
    arguments = [
        ir.Argument("one", struct, "input", (), wide),
        ir.Argument("many", struct, "input", (2,), wide),
    ]
    arguments += [ir.Argument(f"o_{name}", type, "output", (2,), wide) for name, _, type in members]
    return "\n".join(lines) + "\n", ir.Signature("copy", tuple(arguments), (1,))


def test_members_of_every_type_reach_the_kernel_bit_for_bit() -> None:
    source, signature = _mixed()
    assert len(signature.arguments) > 25
    member = Member("k0", toolchain.translate(source, "copy", backward=False, cuda=True))
    library = toolchain.compile_native(units.native_unit([member], [member]))
    runner = Runner(signature, member, library, cuda=True)
    inputs = make_inputs(signature, "bits")
    for way in (runner.launch, runner.run, runner.run_cuda):
        found = way(inputs, None).outputs
        for name, value in found.items():
            leaf = name.removeprefix("o_")
            assert value[0].tobytes() == inputs[f"one.{leaf}"].tobytes(), (way, leaf)
            assert value[1].tobytes() == inputs[f"many.{leaf}"][1].tobytes(), (way, leaf)
    library.unload()


# ---- what kernels say


@pytest.mark.process
def test_what_a_kernel_prints_is_not_heard(capfd: pytest.CaptureFixture[str]) -> None:
    program = PROGRAMS["print, assert, pass and comments"]
    signature = ir.Signature(
        "told",
        (
            ir.Argument("a", FLOAT, "input", (8,), Interval(0.5, 1.5)),
            ir.Argument("o", FLOAT, "output", (8,), Interval(0.5, 1.5)),
        ),
        (8,),
    )
    proof = prove(write(program), signature, draw_cases(signature, "x"), config="cuda")
    assert isinstance(proof, Proof), proof
    assert capfd.readouterr().out == ""
