"""The judge, on numbers alone."""

from __future__ import annotations

import numpy as np
import pytest

from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.run import Differences

RNG = np.random.default_rng(0)
VALUES = RNG.uniform(0.5, 2.0, 12)


def _arrays(dtype: str, values: np.ndarray = VALUES) -> dict[str, np.ndarray]:
    return {"o": values.astype(dtype)}


# ---- equality


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_within_rounding_only(dtype: str) -> None:
    expected = _arrays(dtype)
    tolerance = verify.TOLERANCE[dtype]
    close = {"o": (expected["o"] * (1 + tolerance / 2)).astype(dtype)}
    far = {"o": (expected["o"] * (1 + tolerance * 4)).astype(dtype)}
    assert verify.compare(expected, expected) == verify.Comparison(0.0, None)
    assert verify.compare(close, expected).unequal is None
    assert verify.compare(far, expected).unequal == "o"
    assert verify.compare(far, expected).error > tolerance


def test_a_single_wrong_element_is_seen() -> None:
    expected = _arrays("float32")
    actual = {"o": expected["o"].copy()}
    actual["o"][7] += 0.01
    assert verify.compare(actual, expected).unequal == "o"


def test_integers_are_compared_exactly() -> None:
    expected = {"o": np.array([1, 2, 10_000_000], np.int32)}
    actual = {"o": np.array([1, 2, 10_000_001], np.int32)}
    assert verify.compare(expected, expected).unequal is None
    assert verify.compare(actual, expected).unequal == "o"


@pytest.mark.parametrize(
    "fault", [np.zeros(12), np.full(12, np.nan), np.full(12, np.inf), -VALUES, VALUES[::-1]]
)
def test_what_a_cheating_kernel_would_return(fault: np.ndarray) -> None:
    assert verify.compare({"o": fault}, {"o": VALUES}).unequal == "o"


def test_a_missing_side_is_no_agreement() -> None:
    with pytest.raises(KeyError):
        verify.compare({}, {"o": VALUES})
    with pytest.raises(KeyError):
        verify.compare({"o": VALUES, "p": VALUES}, {"o": VALUES})


def test_zero_is_only_equal_to_zero() -> None:
    zeros = {"o": np.zeros(3)}
    assert verify.compare(zeros, zeros).unequal is None
    assert verify.compare({"o": np.full(3, 1e-300)}, zeros).unequal == "o"


def test_thresholds_leave_a_margin() -> None:
    assert all(verify.VISIBLE[name] > 2 * verify.TOLERANCE[name] for name in verify.TOLERANCE)


# ---- degenerate kernels


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(bad: float) -> None:
    broken = {"o": np.where(np.arange(12) == 3, bad, VALUES)}
    found = verify.not_finite([{"o": VALUES}, broken])
    assert found is not None and found.reason is Reason.NOT_FINITE
    assert verify.not_finite([{"o": VALUES}]) is None


def test_every_output_must_vary() -> None:
    steady, moving = np.ones(4), [np.arange(4.0) + n for n in range(3)]
    found = verify.constant_output([{"o": array, "p": steady} for array in moving])
    assert found is not None and found.reason is Reason.CONSTANT_OUTPUT and "p" in found.detail
    assert verify.constant_output([{"o": array} for array in moving]) is None
    rounding = [{"p": steady.astype(np.float32) * (1 + np.float32(n * 1e-6))} for n in range(3)]
    assert verify.constant_output(rounding) is not None


@pytest.mark.parametrize("zero", [np.zeros(4), np.full(4, 1e-6), np.zeros(4, np.int32), np.zeros(4, bool)])
def test_near_zero(zero: np.ndarray) -> None:
    found = verify.near_zero([{"o": zero}, {"o": zero}])
    assert found is not None and found.reason is Reason.NEAR_ZERO
    assert verify.near_zero([{"o": zero}, {"o": zero + np.ones(4, zero.dtype)}]) is None


def test_ignored_input() -> None:
    base, moved = {"o": VALUES}, {"o": VALUES * 1.1}
    found = verify.ignores_input("a", iter([(base, base), (base, base)]))
    assert found is not None and found.reason is Reason.IGNORES_INPUT and "a" in found.detail
    assert verify.ignores_input("a", iter([(base, base), (base, moved)])) is None
    assert verify.ignores_input("a", iter([])) is not None


# ---- gradients

OUTPUT = {"o": VALUES}
SEEDS = {"o": np.ones(12)}


def _differences(slopes: np.ndarray, second: np.ndarray | None = None) -> list[Differences]:
    return [
        Differences("a", np.arange(slopes.size), np.array([slopes, slopes if second is None else second]))
    ]


def _judge(gradient: np.ndarray, slopes: np.ndarray, second: np.ndarray | None = None) -> object:
    return verify.differences_agree({"a": gradient}, _differences(slopes, second), SEEDS, OUTPUT)


def test_right_gradient() -> None:
    proof = _judge(VALUES, VALUES * (1 + 1e-9))
    assert proof == verify.GradientProof(verify.DIFFERENCE_NOISE, 12)


@pytest.mark.parametrize("factor", [1.01, 0.5, -1.0, 0.0, np.nan])
def test_wrong_gradient(factor: float) -> None:
    gradient = VALUES.copy()
    gradient[5] *= factor
    found = _judge(gradient, VALUES)
    assert (
        isinstance(found, Rejected) and found.reason is Reason.WRONG_GRADIENT and "element 5" in found.detail
    )


def test_zero_gradient_where_there_is_a_slope() -> None:
    found = _judge(np.zeros(12), VALUES)
    assert isinstance(found, Rejected) and found.reason is Reason.WRONG_GRADIENT


def test_a_kink_is_left_out_and_too_many_are_refused() -> None:
    second = VALUES.copy()
    second[:3] *= 2
    gradient = VALUES.copy()
    gradient[:3] = 99.0
    proof = _judge(gradient, VALUES, second)
    assert isinstance(proof, verify.GradientProof) and proof.checked == 9
    found = _judge(VALUES, VALUES, VALUES * 2)
    assert isinstance(found, Rejected) and found.reason is Reason.KINK


def test_a_kink_does_not_excuse_the_other_elements() -> None:
    second, gradient = VALUES.copy(), VALUES.copy()
    second[0] *= 2
    gradient[8] *= 1.5
    found = _judge(gradient, VALUES, second)
    assert isinstance(found, Rejected) and found.reason is Reason.WRONG_GRADIENT


def test_slopes_that_are_no_numbers_prove_nothing() -> None:
    found = _judge(VALUES, np.full(12, np.nan))
    assert isinstance(found, Rejected) and found.reason is Reason.KINK


def test_nothing_to_differentiate() -> None:
    found = verify.differences_agree({}, [], SEEDS, OUTPUT)
    assert isinstance(found, Rejected) and found.reason is Reason.NO_GRADIENT


def test_no_gradient() -> None:
    found = verify.no_gradient({"a": np.zeros(3), "b": np.zeros(2)})
    assert found is not None and found.reason is Reason.NO_GRADIENT
    assert verify.no_gradient({"a": np.zeros(3), "b": np.ones(2)}) is None


def test_adjoints_in_both_precisions() -> None:
    assert verify.adjoint_precision({"a": (VALUES * 1.0001).astype(np.float32)}, {"a": VALUES}) is None
    for wrong in (VALUES * 1.1, VALUES * np.nan):
        found = verify.adjoint_precision({"a": wrong.astype(np.float32)}, {"a": VALUES})
        assert found is not None and found.reason is Reason.ADJOINT_DIFFERS
