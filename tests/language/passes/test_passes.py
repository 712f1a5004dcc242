"""What every pass makes of a program where it applies: another text, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from toys.passes import EVERY, moved
from toys.texts import program

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.passes.table import is_legal, normalized
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import in_float64, write
from warp_ir_dataset.proof.inputs import make_inputs

SQUARE = """
@wp.func
def square(x: float) -> float:
    return x * x
"""
HALVES = """
@wp.func
def halves(x: float, y: float) -> float:
    half = 0.5 * x
    term = half * y
    return half + term
"""
PUT = """
@wp.func
def put(values: wp.array(dtype=float), spot: int, x: float):
    values[spot] = x * 2.0
"""
RESPOND = """
@wp.func
def respond(a: wp.array(dtype=float), i: int) -> float:
    return wp.sin(a[i] * 2.0)
"""
COMPUTE_SINE = """
@wp.func
def compute_sine(x: float) -> float:
    return wp.sin(x * 3.0 + 1.0)
"""
COMBINE = """
@wp.func
def combine(a: wp.array(dtype=float), i: int) -> float:
    x = a[i] * 2.0
    return x + a[i]
"""
FACTOR = "\nCOEFFICIENT = wp.constant(2.4)\n"
TWO_PARAMS = """
@wp.struct
class Params:
    low: float
    high: float
"""
GIVEN = """
@wp.struct
class Given:
    least: float
    most: float
"""
SPAN = """
@wp.func
def span(given: Given, x: float) -> float:
    return x * (given.most - given.least)
"""
METHOD = """
from typing import Any
@wp.struct
class Given:
    least: float
    most: float
    @wp.func
    def span(self: Any, x: float) -> float:
        return x * (self.most - self.least)
"""
RISE = """
@wp.func
def rise(values: wp.array(dtype=float), at: int, x: float) -> float:
    total = float(0.0)
    for k in range(at):
        total += 0.5 * values[k]
    return wp.max(total, 1.5) ** x
"""
RISE_OF_ANY = """
from typing import Any
@wp.func
def rise(values: wp.array(dtype=Any), at: int, x: Any):
    total = type(x)(0.0)
    for k in range(at):
        total += type(x)(0.5) * values[k]
    return wp.max(total, type(x)(1.5)) ** x
"""
WHILE = """
k = int(0)
while k < c[i]:
    k += 2
o[i] = float(k)
"""
WHILE_TRUE = """
k = int(0)
while True:
    if k >= c[i]:
        break
    k += 2
o[i] = float(k)
"""
DOUBLED = """
@wp.func
def doubled(x: wp.float64) -> wp.float64:
    return x * wp.float64(2.0)
