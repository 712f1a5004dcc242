"""Kernels on real memory: every way to run one gives the same numbers, and they are the right ones."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import warp as wp
from toys import programs as h

from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.units import Member
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.write import in_float64, write
from warp_ir_dataset.language.types import Matrix, Scalar, Vector
from warp_ir_dataset.proof.inputs import make_inputs, make_output_gradients
from warp_ir_dataset.proof.run import Runner
from warp_ir_dataset.proof.verify import STEPS

pytestmark = pytest.mark.compile

J = ir.Name("j", h.INT)
DOUBLE = Scalar("float64")
MATRIX, VECTOR, COUNT = Matrix("float64", 2, 2), Vector("float32", 3), Scalar("int64")


def _each_kind_of_argument() -> ir.Program:
    """Two thread indices; plain scalars, vectors, matrices; arrays of them; an inout, an integer output."""
    arguments = (
        ir.Argument("image", h.FLOAT, "input", (4, 3), Interval(0.5, 1.5)),
        ir.Argument("axis", VECTOR, "input", (), Interval(0.5, 1.5)),
        ir.Argument("gain", DOUBLE, "input", (), Interval(0.5, 1.5)),
        ir.Argument("turn", MATRIX, "input", (), Interval(0.5, 1.5)),
        ir.Argument("shift", COUNT, "input", (), Interval(1, 9)),
        ir.Argument("points", VECTOR, "inout", (4,), Interval(0.5, 1.5)),
        ir.Argument("frames", MATRIX, "output", (4, 3), Interval(-9, 9)),
        ir.Argument("codes", COUNT, "output", (4, 3), Interval(-99, 99)),
    )
    both = (h.THREAD, J)
    pixel = h.element("image", *both)
    wide = h.op("to_float", pixel, type=DOUBLE)
    body = (
        ir.ThreadIndex((h.THREAD, J)),
        h.write(
            "frames",
            h.op(
                "scale_left",
                h.op("mul", wide, h.name("gain", DOUBLE), type=DOUBLE),
                h.name("turn", MATRIX),
                type=MATRIX,
            ),
            *both,
        ),
        h.write(
            "codes", h.op("add", h.op("to_integer", J, type=COUNT), h.name("shift", COUNT), type=COUNT), *both
        ),
        ir.If(
            h.op("eq", J, ir.Literal(0, h.INT), type=h.BOOL),
            (
                h.write(
                    "points",
                    h.op(
                        "scale_left",
                        pixel,
                        h.op("add", h.name("axis", VECTOR), h.name("axis", VECTOR), type=VECTOR),
                        type=VECTOR,
                    ),
                ),
            ),
        ),
    )
    return ir.Program(ir.Signature("mixed", arguments, (4, 3)), body)


MIXED = _each_kind_of_argument()
PROGRAMS = {"square": h.SQUARE, "linear": h.LINEAR_SUM, "atomic": h.ATOMIC_SUM, "mixed": MIXED}


@contextmanager
def _runner(program: ir.Program, backward: bool = True) -> Iterator[Runner]:
    text = toolchain.translate(write(program), program.name, backward=backward, cuda=True)
    member = Member("k0", text)
    library = toolchain.compile_native(units.native_unit([member], [member]))
    try:
        yield Runner(program.signature, member, library, cuda=True)
    finally:
        library.unload()


@pytest.mark.parametrize("name", PROGRAMS)
def test_three_ways_give_the_same_bits(name: str) -> None:
    program = PROGRAMS[name]
    inputs, seeds = make_inputs(program.signature, "x"), make_output_gradients(program.signature, "x")
    with _runner(program) as runner:
        launched = runner.launch(inputs, seeds)
        for other in (runner.run(inputs, seeds), runner.run_cuda(inputs, seeds)):
            for mine, theirs in ((launched.outputs, other.outputs), (launched.gradients, other.gradients)):
                assert mine.keys() == theirs.keys() and mine
                assert all(np.array_equal(mine[key], theirs[key]) for key in mine)


def test_numbers_are_right() -> None:
    inputs = make_inputs(MIXED.signature, "y")
    with _runner(MIXED, backward=False) as runner:
        outputs = runner.run_cuda(inputs).outputs
    wide = inputs["image"].astype(np.float64) * inputs["gain"]
    assert np.array_equal(outputs["frames"], wide[:, :, None, None] * inputs["turn"])
    assert np.array_equal(outputs["codes"], np.broadcast_to(np.arange(3) + inputs["shift"], (4, 3)))
    assert np.array_equal(outputs["points"], inputs["image"][:, :1] * (inputs["axis"] + inputs["axis"]))


def test_runs_do_not_leave_traces_in_each_other() -> None:
    first, second = make_inputs(h.ATOMIC_SUM.signature, "1"), make_inputs(h.ATOMIC_SUM.signature, "2")
    seeds = make_output_gradients(h.ATOMIC_SUM.signature, "1")
    with _runner(h.ATOMIC_SUM) as runner:
        before = runner.run(first, seeds)
        runner.run(second, seeds)
        runner.run_cuda(second, seeds)
        runner.launch(second, seeds)
        after = runner.run(first, seeds)
    assert np.array_equal(before.outputs["o"], after.outputs["o"])
    assert np.array_equal(before.gradients["a"], after.gradients["a"])


def test_every_thread_runs_exactly_once() -> None:
    """Over more threads than a block of the shim has, and not a multiple of it."""
    size = 77
    arguments = (h.argument("a", shape=(size,)), h.argument("o", "output", h.INT, (1,), -1, 1))
    body = (
        ir.ThreadIndex((h.THREAD,)),
        h.atomic("add", "o", ir.Literal(0, h.INT), h.op("add", h.THREAD, ir.Literal(1, h.INT), type=h.INT)),
    )
    program = ir.Program(ir.Signature("count_threads", arguments, (size,)), body)
    with _runner(program, backward=False) as runner:
        assert runner.run_cuda(make_inputs(program.signature, "x")).outputs["o"].tolist() == [
            size * (size + 1) // 2
        ]


def test_the_shim_runs_the_cuda_text_and_not_the_cpu_text() -> None:
    text = toolchain.translate(write(h.SQUARE), h.SQUARE.name, backward=False, cuda=True)
    assert text.cuda is not None and "wp::mul" in text.cuda
    member = Member("k0", replace(text, cuda=text.cuda.replace("wp::mul", "wp::div")))
    library = toolchain.compile_native(units.native_unit([member], [member]))
    runner = Runner(h.SQUARE.signature, member, library, cuda=True)
    inputs = make_inputs(h.SQUARE.signature, "x")
    assert np.allclose(runner.run_cuda(inputs).outputs["o"], 1.25)
    assert not np.allclose(runner.run(inputs).outputs["o"], 1.25)
    library.unload()


def test_kernels_of_one_name_share_a_unit() -> None:
    programs = [h.SQUARE, h.SHORT_LOOP, h.SQUARE]
    members = [
        Member(f"k{n}", toolchain.translate(write(q), q.name, backward=False, cuda=True))
        for n, q in enumerate(programs)
    ]
    library = toolchain.compile_native(units.native_unit(members, members))
    runs = [Runner(q.signature, m, library, cuda=True) for q, m in zip(programs, members, strict=True)]
    inputs = make_inputs(h.SQUARE.signature, "x")
    first, loop, again = (runner.run_cuda(inputs).outputs["o"] for runner in runs)
    assert np.array_equal(first, again) and not np.array_equal(first, loop)
    library.unload()


def _imported(program: ir.Program, folder: Path) -> wp.Kernel:
    """The kernel from a plain file, compiled by Warp itself without optimisation, as we do."""
    path = folder / "plain_module.py"
    path.write_text(write(program))
    spec = importlib.util.spec_from_file_location(f"plain_{program.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    wp.set_module_options({"optimization_level": 0, "cpu_compiler_flags": ""}, module)
    return getattr(module, program.name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plain_import_and_a_tape_give_the_same_bits(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    inputs, seeds = make_inputs(program.signature, "z"), make_output_gradients(program.signature, "z")
    with _runner(program) as runner:
        ours = runner.launch(inputs, seeds)
    wp.config.kernel_cache_dir = str(tmp_path)
    kernel = _imported(program, tmp_path)
    values = {}
    for argument, variable in zip(program.arguments, kernel.adj.args, strict=True):
        kind = variable.type
        if argument.ndim == 0:
            values[argument.name] = kind(*np.ravel(inputs[argument.name]).tolist())
        elif argument.role == "output":
            values[argument.name] = wp.zeros(
                argument.shape, dtype=kind.dtype, requires_grad=True, device="cpu"
            )
        else:
            values[argument.name] = wp.array(
                inputs[argument.name], dtype=kind.dtype, requires_grad=True, device="cpu"
            )
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, program.launch_dim, inputs=list(values.values()), device="cpu")
    tape.backward(
        grads={
            values[key]: wp.array(seed, dtype=values[key].dtype, device="cpu") for key, seed in seeds.items()
        }
    )
    for key, output in ours.outputs.items():
        assert np.array_equal(values[key].numpy(), output)
    for key, gradient in ours.gradients.items():
        assert np.array_equal(values[key].grad.numpy(), gradient)


def test_differences_of_a_known_function() -> None:
    program = in_float64(h.SQUARE)  # o = a * a + 0.25
    inputs, seeds = make_inputs(program.signature, "x"), make_output_gradients(program.signature, "x")
    with _runner(program) as runner:
        (found,) = runner.differences(inputs, seeds, STEPS)
        adjoint = runner.run(inputs, seeds).gradients["a"]
    expected = 2 * inputs["a"] * seeds["o"]
    assert found.argument == "a" and found.slopes.shape == (2, h.SIZE)
    assert np.allclose(found.slopes, expected, rtol=1e-8) and np.allclose(adjoint, expected, rtol=1e-14)


def test_differences_of_an_inout_array_start_from_its_input() -> None:
    body = h.write("o", h.op("mul", h.op("mul", h.read("o"), h.read("o")), h.read("a")))
    program = in_float64(h.kernel(body, arguments=(h.argument("a"), h.argument("o", "inout"))))
    inputs, seeds = make_inputs(program.signature, "x"), make_output_gradients(program.signature, "x")
    with _runner(program) as runner:
        slopes = {d.argument: d.slopes[0] for d in runner.differences(inputs, seeds, STEPS)}
    assert np.allclose(slopes["a"], inputs["o"] ** 2 * seeds["o"], rtol=1e-8)
    assert np.allclose(slopes["o"], 2 * inputs["o"] * inputs["a"] * seeds["o"], rtol=1e-8)
