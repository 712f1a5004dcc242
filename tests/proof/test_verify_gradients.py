"""The judge of gradients, on numbers alone: both sides of every tolerance, as in `test_verify.py`."""

from __future__ import annotations

import numpy as np
import pytest

from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.run import Differences

VALUES = np.random.default_rng(0).uniform(0.5, 2.0, 12)
NEARLY = 2.0**-10  # visible in float32: eight times 1024 roundings


def reason(found: object) -> Reason | None:
    return found.reason if isinstance(found, Rejected) else None


# ---- gradients in two precisions


@pytest.mark.parametrize(
    ("double", "single", "agree"),
    [
        ([1.0], [1.00199], True),
        ([1.0], [0.99801], True),
        ([1.0], [1.00201], False),
        ([1.0], [0.99799], False),
        ([0.0, 1.0], [0.00099, 1.0], True),  # scaled by the largest slope of the same argument
        ([0.0, 1.0], [0.00101, 1.0], False),
        ([0.0], [0.0], True),
        ([0.0], [1e-30], False),
        ([], [], True),
        ([1.0, 1.0], [1.0, np.nan], False),
        ([1.0, np.nan], [1.0, 1.0], False),
        ([np.nan], [np.nan], False),
        ([1.0, np.inf], [1.0, 1.0], False),
        ([1.0, np.inf], [1.0, np.inf], False),
        ([1.0, 1.0], [1.0, np.inf], False),
    ],
)
def test_adjoints_in_both_precisions(double: list[float], single: list[float], agree: bool) -> None:
    doubles = {"a": VALUES, "b": np.array(double)}
    singles = {"a": VALUES.astype(np.float32), "b": np.array(single)}
    found = verify.adjoint_precision(singles, doubles)
    assert reason(found) is (None if agree else Reason.ADJOINT_DIFFERS)
    assert agree or "gradient of b" in found.detail


@pytest.mark.parametrize(
    ("gradient", "dtype", "meant"),
    [
        ([3e-17, -1e-16], np.float64, False),
        ([0.0, 0.99e-10], np.float64, False),
        ([0.0, 1.01e-10], np.float64, True),
        ([1.0, 1e-17], np.float64, True),  # one element of many may cancel
        ([0.0, 0.0], np.float64, True),
        ([3e-17, -1e-16], np.float32, True),  # float64 says the same
    ],
)
def test_what_rounding_leaves_is_no_gradient(gradient: list[float], dtype: type, meant: bool) -> None:
    double = {"a": np.array(gradient)}
    found = verify.adjoint_precision({"a": double["a"].astype(dtype)}, double)
    assert reason(found) is (None if meant else Reason.ROUNDING_DECIDES)


def test_one_argument_is_not_scaled_by_another() -> None:
    doubles = {"a": np.array([100.0]), "b": np.array([1.0])}
    assert verify.adjoint_precision(doubles | {"b": np.array([1.003])}, doubles) is not None


def test_no_gradient() -> None:
    nothing = {"a": np.array([0.0, NEARLY, -NEARLY]), "b": np.zeros(0)}
    assert reason(verify.no_gradient(nothing)) is Reason.NO_GRADIENT
    assert reason(verify.no_gradient({})) is Reason.NO_GRADIENT
    assert verify.no_gradient(nothing | {"b": np.array([0.0, -np.nextafter(NEARLY, 1)])}) is None


# ---- gradients and finite differences

QUIET = {"o": np.zeros(1)}, {"o": np.ones(1)}  # outputs, and the gradients that arrive at them


def differences(name: str, small: list[float], large: list[float] | None = None) -> Differences:
    slopes = np.array([small, small if large is None else large])
    return Differences(name, np.arange(len(small)), slopes)


def judge(
    gradients: list[float],
    small: list[float],
    large: list[float] | None = None,
    how: verify.Differencing = verify.IN_FLOAT64,
) -> verify.GradientProof | Rejected:
    found = differences("a", small, large)
    outputs, weights = QUIET
    return verify.differences_agree({"a": np.array(gradients)}, [found], weights, outputs, how)


def test_right_gradient() -> None:
    slopes = VALUES * (1 + 1e-9)
    # What differences themselves leave is no error of the gradient's.
    assert judge(list(VALUES), list(slopes)) == verify.GradientProof(1e-8, 12)