"""
STATIC = ("o[i] = a[i] * wp.static(COEFFICIENT)", FACTOR)
WIDE = "x = wp.float64(a[i])\no[i] = float(doubled(x) + wp.float64(0.5))"

# pass: statements (and what the module defines) before, and after.
Text = tuple[str, str]
MADE: list[tuple[str, str | Text, str | Text]] = [
    ("commute operands", "o[i] = a[i] * b[i] + 1.0", "o[i] = 1.0 + a[i] * b[i]"),
    ("commute operands", "o[i] = wp.min(a[i], b[i])", "o[i] = wp.min(b[i], a[i])"),
    ("turn a comparison", "o[i] = wp.where(a[i] < b[i], 1.0, 2.0)", "o[i] = wp.where(b[i] > a[i], 1.0, 2.0)"),
    ("turn a comparison", "if 0.6 <= a[i] < 1.2:\n    o[i] = 1.0", "if 1.2 > a[i] >= 0.6:\n    o[i] = 1.0"),
    (
        "chain comparisons",
        "if low < a[i] and a[i] <= high:\n    o[i] = 1.0",
        "if low < a[i] <= high:\n    o[i] = 1.0",
    ),
    (
        "chain comparisons",
        "if a[i] >= low and a[i] < high:\n    o[i] = 1.0",
        "if low <= a[i] < high:\n    o[i] = 1.0",
    ),
    (
        "join comparisons",
        "x = b[i]\nif low < a[i] <= x < 1.4:\n    o[i] = 1.0",
        "x = b[i]\nif low < a[i] and a[i] <= x and x < 1.4:\n    o[i] = 1.0",
    ),
    ("name a component", "o[i] = v[i][1] + 1.0", "o[i] = v[i].y + 1.0"),
    (
        "name a component",
        "x = v[i]\nx[2] = 1.0\no[i] = wp.length(x)",
        "x = v[i]\nx.z = 1.0\no[i] = wp.length(x)",
    ),
    ("change power syntax", "o[i] = wp.pow(a[i], 1.5)", "o[i] = a[i] ** 1.5"),
    ("change power syntax", "o[i] = -(a[i] ** b[i])", "o[i] = -wp.pow(a[i], b[i])"),
    ("condition to break", WHILE, WHILE_TRUE),
    ("break to condition", WHILE_TRUE, WHILE),
    ("evaluate constants early", ("o[i] = a[i] * COEFFICIENT", FACTOR), STATIC),
    (
        "evaluate constants early",
        ("x = COEFFICIENT\nfor k in range(3):\n    x += a[k]\no[i] = x", FACTOR),
        ("x = float(wp.static(COEFFICIENT))\nfor k in range(3):\n    x += a[k]\no[i] = x", FACTOR),
    ),
    ("evaluate constants early", STATIC, ("o[i] = a[i] * COEFFICIENT", FACTOR)),
    ("leave types open", ("o[i] = rise(a, i, b[i])", RISE), ("o[i] = rise(a, i, b[i])", RISE_OF_ANY)),
    ("say types", ("o[i] = rise(a, i, b[i])", RISE_OF_ANY), ("o[i] = rise(a, i, b[i])", RISE)),
    ("make a method", ("o[i] = span(given, a[i])", GIVEN + SPAN), ("o[i] = Given.span(given, a[i])", METHOD)),
    (
        "make a function",
        ("o[i] = Given.span(given, a[i])", METHOD),
        ("o[i] = span(given, a[i])", GIVEN + SPAN),
    ),
    ("name all components", "o[i] = v[i][1] + v[i][0]", "o[i] = v[i].y + v[i].x"),
    ("add full slices", "row = m[i]\no[i] = float(row[1])", "row = m[i, :]\no[i] = float(row[1])"),
    ("drop full slices", "row = m[i, :]\no[i] = float(row[1])", "row = m[i]\no[i] = float(row[1])"),
    ("number a component", "o[i] = v[i].z + 1.0", "o[i] = v[i][2] + 1.0"),
    (
        "number a component",
        "x = v[i]\nx.x += 1.0\no[i] = wp.length(x)",
        "x = v[i]\nx[0] += 1.0\no[i] = wp.length(x)",
    ),
    ("bind", "o[i] = wp.sin(a[i] * b[i]) + a[i] * b[i]", "term = a[i] * b[i]\no[i] = wp.sin(term) + term"),
    ("bind", "if a[i] > 1.0:\n    o[i] = 1.0", "met = a[i] > 1.0\nif met:\n    o[i] = 1.0"),
    ("inline", "x = a[i] * b[i]\ny = x + 1.0\no[i] = y * y", "y = a[i] * b[i] + 1.0\no[i] = y * y"),
    # A store evaluates before it writes; inputs never change.
    ("inline", "x = s[i] * 2.0\ns[i] = x + a[i]", "s[i] = s[i] * 2.0 + a[i]"),
    ("inline", "x = a[i]\ns[i] = s[i] * 2.0\no[i] = x", "s[i] = s[i] * 2.0\no[i] = a[i]"),
    ("inline", "x = s[i]\no[i] = 1.0\nb[i] = x", "o[i] = 1.0\nb[i] = s[i]"),
    ("inline everywhere", "x = a[i]\no[i] = x * x", "o[i] = a[i] * a[i]"),
    ("draw a function out", "o[i] = 1.0 + wp.sin(a[i] * 2.0)", ("o[i] = 1.0 + respond(a, i)", RESPOND)),
    (
        "extract a function",
        "x = a[i] * 2.0\nsine = wp.sin(x * 3.0 + 1.0)\no[i] = sine + wp.sin(x * 2.0)",
        ("x = a[i] * 2.0\nsine = compute_sine(x)\no[i] = sine + wp.sin(x * 2.0)", COMPUTE_SINE),
    ),
    (
        "draw lines out",
        "x = a[i] * 2.0\ny = x + a[i]\no[i] = y * y",
        ("y = combine(a, i)\no[i] = y * y", COMBINE),
    ),
    ("inline a function", ("x = a[i]\no[i] = square(x) + 1.0", SQUARE), "x = a[i]\no[i] = x * x + 1.0"),
    (
        "inline a body",
        ("half = a[i]\no[i] = 1.0 + halves(half, a[i] * 2.0)", HALVES),
        "half = a[i]\ny = a[i] * 2.0\nhalf_2 = 0.5 * half\nterm = half_2 * y\no[i] = 1.0 + (half_2 + term)",
    ),
    ("inline a body", ("put(o, i, a[i])", PUT), "x = a[i]\no[i] = x * 2.0"),
    (
        "shift a loop",
        "x = float(0.0)\nfor k in range(1, n):\n    x += a[k - 1]\no[i] = x",
        "x = float(0.0)\nfor k in range(n - 1):\n    x += a[k]\no[i] = x",
    ),
    (
        "shift a loop",
        "x = float(0.0)\nfor k in range(3):\n    x += a[k]\no[i] = x",
        "x = float(0.0)\nfor k in range(1, 4):\n    x += a[k - 1]\no[i] = x",
    ),
    (
        "reverse a loop",
        "x = int(0)\nfor k in range(n):\n    x += c[k]\no[i] = float(x)",
        "x = int(0)\nfor k in range(n - 1, -1, -1):\n    x += c[k]\no[i] = float(x)",
    ),
    (
        "reverse a loop",
        "for k in range(5, 1, -1):\n    m[i, k] = c[k] + k\n    wp.atomic_max(o, 0, a[k])",
        "for k in range(2, 6):\n    m[i, k] = c[k] + k\n    wp.atomic_max(o, 0, a[k])",
    ),
    (
        "unroll a loop",
        "x = float(0.0)\nfor k in range(2):\n    y = a[k + 1]\n    x += y * float(k)\no[i] = x",
        "x = float(0.0)\ny = a[1]\nx += y * 0.0\ny_2 = a[2]\nx += y_2 * 1.0\no[i] = x",
    ),
    (
        "for to while",
        "x = float(0.0)\nfor k in range(n):\n    x += a[k]\no[i] = x",
        "x = float(0.0)\nk = int(0)\nwhile k < n:\n    x += a[k]\n    k += 1\no[i] = x",
    ),
    (
        "for to while",
        "x = float(0.0)\nfor _ in range(n):\n    x += a[i]\no[i] = x",
        "x = float(0.0)\nk = int(0)\nwhile k < n:\n    x += a[i]\n    k += 1\no[i] = x",
    ),
    (
        "while to for",
        "x = float(0.0)\nk = int(6)\nwhile k > n:\n    x += a[k]\n    k -= 2\no[i] = x",
        "x = float(0.0)\nfor k in range(6, n, -2):\n    x += a[k]\no[i] = x",
    ),
    ("augment", "x = a[i]\nx = x * b[i]\no[i] = x", "x = a[i]\nx *= b[i]\no[i] = x"),
    (
        "expand augmented assignment",
        "x = v[i]\nx[0] -= 1.0\no[i] = wp.length(x)",
        "x = v[i]\nx[0] = x[0] - 1.0\no[i] = wp.length(x)",
    ),
    ("ternary or where", "o[i] = a[i] if a[i] > 1.0 else 1.0", "o[i] = wp.where(a[i] > 1.0, a[i], 1.0)"),
    ("ternary or where", "o[i] = wp.where(a[i] > 1.0, a[i], 1.0)", "o[i] = a[i] if a[i] > 1.0 else 1.0"),
    (
        "branch to choice",
        "if a[i] > 1.0:\n    o[i] = a[i]\nelse:\n    o[i] = b[i]",
        "o[i] = a[i] if a[i] > 1.0 else b[i]",
    ),
    (
        "branch to choice",
        "x = a[i]\nif x > 1.0:\n    x = b[i]\no[i] = x",
        "x = a[i]\nx = wp.where(x > 1.0, b[i], x)\no[i] = x",
    ),
    (
        "choice to branch",
        "x = wp.where(a[i] > 1.0, a[i], b[i])\no[i] = x",
        "x = b[i]\nif a[i] > 1.0:\n    x = a[i]\no[i] = x",
    ),
    (
        "choice to branch",
        "o[i] += a[i] if a[i] > 1.0 else 2.0",
        "if a[i] > 1.0:\n    o[i] += a[i]\nelse:\n    o[i] += 2.0",
    ),
    (
        "swap branches",
        "if n < 3:\n    o[i] = a[i]\nelse:\n    o[i] = b[i]",
        "if n >= 3:\n    o[i] = b[i]\nelse:\n    o[i] = a[i]",
    ),
    (
        "return early",
        "if a[i] > 1.0:\n    x = a[i]\n    o[i] = x * x",
        "if not a[i] > 1.0:\n    return\nx = a[i]\no[i] = x * x",
    ),
    ("guard", "if i >= n:\n    return\nx = a[i]\no[i] = x * x", "if i < n:\n    x = a[i]\n    o[i] = x * x"),
    ("name a constant", "o[i] = wp.sin(a[i]) ** 2.4", ("o[i] = wp.sin(a[i]) ** COEFFICIENT", FACTOR)),
    ("write a constant out", ("o[i] = a[i] * COEFFICIENT", FACTOR), "o[i] = a[i] * 2.4"),
    (
        "pack arguments",
        "o[i] = wp.clamp(a[i], low, high + 2.0)",
        ("o[i] = wp.clamp(a[i], params.low, params.high + 2.0)", TWO_PARAMS),
    ),
    (
        "widen floats",
        "d[i] = wp.float64(n) * wp.float64(0.5 * float(i))",
        "d[i] = wp.float64(n) * (wp.float64(0.5) * wp.float64(i))",
    ),
]


def made(text: str | Text) -> ir.Program:
    return program(text) if isinstance(text, str) else program(*text)


def same_numbers(before: ir.Program, after: ir.Program) -> None:
    """Outputs are equal to the bit on inputs drawn from the domains of the first."""
    given = make_inputs(before.signature, "passes")
    wanted = interpret(before, {name: value[None] for name, value in given.items()}, 1)
    inputs = {name: value[None] for name, value in moved(before.signature, after.signature, given).items()}
    found = interpret(after, inputs, 1)
    assert wanted.keys() == found.keys()
    for name, values in wanted.items():
        assert np.array_equal(values, found[name]), f"{name}:\n{write(before)}\n{write(after)}"


def test_a_generic_function_says_its_types_in_double_precision():
    """Its literals would be of single precision."""
    start = made(("o[i] = rise(a, i, b[i])", RISE_OF_ANY))
    (wide,) = EVERY["widen floats"].variants(start)
    assert start.functions[0].generic
    assert not any(function.generic for each in (wide, in_float64(start)) for function in each.functions)


def test_comments_above_one_another_are_one():
    start = made("# first\nx = a[i]\n# second\no[i] = x")
    (one,) = EVERY["inline"].variants(start)
    assert one.body[1:3] == (ir.Comment("first"), ir.Comment("second"))
    assert normalized(one).body[1] == ir.Comment("first\nsecond")
    assert read(write(one), one.signature) == normalized(one)


@pytest.mark.parametrize(("name", "before", "after"), MADE, ids=lambda value: value if value in EVERY else "")
def test_a_pass_makes_this_of_that(name, before, after):
    start = made(before)
    assert is_legal(start), write(start)
    variants = list(EVERY[name].variants(start))
    goal = made(after)
    found = next((v for v in variants if write(v) == write(goal)), None)
    assert found is not None, "\n".join(map(write, variants))
    assert is_legal(found)
    assert read(write(found), found.signature) == normalized(found)
    same_numbers(start, found)
