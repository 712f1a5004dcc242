"""Makes random inputs extreme or degenerate, each still within its argument's domain and with its trait.

Uniformly random inputs seldom have two equal numbers, a zero vector, an empty list, a number at an end of its
domain, or an array whose numbers are all near one end. Some branches and mistakes only show on such inputs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from .. import ir
from ..operations.traits import BUILT, FILLED, MINUS, PLUS
from ..traits import with_trait
from ..types import Transform
from ..walks import walk
from .coverage import COMPARISONS, Outcome
from .interpreter import NonTerminating, interpret

NEAR = 8  # one part in so many of a domain counts as near an end
ALIKE = 0.25  # the share of inputs whose arguments are as similar as possible
CORNERS = 0.35  # and the share of inputs whose arguments are each near one end
_AT = COMPARISONS.union(
    (PLUS, MINUS), BUILT, FILLED
)  # operations whose operand may equal the constant exactly
_WHOLE = (None, "sorted", "offsets", "symmetric")  # traits that any numbers can be moved to have

Arrays = Mapping[str, np.ndarray]
Uniform = Callable[[], float]
Edit = Callable[[np.ndarray, ir.Argument, Uniform], np.ndarray]


def constants(program: ir.Program) -> tuple[float, ...]:
    """The numbers that a program compares with, adds or subtracts, and those that it names."""
    found = {float(c.value.value) for c in program.constants if isinstance(c.value, ir.Literal)}
    for node in walk(program.bodies):
        if isinstance(node, ir.Chain) or (isinstance(node, ir.Apply) and node.operation in _AT):
            found |= {float(o.value) for o in node.operands if isinstance(o, ir.Literal)}
    return tuple(sorted(found))


def on_edge(
    inputs: Arrays, signature: ir.Signature, special: Sequence[float], text: str, *, ties: bool
) -> dict[str, np.ndarray]:
    """Extreme variants of `inputs`; `text` seeds the choice.

    Without `ties` (where a derivative need not exist) no two numbers are made equal, and none is put on a
    border. `special` are the `constants`.
    """
    uniform = random.Random(text).random
    # The rare cases often have one large and one small argument, or all arguments equal.
    kind = uniform()
    found: dict[str, np.ndarray] = {}
    for leaf in (leaf for argument in signature.inputs for leaf in argument.leaves):
        values = inputs[leaf.name]
        edits: list[Edit] = []
        if leaf.trait in _WHOLE and values.size:
            if ties and kind < ALIKE:
                edits = [*_alike(found)]
            elif kind < ALIKE + CORNERS:
                edits = [_low, _high]
            else:
                edits = [_low, _high, *_others(found, special, ties=ties)]
        elif leaf.trait == "unit" and not isinstance(leaf.type, Transform) and ties:
            edits = [_unchanged, _along_axes]
        if edits:
            values = edits[int(uniform() * len(edits))](values, leaf, uniform)
            values = with_trait(values, leaf).astype(inputs[leaf.name].dtype)
        found[leaf.name] = values
    return found


AIMED = 7  # kinds of inputs that `aimed` makes


def aimed(
    inputs: Arrays, signature: ir.Signature, special: Sequence[float], text: str, kind: int
) -> dict[str, np.ndarray]:
    """Degenerate variants of `inputs`, by `kind`, a number below `AIMED`.

    0: about half of all numbers are zero or `special`. 1, 2: integers are at the upper or lower end of their
    domains, and one segment of an array has all elements. 3: arguments equal others. 4: arrays have few
    different elements. 5, 6: all, or half, of the arguments are zero.
    """
    uniform = random.Random(text).random
    found: dict[str, np.ndarray] = {}
    for leaf in (leaf for argument in signature.inputs for leaf in argument.leaves):
        values = inputs[leaf.name]
        if leaf.trait in _WHOLE and values.size:
            if kind == 0:
                values = _some(values, leaf, uniform, (*special, 0.0), parts=True)
            elif kind == 3:
                values = _another(values, leaf, found)
            elif kind == 4:
                values = _among(values, leaf, uniform, 3)
            elif kind >= 5:
                if leaf.type.is_float and (kind == 5 or uniform() < 0.5):
                    values = _filled(values, leaf, np.zeros(leaf.type.shape))
            elif leaf.trait == "offsets":
                values = _in_one(values, leaf, uniform)
            elif not leaf.type.is_float:
                end = leaf.domain.hi if kind == 1 else leaf.domain.lo
                values = _some(values, leaf, uniform, [end]) if leaf.ndim else np.full_like(values, end)
            values = with_trait(values, leaf).astype(inputs[leaf.name].dtype)
        found[leaf.name] = values
    return found


_SPECIAL = -1000  # the numbers of these outcomes start here


def special_outcomes(signature: ir.Signature, inputs: Arrays, gradients: Arrays | None) -> frozenset[Outcome]:
    """The special values that inputs have, as outcomes that count like branches of the program: a number at
    an end of its domain, a segment with all elements of an array, zero, equal neighbours. With `gradients`: a
    zero that has a gradient."""
    found: set[Outcome] = set()
    for number, leaf in enumerate(leaf for argument in signature.inputs for leaf in argument.leaves):
        values = inputs[leaf.name]
        if leaf.trait == "offsets":
            holds = [np.diff(values, axis=leaf.ndim - 1) == leaf.domain.width]
        elif not leaf.type.is_float:
            holds = [values == end for end in (leaf.domain.lo, leaf.domain.hi)]
        elif gradients is None:
            elements = values.reshape(-1, math.prod(leaf.type.shape))
            holds = [values == 0, (elements[1:] == elements[:-1]).all(axis=1)]
        else:
            holds = [(values == 0) & (gradients.get(leaf.name, np.zeros(())) != 0)]
        found |= {(_SPECIAL - number, place, True) for place, which in enumerate(holds) if which.any()}
    return frozenset(found)


# ---- zeros at which a derivative is taken

SPOTS = (0.0, 0.0, 1.0, -1.0)  # numbers that an answer may treat specially
STEP = 1e-5  # the distance by which they are moved to test whether there is a derivative
EVEN, FLAT = 0.02, 1e-3  # by how much two slopes may differ, relative to themselves and to the largest output


def may_be_special(leaf: ir.Argument) -> bool:
    """Whether numbers of a floating-point input may be zero, and no trait determines them."""
    return leaf.type.is_float and leaf.trait in (None, "sorted") and leaf.domain.lo <= 0 <= leaf.domain.hi


def with_special_numbers(inputs: Arrays, leaf: ir.Argument, text: str) -> dict[str, np.ndarray]:
    """`inputs` in which about half of the numbers of one argument are zero or one, if the domain allows
    it."""
    values = inputs[leaf.name]
    made = with_trait(_some(values, leaf, random.Random(text).random, SPOTS, parts=True), leaf)
    return {**inputs, leaf.name: made.astype(values.dtype)}


def non_differentiable_at(program: ir.Program, some: Sequence[tuple[Arrays, str]]) -> frozenset[int]:
    """The numbers of those inputs at which an output may have no derivative: it changes unevenly if the
    special numbers move a little in either direction. Each input comes with the name of its argument with
    special numbers."""
    moved: list[Arrays] = []
    for number, (inputs, name) in enumerate(some):
        values, draw = inputs[name].astype(np.float64), random.Random(f"{name}/{number}")
        steps = np.array([draw.choice((-1, 1)) * (1 + draw.random()) for _ in range(values.size)])
        step = np.where(np.isin(values, SPOTS), STEP * steps.reshape(values.shape), 0.0)
        moved += [{**inputs, name: values + direction * step} for direction in (-1, 0, 1)]
    if not moved:
        return frozenset()
    try:
        made = interpret(program, {n: np.stack([e[n] for e in moved]) for n in moved[0]}, len(moved))
    except (NonTerminating, IndexError, np.linalg.LinAlgError):
        return frozenset(range(len(some)))
    even = np.ones(len(some), bool)
    for array in made.values():
        before, middle, after = array.astype(np.float64).reshape(len(some), 3, -1).swapaxes(0, 1)
        with np.errstate(all="ignore"):
            allowed = EVEN * (np.abs(after - middle) + np.abs(middle - before))
            allowed += FLAT * STEP * (1 + np.abs(middle).max(axis=1, initial=0.0, keepdims=True))
            # In this form NaN does not count as even.
            even &= (np.abs(after - 2 * middle + before) <= allowed).all(axis=1)
    return frozenset(np.flatnonzero(~even).tolist())


def _unchanged(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    return values


def _low(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.lo)


def _high(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.hi)


def _others(before: Mapping[str, np.ndarray], special: Sequence[float], *, ties: bool) -> Iterator[Edit]:
    yield _unchanged
    if ties:
        yield from _with_ties(before, special)


def _moved(values: np.ndarray, leaf: ir.Argument, end: float) -> np.ndarray:
    distance = (values.astype(np.float64) - end) / NEAR
    return end + (distance if leaf.type.is_float else np.trunc(distance))


def _with_ties(before: Mapping[str, np.ndarray], special: Sequence[float]) -> Iterator[Edit]:
    """All elements equal, few different ones, either end, zeros, the program's constants, another argument, a
    chain, or vectors along one axis."""
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 1)
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 2)
    yield lambda values, leaf, uniform: _chosen(values, uniform, [leaf.domain.lo, leaf.domain.hi])
    yield lambda values, leaf, uniform: _some(values, leaf, uniform, [0.0])
    yield lambda values, leaf, uniform: _some(values, leaf, uniform, special)
    yield lambda values, leaf, uniform: _another(values, leaf, before)
    yield lambda values, leaf, uniform: _chain(values, leaf)
    yield _along_one_axis


def _alike(before: Mapping[str, np.ndarray]) -> Iterator[Edit]:
    """Unchanged, all elements equal, zero if possible, an element of another argument, or along one axis or
    plane."""
    yield _unchanged
    yield _along_one_axis
    yield _in_one_plane
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 1)
    yield lambda values, leaf, uniform: _filled(values, leaf, np.zeros(leaf.type.shape))
    yield lambda values, leaf, uniform: _element(values, leaf, before)


def _along_one_axis(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Vectors with one nonzero component, and matrices with one nonzero entry on the diagonal, if the domain
    allows it."""
    if not leaf.type.shape:
        return values
    single = np.zeros_like(values)
    axis = int(uniform() * min(leaf.type.shape))
    one = (axis, axis)[: len(leaf.type.shape)]
    single.T[one] = values.T[one]
    return np.where(leaf.domain.contains(single), single, values)


