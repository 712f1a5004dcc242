"""Inputs on which comparisons are only just decided, and which comparisons no rounding decides."""

from __future__ import annotations

import numpy as np
import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis import thresholds
from warp_ir_dataset.language.analysis.coverage import exact, tie
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.thresholds import NEAR, Margins, approached, narrow, tied
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT, Type, Vector
from warp_ir_dataset.language.walks import walk
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.subject import Arrays, stacked

VEC3 = Vector("float32", 3)
HEAD = "import warp as wp\n\n\n"
KERNEL = (
    "@wp.kernel\ndef walk(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float), c: wp.array(dtype=int),\n"
    "         limit: float, out: wp.array(dtype=float)):\n    i = wp.tid()\n"
)


def argument(name: str, type: Type, shape: tuple[int, ...], domain: Interval) -> ir.Argument:
    return ir.Argument(name, type, "output" if name == "out" else "input", shape, domain)


SIGNATURE = ir.Signature(
    "walk",
    (
        argument("x", VEC3, (4,), Interval(-1.0, 1.0)),
        argument("y", FLOAT, (4,), Interval(0.0, 9.0)),
        argument("c", INT, (4,), Interval(0, 9)),
        argument("limit", FLOAT, (), Interval(0.1, 1.5)),
        argument("out", FLOAT, (4,), Interval(0.0, 0.0)),
    ),
    (4,),
)
BALL = "out[i] = 1.0\nif wp.dot(x[i], x[i]) < limit * limit:\n    out[i] = 2.0"


def program(body: str, functions: str = "") -> ir.Program:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return read(f"{HEAD}{functions}{KERNEL}{lines}", SIGNATURE)


def drawn(count: int) -> list[Arrays]:
    return [make_inputs(SIGNATURE, f"thresholds/{number}") for number in range(count)]


def noted(kernel: ir.Program, sets: list[Arrays]) -> Margins:
    interpret(kernel, stacked(sets), len(sets), recorded := Margins(kernel, len(sets)))
    return recorded


def found(kernel: ir.Program, sets: list[Arrays], most: int = 2) -> list[Arrays]:
    recorded = noted(kernel, sets)
    return [*approached(kernel, [(sets, recorded)], recorded.narrow_outcomes, most)]


def seen(body: str, other: str, sets: list[Arrays]) -> bool:
    return bool(Bitten(program(body), sets).by(program(other)).seen.any())


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        (BALL, "limit * limit", "1.001 * limit * limit"),
        (BALL, "limit * limit", "0.999 * limit * limit"),
        ("out[i] = wp.where(wp.sin(y[i]) * y[i] > limit, 1.0, 2.0)", "> limit", "> 1.001 * limit"),
        ("out[i] = wp.where(wp.sin(y[i]) * y[i] > limit, 1.0, 2.0)", "> limit", "> 0.999 * limit"),
        # Next to the threshold both sides are nearly the same.
        (
            "t = wp.sin(y[i]) * y[i]\nout[i] = wp.where(t > limit, 4.0 * t - 3.0 * limit, limit)",
            "t > limit",
            "t > 1.01 * limit",
        ),
        # Comparisons in a row, and in a loop.
        ("out[i] = wp.where(limit < wp.exp(y[i]) < 7.25, 1.0, 2.0)", "7.25", "7.255"),
        (
            "out[i] = 0.0\nfor k in range(4):\n    if wp.length(x[i] - x[k]) < 0.4:\n        out[i] += 1.0",
            "0.4",
            "0.4003",
        ),
        # Sums that are compared with zero, and what jumps there or at other numbers.
        ("out[i] = wp.where(0.61 * x[i][0] + 0.39 * x[i][1] > 0.0, 1.0, 2.0)", "0.61", "0.6105"),
        ("out[i] = wp.sign(0.61 * x[i][0] + 0.39 * x[i][1])", "0.61", "0.6095"),
        ("out[i] = wp.floor(0.35 * y[i])", "0.35", "0.3503"),
        ("out[i] = float(int(0.35 * y[i]))", "0.35", "0.3497"),
        ("out[i] = wp.round(0.35 * y[i])", "0.35", "0.3503"),
        # What is small beside the numbers that are compared with it.
        ("out[i] = wp.where(wp.sin(y[i] + x[i][0]) < -0.001, 1.0, 2.0)", "0.001", "0.001001"),
        # What jumps from one piece of a line to the next.
        (
            "p = y[i] - 0.5\nk = wp.floor(p)\nf = p - k\n"
            "out[i] = (1.0 - f) * wp.sin(2.5 * k) + f * wp.sin(2.5 * k + 2.5)",
            "floor(p)",
            "floor(p - 0.0005)",
        ),
        # What no random input comes near, nor any that lies between two of them.
        ("out[i] = y[i] / wp.max(wp.length(x[i]), 0.0001)", "0.0001", "0.000001"),
        ("out[i] = wp.where(wp.length(wp.cross(x[i], x[3])) < 0.001, 1.0, 2.0)", "0.001", "0.0009"),
        # And what is hidden where all vanishes, or all elements are the same.
        (
            "s = wp.length(x[i] - x[(i + 1) % 4])\nt = wp.length(x[i] - x[(i + 2) % 4])\n"
            "out[i] = wp.max(t * s / wp.max(s, 0.001), 0.05)",
            "0.001",
            "0.0001",
        ),
    ],
)
def test_a_threshold_that_is_slightly_off_is_told(body, old, new):
    sets = drawn(16)
    kernel, other = program(body), body.replace(old, new)
    assert not seen(body, other, sets)
    assert seen(body, other, found(kernel, sets))


