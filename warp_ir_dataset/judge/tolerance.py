"""Computes how far each number of an answer may be from the expected one: by what rounding can do to it.

Another correct answer adds in another order, factors otherwise or fuses a product with a sum. It differs from
the expected number by about as much as that number changes if every operation is rounded otherwise and every
input is moved by a unit in its last place. So this is measured, element by element, and an element that is
small beside others of its array is held to its own rounding.

Sources: a few runs with random rounding, whose differences show which digits are lost, are the CESTAC method
(J. Vignes, "A stochastic arithmetic for reliable scientific computation", Mathematics and Computers in
Simulation 35, 1993), which CADNA implements. Random errors of results and of inputs are the two modes of
Monte Carlo arithmetic (D. Stott Parker, UCLA CSD-970002, 1997).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..language import ir
from ..language.operations.rounding import WIDE, Rounding
from ..proof.cases import rounded_otherwise
from ..proof.run import Result
from ..proof.subject import Arrays, stacked, unstacked
from ..proof.verify import MARGIN, TOLERANCE, allowed

RUNS = 4  # in each of which all is rounded otherwise
# And of an adjoint in float64, for which there is no more precise one: every other sum that cancels comes out
# the same if it is rounded otherwise.
ADJOINTS = 16
# Times the largest change in these runs. Errors are uniform, so the largest of four is less than an eighth of
# the possible in one element of 4,000; and another answer may round several times as often.
TIMES = 32
# Of the tolerance of a type, and of the element itself: 128 units in the last place of a float32, which is
# about the error of a constant of five digits. The rounding of a sum grows with the root of the number of its
# terms (N. Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2): of thousands it is less.
FLOOR = 1 / 8
# Of the tolerance of a type, and of the largest number beside the element: 16 units in the last place. So
# much may be left where zero is expected, since terms that cancel exactly may not if they are rounded
# otherwise.
LEFT = 1 / 64
SUMS = 8  # times what another beginning changes in a gradient
BEGUN = (0.37, 0.71)  # of a gradient, the parts that are there before
SMALL = 1e-3  # of the largest gradient, what one counts as that is less
_MIXES = 0x9E3779B97F4A7C15, 0x2C6FE96EE78B6955  # odd numbers of 64 bits, to hash by


def of_outputs(
    program: ir.Program,
    runs: Sequence[Sequence[Arrays]],
    results: Sequence[Result],
    meaning: Sequence[Arrays],
) -> list[dict[str, np.ndarray]]:
    """For each set of inputs the largest distance of each number of each floating-point output.

    Args:
        program: The kernel's tree, which is run with other rounding.
        runs: Sets of inputs, `nudged` in several ways.
        results: The expected outputs of each set.
        meaning: The outputs of each set in float64.

    Returns:
        Arrays of the outputs' shapes, by their names; none if another rounding leads out of an array or into
        a loop without end.
    """
    every = [each for sets in runs for each in sets]
    rounded = rounded_otherwise(program, every, Rounding(wide=True))
    if rounded is None:
        return [{} for _ in results]
    found = []
    for place, (result, exact) in enumerate(zip(results, meaning, strict=True)):
        others = rounded[place :: len(results)]
        found.append(
            {
                name: _distances(array, [array, *(other[name] for other in others)], exact[name])
                for name, array in result.outputs.items()
                if array.dtype.kind == "f"
            }
        )
    return found


def of_gradients(
    expected: Arrays, others: Sequence[Arrays], sums: Sequence[Arrays], exact: Arrays | None
) -> dict[str, np.ndarray]:
    """The largest distance of each number of each gradient.

    Args:
        expected: The gradients.
        others: The same by native code, for inputs that are `nudged` and output gradients that are `moved`:
            all operations are then rounded otherwise.
        sums: The same for the inputs themselves, begun at `beginnings`, and without these.
        exact: The gradients in float64; None if the kernel has no such form.

    Returns:
        Arrays of the gradients' shapes, by their names.
    """
    found = {}
    for name, array in expected.items():
        middle = array if exact is None else exact[name]
        distances = _distances(array, [array, *(other[name] for other in others)], middle)
        # What the order of a sum decides has no upper bound.
        lost = [np.abs(other[name] - array) for other in sums]
        found[name] = np.maximum(distances, SUMS * np.max(lost, axis=0))
    return found


def beginnings(gradients: Arrays) -> list[dict[str, np.ndarray]]:
    """What gradients may hold before an adjoint adds to them, so that it shows if it adds large numbers which
    cancel: in the order of one thread after the other they may do so without a trace."""
    found = []
    for share in BEGUN:
        made = {}
        for name, array in gradients.items():
            size = np.abs(array)
            made[name] = (share * np.maximum(size, SMALL * size.max(initial=0.0))).astype(array.dtype)
        found.append(made)
    return found


def widest(expected: Arrays) -> dict[str, np.ndarray]:
    """The most that any number of each floating-point array may be off, if its own rounding is not known."""
    return {name: allowed(array, MARGIN) for name, array in expected.items() if array.dtype.kind == "f"}


def _distances(expected: np.ndarray, rounded: Sequence[np.ndarray], exact: np.ndarray) -> np.ndarray:
    """No distance is so large that the proof of a row would see it (`verify.VISIBLE`): where rounding changes
    a comparison, it may change everything."""
    size, tolerance = np.abs(expected).astype(np.float64), TOLERANCE[expected.dtype.name]
    with np.errstate(invalid="ignore", over="ignore"):
        changes = np.abs(np.array([np.asarray(each, np.float64) for each in rounded]) - exact)
        spread = TIMES * np.nan_to_num(changes.max(axis=0), nan=np.inf, posinf=np.inf)
    near_zero = np.where(size == 0, size.max(initial=0.0), 0.0)
    least = tolerance * np.maximum(FLOOR * size, LEFT * near_zero)
    distances: np.ndarray = np.minimum(allowed(expected, MARGIN), np.maximum(least, spread))
    return distances


def adjoints(signature: ir.Signature) -> int:
    """In how many runs the adjoint is rounded otherwise."""
    leaves = (leaf for argument in signature.arguments for leaf in argument.leaves)
    return ADJOINTS if any(leaf.type.scalar == "float64" for leaf in leaves) else RUNS


def nudged(
    signature: ir.Signature, sets: Sequence[Arrays], runs: int = RUNS
) -> list[tuple[dict[str, np.ndarray], ...]]:
    """For each of so many runs all sets of inputs, with each floating-point number `moved` inside its
    domain."""
    leaves = {leaf.name: leaf for argument in signature.arguments for leaf in argument.leaves}
    found: list[dict[str, np.ndarray]] = [{} for _ in range(runs)]
    for name, given in stacked(sets).items():
        leaf = leaves[name]
        for number, inputs in enumerate(found):
            changed = moved(given, number)
            if changed is not given:
                changed = np.where(leaf.domain.contains(changed), changed, given)
            # Neighbours a unit apart may have passed each other.
            inputs[name] = np.sort(changed, axis=leaf.ndim) if leaf.trait == "sorted" else changed
    return [unstacked(inputs, len(sets)) for inputs in found]


def moved(values: np.ndarray, number: int) -> np.ndarray:
    """Floating-point numbers, each moved by a unit in its last place; `number` chooses the directions. Of
    float64 the first is, and each further one by up to `WIDE` units more, so that what is computed is rounded
    otherwise each time.

    Equal numbers are moved alike, and opposite ones to opposite sides, so that ties and symmetries stay.
    Short numbers, such as whole ones, were not rounded, and stay too.
    """
    if values.dtype.kind != "f":
        return values
    size = np.abs(values)
    digits = np.frexp(size.astype(np.float64))[0] * (2**6 if values.dtype == np.float16 else 2**11)
    bits = size.astype(np.float64).view(np.uint64)
    salt, multiplier = np.uint64(number * _MIXES[0] % 2**64), np.uint64(_MIXES[1])
    with np.errstate(over="ignore"):
        mixed = (bits + salt ^ (bits >> np.uint64(29))) * multiplier
    most = 1 + number * (WIDE if values.dtype == np.float64 else 0)
    units = 1 + (mixed >> np.uint64(32)) % most
    steps = np.where(mixed >> np.uint64(63), 1.0, -1.0) * units
    left = (size + steps * np.spacing(size)).astype(values.dtype)
    return np.where(digits == np.rint(digits), values, np.copysign(left, values))
