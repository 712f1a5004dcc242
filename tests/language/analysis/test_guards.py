"""What legal inputs should run: bounds that bite, conditions that hold and fail, loops that are left."""

from __future__ import annotations

import random

import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.coverage import Coverage
from warp_ir_dataset.language.analysis.degenerate import has_idle_guard
from warp_ir_dataset.language.analysis.guards import keeps_legal, wanted
from warp_ir_dataset.language.analysis.sizes import is_legal
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Vector

HEAD = "import warp as wp\n\n\n"
KERNEL = (
    "@wp.kernel\ndef walk(x: wp.array(dtype=float), a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), "
    "n: int, out: wp.array(dtype=float)):\n    i = wp.tid()\n"
)
SIZE = 4


def program(body: str, low: float = -2.0, high: float = 3.0, threads: int = SIZE) -> ir.Program:
    signature = ir.Signature(
        "walk",
        (
            ir.Argument("x", FLOAT, "input", (SIZE,), Interval(low, high)),
            ir.Argument("a", Vector("float32", 3), "input", (SIZE,), Interval(-1.0, 1.0)),
            ir.Argument("b", Vector("float32", 3), "input", (SIZE,), Interval(-1.0, 1.0)),
            ir.Argument("n", INT, "input", (), Interval(SIZE, SIZE)),
            ir.Argument("out", FLOAT, "output", (SIZE,), Interval(0.0, 0.0)),
        ),
        (threads,),
    )
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return read(f"{HEAD}{KERNEL}{lines}", signature)


def is_idle(kernel: ir.Program) -> bool:
    return has_idle_guard(kernel, random.Random("guards").random, Coverage(kernel, 0))


NEEDED = {
    "a bound": "out[i] = wp.max(x[i], 0.0)",
    "a bound at one side": "out[i] = wp.clamp(x[i], 0.0, 9.0)",
    "a branch": "if x[i] > 0.0:\n    out[i] = 1.0",
    "an exact number": "if x[i] == 0.0:\n    out[i] = 1.0\nelse:\n    out[i] = 2.0 / x[i]",
    "no length": (
        "d = a[i] - b[i]\nlength = wp.length(d)\nif length > 1.0e-6:\n    out[i] = 1.0 / length\n"
        "else:\n    out[i] = 0.0"
    ),
    "parallel vectors": "out[i] = 1.0 / wp.max(wp.length(wp.cross(a[i], b[i])), 1.0e-6)",
    "equal numbers": "s = x[0]\nif x[0] == x[1] and x[1] == x[2]:\n    s = 0.0\nout[i] = s",
    "a loop that is left": "s = float(0.0)\nfor k in range(4):\n    if x[k] > 2.0:\n        break\n"
    "    s += x[k]\nout[i] = s",
    "a loop's bound": (
        "s = x[i]\nk = int(0)\nwhile s > -9.0 and k < 3:\n    s = s - 1.0\n    k += 1\nout[i] = s"
    ),
    "a sign": "out[i] = wp.abs(x[i] * x[i])",
    "nothing but a word": "if x[i] > 99.0:\n    print(x[i])\nout[i] = x[i]",
}
IDLE = {
    "a bound": ("out[i] = wp.max(x[i], 0.0)", 0.5),
    "a bound from above": ("out[i] = wp.min(x[i], 4.0)", -2.0),
    "two bounds": ("out[i] = wp.clamp(x[i], -3.0, 4.0)", -2.0),
    "a branch": ("if x[i] > 0.0:\n    out[i] = x[i]", 0.5),
    "a way around": ("if x[i] < 9.0:\n    out[i] = x[i]", 0.5),
    "an exact number": ("if x[i] == 0.0:\n    out[i] = 1.0\nelse:\n    out[i] = 2.0 / x[i]", 0.5),
    "half of a condition": ("if x[i] > 1.0 and x[i] < 9.0:\n    out[i] = 1.0", -2.0),
    "half of a chain": ("if 1.0 < x[i] < 9.0:\n    out[i] = 1.0", -2.0),
    "the other half": ("if x[i] > 1.0 or x[i] < -9.0:\n    out[i] = 1.0", -2.0),
    "a choice": ("out[i] = x[i] if x[i] > -9.0 else 1.0", -2.0),
    "a way out": ("if x[i] > 9.0:\n    return\nout[i] = x[i]", -2.0),
    "a way out of a loop": (
        "s = float(0.0)\nfor k in range(4):\n    if x[k] > 9.0:\n        break\n    s += x[k]\nout[i] = s",
        -2.0,
    ),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_some_legal_input_needs_is_found(name: str) -> None:
    assert not is_idle(program(NEEDED[name]))


@pytest.mark.parametrize("name", IDLE)
def test_what_no_legal_input_needs_is_idle(name: str) -> None:
    body, low = IDLE[name]
    assert is_idle(program(body, low))


def test_what_rounding_needs_is_no_idle_guard() -> None:
    mean = "mean = (x[0] + x[1] + x[2]) / 3.0\n"
    squares = "squares = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 3.0\n"
    assert not is_idle(program(f"{mean}{squares}out[i] = wp.sqrt(wp.max(squares - mean * mean, 0.0))"))


def test_a_guard_of_the_launch_is_no_idle_guard() -> None:
    guarded = "if i >= n:\n    return\nout[i] = x[i]"
    assert not is_idle(program(guarded))
    assert not is_idle(program("k = i + 1\nif k <= out.shape[0]:\n    out[i] = x[i]"))


def test_a_guard_that_keeps_an_index_in_its_array_is_no_idle_guard() -> None:
    """The part of a number behind its point, times the size of an array, is below that size: no interval
    shows that."""
    part = "part = wp.abs(x[i]) - wp.floor(wp.abs(x[i]))\n"
    body = f"{part}k = wp.clamp(int(part * 4.0), 0, 3)\nout[i] = x[k]"
    kernel = program(body)
    assert is_legal(kernel)
    assert any(keeps_legal(kernel, way) for ways in wanted(kernel, ends=False, ties=False) for way in ways)
    assert not is_idle(kernel)


def test_ends_of_loops_and_signs_are_wanted_where_they_are_asked_for() -> None:
    for name in ("a loop's bound", "a sign"):
        kernel = program(NEEDED[name])
        assert len(wanted(kernel)) > len(wanted(kernel, ends=False))
    left = program(NEEDED["a loop that is left"])
    assert len(wanted(left)) == len(wanted(left, ends=False)) + 2


def test_ties_are_wanted_between_inputs() -> None:
    body = "s = x[i]\nif s < x[0]:\n    s = 2.0\nif s > 1.0:\n    s = 3.0\nout[i] = s"
    assert len(wanted(program(body))) == len(wanted(program(body), ties=False))
    body = body.replace("s = x[i]", "here = x[i]\ns = float(0.0)").replace("s < x[0]", "here < x[0]")
    assert len(wanted(program(body))) == len(wanted(program(body), ties=False)) + 1
