"""Compares results: when two are equal, when a kernel is degenerate, when a gradient is right.

Every tolerance of the project is written here or, where it is a type's own, in the table of scalar types.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ..common.outcomes import Reason, Rejected
from ..language.analysis.liveness import only_copies
from ..language.types import SCALARS
from .run import Differences
from .subject import Arrays, stacked

# How far two results of a type may lie apart; integers are equal or not.
TOLERANCE = {name: row.tolerance for name, row in SCALARS.items() if row.kind == "float"}

# What has to be visible must be well above what may differ.
MARGIN = 8
VISIBLE = {name: MARGIN * tolerance for name, tolerance in TOLERANCE.items()}
NEAR_ZERO = VISIBLE["float32"]

# Warp's outputs against the program's meaning in float64. Where they are further apart, a comparison or a
# whole part hangs on rounding, and another processor or a GPU would give other outputs.
MEANING_TOLERANCE = 1e-2

# The adjoint in float32 against the one in float64: rounding is amplified by what cancels in between, on some
# GPU perhaps several times as much.
ADJOINT_TOLERANCE = 1e-3
# A kernel in float64 has no twin that is more precise. Numbers are near one, so that what cancels leaves some
# 1e-16, and less than this is no slope.
NO_SLOPE = 1e-10

# The adjoint in float64 against central differences, element by element. Right ones agree to 1e-6 or better,
# wrong ones are off in the first digits.
DIFFERENCE_TOLERANCE = 1e-3
# What differences themselves leave; a smaller error says nothing, and would vary with the C library.
DIFFERENCE_NOISE = 1e-8
# Inputs are decimals of four digits that never tie with shorter ones, so neither step crosses a literal;
# in float64 both leave errors near 1e-11 of the outputs that change.
STEPS = (1e-5, 2e-5)
DIFFERENCE_ROUNDING = 1e-10
# A kernel without a twin in float64 is differenced in its own precision: larger steps, which see more of its
# curvature, and the rounding of its outputs, which is divided by them.
OWN_STEPS = (4e-3, 8e-3)
# Of 70 right adjoints the worst was off by 2.8e-2, of eleven wrong ones each by 0.14 or more somewhere.
OWN_TOLERANCE = 6e-2
# Both steps straddle a kink that is near, and then differ little: three of those 70 kernels have a kink taken
# for a wrong gradient unless the steps must agree more closely than that.
OWN_AGREEMENT = 2e-2
OWN_NOISE = 1e-3
OWN_ROUNDING = 3e-4
# What an adjoint may leave of its terms, and of the largest slope, where they cancel.
CANCELLED, OWN_CANCELLED = 1e-9, TOLERANCE["float32"]
# Elements whose two steps disagree lie on a kink. If more than this share of those that were differenced do,
# the row proves too little.
MAX_KINKS = 0.5


# ---- equality


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, relative to the element and to the array's largest element together.

    The latter is the scale at which a sum of terms that cancel is rounded. Integers and booleans are
    equal (0.0) or not (infinity). So are arrays of different shapes, and what is not finite on either
    side. NaN where the two are too far apart for float64 to say: a caller must refuse that as well.
    """
    if expected.dtype.kind != "f" or actual.shape != expected.shape:
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    if not (np.isfinite(actual).all() and np.isfinite(expected).all()):
        return float("inf")
    magnitude = np.abs(expected).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = magnitude + np.max(magnitude, initial=0.0)
        distance = np.abs(actual.astype(np.float64) - expected)
        errors = np.where(distance == 0, 0.0, distance / size)
    return float(np.max(errors, initial=0.0))


def allowed(expected: np.ndarray, margin: float = 1.0) -> np.ndarray:
    """How far each element may be from an expected one: `margin` times the tolerance of its type, of itself
    and of the array's largest element together, as `relative_error` measures. Nothing where integers are
    compared."""
    tolerance = margin * TOLERANCE.get(expected.dtype.name, 0.0)
    if not tolerance:
        return np.zeros(expected.shape)
    size = np.abs(expected).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(tolerance * (size + size.max(initial=0.0)))


def _within(actual: np.ndarray, expected: np.ndarray, distances: np.ndarray) -> bool:
    """Whether arrays are that close, element by element."""
    if expected.dtype.kind != "f" or actual.shape != expected.shape:
        return np.array_equal(actual, expected)
    with np.errstate(over="ignore", invalid="ignore"):
        distance = np.abs(actual.astype(np.float64) - expected)
    # Not finite where either side is not, or where the two are too far apart for float64 to say.
    return bool((np.isfinite(distance) & (distance <= distances)).all())


