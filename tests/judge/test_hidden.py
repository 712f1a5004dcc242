"""Hidden inputs: fresh, the same for one seed, and such that nothing trivial is right on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from toys.judged import row_at

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.judge import hidden
from warp_ir_dataset.judge.hidden import Expected, expect
from warp_ir_dataset.judge.question import Question, Unsupported, question_of
from warp_ir_dataset.judge.referee import _lost, _not_added, compared
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import INT
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.cases import rehearse
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.run import Result
from warp_ir_dataset.proof.subject import Arrays

PLACES = [
    ("math", 3), ("math", 1939787), ("vector", 1), ("control_flow", 141), ("tables", 1, "piecewise_curve"),
    ("relaxation", 0, "jacobi_poisson_sweep"),
]  # fmt: skip


def question(place: tuple[Any, ...], config: str = "cpu") -> Question:
    return question_of(row_at(config, *place), CONFIGS[config])


@pytest.mark.compile
def test_inputs_depend_on_row_and_seed_alone():
    first, again, other = (expect(question(("math", 1939787)), seed) for seed in (1, 1, 2))
    assert all(same(a, b) for a, b in zip(first.inputs, again.inputs, strict=True))
    assert not any(same(a, b) for a in first.inputs for b in other.inputs)


@pytest.mark.compile
def test_no_hidden_input_is_one_of_the_rows_own():
    asked = question(("math", 1939787))
    shown = draw_cases(asked.program.signature, asked.id).inputs
    assert not any(same(a, b) for a in expect(asked, 0).inputs for b in shown)


def same(first: Arrays, second: Arrays) -> bool:
    return all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.compile
def test_there_are_more_inputs_where_rounding_matters_little(monkeypatch):
    """Many see what is wrong on few; where rounding decides, right answers would be refused."""
    assert len(expect(question(("math", 1939787)), 0).inputs) == hidden.MOST
    monkeypatch.setattr(hidden, "SHARE", -1.0)
    assert len(expect(question(("math", 1939787)), 0).inputs) == hidden.CASES


@pytest.mark.compile
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_nothing_trivial_is_right(place):
    asked = question(place)
    expected = expect(asked, 0)
    assert len(expected.inputs) >= hidden.CASES
    assert judged(expected, [result.outputs for result in expected.results]) is Status.CORRECT
    for answer in trivial(expected):
        assert judged(expected, answer) is not Status.CORRECT


def judged(expected: Expected, outputs: list[Arrays]) -> Status:
    results = [
        Result(dict(left), wanted.gradients) for left, wanted in zip(outputs, expected.results, strict=True)
    ]
    return compared(results, expected)[0]


def trivial(expected: Expected) -> list[list[Arrays]]:
    """Zeros, constants, the index of an element, what the first case gives, each input of the same shape, and
    what was there before."""
    answers: list[list[Arrays]] = [[expected.results[0].outputs] * len(expected.results)]
    for value in (0, 1, -1, 0.5):
        answers.append([{n: np.full_like(o, value) for n, o in r.outputs.items()} for r in expected.results])
    answers.append(
        [
            {n: np.arange(o.size).reshape(o.shape).astype(o.dtype) for n, o in r.outputs.items()}
            for r in expected.results
        ]
    )
    pairs = list(zip(expected.results, expected.inputs, strict=True))
    answers.append([{n: i.get(n, np.zeros_like(o)) for n, o in r.outputs.items()} for r, i in pairs])
    for name, first in expected.inputs[0].items():
        if all(first.shape == output.shape for output in expected.results[0].outputs.values()):
            answers.append([{n: i[name].astype(o.dtype) for n, o in r.outputs.items()} for r, i in pairs])
    return answers


@pytest.mark.compile
def test_a_gradient_is_judged_as_well():
    expected = expect(question(("math", 1939787), "cuda_backward"), 0)
    assert compared(left(expected), expected)[0] is Status.CORRECT
    assert compared(left(expected, share=0.0), expected)[0] is Status.WRONG_GRADIENT
    with pytest.raises(ValueError):  # nothing is right whose second run is missing
        compared(expected.results, expected)


def left(expected: Expected, share: float = 1.0, held: float = 1.0) -> list[Result]:
    """What an answer leaves in all cases, whose gradients are so much of the right ones, and that keeps so
    much of what they held before."""
    plain = [
        replace(each, gradients={name: share * gradient for name, gradient in each.gradients.items()})
        for each in expected.results
    ]
    again = [
        replace(each, gradients={n: g + held * start.get(n, 0.0) for n, g in each.gradients.items()})
        for each, start in zip(plain, expected.starts, strict=True)
    ]
    return [*plain, *again, *expected.results]  # at last the forward passes alone


@pytest.mark.compile
@pytest.mark.parametrize("held", [0.0, 0.5, -1.0, 2.0])
def test_a_gradient_is_added_to_what_is_there(held):
    expected = expect(question(("math", 1939787), "cuda_backward"), 0)
    assert compared(left(expected, held=held), expected)[0] is Status.WRONG_GRADIENT


@pytest.mark.compile
def test_a_gradient_may_be_off_by_what_rounding_can_do_to_it():
    """And is wrong where it is further off than that."""
    expected = expect(question(("math", 1939787), "cuda_backward"), 0)
    pairs = [*zip(expected.results, expected.distances, strict=True)]
    for share, status in ((0.99, Status.CORRECT), (1.01, Status.WRONG_GRADIENT)):
        off = [{n: g + share * d.gradients[n] for n, g in r.gradients.items()} for r, d in pairs]
        moved = [replace(r, gradients=each) for r, each in zip(expected.results, off, strict=True)]
        assert compared([*moved, *left(expected)[len(moved) :]], expected)[0] is status


@pytest.mark.compile
def test_few_inputs_are_taken_on_which_gradients_hang_on_rounding(monkeypatch):
    run = hidden._Native.run
    asked = question(("math", 1939787), "cuda_backward")
    assert len(expect(asked, 0).inputs) == hidden.MOST
    monkeypatch.setattr(hidden._Native, "run", lambda *given: replace(run(*given), error=1.0))
    assert len(expect(asked, 0).inputs) == hidden.CASES


@pytest.mark.compile
def test_few_inputs_are_taken_on_which_another_rounding_decides(monkeypatch):
    asked = question(("math", 1939787))

    def rounded(program, sets, far=1.001):
        """So that one element of the last half of the inputs is another one."""
        told = [
            {name: array.copy() for name, array in each.items()} for each in rehearse(program, sets).meaning
        ]
        for each in told[len(told) // 2 :]:
            next(iter(each.values())).flat[0] *= far
        return tuple(told)

    monkeypatch.setattr(hidden, "EDGES", 0)
    monkeypatch.setattr(hidden, "RARE", 0)
    monkeypatch.setattr(hidden, "ALONE", 0)
    monkeypatch.setattr(hidden, "AIMED", 0)
    monkeypatch.setattr(hidden, "rounded_otherwise", rounded)
    drawn = hidden.DRAWN[0] // 2
    assert len(expect(asked, 0).inputs) == drawn < hidden.MOST
    monkeypatch.setattr(hidden, "rounded_otherwise", lambda *given: rounded(*given, far=1.0))
    assert len(expect(asked, 0).inputs) == hidden.MOST


@pytest.mark.compile
@pytest.mark.parametrize("place", [("math", 1939787), PLACES[-1], ("vector", 1)], ids=str)
def test_inputs_gradients_hold_something_before(place):
    """Another number in each element and case, which results do not decide, and which they do not hold."""
    asked = question(place, "cuda_backward")
    expected, other = expect(asked, 0), expect(asked, 1)
    inputs = {a.name for a in asked.signature.arguments if a.role == "input"}
    for start, result in zip(expected.starts, expected.results, strict=True):
        assert start.keys() == result.gradients.keys() & inputs
        assert all(np.isfinite(held).all() and held.all() for held in start.values())
    numbers = [
        held.ravel() for starts in (expected.starts, other.starts) for s in starts for held in s.values()
    ]
    every = np.concatenate(numbers)
    assert len(np.unique(every)) > 0.99 * len(every)
    assert not any(expect(question(place), 0).starts)


def gradients_like(number: float, dtype: str) -> dict[str, np.ndarray]:
    return {"x": np.full(7, number, dtype)}


def test_what_gradients_hold_before_follows_from_row_and_seed_alone():
    held = [hidden._starts(gradients_like(number, "float32"), {}, "text", 0) for number in (0.0, 1e-9, 1e20)]
    assert same(held[0], held[1]) and same(held[0], held[2])
    assert not same(held[0], hidden._starts(gradients_like(0.0, "float32"), {}, "other", 0))
    assert not hidden._starts(gradients_like(0.0, "float32"), gradients_like(1.0, "float32"), "text", 0)


def summed(*terms: np.ndarray) -> np.ndarray:
    """One after the other, each sum rounded, as threads add them."""
    rows = np.vstack(terms)
    return np.add.reduce(rows, axis=0, dtype=rows.dtype)


# What a gradient holds at the end, of what it held and what the threads have for it.
RIGHT_ADJOINTS = {
    "one by one": lambda held, terms: summed(held, terms),
    "summed before": lambda held, terms: held + summed(terms),
    "in another order": lambda held, terms: summed(held, terms[::-1]),
}
WRONG_ADJOINTS = {
    "stored": lambda held, terms: summed(terms),
    "only where nothing is": lambda held, terms: np.where(held == 0, summed(terms), held),
    "twice where something is": lambda held, terms: held + (1 + (held != 0)) * summed(terms),
    "what was there is taken away": lambda held, terms: summed(terms) - held,
    "a tenth of what was there is lost": lambda held, terms: summed(terms) + held * np.float16(0.9),
    "what was there counts half": lambda held, terms: summed(terms) + held / 2,
    "scaled by what was there": lambda held, terms: np.where(held == 0, 1, np.abs(held)) * summed(terms),
}
SIZES = [
    *((dtype, 10.0**power) for dtype in ("float32", "float64") for power in range(-18, 19, 3)),
    *(("float16", size) for size in (0.02, 1.0, 50.0)),
]


@pytest.mark.parametrize(("dtype", "size"), SIZES)
@pytest.mark.parametrize("way", [*RIGHT_ADJOINTS, *WRONG_ADJOINTS])
def test_tiny_and_huge_gradients_are_added(way: str, dtype: str, size: float) -> None:
    """A right adjoint is never refused for the rounding of what was there, and a wrong one shows."""
    adjoint = (RIGHT_ADJOINTS | WRONG_ADJOINTS)[way]
    count = 3000 if dtype != "float16" else 20
    terms = (np.random.default_rng(3).uniform(0.5, 1.5, (count, 7)) * size / count).astype(dtype)
    for width in (7, 1):
        nothing = np.zeros(width, dtype)
        starts = [hidden._starts({"x": nothing}, {}, "text", number) for number in range(hidden.CASES)]
        with np.errstate(over="ignore", invalid="ignore"):
            left = [
                adjoint(held, terms[:, :width]).astype(dtype) for held in (nothing, *(s["x"] for s in starts))
            ]
            seen = set()
            for start, each in zip(starts, left[1:], strict=True):
                held = RIGHT_ADJOINTS["one by one"](start["x"], terms[:, :width]).astype(dtype)
                lost = _lost({"x": summed(terms[:, :width])}, start, {"x": held})
                seen.add(_not_added({"x": left[0]}, start, {"x": each}, lost))
        assert seen == {None} if way in RIGHT_ADJOINTS else "x" in seen


@pytest.mark.compile
def test_inputs_that_fail_the_rows_own_rule_are_not_taken(monkeypatch):
    monkeypatch.setattr(hidden.verify, "MEANING_TOLERANCE", -1.0)
    with pytest.raises(Unsupported, match=" 0 "):
        expect(question(("math", 1939787)), 0)


@pytest.mark.compile
@pytest.mark.parametrize("seed", range(3))
def test_an_arm_that_few_inputs_run_is_judged(seed):
    """One of the row's ten inputs runs the last arm of it."""
    asked = question(("vector", 500), "spec_to_warp")
    wrong = asked.source.replace("wp.float64(0.9)", "wp.float64(0.5)")
    assert wrong != asked.source
    expected = expect(asked, seed)
    assert len(expected.inputs) == hidden.MOST
    assert any(
        Bitten(replace(asked.program, signature=launched), inputs).by(read(wrong, launched)).seen.any()
        for launched, inputs in alike(expected)
    )


