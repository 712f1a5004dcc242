"""Makes drawn inputs extreme or degenerate, each still within its argument's domain and with its trait.

What is drawn evenly seldom has two equal numbers, a zero vector, an empty list, a number at an end
of its domain, or all of an array near one: arms and mistakes that only such inputs tell would be missed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..operations.forms import BUILT, FILLED
from ..operations.laws import MINUS, PLUS
from ..program import Apply, Argument, Chain, Literal, Program, Signature
from ..traits import kept
from ..types import Transform
from ..walks import walk
from .coverage import COMPARISONS

NEAR = 8  # of the domain, the part of it that is near one of its ends
ALIKE = 0.25  # the share of inputs whose arguments are as much alike as may be
CORNERS = 0.35  # and of those whose arguments are each near one end
_AT = COMPARISONS.union((PLUS, MINUS), BUILT, FILLED)  # where a number of an input may be the constant itself
_WHOLE = (None, "sorted", "offsets", "symmetric")  # traits that any numbers can be given

Arrays = Mapping[str, np.ndarray]
Uniform = Callable[[], float]
Edit = Callable[[np.ndarray, Argument, Uniform], np.ndarray]


def constants(program: Program) -> tuple[float, ...]:
    """The numbers that a program compares with, adds or subtracts, and those that it names."""
    found = {float(c.value.value) for c in program.constants if isinstance(c.value, Literal)}
    for node in walk(program.bodies):
        if isinstance(node, Chain) or (isinstance(node, Apply) and node.operation in _AT):
            found |= {float(o.value) for o in node.operands if isinstance(o, Literal)}
    return tuple(sorted(found))


def on_edge(
    inputs: Arrays, signature: Signature, told: Sequence[float], text: str, *, ties: bool
) -> dict[str, np.ndarray]:
    """`inputs` made extreme, as `text` says. Unless there may be `ties`, where a derivative need not exist,
    no two numbers are made the same, and none is put on a border. `told` are the `constants`."""
    uniform = random.Random(text).random
    # What is rare is often that one is large and another one small, or that all are the same.
    kind = uniform()
    found: dict[str, np.ndarray] = {}
    for leaf in (leaf for argument in signature.inputs for leaf in argument.leaves):
        given = inputs[leaf.name]
        edits: list[Edit] = []
        if leaf.trait in _WHOLE and given.size:
            if ties and kind < ALIKE:
                edits = [*_alike(found)]
            elif kind < ALIKE + CORNERS:
                edits = [_low, _high]
            else:
                edits = [_low, _high, *_others(found, told, ties=ties)]
        elif leaf.trait == "unit" and not isinstance(leaf.type, Transform) and ties:
            edits = [_same, _along_axes]
        if edits:
            given = edits[int(uniform() * len(edits))](given, leaf, uniform)
            given = kept(given, leaf).astype(inputs[leaf.name].dtype)
        found[leaf.name] = given
    return found


def _same(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    return values


def _low(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.lo)


def _high(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.hi)


def _others(before: Mapping[str, np.ndarray], told: Sequence[float], *, ties: bool) -> Iterator[Edit]:
    yield _same
    if ties:
        yield from _tied(before, told)


def _moved(values: np.ndarray, leaf: Argument, end: float) -> np.ndarray:
    distance = (values.astype(np.float64) - end) / NEAR
    return end + (distance if leaf.type.is_float else np.trunc(distance))


def _tied(before: Mapping[str, np.ndarray], told: Sequence[float]) -> Iterator[Edit]:
    """All the same, few different ones, either end, zeros, the program's constants, another argument's, a
    chain, or in one line."""
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 1)
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 2)
    yield lambda values, leaf, uniform: _chosen(values, uniform, [leaf.domain.lo, leaf.domain.hi])
    yield lambda values, leaf, uniform: _some(values, leaf, uniform, [0.0])
    yield lambda values, leaf, uniform: _some(values, leaf, uniform, told)
    yield lambda values, leaf, uniform: _another(values, leaf, before)
    yield lambda values, leaf, uniform: _chain(values, leaf)
    yield _along_one_axis


def _alike(before: Mapping[str, np.ndarray]) -> Iterator[Edit]:
    """As it is, all elements the same, zero if that may be, an element of another argument, or in one line or
    plane."""
    yield _same
    yield _along_one_axis
    yield _in_one_plane
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 1)
    yield lambda values, leaf, uniform: _filled(values, leaf, np.zeros(leaf.type.shape))
    yield lambda values, leaf, uniform: _element(values, leaf, before)
    yield lambda values, leaf, uniform: _element(values, leaf, before)


def _along_one_axis(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    """Vectors of which only one component is not zero, and matrices of which only one on the diagonal is, as
    far as may be."""
    if not leaf.type.shape:
        return values
    kept_one = np.zeros_like(values)
    axis = int(uniform() * min(leaf.type.shape))
    one = (axis, axis)[: len(leaf.type.shape)]
    kept_one.T[one] = values.T[one]
    return np.where(leaf.domain.holds(kept_one), kept_one, values)


def _in_one_plane(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    """Vectors that have one component in common."""
    if not leaf.type.shape:
        return values
    axis = int(uniform() * values.shape[-1])
    common = values.copy()
    common[..., axis] = values.reshape(-1, values.shape[-1])[0, axis]
    return common


def _along_axes(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    """Vectors of length 1, about half of them along an axis, as far as may be."""
    units = values.reshape(-1, values.shape[-1]).copy()
    for place in range(len(units)):
        if uniform() < 0.5:
            along = np.zeros(units.shape[-1])
            along[int(uniform() * along.size)] = 1.0 if uniform() < 0.5 else -1.0
            if leaf.domain.holds(along).all():
                units[place] = along
    return units.reshape(values.shape)


def _element(values: np.ndarray, leaf: Argument, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """Each the first one of the last argument before it whose elements are of the same type."""
    shape = leaf.type.shape
    for other in reversed([*before.values()]):
        if other.size and other.dtype == values.dtype and other.shape[other.ndim - len(shape) :] == shape:
            return _filled(values, leaf, other.reshape(-1, *shape)[0])
    return values


def _filled(values: np.ndarray, leaf: Argument, element: np.ndarray) -> np.ndarray:
    """Everywhere the same element, as far as that is in the domain."""
    filled = np.broadcast_to(element, values.shape).astype(np.float64)
    return np.where(leaf.domain.holds(filled), filled, values)


def _among(values: np.ndarray, leaf: Argument, uniform: Uniform, count: int) -> np.ndarray:
    """Each element one of the first few."""
    elements = values.reshape(-1, *leaf.type.shape)
    places = [int(uniform() * min(count, len(elements))) for _ in elements]
    return elements[places].reshape(values.shape)


def _chosen(values: np.ndarray, uniform: Uniform, among: Sequence[float]) -> np.ndarray:
    numbers = [among[int(uniform() * len(among))] for _ in range(values.size)]
    return np.array(numbers).reshape(values.shape)


def _some(values: np.ndarray, leaf: Argument, uniform: Uniform, among: Sequence[float]) -> np.ndarray:
    """About half of the elements one of these numbers, as far as they are in the domain."""
    whole = not leaf.type.is_float
    able = [x for x in among if leaf.domain.lo <= x <= leaf.domain.hi and not (whole and x % 1)]
    elements = values.reshape(-1, *leaf.type.shape).astype(np.float64)
    for place in range(len(elements)) if able else ():
        if uniform() < 0.5:
            elements[place] = able[int(uniform() * len(able))]
    return elements.reshape(values.shape)


def _another(values: np.ndarray, leaf: Argument, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """The last argument's before it that is of the same type and shape, as far as that is in the domain."""
    for other in reversed([*before.values()]):
        if (other.dtype, other.shape) == (values.dtype, values.shape):
            return np.where(leaf.domain.holds(other), other, values)
    return values


def _chain(values: np.ndarray, leaf: Argument) -> np.ndarray:
    """Whole numbers that are one less than their index: each leads to the one before, as far as may be."""
    if leaf.type.is_float or values.ndim != 1:
        return values
    return np.clip(np.arange(values.size) - 1, leaf.domain.lo, leaf.domain.hi)