def test_the_error_is_reported() -> None:
    proof = judge([1.0, 1.0 + 4e-8, 1.0], [1.0] * 3)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(2e-8)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gradient_is_within_a_thousandth(sign: int) -> None:
    proof = judge([1 + sign * 0.0019], [1.0])
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(0.00095)
    assert reason(judge([1 + sign * 0.0021], [1.0])) is Reason.WRONG_GRADIENT


def test_a_gradient_is_scaled_by_the_largest_slope_of_its_argument() -> None:
    assert isinstance(judge([1.0, 0.00095], [1.0, 0.0]), verify.GradientProof)
    assert reason(judge([1.0, 0.00105], [1.0, 0.0])) is Reason.WRONG_GRADIENT


def test_the_smaller_step_counts() -> None:
    assert isinstance(judge([0.9985], [1.0], [1.0009]), verify.GradientProof)
    assert reason(judge([1.0024], [1.0], [1.0009])) is Reason.WRONG_GRADIENT


@pytest.mark.parametrize("factor", [1.01, 0.5, -1.0, 0.0, np.nan, np.inf])
def test_wrong_gradient(factor: float) -> None:
    found = judge(list(np.where(np.arange(12) == 5, factor, 1) * VALUES), list(VALUES))
    assert reason(found) is Reason.WRONG_GRADIENT and "element 5 is" in found.detail


def test_the_elements_are_those_that_were_sampled() -> None:
    outputs, weights = QUIET
    sampled = Differences("a", np.array([0, 3]), np.array([[1.0, 4.0], [1.0, 4.0]]))
    gradients = np.array([[1.0, 9.0], [9.0, 4.0]])
    proof = verify.differences_agree({"a": gradients}, [sampled], weights, outputs)
    assert proof == verify.GradientProof(1e-8, 2)
    found = verify.differences_agree({"a": gradients.T * [[1, 1], [1, 2]]}, [sampled], weights, outputs)
    assert reason(found) is Reason.WRONG_GRADIENT and "element 3 is 8" in found.detail


@pytest.mark.parametrize(("gap", "smooth"), [(0.0019, True), (0.0021, False)])
@pytest.mark.parametrize("sign", [1, -1])
def test_where_the_steps_differ_there_is_a_kink(gap: float, smooth: bool, sign: int) -> None:
    # A wrong gradient at the last element, which counts only if that is no kink.
    found = judge([1.0, 1.0, 9.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1 + sign * gap])
    assert reason(found) is (Reason.WRONG_GRADIENT if smooth else None)
    assert smooth or found == verify.GradientProof(1e-8, 2)


def test_up_to_half_the_elements_may_be_kinks() -> None:
    slopes = [1.0] * 12
    assert judge(slopes, slopes, [2.0] * 6 + [1.0] * 6) == verify.GradientProof(1e-8, 6)
    found = judge(slopes, slopes, [2.0] * 7 + [1.0] * 5)
    assert reason(found) is Reason.KINK and "only 5 of 12" in found.detail


def test_a_kink_does_not_excuse_the_other_elements() -> None:
    found = judge([1.0, 1.5, 1.0], [1.0] * 3, [2.0, 1.0, 1.0])
    assert reason(found) is Reason.WRONG_GRADIENT and "element 1 is" in found.detail


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_slopes_that_are_no_numbers_are_kinks(bad: float) -> None:
    assert judge([1.0, 1.0, 9.0], [1.0, 1.0, bad]) == verify.GradientProof(1e-8, 2)
    assert judge([1.0, 1.0, 9.0], [1.0] * 3, [1.0, 1.0, bad]) == verify.GradientProof(1e-8, 2)
    assert reason(judge([1.0, 1.0], [bad, bad])) is Reason.KINK


# Slopes below what rounding of the outputs leaves, divided by the step, are no slopes.
@pytest.mark.parametrize(
    ("slope", "output", "floor"),
    [
        (1.0, 0.0, 1e-6),  # a millionth of the largest slope of any argument
        (1.0, 100.0, 1e-5),  # or a ten millionth of the largest weighted output, if that is more
        (1.0, 1.0, 1e-6),
    ],
)
def test_the_floor_of_a_slope(slope: float, output: float, floor: float) -> None:
    found = [differences("a", [slope]), differences("b", [0.0, 0.0])]
    outputs, weights = {"n": np.ones(1), "o": np.array([output / 2])}, {"o": np.array([-2.0])}

    def judged(gradient: float) -> object:
        gradients = {"a": np.array([slope]), "b": np.array([0.0, gradient])}
        return verify.differences_agree(gradients, found, weights, outputs)

    assert isinstance(judged(0.99e-3 * floor), verify.GradientProof)
    assert reason(judged(1.01e-3 * floor)) is Reason.WRONG_GRADIENT


