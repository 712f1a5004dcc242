"""What the interpreter notes of a run: arms of branches, sides of comparisons with inputs."""

from __future__ import annotations

import numpy as np
import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.coverage import Coverage
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT

HEAD = "import warp as wp\n\n\n"
KERNEL = (
    "@wp.kernel\ndef walk(x: wp.array(dtype=float), limit: float, out: wp.array(dtype=float)):\n"
    "    i = wp.tid()\n"
)
ANY = Interval(-9.0, 9.0)
SIGNATURE = ir.Signature(
    "walk",
    (
        ir.Argument("x", FLOAT, "input", (3,), ANY),
        ir.Argument("limit", FLOAT, "input", (), ANY),
        ir.Argument("out", FLOAT, "output", (3,), ANY),
    ),
    (3,),
)
# Three sets of inputs: all below the limit, all above it, both.
X = np.array([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0], [1.0, 5.0, 9.0]])
LIMIT = np.array([4.0, 4.0, 4.0])
BELOW, ABOVE = [True, False, True], [False, True, True]


def program(body: str, functions: str = "") -> ir.Program:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return read(f"{HEAD}{functions}{KERNEL}{lines}", SIGNATURE)


def covered(body: str, functions: str = "") -> Coverage:
    kernel = program(body, functions)
    coverage = Coverage(kernel, 3)
    plain = interpret(kernel, {"x": X, "limit": LIMIT}, 3)
    noted = interpret(kernel, {"x": X, "limit": LIMIT}, 3, coverage)
    assert all(np.array_equal(plain[name], noted[name]) for name in plain)
    return coverage


@pytest.mark.parametrize(
    ("body", "functions"),
    [
        ("if x[i] < limit:\n    out[i] = 1.0\nelse:\n    out[i] = 2.0", ""),
        ("if x[i] < limit:\n    out[i] = 1.0", ""),  # the way around is an arm
        ("if x[i] < limit:\n    return\nout[i] = 1.0", ""),
        ("out[i] = 1.0 if x[i] < limit else 2.0", ""),
        ("out[i] = wp.where(x[i] < limit, 1.0, 2.0)", ""),
        (
            "out[i] = cut(x[i], limit)",
            "@wp.func\ndef cut(a: float, b: float) -> float:\n"
            "    if a < b:\n        return 1.0\n    return 2.0\n\n\n",
        ),
        # Threads that use what an atomic returned run one after the other.
        ("before = wp.atomic_add(out, 0, 1.0)\nif x[i] < limit:\n    out[1] = before", ""),
    ],
)
def test_which_inputs_run_which_arm(body, functions):
    arms = covered(body, functions).branches
    assert arms.tolist() == [[BELOW, ABOVE]]


def test_an_arm_inside_an_arm_is_run_by_who_gets_there():
    body = "if x[i] < limit:\n    if x[i] > 2.5:\n        out[i] = 1.0\nelse:\n    out[i] = 2.0"
    outer, inner = covered(body).branches.tolist()
    assert outer == [BELOW, ABOVE]
    assert inner == [[True, False, False], [True, False, True]]


def test_a_branch_that_nobody_reaches_has_no_arm_that_ran():
    body = "out[i] = x[i]\nif x[i] > 100.0:\n    if limit > 0.0:\n        out[i] = 1.0"
    outer, inner = covered(body).branches.tolist()
    assert outer == [[False] * 3, [True] * 3] and inner == [[False] * 3] * 2


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if x[i] > 100.0:\n    out[i] = 1.0", 1),
        ("if x[i] < 100.0:\n    out[i] = 1.0\nelse:\n    out[i] = 2.0", 1),
        ("out[i] = wp.where(x[i] > 100.0, 1.0, limit)", 1),
        ("out[i] = 1.0 if x[i] > 100.0 else limit", 1),
        # Guards: what never runs does nothing, or only leaves.
        ("if x[i] < 100.0:\n    out[i] = 1.0", 0),
        ("if x[i] > 100.0:\n    return\nout[i] = 1.0", 0),
        ("for k in range(3):\n    if x[k] > 100.0:\n        continue\n    out[i] += x[k]", 0),
        ("if x[i] > 100.0:\n    print(limit)\nout[i] = x[i]", 0),
        ("if wp.abs(x[i]) < 1.0e-4:\n    out[i] = 1.0\nelse:\n    out[i] = limit / x[i]", 0),
        ("out[i] = wp.where(x[i] > 0.0001, limit / x[i], 1.0)", 0),
        ("out[i] = wp.where(x[i] > 0.01, limit / x[i], 1.0)", 1),
        # What is behind one that leaves is the other arm.
        ("if x[i] < 100.0:\n    return\nout[i] = 1.0", 1),
        ("if x[i] > 100.0:\n    out[i] = 1.0\n    return\nout[i] = limit", 1),
        ("if x[i] < limit:\n    out[i] = 1.0\nelse:\n    out[i] = 2.0", 0),
    ],
)
def test_an_arm_that_no_input_runs_is_dead_but_for_guards(body, count):
    assert len(covered(body).dead) == count