def alike(expected: Expected) -> list[tuple[ir.Signature, list[Arrays]]]:
    """Inputs by how the kernel is launched on them."""
    signatures = list(dict.fromkeys(expected.signatures))
    pairs = list(zip(expected.signatures, expected.inputs, strict=True))
    return [(signature, [i for s, i in pairs if s == signature]) for signature in signatures]


@pytest.mark.compile
def test_more_are_drawn_until_all_arms_are_run(monkeypatch):
    asked = question(("vector", 500), "spec_to_warp")
    monkeypatch.setattr(hidden, "DRAWN", (6, 48, 96))
    monkeypatch.setattr(hidden, "SHARE", 1.0)
    for seed in range(4):
        expected = expect(asked, seed)
        assert len(expected.inputs) <= hidden.MOST
        arms = [
            rehearse(replace(asked.program, signature=launched), inputs).coverage.branches.any(axis=2)
            for launched, inputs in alike(expected)
        ]
        assert np.logical_or.reduce(arms).all()


def unvouched(statement: str, role: ir.Role = "inout") -> Question:
    """A kernel of which no tree says that it is legal: of numbers from 0 to 3."""
    digits = Interval(0, 3)
    signature = ir.Signature(
        "walk",
        (
            ir.Argument("x", INT, "input", (8,), digits),
            ir.Argument("by", INT, "input", (), digits),
            ir.Argument("y", INT, role, (8,), digits),
        ),
        (8,),
    )
    source = f"""import warp as wp


@wp.kernel
def walk(x: wp.array[wp.int32], by: wp.int32, y: wp.array[wp.int32]):
    i = wp.tid()
    {statement}
"""
    return Question(CONFIGS["cuda"], "a kernel of somebody's", signature, source, None)


