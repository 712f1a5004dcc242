"""Kernels of which only source and signature are known: what is proved of them, and what is still refused."""

from __future__ import annotations

import numpy as np
import pytest
from test_prove import RIGHT, WRONG
from toys import programs as h

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT, INT
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.run import Differences
from warp_ir_dataset.proof.subject import Proof, Subject


def _without_tree(*programs: ir.Program) -> list[Subject]:
    return [Subject(write(p), p.signature, draw_cases(p.signature, "test")) for p in programs]


def _prove(*subjects: Subject, config: str = "cuda_backward") -> list[Proof | Rejected]:
    return prove(subjects, CONFIGS[config], "sm_80", lambda index: None)


@pytest.mark.compile
def test_wrong_gradients_are_refused_in_single_precision_too() -> None:
    """All eleven: none of them is too small for differences of float32 numbers, or taken for a kink."""
    outcomes = dict(zip(WRONG, _prove(*_without_tree(*WRONG.values())), strict=True))
    reasons = {name: o.reason if isinstance(o, Rejected) else None for name, o in outcomes.items()}
    assert reasons == dict.fromkeys(WRONG, Reason.WRONG_GRADIENT)


@pytest.mark.compile
def test_right_gradients_are_accepted_in_single_precision() -> None:
    for proof in _prove(*_without_tree(*RIGHT.values())):
        assert isinstance(proof, Proof), proof
        checks = proof.checks
        assert checks.numpy_matches is None and checks.numpy_error is None
        assert checks.cuda_text_matches is True and checks.adjoint_matches is True
        assert checks.finite_differences is True and checks.gradients_checked is not None
        assert 20 <= checks.gradients_checked <= 3 * h.SIZE  # but for what lies beside a kink
        assert checks.finite_difference_error == verify.OWN_NOISE


COUNT = """import warp as wp


@wp.kernel
def count(a: wp.array[int], o: wp.array[int]):
    i = wp.tid()
    o[i] = a[i] * 2 + 3
"""


def _signature(name: str, type: h.Value, *inputs: str) -> ir.Signature:
    domain = Interval(1, 9)
    arguments = [ir.Argument(text, type, "input", (h.SIZE,), domain) for text in inputs]
    return ir.Signature(name, (*arguments, ir.Argument("o", type, "output", (h.SIZE,), domain)), (h.SIZE,))


@pytest.mark.compile
def test_whole_numbers_have_no_gradients_to_check() -> None:
    signature = _signature("count", INT, "a")
    (proof,) = _prove(Subject(COUNT, signature, draw_cases(signature, "x")))
    assert isinstance(proof, Proof), proof
    checks = proof.checks
    assert checks.cuda_text_matches is True and "_backward" in proof.code
    gradients = (
        checks.adjoint_matches,
        checks.adjoint_error,
        checks.finite_differences,
        checks.finite_difference_error,
        checks.gradients_checked,
    )
    assert gradients == (None,) * 5


IDLE = """import warp as wp


@wp.kernel
def idle(a: wp.array[float], b: wp.array[float], o: wp.array[float]):
    i = wp.tid()
    o[i] = VALUE
"""


@pytest.mark.compile
@pytest.mark.parametrize(
    ("value", "telling", "otherwise"),
    [
        ("a[i] * 2.0", Reason.IGNORES_INPUT, None),
        ("1.5", Reason.CONSTANT_OUTPUT, None),
        ("a[i] * 0.0", Reason.NEAR_ZERO, Reason.NEAR_ZERO),
        ("a[i] / (b[i] - b[i])", Reason.NOT_FINITE, Reason.NOT_FINITE),
        ("wp.log(-a[i])", Reason.NOT_FINITE, Reason.NOT_FINITE),
    ],
)
def test_what_need_not_tell_may_still_not_be_zero_or_no_number(
    value: str, telling: Reason, otherwise: Reason | None
) -> None:
    signature = _signature("idle", FLOAT, "a", "b")
    source, cases = IDLE.replace("VALUE", value), draw_cases(signature, "x")
    found = []
    for must_tell in (True, False):
        (outcome,) = _prove(Subject(source, signature, cases, must_tell=must_tell), config="cpu")
        found.append(outcome.reason if isinstance(outcome, Rejected) else None)
    assert found == [telling, otherwise]


# ---- the judge, on numbers alone

OWN = verify.IN_OWN_PRECISION
SLOPES = np.linspace(0.5, 2.0, 12)


def _judge(gradient: np.ndarray, small: np.ndarray, large: np.ndarray) -> verify.GradientProof | Rejected:
    differences = [Differences("a", np.arange(12), np.array([small, large]), np.zeros(12), np.zeros(12))]
    return verify.differences_agree({"a": gradient}, differences, OWN)


def test_both_sides_of_the_tolerance() -> None:
    for element in (0, -1):
        for part, wrong in ((0.99, False), (1.02, True)):
            gradient = SLOPES.copy()
            gradient[element] *= 1 + part * OWN.tolerance
            assert isinstance(_judge(gradient, SLOPES, SLOPES), Rejected) == wrong


@pytest.mark.parametrize(("error", "wrong"), [(2.8e-2, False), (0.14, True)])
def test_what_right_and_wrong_adjoints_of_real_kernels_were_off_by(error: float, wrong: bool) -> None:
    gradient = SLOPES.copy()
    gradient[-1] += error * SLOPES[-1]
    assert isinstance(_judge(gradient, SLOPES, SLOPES), Rejected) == wrong


def test_the_nearest_kink_is_told_from_a_wrong_gradient() -> None:
    """Inputs of four digits are 1e-4 or more from a kink at a literal. So close, abs(x) has these slopes."""
    small, large, gradient = np.ones(12), np.ones(12), np.ones(12)
    small[5], large[5] = (1e-4 / step for step in OWN.steps)
    proof = _judge(gradient, small, large)
    assert isinstance(proof, verify.GradientProof) and proof.checked == 11


def test_both_sides_of_what_is_a_kink() -> None:
    gradient = SLOPES.copy()
    gradient[-1] = 99.0
    for part, kink in ((0.98, False), (1.02, True)):
        large = SLOPES.copy()
        large[-1] *= 1 + part * OWN.agreement
        assert isinstance(_judge(gradient, SLOPES, large), Rejected) != kink
