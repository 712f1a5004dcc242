"""Inputs made extreme: within their domains, with their traits, and of every kind that there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toys.judged import completion, program_at, row_at

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.judge import hidden
from warp_ir_dataset.judge.question import Question, question_of
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.edges import (
    AIMED,
    aimed,
    constants,
    may_be_special,
    non_differentiable_at,
    on_edge,
    special_outcomes,
    with_special_numbers,
)
from warp_ir_dataset.language.analysis.guards import wanted
from warp_ir_dataset.language.domains import Interval, Trait
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT, INT, Type, Vector
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.cases import rehearse
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.subject import Arrays
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample

VEC3 = Vector("float32", 3)


def given(name: str, type: Type, shape: tuple[int, ...], domain: Interval, trait: Trait | None = None):
    return ir.Argument(name, type, "input", shape, domain, trait=trait)


SIGNATURE = ir.Signature(
    "walk",
    (
        given("x", FLOAT, (7,), Interval(-1.0, 2.0)),
        given("y", FLOAT, (7,), Interval(-1.0, 3.0)),
        given("v", VEC3, (4,), Interval(-1.0, 1.0)),
        given("u", VEC3, (4,), Interval(-1.0, 1.0), "unit"),
        given("rows", INT, (6,), Interval(0, 9), "offsets"),
        given("at", INT, (5,), Interval(0, 4)),
        given("corners", Vector("int32", 3), (5,), Interval(0, 9), "offsets"),
    ),
    (7,),
)


def edges(signature: ir.Signature, count: int, *, ties: bool = True) -> list[Arrays]:
    drawn = [make_inputs(signature, f"edge/{number}") for number in range(count)]
    return [on_edge(d, signature, (0.5, 1.0), f"text/{k}", ties=ties) for k, d in enumerate(drawn)]


def test_what_is_extreme_is_within_its_domain_and_keeps_its_trait():
    own = (sample(address_of(0, category, 5)).program.signature for category in CATEGORIES)
    signatures = [SIGNATURE, *own]
    for signature in signatures:
        for inputs in edges(signature, 6):
            plain = make_inputs(signature, "edge/0")
            assert {n: (a.dtype, a.shape) for n, a in inputs.items()} == {
                n: (a.dtype, a.shape) for n, a in plain.items()
            }
            for leaf in (leaf for argument in signature.inputs for leaf in argument.leaves):
                values = inputs[leaf.name].astype(np.float64)
                if leaf.trait in (None, "sorted", "offsets", "permutation"):
                    slack = 1e-6 * leaf.domain.magnitude
                    assert (values >= leaf.domain.lo - slack).all() and (
                        values <= leaf.domain.hi + slack
                    ).all()
                if leaf.trait in ("sorted", "offsets"):
                    assert (np.diff(values, axis=leaf.ndim - 1) >= 0).all()
                if leaf.trait == "permutation":
                    assert len(np.unique(values)) == values.size


@pytest.mark.parametrize("kind", range(AIMED))
def test_what_is_aimed_keeps_its_shape_and_its_order(kind):
    plain = make_inputs(SIGNATURE, "edge/0")
    inputs = aimed(plain, SIGNATURE, (0.5, 1.0), "text", kind)
    assert {name: each.shape for name, each in inputs.items()} == {n: each.shape for n, each in plain.items()}
    assert (np.diff(inputs["rows"]) >= 0).all() and (np.diff(inputs["corners"], axis=0) >= 0).all()


def test_every_kind_of_extreme_comes_up():
    some = edges(SIGNATURE, 200)
    assert any((each["v"] == 0).all(axis=1).any() for each in some), "a zero vector"
    assert any((each["x"] == each["x"][0]).all() for each in some), "equal keys"
    assert any(len(np.unique(each["x"])) == 2 for each in some), "few keys"
    assert any(np.isin(each["x"], (-1.0, 2.0)).all() for each in some), "both ends"
    assert any((each["x"] < -0.5).all() for each in some) and any((each["x"] > 1.5).all() for each in some)
    assert any((each["x"] == 0.5).any() for each in some), "a number that is compared with"
    assert any(np.array_equal(each["x"], each["y"]) for each in some), "exact ties"
    assert any((np.diff(each["rows"]) == 0).any() for each in some), "an empty list"
    assert any((each["at"] == [0, 0, 1, 2, 3]).all() for each in some), "a chain"


def test_all_may_be_alike():
    some = edges(SIGNATURE, 200)
    assert any((each["x"] == each["y"][0]).all() for each in some), "one number in two arguments"
    assert any((np.count_nonzero(each["v"], axis=1) == 1).all() for each in some), "parallel vectors"
    assert any((each["v"] == each["v"][0]).any(axis=0).all() for each in some)
    assert any(len(np.unique(each["v"][:, k])) == 1 for each in some for k in range(3)), "points in a plane"
    assert any((np.abs(each["u"]) == 1.0).any() for each in some), "a direction along an axis"


def test_without_ties_no_two_numbers_are_the_same():
    some = edges(SIGNATURE, 100, ties=False)
    assert all(len(np.unique(each["x"])) == 7 for each in some)
    assert any((each["x"] < -0.5).all() for each in some)


def targeted(kind: int, count: int = 20) -> list[Arrays]:
    drawn = [make_inputs(SIGNATURE, f"aimed/{number}") for number in range(count)]
    return [aimed(d, SIGNATURE, (0.5, 1.0), f"text/{k}", kind) for k, d in enumerate(drawn)]


def test_inputs_are_aimed_at_constants_ends_and_ties():
    for each in targeted(0):
        special = np.isin(np.concatenate([each[name].ravel() for name in ("x", "y", "v")]), (0.0, 0.5, 1.0))
        assert 0.2 < special.mean() < 0.8
    vectors = np.concatenate([each["v"] for each in targeted(0)])
    assert ((vectors == 0).sum(axis=1) == 1).any(), "zero in one part"
    for kind, end in ((1, 4), (2, 0)):
        some = targeted(kind)
        assert all((each["at"] == end).any() for each in some)
        assert all((np.diff(each["rows"]) == 9).sum() == 1 for each in some), "one segment has all"
        assert len({int(np.diff(each["rows"]).argmax()) for each in some}) > 1
    assert all(np.array_equal(each["x"], each["y"]) for each in targeted(3))
    assert all(len(np.unique(each["x"])) <= 3 for each in targeted(4))
    zero = {kind: [not each["x"].any() for each in targeted(kind)] for kind in (5, 6)}
    assert all(zero[5]) and any(zero[6]) and not all(zero[6])
    assert any(each["x"].any() != each["v"].any() for each in targeted(6)), "one argument alone"


def test_it_counts_as_an_arm_that_inputs_hold_ends_and_zeros():
    plain = make_inputs(SIGNATURE, "held") | {"at": np.full(5, 2, np.int32)}

    def ways(name: str, values: list[float], gradients: Arrays | None = None) -> int:
        changed = {**plain, name: np.array(values, plain[name].dtype)}
        found = special_outcomes(SIGNATURE, changed, gradients) - special_outcomes(
            SIGNATURE, plain, gradients
        )
        assert all(number == min(found)[0] for number, _, _ in found)
        return len(found)

    assert (
        ways("at", [0, 1, 2, 3, 3]) == ways("at", [1, 1, 2, 3, 4]) == 1 and ways("at", [0, 0, 4, 4, 1]) == 2
    )
    assert ways("rows", [0, 0, 0, 9, 9, 9]) == 1 and ways("rows", [0, 0, 1, 9, 9, 9]) == 0
    assert ways("x", [0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) == 1, "equal neighbours"
    number = [0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert ways("x", number) == 1
    slope = np.ones(7)
    assert ways("x", number, {"x": slope}) == 1 and ways("x", number, {}) == 0
    slope[0] = 0.0
    assert ways("x", number, {"x": slope}) == 0, "a zero whose gradient is zero tells nothing"


def bent(body: str) -> bool:
    """Whether a body is bent where some numbers in ``x`` are special ones."""
    source = "import warp as wp\n\n\n@wp.kernel\n"
    source += "def walk(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):\n"
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    out = ir.Argument("out", FLOAT, "output", (7,), Interval(0.0, 0.0))
    signature = ir.Signature("walk", (*SIGNATURE.arguments[:2], out), (7,))
    program = read(f"{source}    i = wp.tid()\n{lines}", signature)
    special = np.array([0.0, 0.0, 1.0, -1.0, 0.3, 1.7, -0.6], np.float32)
    inputs = {**make_inputs(signature, "bent"), "x": special}
    return non_differentiable_at(program, [(inputs, "x")]) == {0}


def test_half_of_the_numbers_that_may_be_are_spotted():
    x, _, v, u, *_ = SIGNATURE.arguments
    some = [with_special_numbers(make_inputs(SIGNATURE, f"{k}"), x, f"text/{k}") for k in range(20)]
    numbers, counts = np.unique(np.concatenate([each["x"] for each in some]), return_counts=True)
    assert set(numbers[counts > 5]) == {0.0, 1.0, -1.0}
    assert 0.3 < counts[counts > 5].sum() / counts.sum() < 0.7
    assert may_be_special(x) and may_be_special(v)
    assert not may_be_special(u), "of length 1"
    assert not may_be_special(replace(x, domain=Interval(0.5, 2.0)))


@pytest.mark.parametrize(
    ("body", "is_bent"),
    [
        ("out[i] = x[i] * x[i] + 3.0 * y[i] * x[i]", False),
        ("out[i] = wp.exp(20.0 * x[i])", False),
        ("out[i] = wp.abs(x[i])", True),
        ("out[i] = wp.max(x[i], 1.0) * y[i]", True),
        ("out[i] = wp.where(x[i] > 0.0, y[i], 5.0)", True),
        ("out[i] = wp.sqrt(wp.max(x[i], 0.0)) + wp.log(x[i])", True),
        ("out[i] = wp.min(x[i], x[(i + 1) % 7])", True),
        # It is bent where no special number is.
        ("out[i] = x[i] + wp.abs(x[i] - 0.3)", False),
    ],
)
def test_where_an_output_has_no_derivative_no_zeros_are_used(body, is_bent):
    assert bent(body) is is_bent


@pytest.mark.compile
@pytest.mark.parametrize("place", [("vector", 1), ("curves", 0, "corner_cutting")], ids=str)
def test_gradients_are_taken_of_zeros(place, monkeypatch):
    asked = question_of(row_at("cuda_backward", *place), CONFIGS["cuda_backward"])
    leaves = [leaf for a in asked.signature.inputs for leaf in a.leaves]
    able = [leaf.name for leaf in leaves if leaf.type.is_float and leaf.shape and leaf.domain.lo < 0]

    def zeros() -> set[str]:
        expected = hidden.expect(asked, 0)
        return {
            name
            for name in able
            for inputs, result in zip(expected.inputs, expected.results, strict=True)
            if ((inputs[name] == 0) & (result.gradients[name] != 0)).any()
        }

    assert able and zeros() == set(able)
    monkeypatch.setattr(hidden, "SPOTTED", 0)
    assert not zeros()


def test_what_a_program_compares_with_is_known():
    source = "import warp as wp\n\nLIMIT = wp.constant(0.25)\n\n\n@wp.kernel\n"
    source += "def walk(x: wp.array(dtype=float)):\n"
    body = "    i = wp.tid()\n    if 0.125 < x[i] < LIMIT or x[i] > 7.0:\n        x[i] = 3.0\n"
    assert constants(read(source + body)) == (0.125, 0.25, 7.0)


SOURCE = """import warp as wp