def test_inputs_are_chosen_that_show_a_threshold(monkeypatch):
    body = "v = wp.where(wp.sin(y[i]) * y[i] > limit, 1.0, 2.0)\nout[i] = wp.where(x[i][0] > 0.3, v, 0.0)"
    kernel, other = program(body), body.replace("> limit", "> 1.001 * limit")
    sets = [[make_inputs(SIGNATURE, f"{seed}/{number}") for number in range(16)] for seed in range(12)]
    recorded = [seen(body, other, found(kernel, some, most=1)) for some in sets]
    monkeypatch.setattr(thresholds, "_showing", lambda program, way, sets, own: np.full(len(sets), True))
    before = [seen(body, other, found(kernel, some, most=1)) for some in sets]
    assert sum(recorded) > sum(before) + 1, (recorded, before)


def test_numbers_jump_once():
    """Not again where they are whole, and to whole numbers of another type not at zero."""
    inputs, *_ = drawn(1)
    body = "out[i] = float(int(wp.floor(2.0 * x[i][0])))"
    assert len(noted(program(body), [inputs]).narrow_outcomes) == 4
    x = np.zeros_like(inputs["x"])
    sets = [{**inputs, "x": x + np.float32(0.5 * (jump - 1e-4))} for jump in (0, 1)]
    for other, near in [(body, [True, True]), ("out[i] = float(int(2.0 * x[i][0]))", [False, True])]:
        recorded = noted(program(other), sets)
        (way,) = (way for way in recorded.narrow_outcomes if way[1:] == narrow((0, 0), above=False)[1:])
        assert recorded.runs(way).tolist() == near


def test_inputs_stay_in_their_domains():
    leaves = {argument.name: argument for argument in SIGNATURE.inputs}
    sets = drawn(16)
    made = found(program(BALL), sets)
    assert made
    for inputs in made:
        assert {n: (a.dtype, a.shape) for n, a in inputs.items()} == {
            n: (a.dtype, a.shape) for n, a in sets[0].items()
        }
        for name, array in inputs.items():
            domain = leaves[name].domain
            assert (array >= np.float32(domain.lo)).all() and (array <= np.float32(domain.hi)).all()
        assert any(np.array_equal(inputs["c"], each["c"]) for each in sets)


