"""The judge, on numbers alone: what lies just inside a tolerance passes, what lies just outside does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.proof import verify

RNG = np.random.default_rng(0)
VALUES = RNG.uniform(0.5, 2.0, 12)

# A difference of n units in the last place of 1, in an array whose only element is 1, is a relative error of
# n / 2 units: the element and the largest element are its scale together. So 2048 are the tolerance of 1024
# roundings, and 16384 are what has to be visible.
ULPS = {"float32": 2.0**-23, "float64": 2.0**-52}
EQUAL, VISIBLE = 2048, 16384


def reason(found: object) -> Reason | None:
    return found.reason if isinstance(found, Rejected) else None


def one(dtype: str, ulps: float = 0) -> np.ndarray:
    """An array that holds 1 and so many units in its last place."""
    return np.array([1 + ulps * ULPS[dtype]], dtype)


def swapped(array: np.ndarray, place: int, value: float) -> np.ndarray:
    changed = array.copy()
    changed[place] = value
    return changed


# ---- equality


@pytest.mark.parametrize("dtype", ULPS)
@pytest.mark.parametrize("sign", [1, -1])
def test_equal_within_rounding_only(dtype: str, sign: int) -> None:
    expected = {"o": one(dtype)}
    inside = verify.compare({"o": one(dtype, sign * EQUAL)}, expected)
    assert inside == verify.Comparison(EQUAL / 2 * ULPS[dtype], None)
    outside = verify.compare({"o": one(dtype, sign * (EQUAL + 1))}, expected)
    assert outside == verify.Comparison((EQUAL + 1) / 2 * ULPS[dtype], "o")
    assert verify.compare(expected, expected) == verify.Comparison(0.0, None)


@pytest.mark.parametrize("dtype", ULPS)
@pytest.mark.parametrize("sign", [1, -1])
def test_visible_is_eight_times_what_may_differ(dtype: str, sign: int) -> None:
    assert not verify.visibly_different(one(dtype, sign * VISIBLE), one(dtype))
    assert verify.visibly_different(one(dtype, sign * (VISIBLE + 1)), one(dtype))


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        ([0.5, 1.0], [0.0, 1.0], 0.5),  # scaled by the largest element, where the element itself is nothing
        ([0.0, 1.5], [0.0, 1.0], 0.25),  # by both together
        ([0.0, 0.0], [0.0, 0.0], 0.0),
        ([0.0, 1e-300], [0.0, 0.0], np.inf),
        ([1.0, -1.0], [1.0, 1.0], 1.0),
        ([], [], 0.0),
        ([1.0], [1.0, 1.0], np.inf),  # shapes are not stretched
        ([1.0, np.nan], [1.0, 1.0], np.inf),
        ([1.0, 1.0], [1.0, np.nan], np.inf),
        ([5.0, 7.0], [1.0, np.inf], np.inf),
        ([np.nan], [np.nan], np.inf),
        ([np.inf], [np.inf], np.inf),
    ],
)
def test_relative_error(actual: list[float], expected: list[float], error: float) -> None:
    assert verify.relative_error(np.array(actual), np.array(expected)) == error


# Their difference overflows: the error is no number, and no comparison may take that for agreement.
FAR_APART = np.array([1.7e308]), np.array([-1.7e308])


def test_an_error_that_is_no_number_is_no_agreement() -> None:
    assert np.isnan(verify.relative_error(*FAR_APART))
    actual, expected = ({"o": array} for array in FAR_APART)
    assert verify.compare(actual, expected).unequal == "o"
    assert verify.visibly_different(*FAR_APART)
    assert reason(verify.meaning_agrees(actual, expected)) is Reason.ROUNDING_DECIDES


def test_a_single_wrong_element_is_seen() -> None:
    expected = {"n": VALUES.astype("float32"), "o": VALUES.astype("float32")}
    actual = expected | {"o": swapped(expected["o"], 7, expected["o"][7] + 0.01)}
    assert verify.compare(actual, expected).unequal == "o"


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_integers_are_compared_exactly(dtype: str) -> None:
    expected = np.array([1, 2, 10_000_000], dtype)
    assert verify.compare({"o": expected}, {"o": expected}) == verify.Comparison(0.0, None)
    off = swapped(expected, 2, 10_000_001)
    assert verify.compare({"o": off}, {"o": expected}) == verify.Comparison(np.inf, "o")
    assert verify.visibly_different(off, expected) and not verify.visibly_different(expected, expected)


def test_truth_values_are_compared_exactly() -> None:
    flags = np.array([True, False])
    assert verify.compare({"o": flags}, {"o": flags}).unequal is None
    assert verify.compare({"o": ~flags}, {"o": flags}).unequal == "o"


@pytest.mark.parametrize(
    "fault", [np.zeros(12), np.full(12, np.nan), np.full(12, np.inf), -VALUES, VALUES[::-1], VALUES[:1]]
)
def test_what_a_cheating_kernel_would_return(fault: np.ndarray) -> None:
    assert verify.compare({"o": fault}, {"o": VALUES}).unequal == "o"


@pytest.mark.parametrize("judge", [verify.compare, verify.meaning_agrees, verify.adjoint_precision])
def test_a_missing_side_is_no_agreement(judge: Callable[..., object]) -> None:
    both, one = {"o": VALUES, "p": VALUES}, {"o": VALUES}
    for sides in (({}, one), (one, {}), (both, one), (one, both)):
        with pytest.raises(KeyError):
            judge(*sides)


# ---- the program's meaning


@pytest.mark.parametrize("sign", [1, -1])
def test_outputs_are_within_a_hundredth_of_their_meaning(sign: int) -> None:
    meaning = {"o": np.array([1.0])}
    error = verify.meaning_agrees({"o": np.array([1 + sign * 0.0199])}, meaning)
    assert error == pytest.approx(0.00995)
    found = verify.meaning_agrees({"o": np.array([1 + sign * 0.0201])}, meaning)
    assert reason(found) is Reason.ROUNDING_DECIDES and "output o" in found.detail


def test_the_worst_output_counts() -> None:
    meaning = {name: np.array([1.0]) for name in "abc"}
    off = {"a": 1.002, "b": 1.004, "c": 1.0}
    outputs = {name: np.array([value], np.float32) for name, value in off.items()}
    assert verify.meaning_agrees(outputs, meaning) == pytest.approx(0.002, rel=1e-4)
    assert isinstance(verify.meaning_agrees(outputs | {"b": np.array([1.1])}, meaning), Rejected)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_has_no_meaning(bad: float) -> None:
    broken, whole = {"o": swapped(VALUES, 3, bad)}, {"o": VALUES}
    for sides in ((broken, whole), (whole, broken), (broken, broken)):
        assert reason(verify.meaning_agrees(*sides)) is Reason.ROUNDING_DECIDES


# ---- degenerate kernels


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(bad: float) -> None:
    broken = {"o": swapped(VALUES, 3, bad)}
    assert reason(verify.not_finite([{"o": VALUES}, broken])) is Reason.NOT_FINITE
    assert reason(verify.gradient_not_finite({"a": VALUES, "b": broken["o"]})) is Reason.WRONG_GRADIENT
    assert verify.not_finite([{"o": VALUES}]) is None
    assert verify.not_finite([]) is None
    assert verify.gradient_not_finite({"a": VALUES, "b": np.zeros(0)}) is None


def test_every_output_must_vary() -> None:
    steady, moving = np.ones(4), [np.arange(4.0) + n for n in range(3)]
    found = verify.constant_output([{"o": array, "p": steady} for array in moving])
    assert reason(found) is Reason.CONSTANT_OUTPUT and "output p" in found.detail
    assert verify.constant_output([{"o": array} for array in moving]) is None
    # That the last of them differs is enough.
    assert verify.constant_output([{"o": steady}, {"o": steady}, {"o": steady + 1}]) is None


@pytest.mark.parametrize("dtype", ULPS)
def test_rounding_is_no_variation(dtype: str) -> None:
    same, other = one(dtype, VISIBLE), one(dtype, VISIBLE + 1)
    assert reason(verify.constant_output([{"o": one(dtype)}, {"o": same}])) is Reason.CONSTANT_OUTPUT
    assert verify.constant_output([{"o": one(dtype)}, {"o": same}, {"o": other}]) is None


NEARLY = 2.0**-10  # visible in float32: eight times 1024 roundings


@pytest.mark.parametrize(
    ("zero", "more"),
    [
        (np.array([0, NEARLY, -NEARLY]), np.array([0, 0, -np.nextafter(NEARLY, 1)])),
        (np.array([0, NEARLY], np.float32), np.array([np.nextafter(np.float32(NEARLY), np.float32(1)), 0])),
        (np.zeros(2, np.int32), np.array([0, -1], np.int32)),
        (np.zeros(2, np.uint32), np.array([0, 1], np.uint32)),
        (np.zeros(2, bool), np.array([False, True])),
        (np.zeros(0), np.array([np.nan])),
    ],
)
def test_near_zero(zero: np.ndarray, more: np.ndarray) -> None:
    one, found = {"n": np.ones(1), "o": zero}, verify.near_zero([{"n": np.ones(1), "o": zero}])
    assert reason(found) is Reason.NEAR_ZERO and "output o" in found.detail
    assert reason(verify.near_zero([one, one])) is Reason.NEAR_ZERO
    # One input for which there is something to see is enough.
    assert verify.near_zero([one, one | {"o": more}]) is None


def test_ignored_input() -> None:
    base, moved = {"n": VALUES, "o": VALUES}, {"n": VALUES, "o": VALUES * 1.1}
    found = verify.ignores_input("a", iter([(base, base), (base, base)]))
    assert reason(found) is Reason.IGNORES_INPUT and "input a" in found.detail
    assert verify.ignores_input("a", iter([(base, base), (base, moved)])) is None
    assert verify.ignores_input("a", iter([])) is not None
    rest = iter([(base, moved), (base, base)])
    assert verify.ignores_input("a", rest) is None and len(list(rest)) == 1


@pytest.mark.parametrize("dtype", ULPS)
def test_rounding_is_no_dependence(dtype: str) -> None:
    base = {"o": one(dtype)}
    assert verify.ignores_input("a", [(base, {"o": one(dtype, VISIBLE)})]) is not None
    assert verify.ignores_input("a", [(base, {"o": one(dtype, VISIBLE + 1)})]) is None


# ---- elements in any order


@pytest.mark.parametrize("shape", [(), (2,)])
def test_unordered_arrays_are_compared_as_multisets(shape: tuple[int, ...]) -> None:
    expected = RNG.uniform(0.5, 2.0, (6, *shape))
    shuffled, other = expected[[3, 1, 5, 0, 4, 2]], expected.copy()
    other[0] = other[1]
    for actual, equal in ((shuffled, True), (other, False), (shuffled[:5], False)):
        assert (verify.compare({"o": actual}, {"o": expected}, {"o": shape}).unequal is None) is equal
        assert verify.compare({"o": actual}, {"o": expected}).unequal == "o"


@pytest.mark.parametrize("other", [(0, 1, 2, 3), (2, 0, 3, 1)])
def test_each_element_may_have_a_distance_of_its_own(other: tuple[int, ...]) -> None:
    """And keeps it where elements change places."""
    expected = {"o": np.array([1e-3, 1.0, 5.0, 100.0]), "p": np.array([1, 2, 3, 4])}
    distances = {"o": np.array([1e-6, 2.0, 1e-6, 1e-6])}
    places = {"o": (), "p": ()}
    for off, equal in (([0, 1.9, 0, 0], True), ([1.1e-6, 0, 0, 0], False), ([0, 0, 2e-6, 0], False)):
        left = {"o": (expected["o"] + off)[[*other]], "p": expected["p"][[*other]]}
        for together in ((), [("o", "p")]):
            found = verify.compare(left, expected, places, together, distances=distances)
            assert found.unequal == (None if equal else "o")
    far = {**expected, "o": expected["o"] + np.array([0, 1.9, 0, 0])}
    assert verify.compare(far, expected).unequal == "o"


def test_rows_are_matched_by_distances_of_their_own() -> None:
    """The first numbers are as good as equal, the second ones tell which is which."""
    expected = np.array([[1.0, 100.0], [1.0 + 1e-6, 2e-3]])
    left = np.array([[1.0, 2e-3], [1.0 + 1e-6, 100.0]])
    near = np.array([[2e-6, 1e-2], [2e-6, 1e-6]])
    assert verify.compare({"o": left}, {"o": expected}, {"o": (2,)}, distances={"o": near}).unequal is None
    near[0, 0] = near[1, 0] = 1e-7
    assert verify.compare({"o": left}, {"o": expected}, {"o": (2,)}, distances={"o": near}).unequal == "o"


@pytest.mark.parametrize("dtype", ULPS)
def test_what_is_allowed_is_relative_to_the_element_and_the_largest(dtype: str) -> None:
    values = np.array([0.5, -2.0, 0.0], dtype)
    wanted = 3 * verify.TOLERANCE[dtype] * np.array([2.5, 4.0, 2.0])
    assert verify.allowed(values, 3) == pytest.approx(wanted)
    assert not verify.allowed(np.array([1, 2])).any()


def test_the_numbers_of_an_element_stay_together() -> None:
    pairs = np.array([[1.0, 2.0], [3.0, 4.0]])
    mixed = np.array([[1.0, 4.0], [3.0, 2.0]])
    assert verify.compare({"o": mixed}, {"o": pairs}, {"o": (2,)}).unequal == "o"
    assert verify.compare({"o": mixed}, {"o": pairs}, {"o": ()}).unequal is None


def test_elements_of_one_index_stay_together() -> None:
    keys, values = np.array([3, 0, 7, 7, 2**60 + 1]), np.array([0.5, 0.0, 2.0, 1.5, 4.0])
    other, any_order = np.array([4, 2, 0, 3, 1]), {"k": (), "v": ()}
    expected = {"k": keys, "v": values}
    moved = {"k": keys[other], "v": values[other]}
    mixed = {"k": keys[other], "v": values}
    for actual, equal in ((moved, True), (mixed, False)):
        assert verify.compare(actual, expected, any_order).unequal is None
        assert (verify.compare(actual, expected, any_order, [{"k", "v"}]).unequal is None) is equal
    last = {"k": keys + (keys > 7), "v": values}
    assert verify.compare(last, expected, any_order, [{"k", "v"}]).unequal == "k"


def test_rounding_does_not_part_what_belongs_together() -> None:
    """It decides which of two first numbers is smaller."""
    expected = {"a": np.array([1.0, 1.0 + 1e-15, 3.0]), "b": np.array([5.0, 4.0, 1.0])}
    rounded = {"a": np.array([1.0 + 1e-15, 3.0, 1.0]), "b": np.array([5.0, 1.0, 4.0])}
    either = {"a": (), "b": ()}
    assert verify.compare(rounded, expected, either, [("a", "b")]).unequal is None
    wrong = {**rounded, "b": np.array([5.0, 1.0, 5.0])}
    assert verify.compare(wrong, expected, either, [("a", "b")]).unequal == "b"
    pairs = [np.stack([side["a"], side["b"]], axis=1) for side in (rounded, expected)]
    assert verify.compare({"o": pairs[0]}, {"o": pairs[1]}, {"o": (2,)}).unequal is None


X = [np.array([1.0, 2.0]), np.array([3.0, 5.0])]


@pytest.mark.parametrize(
    ("outputs", "shows"),
    [
        ([{"y": X[0] * 2}, {"y": X[1] * 2}], True),
        ([{"y": X[0]}, {"y": X[1]}], False),  # the input
        ([{"y": X[0]}, {"y": X[0]}], False),  # the same for all
        ([{"y": np.arange(2.0)}, {"y": np.arange(2.0)}], False),  # the index
        ([{"y": X[0] * 0}, {"y": X[1] * 0}], False),
        ([{"y": X[0], "z": X[0] * 2}, {"y": X[1], "z": X[1] * 2}], True),  # one of two is the input
        ([{"y": X[0], "z": X[0] * 0}, {"y": X[1], "z": X[1] * 0}], False),
        ([{"y": X[0] * 2}, {"y": X[1]}], True),  # the input once
        ([{"y": np.stack([x, x], 1)} for x in X], False),  # the input, in both parts of each element
        ([{"y": np.stack([x, 2 * x], 1)} for x in X], True),
        ([{"y": x * (1 + 1e-12)} for x in X], False),  # the input but for rounding
        ([{"y": x.astype(np.int32)} for x in X], False),  # the input, cast
    ],
)
def test_what_outputs_must_show(outputs, shows):
    assert (verify.trivial(outputs, [{"x": x} for x in X]) is None) is shows


@pytest.mark.parametrize(
    ("outputs", "alone"),
    [
        ({"x": X[0]}, True),
        ({"x": X[0] * (1 + 1e-12)}, True),  # but for rounding
        ({"x": X[1]}, False),
        ({"y": X[0]}, False),  # another argument: somebody has copied
        ({"x": X[0], "y": X[0]}, False),
    ],
)
def test_what_a_kernel_that_does_nothing_leaves(outputs: dict[str, np.ndarray], alone: bool) -> None:
    assert verify.unchanged(outputs, {"x": X[0], "w": X[1]}) is alone
