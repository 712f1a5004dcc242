"""Other rounding: what may be rounded is, what is exact is not, and kernels that hang on it are no rows."""

from __future__ import annotations

import numpy as np
import pytest
from toys.operations import samples_of

from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.operations.meanings import native
from warp_ir_dataset.language.operations.rounding import WIDE, Rounding
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Array, Scalar, Value, Vector
from warp_ir_dataset.proof.agreement import Found, rounding_agrees
from warp_ir_dataset.proof.cases import Case, rehearse
from warp_ir_dataset.proof.run import Result

DOUBLE = Scalar("float64")
LEFT_OUT = {"randf"}  # whole numbers become floats in one way


def samples(name: str):
    """Applications with float32 results, and values of their operands that fill all digits."""
    row = TABLE[name]
    for operands, result in row.signature.instances:
        if not isinstance(result, Value) or result.scalar != "float32":
            continue
        if row.changed or not operands or any(isinstance(type, Array) for type in operands):
            continue
        for sample in samples_of(row, operands, result, 2, 8):
            full = [
                np.float32(v * (1 - 1e-4 / 3)).astype(float) if v.dtype.kind == "f" else v
                for v in sample.values
            ]
            yield sample.node.type, full


def rounds(name: str) -> bool:
    """Whether float32 does not hold some result, which is no operand's."""
    for type, values in samples(name):
        result = np.asarray(TABLE[name].meaning(type, *values), float)
        if (result != result.astype(np.float32)).any():
            return True
    return False


FLOATS = [name for name, row in TABLE.items() if row.meaning is not native and any(samples(name))]


@pytest.mark.parametrize("name", FLOATS)
def test_what_rounds_is_known(name: str) -> None:
    with np.errstate(all="ignore"):
        assert rounds(name) == (TABLE[name].rounds is not None or name in LEFT_OUT)


# ---- kernels

VEC3 = Vector("float32", 3)
UNIT = Interval(-1.0, 1.0)
NUMBER = ir.Argument("a", FLOAT, "input", (4,), UNIT)
VECTORS = ir.Argument("a", VEC3, "input", (4,), UNIT)


def kernel(body: str, *arguments: ir.Argument):
    """A program of four threads, one line after another."""
    types = {FLOAT: "wp.float32", INT: "wp.int32", VEC3: "wp.vec3"}
    told = ", ".join(f"{a.name}: wp.array[{types[a.type]}]" for a in arguments)
    lines = "\n    ".join(["i = wp.tid()", *body.split("; ")])
    source = f"import warp as wp\n\n\n@wp.kernel\ndef k({told}):\n    {lines}\n"
    return read(source, ir.Signature("k", arguments, (4,)))


def outputs(type) -> ir.Argument:
    return ir.Argument("o", type, "output", (4,), UNIT)


def given(*values: float) -> dict[str, np.ndarray]:
    """Four vectors of three numbers, or four numbers."""
    return {"a": np.float32(values).reshape((4, -1) if len(values) > 4 else 4)}


def told(program, inputs, *, adjoint=False) -> Found | Rejected:
    sets = [inputs, inputs]
    meaning = rehearse(program, sets).meaning
    none = Result({}, {})
    return rounding_agrees(
        program, [Case(each, None, none, m) for each, m in zip(sets, meaning, strict=True)], adjoint=adjoint
    )


NUMBERS = given(0.3, -0.7, 0.9, 0.123)
PARALLEL = given(*(0.3, -0.7, 0.9) * 4)


@pytest.mark.parametrize(
    ("program", "inputs"),
    [
        # A product that is fused with a sum leaves what a normal vector is made of.
        (kernel("o[i] = wp.normalize(wp.cross(a[i], a[i]))", VECTORS, outputs(VEC3)), PARALLEL),
        (kernel("x = a[i] * 0.1; o[i] = wp.int32(wp.floor(x * 10.0 - a[i]))", NUMBER, outputs(INT)), NUMBERS),
        (kernel("x = wp.sin(a[i]); y = x * x + wp.cos(a[i]) ** 2.0; o[i] = wp.where(y > 1.0, 1.0, 2.0)",
                NUMBER, outputs(FLOAT)), NUMBERS),
        (kernel("o[i] = int(wp.floor(30000.0 + a[i] * 0.1 * 10.0 - a[i]))", NUMBER, outputs(INT)), NUMBERS),
    ],
    ids=["normal", "whole part", "comparison", "one of many"],
)  # fmt: skip
def test_what_hangs_on_rounding_is_no_row(program, inputs) -> None:
    found = told(program, inputs)
    assert isinstance(found, Rejected) and found.reason is Reason.ROUNDING_DECIDES
    assert found.detail.endswith("when it is rounded otherwise")