_MATCHED = 2048  # rows that are matched one by one, at most

# Arrays whose elements may come in any order, by leaf, with the shape of an element.
Unordered = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Comparison:
    """The worst relative error over all arrays, NaN if one is that, and the first array that is not equal."""

    error: float
    unequal: str | None


def compare(
    actual: Arrays,
    expected: Arrays,
    unordered: Unordered = MappingProxyType({}),
    together: Iterable[Collection[str]] = (),
    exchanging: Arrays = MappingProxyType({}),
    distances: Arrays = MappingProxyType({}),
    margin: float = 1.0,
) -> Comparison:
    """Integers exactly, floating point within `distances` of each element, or as `allowed` says of an array
    that has none; `unordered` arrays as multisets of their elements, and those of one group of `together`,
    whose elements of one index belong together, as one multiset of these. Where `exchanging` has a number for
    each element of an array, those of one number are a multiset. Raises `KeyError` if a side lacks an
    array."""
    _check_sides(actual, expected)
    distances = {name: distances.get(name, allowed(array, margin)) for name, array in expected.items()}
    errors, unequal = [], []
    places = aligned(actual, expected, unordered, together, exchanging, distances)
    for name in expected:
        found, wanted, distance = actual[name], expected[name], distances[name]
        if name in places:
            found, wanted, distance = (
                side.reshape(-1, math.prod(unordered[name])) for side in (found, wanted, distance)
            )
            found = found[places[name]]
        errors.append(relative_error(found, wanted))
        # Here and below: written so that an error which is not a number is no agreement.
        if not _within(found, wanted, distance):
            unequal.append(name)
    return Comparison(float(np.max(errors, initial=0.0)), unequal[0] if unequal else None)


def aligned(
    actual: Arrays,
    expected: Arrays,
    unordered: Unordered,
    together: Iterable[Collection[str]] = (),
    exchanging: Arrays = MappingProxyType({}),
    distances: Arrays = MappingProxyType({}),
) -> dict[str, np.ndarray]:
    """For each unordered array, as `compare` takes them, which element of `actual` stands for each one of
    `expected`; not for those whose shapes differ."""
    grouped = [sorted(group) for group in together if unordered.keys() >= set(group)]
    single = unordered.keys() - {name for group in grouped for name in group}
    found: dict[str, np.ndarray] = {}
    for group in (*grouped, *([name] for name in expected if name in single)):
        if all(actual[name].shape == expected[name].shape for name in group):
            numbers = [exchanging[name].reshape(-1, 1) for name in group[:1] if name in exchanging]
            limits = {name: distances.get(name, allowed(expected[name])) for name in group}
            actual_side, expected_side, distance = (
                [*first, *(side[name].reshape(-1, math.prod(unordered[name])) for name in group)]
                for side, first in (
                    (actual, numbers),
                    (expected, numbers),
                    (limits, [np.zeros(each.shape) for each in numbers]),
                )
            )
            found |= dict.fromkeys(group, _places(actual_side, expected_side, distance))
    return found


def _places(
    actual: Sequence[np.ndarray], expected: Sequence[np.ndarray], distances: Sequence[np.ndarray]
) -> np.ndarray:
    """For each row of `expected`, the columns of several arrays side by side, a row of `actual` that is
    within `distances` of it, each taken once; some order where there are no such."""
    exact = sorted(range(len(expected)), key=lambda n: expected[n].dtype.kind == "f")  # they sort safely
    ordered = [np.lexsort([key for n in exact for key in side[n].T][::-1]) for side in (actual, expected)]
    places = np.empty_like(ordered[0])
    places[ordered[1]] = ordered[0]
    if sum(array.shape[1] for array in expected) == 1 or len(places) > _MATCHED:
        return places
    sides = [*zip(actual, expected, distances, strict=True)]
    if all(_within(a[places], e, distance) for a, e, distance in sides):
        return places
    # Rounding decided how rows whose first numbers are nearly equal are sorted.
    equal = np.ones((len(places), len(places)), bool)
    for found, wanted, distance in sides:
        for one, other, near in zip(
            wanted.T[..., None], found.T[:, None], distance.T[..., None], strict=True
        ):
            if wanted.dtype.kind != "f":
                equal &= one == other
                continue
            with np.errstate(invalid="ignore", over="ignore"):
                equal &= np.abs(other.astype(np.float64) - one) <= near
    taken = np.full(len(places), -1)
    for row in np.argsort(equal.sum(axis=1), kind="stable"):
        if not equal[row].any():
            return places
        taken[row] = equal[row].argmax()
        equal[:, taken[row]] = False
    return taken