@wp.kernel
def penalty(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    error = wp.abs(0.3 * (x[i] + x[i + 1] + x[i + 2]) - y[i])
    rate = float(0.75)
    if error < 0.5:
        rate = 0.1
    elif error < 2.3:
        rate = 0.5
    out[i] = rate * error
"""


def rare() -> Question:
    """A kernel whose last arm one in thousands of evenly drawn elements runs."""
    span = Interval(0.2, 3.0)
    out = ir.Argument("out", FLOAT, "output", (6,), Interval(0.0, 0.0))
    arguments = (given("x", FLOAT, (8,), span), given("y", FLOAT, (6,), span), out)
    program = read(SOURCE, ir.Signature("penalty", arguments, (6,)))
    return Question(CONFIGS["cpu"], identify(program).id, program.signature, write(program), program)


@pytest.mark.compile
def test_an_arm_that_what_is_drawn_evenly_seldom_runs_is_found(monkeypatch):
    assert all(runs_all(rare(), seed) for seed in range(6))
    monkeypatch.setattr(hidden, "EDGES", 0)
    monkeypatch.setattr(hidden, "SEARCHED", 0)
    monkeypatch.setattr(hidden._Found, "_approach", lambda found: None)
    assert not all(runs_all(rare(), seed) for seed in range(6))


def told(question: Question, wrong: str, seed: int) -> bool:
    """Whether the inputs that are drawn for a question tell its source from this one."""
    expected, launched = hidden.expect(question, seed), {}
    for signature, inputs in zip(expected.signatures, expected.inputs, strict=True):
        launched.setdefault(signature, []).append(inputs)
    return any(
        Bitten(replace(question.program, signature=signature), some).by(read(wrong, signature)).seen.any()
        for signature, some in launched.items()
    )


@pytest.mark.compile
@pytest.mark.parametrize("threshold", ["0.4996", "0.5004", "2.298", "2.302"])
def test_a_threshold_of_computed_numbers_that_is_slightly_off_is_told(threshold, monkeypatch):
    wrong = SOURCE.replace("0.5:" if float(threshold) < 1 else "2.3:", f"{threshold}:")
    assert wrong != SOURCE
    assert all(told(rare(), wrong, seed) for seed in range(3))
    monkeypatch.setattr(hidden._Found, "_approach", lambda found: None)
    assert not all(told(rare(), wrong, seed) for seed in range(3))


STEPS = """import warp as wp


@wp.kernel
def steps(a: wp.array(dtype=float), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.sign(0.61 * x[i] + 0.39 * a[i]) + wp.floor(0.35 * (x[i] + 1.0))
"""


@pytest.mark.compile
@pytest.mark.parametrize(("old", "new"), [("0.61", ("0.6106", "0.6094")), ("0.35", ("0.3504", "0.3496"))])
def test_steps_at_which_a_constant_is_slightly_off_are_told(old, new, monkeypatch):
    """One way or the other: next to a step, a number may have the sign of which the mistake leads away."""
    arguments = (
        given("a", FLOAT, (3,), Interval(-1.0, 1.0)),
        given("x", FLOAT, (3,), Interval(-1.0, 3.0)),
        ir.Argument("out", FLOAT, "output", (3,), Interval(0.0, 0.0)),
    )
    program = read(STEPS, ir.Signature("steps", arguments, (3,)))
    asked = Question(CONFIGS["cpu"], identify(program).id, program.signature, write(program), program)
    wrong = [STEPS.replace(old, number) for number in new]
    assert all(any(told(asked, each, seed) for each in wrong) for seed in range(3))
    monkeypatch.setattr(hidden._Found, "_approach", lambda found: None)
    assert not all(any(told(asked, each, seed) for each in wrong) for seed in range(3))


FOLLOWED = """import warp as wp


@wp.kernel
def climb(worth: wp.array(dtype=float), first: wp.array(dtype=int), other: wp.array(dtype=int),
          out: wp.array(dtype=int)):
    i = wp.tid()
    a = first[i]
    for step in range(3):
        b = other[(a + step) % 6]
        if worth[b] > worth[a]:
            a = b
    out[i] = a
"""


@pytest.mark.compile
def test_ties_of_numbers_that_inputs_hold_are_told(monkeypatch):
    """An element that is compared with itself is no tie, and what a tie changes early may not show later."""
    arguments = (
        given("worth", FLOAT, (6,), Interval(0.1, 1.0)),
        given("first", INT, (5,), Interval(0, 5)),
        given("other", INT, (6,), Interval(0, 5)),
        ir.Argument("out", INT, "output", (5,), Interval(0.0, 0.0)),
    )
    program = read(FOLLOWED, ir.Signature("climb", arguments, (5,)))
    asked = Question(CONFIGS["cpu"], identify(program).id, program.signature, write(program), program)
    wrong = FOLLOWED.replace("worth[b] > worth[a]", "worth[b] >= worth[a]")
    assert all(told(asked, wrong, seed) for seed in range(4))
    monkeypatch.setattr(hidden._Found, "_tie", lambda found: None)
    assert not all(told(asked, wrong, seed) for seed in range(4))


GUARDED = """import warp as wp


@wp.kernel
def slopes(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), c: wp.array(dtype=int),
           x: wp.array(dtype=float), out: wp.array(dtype=float), places: wp.array(dtype=int)):
    i = wp.tid()
    length = wp.length(a[i] - b[i])
    out[i] = x[i]
    if length > 1.0e-6:
        out[i] = x[i] / wp.max(length, 0.5)
    k = int(0)
    while k < c[i] and x[k] < 1.5:
        k += 1
    places[i] = k
"""


@pytest.mark.compile
def test_guards_and_both_ends_of_loops_are_reached():
    ball = Interval(-1.0, 1.0)
    arguments = (
        given("a", VEC3, (8,), ball),
        given("b", VEC3, (8,), ball),
        given("c", INT, (8,), Interval(0, 6)),
        given("x", FLOAT, (8,), Interval(0.5, 2.0)),
        ir.Argument("out", FLOAT, "output", (8,), Interval(0.0, 0.0)),
        ir.Argument("places", INT, "output", (8,), Interval(0, 0)),
    )
    program = read(GUARDED, ir.Signature("slopes", arguments, (8,)))
    asked = Question(CONFIGS["cpu"], identify(program).id, program.signature, write(program), program)
    for seed in range(4):
        expected = hidden.expect(asked, seed)
        ran = [
            rehearse(replace(program, signature=signature), [inputs]).coverage.ran_by_any
            for signature, inputs in zip(expected.signatures, expected.inputs, strict=True)
        ]
        assert all(any(ways & each for each in ran) for ways in wanted(program))


def runs_all(question: Question, seed: int) -> bool:
    expected = hidden.expect(question, seed)
    ran = [
        rehearse(replace(question.program, signature=signature), [inputs]).coverage.branches[:, :, 0]
        for signature, inputs in zip(expected.signatures, expected.inputs, strict=True)
    ]
    return bool(np.logical_or.reduce(ran).all())


@pytest.mark.compile
@pytest.mark.process
def test_an_arm_that_is_always_taken_is_wrong(judge):
    """Where the row's own inputs hardly reach the other one."""
    place = ("multi_conditional", 76)
    program, row = program_at(*place), row_at("spec_to_warp", *place)
    source = row["python_source"]
    conditions = [line for line in source.splitlines() if line.lstrip().startswith("elif ")]
    assert conditions
    for line in conditions:
        taken = line[: line.index("elif")] + "elif 1 == 1:"
        verdict = judge(row, completion("spec_to_warp", program, source.replace(line, taken)))
        assert verdict.status is Status.WRONG_OUTPUT, line
    assert judge(row, row["completion"]).value == 1.0


@pytest.mark.compile
def test_extreme_inputs_are_used_only_where_rounding_decides_nothing(monkeypatch):
    asked = question_of(row_at("cpu", "math", 1939787), CONFIGS["cpu"])
    plain = hidden.expect(asked, 0)
    rounded = hidden.rounded_otherwise

    def once(program, sets):
        """What is rounded a third time is far off."""
        made = [dict(each) for each in rounded(program, sets)]
        for each in made[-1 - (hidden.EDGES + hidden.AIMED) // 2 :]:
            each["results"] = each["results"] * 1.01
        return tuple(made)

    monkeypatch.setattr(hidden, "rounded_otherwise", once)
    fewer = hidden.expect(asked, 0)
    assert not all(any(np.array_equal(a["data"], b["data"]) for b in fewer.inputs) for a in plain.inputs)