@pytest.mark.compile
@pytest.mark.process
def test_inputs_on_which_a_kernel_ends_its_process_are_not_taken():
    divided = expect(unvouched("y[i] = x[i] // by + 1"), 0)
    assert 0 not in [inputs["by"] for inputs in divided.inputs]
    outside = expect(unvouched("y[i] = x[(by / 3) * 1000000 + i] + 1"), 0)
    assert 3 not in [inputs["by"] for inputs in outside.inputs]


@pytest.mark.compile
@pytest.mark.process
def test_more_are_drawn_until_an_answer_that_does_nothing_is_wrong():
    """And those on which something is done come before others."""
    seldom = "if by == 3 and x[0] == 3 and x[1] == 3:\n        y[i] = x[i] + 7"
    expected = expect(unvouched(seldom), 5)
    changed = [
        not np.array_equal(r.outputs["y"], i["y"])
        for r, i in zip(expected.results, expected.inputs, strict=True)
    ]
    assert any(changed) and len(changed) <= hidden.DRAWN[0]


@pytest.mark.compile
@pytest.mark.process
@pytest.mark.parametrize("seed", range(4))
def test_inputs_on_which_an_output_is_another_one_come_first(seed):
    told = expect(unvouched("y[i] = wp.where(by * x[0] * x[1] == 27, x[i] + 7, 1)", "output"), seed)
    assert len({result.outputs["y"].tobytes() for result in told.results}) > 1


def test_a_small_number_may_be_lost_where_the_own_adjoint_loses_it():
    """Terms that cancel leave nothing of it, though the gradient is zero."""
    start, gradient = {"x": np.array([1e-20, 3.0], np.float32)}, {"x": np.zeros(2, np.float32)}
    lost = _lost(gradient, start, {"x": np.array([0.0, 3.0], np.float32)})
    assert _not_added(gradient, start, {"x": np.array([0.0, 3.0], np.float32)}, lost) is None
    assert _not_added(gradient, start, {"x": np.array([1e-20, 0.0], np.float32)}, lost) == "x"
    assert _not_added(gradient, start, {"x": np.array([3e-20, 3.0], np.float32)}, lost) == "x"