def test_without_any_slope_only_zero_is_right() -> None:
    assert judge([0.0, 0.0], [0.0, 0.0]) == verify.GradientProof(1e-8, 2)
    # Where nothing gives a scale, the error is what the gradient is.
    assert reason(judge([0.0, 0.0011], [0.0, 0.0])) is Reason.WRONG_GRADIENT


def test_every_argument_counts() -> None:
    outputs, weights = QUIET
    found = [differences("a", [1.0]), differences("b", [1.0, 1.0])]
    right = {"a": np.ones(1), "b": np.ones(2)}
    assert verify.differences_agree(right, found, weights, outputs) == verify.GradientProof(1e-8, 3)
    off = right | {"a": np.array([1 + 4e-8])}
    proof = verify.differences_agree(off, found, weights, outputs)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(2e-8)
    for name in right:
        wrong = verify.differences_agree(right | {name: right[name] * 2}, found, weights, outputs)
        assert reason(wrong) is Reason.WRONG_GRADIENT and f"gradient of {name}" in wrong.detail
        with pytest.raises(KeyError):
            verify.differences_agree({name: right[name]}, found, weights, outputs)


def test_elements_that_were_not_tried_are_left_out() -> None:
    outputs, weights = QUIET
    for size, reasons in ((4, None), (5, Reason.KINK)):
        tried = verify.differences_agree(
            {"a": np.ones(size)}, [differences("a", [1.0, 1.0])], weights, outputs
        )
        assert reason(tried) is reasons


def test_nothing_to_differentiate() -> None:
    outputs, weights = QUIET
    assert reason(verify.differences_agree({}, [], weights, outputs)) is Reason.NO_GRADIENT
    assert reason(judge([], [])) is Reason.NO_GRADIENT


# ---- kernels without a twin in float64

OWN = verify.IN_OWN_PRECISION


@pytest.mark.parametrize("sign", [1, -1])
def test_in_its_own_precision_a_gradient_is_within_three_hundredths(sign: int) -> None:
    proof = judge([1 + sign * 0.059], [1.0], how=OWN)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(0.0295)
    assert reason(judge([1 + sign * 0.061], [1.0], how=OWN)) is Reason.WRONG_GRADIENT
    assert reason(judge([np.nan], [1.0], how=OWN)) is Reason.WRONG_GRADIENT


def test_in_its_own_precision_there_is_more_noise() -> None:
    assert judge([1.0, 1.0], [1.0, 1.001], how=OWN) == verify.GradientProof(1e-3, 2)
    proof = judge([1.0, 1.0], [1.0, 1.004], how=OWN)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(0.002, rel=0.01)


@pytest.mark.parametrize(("gap", "smooth"), [(0.0199, True), (0.0201, False)])
def test_in_its_own_precision_kinks_are_wider(gap: float, smooth: bool) -> None:
    found = judge([1.0, 1.0, 9.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1 + gap], OWN)
    assert reason(found) is (Reason.WRONG_GRADIENT if smooth else None)


@pytest.mark.parametrize(("output", "floor"), [(0.0, 1e-6), (3.0, 3e-2)])
def test_in_its_own_precision_outputs_are_rounded(output: float, floor: float) -> None:
    found = [differences("a", [1.0]), differences("b", [0.0])]
    outputs, weights = {"o": np.array([output])}, {"o": np.ones(1)}
    for share, right in ((0.99, True), (1.01, False)):
        gradients = {"a": np.ones(1), "b": np.array([share * 3e-2 * floor])}
        judged = verify.differences_agree(gradients, found, weights, outputs, OWN)
        assert isinstance(judged, verify.GradientProof) is right


@pytest.mark.parametrize("how", [verify.IN_FLOAT64, OWN])
def test_a_jump_does_not_excuse_the_other_elements(how: verify.Differencing) -> None:
    """Divided by the step it is a slope beside which every other error is small."""
    jump = [1 / step for step in how.steps]
    small, large = ([1.0, 1.0, slope] for slope in jump)
    assert judge([1.0, 1.0, 9.0], small, large, how) == verify.GradientProof(how.noise, 2)
    wrong = judge([1.0, 1.5, 9.0], small, large, how)
    assert reason(wrong) is Reason.WRONG_GRADIENT and "element 1" in wrong.detail