def test_each_component_of_a_bound_vector_counts():
    kernel = program("v = wp.min(x[i], wp.vec3(0.9, 0.8, 0.7))\nout[i] = v[0] + v[1] + v[2]")
    first, *_ = drawn(1)
    sets = [{**first, "x": np.zeros_like(first["x"])} for _ in range(4)]
    for component in range(3):
        sets[component]["x"][1, component] = 1.0
    recorded = noted(kernel, sets)
    assert len(set(map(recorded.ran, range(4)))) == 4


def test_there_are_no_more_than_asked_for():
    sets = drawn(16)
    recorded = noted(program(BALL), sets)
    assert len(found(program(BALL), sets, most=1)) == len(recorded.narrow_outcomes) == 4
    assert approached(recorded.program, [(sets, recorded)], (), 3) == []


def test_lines_lead_from_inputs_that_fall_on_both_sides():
    """Also where the first ones all fall on one side."""
    body = "out[i] = wp.where(wp.abs(y[i] - y[3]) < 8.5, 1.0, 2.0)"
    kernel, sets = program(body), drawn(4)
    rare = {**sets[0], "y": np.array([0.1, 0.0, 8.9, 8.95], np.float32)}
    groups = [(some, noted(kernel, some)) for some in (sets, [*sets[:1], rare])]
    ways = groups[0][1].narrow_outcomes
    for recorded, is_found in ((groups[:1], False), (groups, True)):
        made = approached(kernel, recorded, ways, 2)
        assert seen(body, body.replace("8.5", "8.51"), [*made, *sets]) is is_found


def test_near_zero_is_not_searched():
    """To zero no number of an input is next."""
    sets = drawn(16)
    kernel = program("out[i] = 1.0\nif x[i][0] > 0.0:\n    out[i] = 2.0")
    recorded = noted(kernel, sets)
    assert recorded.narrow_outcomes
    assert approached(kernel, [(sets, recorded)], recorded.narrow_outcomes, 2) == []


def comparison(kernel: ir.Program) -> tuple[ir.Apply | ir.Chain, int]:
    (found,) = (
        node
        for node in walk(kernel.bodies)
        if isinstance(node, ir.Chain) or (isinstance(node, ir.Apply) and node.operation in ("lt", "le", "eq"))
    )
    return found, 0


def test_how_narrowly_a_comparison_is_decided_is_noted():
    kernel = program("out[i] = wp.where(y[i] + 1.0 < limit, 1.0, 2.0)")
    (first, *_), limit = drawn(1), np.float32(1.0)
    sets = [
        {**first, "limit": limit, "y": np.full(4, number, np.float32)}
        for number in (0.0, NEAR / 2, 2 * NEAR, 1.0)
    ]
    sets.append({**first, "limit": np.float32(1.0 + NEAR / 2), "y": np.zeros(4, np.float32)})
    recorded, (node, place) = noted(kernel, sets), comparison(kernel)
    assert recorded.runs(narrow((id(node), place), above=True)).tolist() == [False, True, False, False, False]
    assert recorded.runs(narrow((id(node), place), above=False)).tolist() == [False] * 4 + [True]
    np.testing.assert_allclose(recorded.margins((id(node), place))[3], 0.5)