def _in_one_plane(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Vectors that have one component in common."""
    if not leaf.type.shape:
        return values
    axis = int(uniform() * values.shape[-1])
    common: np.ndarray = values.copy()
    common[..., axis] = values.reshape(-1, values.shape[-1])[0, axis]
    return common


def _along_axes(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Vectors of length 1, about half of them along an axis, if the domain allows it."""
    units: np.ndarray = values.reshape(-1, values.shape[-1]).copy()
    for place in range(len(units)):
        if uniform() < 0.5:
            along = np.zeros(units.shape[-1])
            along[int(uniform() * along.size)] = 1.0 if uniform() < 0.5 else -1.0
            if leaf.domain.contains(along).all():
                units[place] = along
    return units.reshape(values.shape)


def _element(values: np.ndarray, leaf: ir.Argument, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """All elements equal to the first element of the last earlier argument of the same element type."""
    shape = leaf.type.shape
    for other in reversed([*before.values()]):
        if other.size and other.dtype == values.dtype and other.shape[other.ndim - len(shape) :] == shape:
            return _filled(values, leaf, other.reshape(-1, *shape)[0])
    return values


def _filled(values: np.ndarray, leaf: ir.Argument, element: np.ndarray) -> np.ndarray:
    """All elements equal to `element`, except numbers outside the domain."""
    filled = np.broadcast_to(element, values.shape).astype(np.float64)
    return np.where(leaf.domain.contains(filled), filled, values)


def _among(values: np.ndarray, leaf: ir.Argument, uniform: Uniform, count: int) -> np.ndarray:
    """Each element replaced by one of the first `count`."""
    elements = values.reshape(-1, *leaf.type.shape)
    places = [int(uniform() * min(count, len(elements))) for _ in elements]
    return elements[places].reshape(values.shape)


def _chosen(values: np.ndarray, uniform: Uniform, among: Sequence[float]) -> np.ndarray:
    numbers = [among[int(uniform() * len(among))] for _ in range(values.size)]
    return np.array(numbers).reshape(values.shape)


def _some(
    values: np.ndarray, leaf: ir.Argument, uniform: Uniform, among: Sequence[float], *, parts: bool = False
) -> np.ndarray:
    """About half of the elements, or with `parts` of their numbers, replaced by one of these numbers in the
    domain."""
    whole = not leaf.type.is_float
    allowed_numbers = [x for x in among if leaf.domain.lo <= x <= leaf.domain.hi and not (whole and x % 1)]
    elements = values.reshape(-1, *(() if parts else leaf.type.shape)).astype(np.float64)
    for place in range(len(elements)) if allowed_numbers else ():
        if uniform() < 0.5:
            elements[place] = allowed_numbers[int(uniform() * len(allowed_numbers))]
    return elements.reshape(values.shape)


def _in_one(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Offsets with one segment that has all elements; the others are empty."""
    size = values.shape[leaf.ndim - 1]
    place = 1 + int(uniform() * max(size - 1, 1))
    ends = np.where(np.arange(size) < place, leaf.domain.lo, leaf.domain.hi)
    lead = ends.reshape(-1, *(1 for _ in leaf.type.shape))
    offsets: np.ndarray = np.broadcast_to(lead, values.shape).copy()
    return offsets


def _another(values: np.ndarray, leaf: ir.Argument, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """The values of the last earlier argument of the same type and shape, except numbers outside the
    domain."""
    for other in reversed([*before.values()]):
        if (other.dtype, other.shape) == (values.dtype, values.shape):
            return np.where(leaf.domain.contains(other), other, values)
    return values


def _chain(values: np.ndarray, leaf: ir.Argument) -> np.ndarray:
    """Integers that are one less than their index, clipped to the domain: a chain."""
    if leaf.type.is_float or values.ndim != 1:
        return values
    return np.clip(np.arange(values.size) - 1, leaf.domain.lo, leaf.domain.hi)