def test_what_a_function_returns_is_no_guard():
    cut = "@wp.func\ndef cut(a: float) -> float:\n    if a > 100.0:\n        return 0.0\n    return a\n\n\n"
    assert len(covered("out[i] = cut(x[i]) + limit", cut).dead) == 1


@pytest.mark.parametrize(
    ("condition", "sides"),
    [
        ("x[i] < limit", [BELOW, ABOVE]),
        ("limit > x[i]", [BELOW, ABOVE]),
        ("0.0 < x[i] < limit", [[True] * 3, [False] * 3, BELOW, ABOVE]),
        ("y < 4.0", [BELOW, ABOVE]),  # `y` is an input under another name
        ("2.0 * x[i] < limit + limit", []),  # no input itself
        ("i < 2", []),
    ],
)
def test_which_inputs_see_which_side_of_a_comparison(condition, sides):
    coverage = covered(f"y = x[i]\nout[i] = y\nif {condition}:\n    out[i] = 1.0")
    assert coverage.sides.tolist() == sides


EVERY, NONE = [True] * 3, [False] * 3


@pytest.mark.parametrize(
    ("body", "effects"),
    [
        ("out[i] = wp.max(x[i], limit)", [BELOW, ABOVE]),
        ("out[i] = wp.min(x[i], 99.0)", [EVERY, NONE]),
        ("out[i] = wp.abs(x[i] - limit)", [BELOW, ABOVE]),
        # Each bound of a clamp where it changes the number, and where it does not.
        ("out[i] = wp.clamp(x[i], 2.5, 6.5)", [BELOW, EVERY, ABOVE, EVERY]),
        ("low = wp.max(wp.vec2(x[i], 0.0), wp.vec2(limit, 1.0))\nout[i] = low[0]", [EVERY, ABOVE]),
        # The second operand is asked where the first one leaves the answer open.
        (
            "d = x[i] - limit\nok = d > 0.0 and d < 2.5\nout[i] = d\nif ok:\n    out[i] = 1.0",
            [ABOVE, BELOW, ABOVE, [False, True, True]],
        ),
        (
            "d = x[i] - limit\nout[i] = 1.0 if 0.0 < d < 2.5 else d",
            [ABOVE, BELOW, ABOVE, [False, True, True]],
        ),
        # Whether a loop begins, and whether it is left early.
        ("for k in range(int(x[i]) - 4):\n    out[i] += limit", [ABOVE, BELOW, NONE, ABOVE]),
        (
            "for k in range(3):\n    if x[k] > limit:\n        break\n    out[i] += 1.0",
            [EVERY, NONE, ABOVE, [True, False, False]],
        ),
        (
            "k = int(0)\nwhile float(k) < x[i] - 4.0:\n    k += 1\nout[i] = float(k)",
            [ABOVE, BELOW, NONE, ABOVE],
        ),
    ],
)
def test_which_inputs_have_which_effect(body, effects):
    coverage = covered(body)
    found = [ran.tolist() for (_, place, _), ran in coverage._effects.items() if place >= 0]
    assert found == effects


def test_a_tie_with_an_input_is_noted():
    ways = [way for place in range(3) for way in covered("if x[i] < 5.0:\n    out[i] = 1.0").ran(place)]
    assert [(place, holds) for _, place, holds in ways if place < 0 and holds] == [(-1, True)] * 2


def test_a_second_account_is_not_mixed_with_the_first():
    """Side by side each thread would find what the last one stored; in order it finds its own."""
    body = "out[0] = x[i]\nif out[0] > x[i]:\n    out[1] = limit"
    assert covered(body).branches.tolist() == [[[False] * 3, [True] * 3]]
