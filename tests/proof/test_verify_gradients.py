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


def differences(
    name: str, small: list[float], large: list[float] | None = None, terms: float = 0.0, changed: float = 0.0
) -> Differences:
    slopes = np.array([small, small if large is None else large])
    each = [np.full(len(small), size) for size in (terms, changed)]
    return Differences(name, np.arange(len(small)), slopes, *each)


def judge(
    gradients: list[float],
    small: list[float],
    large: list[float] | None = None,
    how: verify.Differencing = verify.IN_FLOAT64,
    **sizes: float,
) -> verify.GradientProof | Rejected:
    found = differences("a", small, large, **sizes)
    return verify.differences_agree({"a": np.array(gradients)}, [found], how)


def test_right_gradient() -> None:
    slopes = VALUES * (1 + 1e-9)
    # What differences themselves leave is no error of the gradient's.
    assert judge(list(VALUES), list(slopes)) == verify.GradientProof(1e-8, 12)


def test_the_error_is_reported() -> None:
    proof = judge([1.0, 1.0 + 4e-8, 1.0], [1.0] * 3)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(3.9e-8)  # beyond rounding


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gradient_is_within_a_thousandth(sign: int) -> None:
    proof = judge([1 + sign * 0.00099], [1.0])
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(0.00099, rel=1e-4)
    assert reason(judge([1 + sign * 0.00101], [1.0])) is Reason.WRONG_GRADIENT


@pytest.mark.parametrize("large", [1.0, 2e4, 1e6])
def test_an_element_counts_beside_large_ones(large: float) -> None:
    """Half of what is right, as Warp's adjoint has it of a sum that a loop carries."""
    assert isinstance(judge([large, 7.58], [large, 7.58]), verify.GradientProof)
    found = judge([large, 3.79], [large, 7.58])
    assert reason(found) is Reason.WRONG_GRADIENT and "element 1 is 3.79" in found.detail
    assert reason(judge([large, 0.0], [large, 7.58])) is Reason.WRONG_GRADIENT
    assert reason(judge([large, 7.58], [large, 0.0])) is Reason.WRONG_GRADIENT


def test_the_smaller_step_counts() -> None:
    # As far as the two steps differ, the difference is no error.
    assert isinstance(judge([0.9982], [1.0], [1.0009]), verify.GradientProof)
    assert reason(judge([1.0020], [1.0], [1.0009])) is Reason.WRONG_GRADIENT
    assert reason(judge([0.9980], [1.0], [1.0009])) is Reason.WRONG_GRADIENT


@pytest.mark.parametrize("factor", [1.01, 0.5, -1.0, 0.0, np.nan, np.inf])
def test_wrong_gradient(factor: float) -> None:
    found = judge(list(np.where(np.arange(12) == 5, factor, 1) * VALUES), list(VALUES))
    assert reason(found) is Reason.WRONG_GRADIENT and "element 5 is" in found.detail


def test_the_elements_are_those_that_were_sampled() -> None:
    sampled = Differences("a", np.array([0, 3]), np.array([[1.0, 4.0], [1.0, 4.0]]), *np.zeros((2, 2)))
    gradients = np.array([[1.0, 9.0], [9.0, 4.0]])
    proof = verify.differences_agree({"a": gradients}, [sampled])
    assert proof == verify.GradientProof(1e-8, 2)
    found = verify.differences_agree({"a": gradients.T * [[1, 1], [1, 2]]}, [sampled])
    assert reason(found) is Reason.WRONG_GRADIENT and "element 3 is 8" in found.detail


@pytest.mark.parametrize(("gap", "smooth"), [(0.00099, True), (0.00101, False)])
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


@pytest.mark.parametrize(
    ("sizes", "rounding"),
    [
        ({"changed": 0.0}, 1e-9),  # of the largest slope of any argument
        ({"changed": 5.0}, 1.5e-9),  # with that of the outputs that the element changes
        ({"terms": 2.0}, 3e-9),  # and of the terms of its sum
    ],
)
def test_what_rounding_leaves_of_an_element_is_no_error(sizes: dict[str, float], rounding: float) -> None:
    found = [differences("a", [1.0]), differences("b", [0.0, 0.0], **sizes)]
    for share, right in ((0.99, True), (1.01, False)):
        gradients = {"a": np.ones(1), "b": np.array([0.0, share * rounding])}
        assert isinstance(verify.differences_agree(gradients, found), verify.GradientProof) is right