def test_computed_numbers_that_are_equal_are_noted_where_there_may_be_ties():
    kernel = program("out[i] = wp.where(y[i] + y[3] < 2.0 * limit, 1.0, 2.0)")
    (first,) = drawn(1)
    sets = [{**first, "limit": np.float32(limit), "y": np.full(4, 1.0, np.float32)} for limit in (1.0, 1.25)]
    node, place = comparison(kernel)
    for ties in (True, False):
        interpret(kernel, stacked(sets), len(sets), recorded := Margins(kernel, len(sets), ties=ties))
        assert recorded.runs(tie(node, place)).tolist() == [ties, False]


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("out[i] = wp.where(y[c[i] % 4] < y[(c[i] + 1) % 4], 1.0, 2.0)", ("<", "<=")),
        ("a = y[i]\nb = y[(i + 1) % 4]\nlater = a >= b\nout[i] = wp.where(later, 1.0, 2.0)", (">=", ">")),
        ("out[i] = 0.0\nif 1.0 < y[i] <= y[3] < 8.0:\n    out[i] = 1.0", ("<= y", "< y")),
        ("p = x[i]\nout[i] = wp.where(p[1] < x[(i + 1) % 4][1], 1.0, 2.0)", ("p[1] <", "p[1] <=")),
        ("a = y[i]\nb = y[3]\nlow = a\nif b < a:\n    low = b\nout[i] = low", None),
        ("out[i] = wp.where(y[i] < limit + 1.0, 1.0, 2.0)", None),
        ("out[i] = wp.where(y[i] < 4.5, 1.0, 2.0)", None),
    ],
)
def test_numbers_of_inputs_are_made_equal_if_that_shows(body, other):
    kernel, sets = program(body), drawn(8)
    made = [*tied(kernel, (sets, noted(kernel, sets)), 2)]
    assert len(made) == (2 if other else 0)
    for way, inputs in made:
        assert noted(kernel, [inputs]).runs(way).all()
        assert seen(body, body.replace(*other), [inputs])


def test_numbers_that_a_function_is_given_are_made_equal():
    function = "@wp.func\ndef lower(a: float, b: float):\n    return wp.where(a < b, 1.0, 2.0)\n\n\n"
    body, sets = "out[i] = lower(y[i], y[3])", drawn(8)
    kernel = program(body, function)
    made = [inputs for _, inputs in tied(kernel, (sets, noted(kernel, sets)), 2)]
    assert (
        Bitten(kernel, made).by(program(body, function.replace("a < b", "a <= b"))).seen.tolist()
        == [True] * 2
    )


def test_whole_numbers_are_next_to_each_other_or_equal():
    kernel = program("out[i] = wp.where(2 * c[i] < 9 - c[3], 1.0, 2.0)")
    (first,) = drawn(1)
    sets = [{**first, "c": np.array(c, np.int32)} for c in ([4, 4, 4, 1], [4, 4, 4, 0], [5, 5, 5, 0])]
    recorded, (node, place) = noted(kernel, sets), comparison(kernel)
    assert recorded.runs(tie(node, place)).tolist() == [True, False, False]
    assert recorded.runs(narrow((id(node), place), above=True)).tolist() == [False, False, True]
    assert recorded.runs(narrow((id(node), place), above=False)).tolist() == [False, True, False]
    assert not recorded.narrow_outcomes, "of whole numbers there is nothing between"


FUNCTION = "@wp.func\ndef cut(a: float, b: float) -> float:\n    return 1.0 if a < b else 2.0\n\n\n"
LARGEST = "most = float(0.0)\nfor k in range(4):\n    if most < y[k]:\n        most = y[k]\nout[i] = most"


@pytest.mark.parametrize(
    ("body", "functions", "is_exact"),
    [
        ("out[i] = wp.where(y[i] < 0.5, 1.0, 2.0)", "", True),
        ("a = wp.abs(y[i])\nout[i] = wp.where(-a < limit, 1.0, 2.0)", "", True),
        ("a = y[i] * 0.5\nout[i] = wp.where(a < limit, 1.0, 2.0)", "", False),
        ("out[i] = wp.where(float(c[i] * 3) < limit, 1.0, 2.0)", "", True),
        ("out[i] = wp.where(x[i][0] < limit, 1.0, 2.0)", "", True),
        (LARGEST, "", True),
        (LARGEST.replace("most = y[k]", "most += y[k]"), "", False),
        ("out[i] = cut(y[i], limit)", FUNCTION, True),
        ("out[i] = cut(y[i], limit) + cut(y[i] + 1.0, limit)", FUNCTION, False),
        ("out[i] = 1.0\nif out[i] < y[i]:\n    out[i] = 2.0", "", False),
    ],
)
def test_of_what_is_copied_rounding_decides_nothing(body, functions, is_exact):
    kernel = program(body, functions)
    node, place = comparison(kernel)
    assert ((id(node), place) in exact(kernel)) is is_exact