@pytest.mark.parametrize(
    ("program", "inputs"),
    [
        (kernel("o[i] = wp.floor(a[i] * 4.0) + wp.floor(2.0 - 1.0)", NUMBER, outputs(FLOAT)), NUMBERS),
        (kernel("x = a[0]; o[i] = int(float(i) * 3.0 / 3.0)", NUMBER, outputs(INT)), NUMBERS),
        (kernel("o[i] = wp.where(wp.dot(wp.vec3(1.0, 0.0, 0.0), a[i]) == a[i][0], 1.0, 2.0)",
                VECTORS, outputs(FLOAT)), PARALLEL),
        (kernel("o[i] = wp.where(wp.max(a[i], 0.25) - wp.max(a[i], 0.25) > 0.0, 1.0, 2.0)",
                NUMBER, outputs(FLOAT)), NUMBERS),
    ],
    ids=["powers of two", "whole numbers", "a component", "the same"],
)  # fmt: skip
def test_what_is_exact_stays_so(program, inputs) -> None:
    assert told(program, inputs) == {"rounding_error": 0.0}


def test_errors_are_of_a_unit_in_the_last_place() -> None:
    program = kernel("o[i] = a[i] * 0.1", NUMBER, outputs(FLOAT))
    first, again = (interpret(program, {"a": NUMBERS["a"][None]}, 1, rounding=Rounding()) for _ in range(2))
    exact = interpret(program, {"a": NUMBERS["a"][None]}, 1)
    assert np.array_equal(first["o"], again["o"])
    errors = np.abs(first["o"] / exact["o"] - 1)
    assert 0 < errors.max() <= np.finfo(np.float32).eps


def test_results_in_float64_are_rounded_if_that_is_asked_for() -> None:
    """Numbers that float32 holds are left alone: whole ones, for example."""
    exact = np.array([0.1, 1 / 3, 3.0, 0.75, 2.0**24 + 2])
    assert np.array_equal(Rounding().result(DOUBLE, exact), exact)
    rounding = Rounding(wide=True)
    errors = np.array([rounding.result(DOUBLE, exact) / exact - 1 for _ in range(50)])
    assert not errors[:, 2:].any() and errors[:, :2].any(axis=0).all()
    assert 1 < np.abs(errors).max() / np.finfo(np.float64).eps <= WIDE
    assert np.mean(errors[:, :2] == 0) < 0.1
    assert (rounding.result(FLOAT, exact[:1]) != exact[:1]).all()


def test_two_results_of_the_same_have_errors_that_know_nothing_of_each_other() -> None:
    rounding, exact = Rounding(), np.full(1000, 0.1)
    for count in (110, 377, 1000):
        first, second = (rounding.result(FLOAT, exact[:count]) for _ in range(2))
        assert 0.25 < np.mean(first > second) < 0.75
    first, second = (rounding.result(FLOAT, exact) / exact - 1 for _ in range(2))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


# What cancels is next to nothing, and is taken for nothing where it should be below.
CANCELS = "x = a[i] * 0.1; y = wp.max(x * x - wp.min(x * x, 1.0), 0.0); "


@pytest.mark.parametrize(
    ("program", "inputs", "name"),
    [
        (kernel(f"{CANCELS}o[i] = x + wp.sqrt(y)", NUMBER, outputs(FLOAT)), NUMBERS, "sqrt"),
        (kernel(f"{CANCELS}o[i] = x + wp.cbrt(y)", NUMBER, outputs(FLOAT)), NUMBERS, "cbrt"),
        (kernel(f"{CANCELS}o[i] = x + wp.acos(wp.min(1.0 - y, 1.0))", NUMBER, outputs(FLOAT)), NUMBERS,
         "acos"),
        (kernel("o[i] = a[i] + 0.001 * wp.normalize(wp.cross(a[i], a[i]))", VECTORS, outputs(VEC3)), PARALLEL,
         "normalize"),
    ],
    ids=["sqrt", "cbrt", "acos", "normalize"],
)  # fmt: skip
def test_a_derivative_that_hangs_on_rounding_is_no_row_with_gradients(program, inputs, name) -> None:
    assert not isinstance(told(program, inputs), Rejected)
    found = told(program, inputs, adjoint=True)
    assert isinstance(found, Rejected) and found.reason is Reason.ROUNDING_DECIDES
    assert found.detail == f"the derivative of {name} hangs on rounding"


@pytest.mark.parametrize(
    "text",
    [
        "o[i] = a[i] + wp.sqrt(wp.max(a[i] - a[i], 0.0))",
        "o[i] = wp.sqrt(wp.max(-a[i] * a[i], 0.0))",
        "x = a[i] * 0.1; o[i] = wp.sqrt(x * x + 0.0001)",
        "x = a[i] * 0.1; o[i] = wp.acos(wp.clamp(x + 2.0, -1.0, 1.0))",
        f"{CANCELS}o[i] = wp.where(y > 0.001, 1.0, x)\n    if y > 0.001:\n        o[i] = wp.sqrt(y)",
    ],
    ids=["exactly zero", "below zero", "softened", "beyond one", "left out"],
)
def test_a_derivative_that_hangs_on_no_rounding_may_be_infinite(text: str) -> None:
    found = told(kernel(text, NUMBER, outputs(FLOAT)), NUMBERS, adjoint=True)
    assert not isinstance(found, Rejected), found


def test_a_loop_that_never_ends_then_is_no_row() -> None:
    body = "x = wp.float32(1.0); while x * 0.1 * 10.0 - x != 0.0:; o[i] = x"
    program = kernel(body.replace(":; o", ":\n        x = x * 1.1\n    o"), NUMBER, outputs(FLOAT))
    found = told(program, NUMBERS)
    assert isinstance(found, Rejected) and "never ends" in found.detail