def visibly_different(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays differ by more than could be rounding."""
    return not relative_error(first, second) <= VISIBLE.get(first.dtype.name, 0.0)


def _check_sides(actual: Arrays, expected: Arrays) -> None:
    if actual.keys() != expected.keys():
        raise KeyError(f"{sorted(actual)} are not {sorted(expected)}")


# ---- degenerate kernels


def not_finite(results: Iterable[Arrays]) -> Rejected | None:
    for outputs in results:
        for name, array in outputs.items():
            if not np.isfinite(array).all():
                return Rejected(Reason.NOT_FINITE, f"output {name} is not finite")
    return None


def constant_output(results: Sequence[Arrays]) -> Rejected | None:
    """`results` are the outputs for several random inputs: every array must vary among them."""
    first, *others = results
    for name, array in first.items():
        if not any(visibly_different(other[name], array) for other in others):
            return Rejected(Reason.CONSTANT_OUTPUT, f"output {name} is the same for {len(results)} inputs")
    return None


def near_zero(results: Sequence[Arrays]) -> Rejected | None:
    for name, first in results[0].items():
        limit = NEAR_ZERO if first.dtype.kind == "f" else 0
        if all(np.abs(outputs[name].astype(np.float64)).max(initial=0.0) <= limit for outputs in results):
            return Rejected(Reason.NEAR_ZERO, f"output {name} is nearly zero throughout")
    return None


def trivial(outputs: Sequence[Arrays], inputs: Sequence[Arrays]) -> Rejected | None:
    """An answer that computes nothing would be right: outputs do not vary with the inputs, are nearly zero
    throughout, or all of them are inputs but for rounding."""
    if rejection := constant_output(outputs) or near_zero(outputs):
        return rejection
    if only_copies(stacked(inputs), stacked(outputs), _same_but_for_rounding):
        return Rejected(Reason.ONLY_COPIES, "every output is an input, but for rounding")
    return None


def unchanged(outputs: Arrays, inputs: Arrays) -> bool:
    """Whether every output is what was there before, but for rounding."""
    return all(
        name in inputs and _same_but_for_rounding(inputs[name], output) for name, output in outputs.items()
    )


def _same_but_for_rounding(given: np.ndarray, left: np.ndarray) -> bool:
    return not visibly_different(given.astype(left.dtype), left)


def ignores_input(name: str, pairs: Iterable[tuple[Arrays, Arrays]]) -> Rejected | None:
    """`pairs` are outputs before and after only the input `name` was replaced: one of them must differ.

    It is consumed only as far as needed.
    """
    for before, after in pairs:
        if any(visibly_different(after[output], before[output]) for output in before):
            return None
    return Rejected(Reason.IGNORES_INPUT, f"no output changes with input {name}")


def meaning_agrees(outputs: Arrays, meaning: Arrays) -> float | Rejected:
    """The worst relative error of `outputs` against what the program means, computed in float64. Raises
    `KeyError` if a side lacks an array."""
    _check_sides(outputs, meaning)
    worst = 0.0
    for name, expected in meaning.items():
        error = relative_error(outputs[name], expected)
        if not error <= MEANING_TOLERANCE:
            return Rejected(Reason.ROUNDING_DECIDES, f"output {name} is off by {error:.1e} from float64")
        worst = max(worst, error)
    return worst


# ---- gradients


def gradient_not_finite(gradients: Arrays) -> Rejected | None:
    for name, array in gradients.items():
        if not np.isfinite(array).all():
            return Rejected(Reason.WRONG_GRADIENT, f"the gradient of {name} is not finite")
    return None


def adjoint_precision(single: Arrays, double: Arrays) -> Rejected | None:
    """The gradients of a kernel against those of the same kernel in float64; where it is in float64 itself,
    they may not be what rounding leaves. Raises `KeyError` if a side lacks an array."""
    _check_sides(single, double)
    for name, expected in double.items():
        scale = np.abs(expected).max(initial=0.0)
        if single[name].dtype == np.float64 and 0 < scale < NO_SLOPE:
            return Rejected(Reason.ROUNDING_DECIDES, f"the gradient of {name} is what rounding leaves")
        with np.errstate(invalid="ignore"):
            distance = np.abs(single[name].astype(np.float64) - expected)
        close = distance <= ADJOINT_TOLERANCE * (np.abs(expected) + scale)
        if not (close & np.isfinite(expected)).all():
            return Rejected(Reason.ADJOINT_DIFFERS, f"the gradient of {name} differs in float32 and float64")
    return None


@dataclass(frozen=True)
class Differencing:
    """How differences are taken, and what they can tell: the two steps agree on a slope, or there is none,
    within `agreement`, and an adjoint with it within `tolerance`, both relative to the element itself.
    `rounding` is what rounding leaves of the outputs that an element changes, after division by the step;
    `cancelled` what it leaves of an adjoint's terms; `noise` is the least error that means something."""

    steps: tuple[float, float]
    agreement: float
    tolerance: float
    noise: float
    rounding: float
    cancelled: float


IN_FLOAT64 = Differencing(
    STEPS, DIFFERENCE_TOLERANCE, DIFFERENCE_TOLERANCE, DIFFERENCE_NOISE, DIFFERENCE_ROUNDING, CANCELLED
)
IN_OWN_PRECISION = Differencing(
    OWN_STEPS, OWN_AGREEMENT, OWN_TOLERANCE, OWN_NOISE, OWN_ROUNDING, OWN_CANCELLED
)


@dataclass(frozen=True)
class GradientProof:
    """`error` is the worst deviation of an element from finite differences, beyond its rounding and relative
    to itself; `checked` counts the elements that were compared."""

    error: float
    checked: int


def differences_agree(
    gradients: Arrays, differences: Sequence[Differences], how: Differencing = IN_FLOAT64
) -> GradientProof | Rejected:
    """An adjoint against central differences, element by element: what is wrong beside large ones is wrong.

    An element's own rounding is left out of its error: that of the outputs that it changes, that of the terms
    of its sum, and as far as the two steps differ. Where they differ by more, the element has no derivative;
    or its slope is what is left of large ones, and is held against these.
    """
    scales = [_scale(difference, how) for difference in differences]
    largest = max(scales, default=0.0)
    worst, checked, total = 0.0, 0, 0
    for difference, scale in zip(differences, scales, strict=True):
        gradient = gradients[difference.argument].reshape(-1)[difference.index].astype(np.float64)
        small, large = difference.slopes
        with np.errstate(invalid="ignore", divide="ignore"):
            size, spread = np.abs(small), np.abs(small - large)
            rounding = how.rounding * difference.changed + how.cancelled * (difference.terms + largest)
            smooth = spread <= how.agreement * size + rounding
            beyond = np.maximum(np.abs(gradient - small) - rounding - spread, 0.0)
            errors = np.where(beyond == 0, 0.0, beyond / size)
            half = (size + scale) / 2
            cancels = ~smooth & (spread <= how.agreement * half)
            off = cancels & ~(np.abs(gradient - small) <= how.tolerance * half)
        total += difference.index.size
        checked += int(smooth.sum())
        # Written so that a gradient which is not a number fails.
        if off.any() or not (errors[smooth] <= how.tolerance).all():
            errors = np.where(off, np.inf, errors)
            return Rejected(Reason.WRONG_GRADIENT, _disagreement(difference, gradient, errors, smooth | off))
        worst = max(worst, float(errors[smooth].max(initial=0.0)))
    if not total:
        return Rejected(Reason.NO_GRADIENT, "no floating-point array is an input")
    if checked < (1 - MAX_KINKS) * total:
        return Rejected(Reason.KINK, f"only {checked} of {total} elements have a derivative")
    return GradientProof(max(worst, how.noise), checked)


def _scale(difference: Differences, how: Differencing) -> float:
    # A jump between two steps of an element is divided by the step: as a scale it would hide all the others.
    small, large = difference.slopes
    with np.errstate(invalid="ignore"):
        agreed = np.abs(small - large) <= how.agreement * np.abs(small)
    return float(np.abs(small[agreed]).max(initial=0.0))


def _disagreement(
    difference: Differences, gradient: np.ndarray, errors: np.ndarray, smooth: np.ndarray
) -> str:
    ranked = np.where(smooth, np.where(np.isnan(errors), np.inf, errors), -1.0)
    worst = int(np.argmax(ranked))
    return (
        f"the gradient of {difference.argument} at element {difference.index[worst]} is "
        f"{gradient[worst]:.6g}, finite differences give {difference.slopes[0][worst]:.6g}"
    )


def no_gradient(gradients: Arrays) -> Rejected | None:
    """At least one element of one input's gradient must be visible."""
    if all(np.abs(gradient).max(initial=0.0) <= NEAR_ZERO for gradient in gradients.values()):
        return Rejected(Reason.NO_GRADIENT, "every input's gradient is zero")
    return None