def test_what_cancels_is_held_against_what_it_is_left_of() -> None:
    """Its steps differ by more than it is itself, and by nothing of what stands beside it."""
    small, large = [1.0, 1e-7], [1.0, 4e-7]
    assert judge([1.0, 0.0], small, large) == verify.GradientProof(1e-8, 1)
    assert judge([1.0, 4e-4], small, large) == verify.GradientProof(1e-8, 1)
    assert reason(judge([1.0, 6e-4], small, large)) is Reason.WRONG_GRADIENT


def test_without_any_slope_only_zero_is_right() -> None:
    assert judge([0.0, 0.0], [0.0, 0.0]) == verify.GradientProof(1e-8, 2)
    assert reason(judge([0.0, 1e-12], [0.0, 0.0])) is Reason.WRONG_GRADIENT


def test_every_argument_counts() -> None:
    found = [differences("a", [1.0]), differences("b", [1.0, 1.0])]
    right = {"a": np.ones(1), "b": np.ones(2)}
    assert verify.differences_agree(right, found) == verify.GradientProof(1e-8, 3)
    off = right | {"a": np.array([1 + 4e-8])}
    proof = verify.differences_agree(off, found)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(3.9e-8)
    for name in right:
        wrong = verify.differences_agree(right | {name: right[name] * 2}, found)
        assert reason(wrong) is Reason.WRONG_GRADIENT and f"gradient of {name}" in wrong.detail
        with pytest.raises(KeyError):
            verify.differences_agree({name: right[name]}, found)


def test_elements_that_were_not_tried_do_not_count() -> None:
    found = [differences("a", [1.0, 1.0])]
    assert verify.differences_agree({"a": np.ones(500)}, found) == verify.GradientProof(1e-8, 2)


def test_nothing_to_differentiate() -> None:
    assert reason(verify.differences_agree({}, [])) is Reason.NO_GRADIENT
    assert reason(judge([], [])) is Reason.NO_GRADIENT


# ---- kernels without a twin in float64

OWN = verify.IN_OWN_PRECISION


@pytest.mark.parametrize("sign", [1, -1])
def test_in_its_own_precision_a_gradient_is_within_six_hundredths(sign: int) -> None:
    proof = judge([1 + sign * 0.0599], [1.0], how=OWN)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(0.0598, rel=1e-2)
    assert reason(judge([1 + sign * 0.0605], [1.0], how=OWN)) is Reason.WRONG_GRADIENT
    assert reason(judge([np.nan], [1.0], how=OWN)) is Reason.WRONG_GRADIENT


def test_in_its_own_precision_there_is_more_noise() -> None:
    assert judge([1.0, 1.0], [1.0, 1.001], how=OWN) == verify.GradientProof(1e-3, 2)
    proof = judge([1.0, 1.0], [1.0, 1.004], how=OWN)
    assert isinstance(proof, verify.GradientProof) and proof.error == pytest.approx(0.004, rel=0.05)


@pytest.mark.parametrize(("gap", "smooth"), [(0.0199, True), (0.0203, False)])
def test_in_its_own_precision_kinks_are_wider(gap: float, smooth: bool) -> None:
    found = judge([1.0, 1.0, 9.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1 + gap], OWN)
    assert reason(found) is (Reason.WRONG_GRADIENT if smooth else None)


@pytest.mark.parametrize(("changed", "rounding"), [(0.0, 1.22e-4), (3.0, 1.022e-3)])
def test_in_its_own_precision_outputs_are_rounded(changed: float, rounding: float) -> None:
    """What is wrong by less than that is not seen: beside outputs of ten thousand, a gradient of one."""
    found = [differences("a", [1.0]), differences("b", [0.0], changed=changed)]
    for share, right in ((0.99, True), (1.01, False)):
        gradients = {"a": np.ones(1), "b": np.array([share * rounding])}
        judged = verify.differences_agree(gradients, found, OWN)
        assert isinstance(judged, verify.GradientProof) is right


@pytest.mark.parametrize("how", [verify.IN_FLOAT64, OWN])
def test_a_jump_does_not_excuse_the_other_elements(how: verify.Differencing) -> None:
    """Divided by the step it is a slope beside which every other error is small."""
    jump = [1 / step for step in how.steps]
    small, large = ([1.0, 1.0, slope] for slope in jump)
    assert judge([1.0, 1.0, 9.0], small, large, how) == verify.GradientProof(how.noise, 2)
    wrong = judge([1.0, 1.5, 9.0], small, large, how)
    assert reason(wrong) is Reason.WRONG_GRADIENT and "element 1" in wrong.detail
