"""Proofs are made on every case: one that fails on the last is noticed."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import FLOAT
from warp_ir_dataset.proof.agreement import cuda_agrees, gradient_agrees, meaning_agrees
from warp_ir_dataset.proof.cases import Case
from warp_ir_dataset.proof.run import Differences, Result, Runner


class Stand:
    """A runner whose CUDA text gives `outputs` and `gradients` for the input ``k``, in any order."""

    def __init__(self, outputs: list[float], gradients: list[float]) -> None:
        self.outputs, self.gradients = outputs, gradients

    def run_cuda(self, inputs: Any, seeds: Any, *, backwards: bool = False) -> Result:
        return result(self.outputs[inputs["k"]], self.gradients[inputs["k"]])


class Orders:
    """A runner whose CUDA text gives `first` for the input ``k``, and in the other order `second`."""

    def __init__(self, first: list[Result], second: list[Result]) -> None:
        self.results = first, second

    def run_cuda(self, inputs: Any, seeds: Any, *, backwards: bool = False) -> Result:
        return self.results[backwards][inputs["k"]]


def result(output: float, gradient: float) -> Result:
    return Result({"o": np.float32([output])}, {"x": np.float32([gradient])})


def cases(meaning: list[float]) -> list[Case]:
    """Three, whose outputs are 1, 2 and 3, and gradients 4, 5 and 6."""
    return [
        Case({"k": np.array(k)}, {"o": np.float32([1.0])}, result(k + 1.0, k + 4.0), {"o": np.array([told])})
        for k, told in enumerate(meaning)
    ]


RIGHT, GRADIENTS = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]


@pytest.mark.parametrize("wrong", range(3))
def test_every_case_is_compared(wrong: int) -> None:
    off = [value * (1.1 if k == wrong else 1.0) for k, value in enumerate(RIGHT)]
    slopes = [value * (1.1 if k == wrong else 1.0) for k, value in enumerate(GRADIENTS)]

    def judged(outputs: list[float], gradients: list[float]) -> Any:
        return cuda_agrees(cast(Runner, Stand(outputs, gradients)), cases(RIGHT), {})

    assert judged(RIGHT, GRADIENTS)["cuda_text_matches"] is True
    for found, reason in (
        (judged(off, GRADIENTS), Reason.CUDA_DIFFERS),
        (judged(RIGHT, slopes), Reason.ADJOINT_DIFFERS),
        (meaning_agrees(cases(off)), Reason.ROUNDING_DECIDES),
    ):
        assert isinstance(found, Rejected) and found.reason is reason


@pytest.mark.parametrize("worst", range(3))
def test_the_error_is_that_of_the_worst_case(worst: int) -> None:
    near = [value * (1.00002 if k == worst else 1.0) for k, value in enumerate(RIGHT)]
    found = cuda_agrees(cast(Runner, Stand(near, GRADIENTS)), cases(RIGHT), {})
    assert not isinstance(found, Rejected)
    assert found["cuda_text_error"] == pytest.approx(1e-5, rel=0.05) and found["adjoint_error"] == 0.0
    told = meaning_agrees(cases(near))
    assert not isinstance(told, Rejected) and told["numpy_error"] == pytest.approx(1e-5, rel=0.05)


def slots(*elements: list[float], gradient: float = 4.0) -> list[Result]:
    return [Result({"o": np.float32(held)}, {"x": np.float32([gradient])}) for held in elements]


HELD = ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])


@pytest.mark.parametrize("allowed", [{}, {"o": ()}], ids=["ordered", "unordered"])
@pytest.mark.parametrize(
    ("others", "fits"),
    [
        (slots(*HELD), "always"),
        (slots(HELD[0], HELD[1], [6.0, 5.0]), "as a multiset"),
        (slots(HELD[0], HELD[1], [6.0, 6.0]), "never"),
        (slots(*HELD, gradient=5.0), "never"),
    ],
)
def test_threads_in_another_order(
    others: list[Result], fits: str, allowed: dict[str, tuple[int, ...]]
) -> None:
    stand = Orders(slots(*HELD), others)
    told = [Case({"k": np.array(k)}, {}, held, None) for k, held in enumerate(slots(*HELD))]
    found = cuda_agrees(cast(Runner, stand), told, allowed)
    if fits == "always" or (fits == "as a multiset" and allowed):
        assert not isinstance(found, Rejected) and found["thread_orders"] == 2
        assert found["unordered"] == (set() if fits == "always" else {"o"})
    else:
        assert isinstance(found, Rejected) and found.reason is Reason.RACE


def test_what_belongs_together_may_not_part_in_another_order() -> None:
    def pairs(*held: tuple[list[float], list[float]]) -> list[Result]:
        return [Result({"o": np.float32(one), "p": np.float32(two)}, {}) for one, two in held]

    own = pairs(*[([1.0, 2.0], [3.0, 4.0])] * 3)
    told = [Case({"k": np.array(k)}, {}, held, None) for k, held in enumerate(own)]
    for other, fits in ((([2.0, 1.0], [4.0, 3.0]), True), (([2.0, 1.0], [3.0, 4.0]), False)):
        stand = cast(Runner, Orders(own, pairs(*[other] * 3)))
        apart = cuda_agrees(stand, told, {"o": (), "p": ()})
        joint = cuda_agrees(stand, told, {"o": (), "p": ()}, [{"o", "p"}])
        assert not isinstance(apart, Rejected) and isinstance(joint, Rejected) is not fits


class Sloped:
    """A kernel of one output, whose slopes for ``x`` and ``y`` are those of the input ``k``."""

    def __init__(self, slopes: list[tuple[float, float]]) -> None:
        self.slopes = slopes

    def differences(self, inputs: Any, seeds: Any, steps: Any) -> list[Differences]:
        values = zip("xy", self.slopes[inputs["k"]], strict=True)
        sizes = np.zeros((2, 1))
        return [Differences(name, np.array([0]), np.full((2, 1), slope), *sizes) for name, slope in values]


@pytest.mark.parametrize("wanted", ["", "x", "xy"])
@pytest.mark.parametrize("second", [0.0, 3.0])
def test_each_wanted_input_has_a_gradient_on_some_case(second: float, wanted: str) -> None:
    slopes = [(1.0, 0.0), (2.0, second), (1.0, 0.0)]
    told = [
        Case({"k": np.array(k)}, {"o": np.ones(1)}, Result({"o": np.ones(1)}, gradients), None)
        for k, pair in enumerate(slopes)
        for gradients in [{name: np.float64([slope]) for name, slope in zip("xy", pair, strict=True)}]
    ]
    arguments = [ir.Argument(name, FLOAT, "input", (1,), Interval(0.0, 1.0)) for name in wanted]
    found = gradient_agrees(cast(Runner, Sloped(slopes)), None, told, arguments)
    if "y" in wanted and not second:
        assert isinstance(found, Rejected) and found.reason is Reason.NO_GRADIENT and " y " in found.detail
    else:
        assert not isinstance(found, Rejected) and found["gradients_checked"] == 6
