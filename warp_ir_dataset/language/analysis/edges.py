"""Makes drawn inputs extreme or degenerate, each still within its argument's domain and with its trait.

What is drawn evenly seldom has two equal numbers, a zero vector, an empty list, a number at an end
of its domain, or all of an array near one: arms and mistakes that only such inputs tell would be missed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from .. import ir
from ..operations.traits import BUILT, FILLED, MINUS, PLUS
from ..traits import kept
from ..types import Transform
from ..walks import walk
from .coverage import COMPARISONS, Way
from .interpreter import Endless, interpret

NEAR = 8  # of the domain, the part of it that is near one of its ends
ALIKE = 0.25  # the share of inputs whose arguments are as much alike as may be
CORNERS = 0.35  # and of those whose arguments are each near one end
_AT = COMPARISONS.union((PLUS, MINUS), BUILT, FILLED)  # where a number of an input may be the constant itself
_WHOLE = (None, "sorted", "offsets", "symmetric")  # traits that any numbers can be given

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
    inputs: Arrays, signature: ir.Signature, told: Sequence[float], text: str, *, ties: bool
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


AIMED = 7  # kinds of inputs that are `aimed`


def aimed(
    inputs: Arrays, signature: ir.Signature, told: Sequence[float], text: str, kind: int
) -> dict[str, np.ndarray]:
    """`inputs` in which about half of all numbers are zero, or the `constants` that are `told`; or whole
    numbers are at the upper or the lower end of their domains, and one segment of an array has all; or
    arguments equal others; or arrays have few different elements; or all, or half, of the arguments are zero:
    by `kind`, a number below `AIMED`."""
    uniform = random.Random(text).random
    found: dict[str, np.ndarray] = {}
    for leaf in (leaf for argument in signature.inputs for leaf in argument.leaves):
        given = inputs[leaf.name]
        if leaf.trait in _WHOLE and given.size:
            if kind == 0:
                given = _some(given, leaf, uniform, (*told, 0.0), parts=True)
            elif kind == 3:
                given = _another(given, leaf, found)
            elif kind == 4:
                given = _among(given, leaf, uniform, 3)
            elif kind >= 5:
                if leaf.type.is_float and (kind == 5 or uniform() < 0.5):
                    given = _filled(given, leaf, np.zeros(leaf.type.shape))
            elif leaf.trait == "offsets":
                given = _in_one(given, leaf, uniform)
            elif not leaf.type.is_float:
                end = leaf.domain.hi if kind == 1 else leaf.domain.lo
                given = _some(given, leaf, uniform, [end]) if leaf.ndim else np.full_like(given, end)
            given = kept(given, leaf).astype(inputs[leaf.name].dtype)
        found[leaf.name] = given
    return found


_HELD = -1000  # where the ways are numbered from that say what inputs hold


def held(signature: ir.Signature, inputs: Arrays, gradients: Arrays | None) -> frozenset[Way]:
    """That inputs hold a number at an end of its domain, all of an array in one segment, zero, or equal
    neighbours; of `gradients` that are judged a zero that has one. Each counts as an arm of the program."""
    found: set[Way] = set()
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
        found |= {(_HELD - number, place, True) for place, which in enumerate(holds) if which.any()}
    return frozenset(found)


# ---- zeros of which a derivative is taken

SPOTS = (0.0, 0.0, 1.0, -1.0)  # numbers that an answer may take for special
STEP = 1e-5  # by which they are moved to see whether there is a derivative
EVEN, FLAT = 0.02, 1e-3  # parts by which two slopes may differ: of themselves, and of the largest output


def may_be_spotted(leaf: ir.Argument) -> bool:
    """Whether numbers of a floating-point input may be zero, where they have no trait that decides them."""
    return leaf.type.is_float and leaf.trait in (None, "sorted") and leaf.domain.lo <= 0 <= leaf.domain.hi


def spotted(inputs: Arrays, leaf: ir.Argument, text: str) -> dict[str, np.ndarray]:
    """`inputs` in which about half of the numbers of one argument are zero, or one, as far as may be."""
    given = inputs[leaf.name]
    made = kept(_some(given, leaf, random.Random(text).random, SPOTS, parts=True), leaf)
    return {**inputs, leaf.name: made.astype(given.dtype)}


def bent_at(program: ir.Program, some: Sequence[tuple[Arrays, str]]) -> frozenset[int]:
    """Of inputs, each with the name of an argument that was `spotted`, those by number at which an output
    may have no derivative: if the special numbers move a bit, one way and the other, it moves unevenly."""
    moved: list[Arrays] = []
    for number, (inputs, name) in enumerate(some):
        values, draw = inputs[name].astype(np.float64), random.Random(f"{name}/{number}")
        steps = np.array([draw.choice((-1, 1)) * (1 + draw.random()) for _ in range(values.size)])
        step = np.where(np.isin(values, SPOTS), STEP * steps.reshape(values.shape), 0.0)
        moved += [{**inputs, name: values + way * step} for way in (-1, 0, 1)]
    if not moved:
        return frozenset()
    try:
        made = interpret(program, {n: np.stack([e[n] for e in moved]) for n in moved[0]}, len(moved))
    except (Endless, IndexError, np.linalg.LinAlgError):
        return frozenset(range(len(some)))
    even = np.ones(len(some), bool)
    for array in made.values():
        before, middle, after = array.astype(np.float64).reshape(len(some), 3, -1).swapaxes(0, 1)
        with np.errstate(all="ignore"):
            allowed = EVEN * (np.abs(after - middle) + np.abs(middle - before))
            allowed += FLAT * STEP * (1 + np.abs(middle).max(axis=1, initial=0.0, keepdims=True))
            # Written so that what is not a number is not even.
            even &= (np.abs(after - 2 * middle + before) <= allowed).all(axis=1)
    return frozenset(np.flatnonzero(~even).tolist())


def _same(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    return values


def _low(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.lo)


def _high(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.hi)


def _others(before: Mapping[str, np.ndarray], told: Sequence[float], *, ties: bool) -> Iterator[Edit]:
    yield _same
    if ties:
        yield from _tied(before, told)


def _moved(values: np.ndarray, leaf: ir.Argument, end: float) -> np.ndarray:
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


def _along_one_axis(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Vectors of which only one component is not zero, and matrices of which only one on the diagonal is, as
    far as may be."""
    if not leaf.type.shape:
        return values
    kept_one = np.zeros_like(values)
    axis = int(uniform() * min(leaf.type.shape))
    one = (axis, axis)[: len(leaf.type.shape)]
    kept_one.T[one] = values.T[one]
    return np.where(leaf.domain.holds(kept_one), kept_one, values)


def _in_one_plane(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Vectors that have one component in common."""
    if not leaf.type.shape:
        return values
    axis = int(uniform() * values.shape[-1])
    common = values.copy()
    common[..., axis] = values.reshape(-1, values.shape[-1])[0, axis]
    return common


def _along_axes(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Vectors of length 1, about half of them along an axis, as far as may be."""
    units = values.reshape(-1, values.shape[-1]).copy()
    for place in range(len(units)):
        if uniform() < 0.5:
            along = np.zeros(units.shape[-1])
            along[int(uniform() * along.size)] = 1.0 if uniform() < 0.5 else -1.0
            if leaf.domain.holds(along).all():
                units[place] = along
    return units.reshape(values.shape)


def _element(values: np.ndarray, leaf: ir.Argument, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """Each the first one of the last argument before it whose elements are of the same type."""
    shape = leaf.type.shape
    for other in reversed([*before.values()]):
        if other.size and other.dtype == values.dtype and other.shape[other.ndim - len(shape) :] == shape:
            return _filled(values, leaf, other.reshape(-1, *shape)[0])
    return values


def _filled(values: np.ndarray, leaf: ir.Argument, element: np.ndarray) -> np.ndarray:
    """Everywhere the same element, as far as that is in the domain."""
    filled = np.broadcast_to(element, values.shape).astype(np.float64)
    return np.where(leaf.domain.holds(filled), filled, values)


def _among(values: np.ndarray, leaf: ir.Argument, uniform: Uniform, count: int) -> np.ndarray:
    """Each element one of the first few."""
    elements = values.reshape(-1, *leaf.type.shape)
    places = [int(uniform() * min(count, len(elements))) for _ in elements]
    return elements[places].reshape(values.shape)


def _chosen(values: np.ndarray, uniform: Uniform, among: Sequence[float]) -> np.ndarray:
    numbers = [among[int(uniform() * len(among))] for _ in range(values.size)]
    return np.array(numbers).reshape(values.shape)


def _some(
    values: np.ndarray, leaf: ir.Argument, uniform: Uniform, among: Sequence[float], *, parts: bool = False
) -> np.ndarray:
    """About half of the elements one of these numbers, or of their `parts`, as far as they are in the
    domain."""
    whole = not leaf.type.is_float
    able = [x for x in among if leaf.domain.lo <= x <= leaf.domain.hi and not (whole and x % 1)]
    elements = values.reshape(-1, *(() if parts else leaf.type.shape)).astype(np.float64)
    for place in range(len(elements)) if able else ():
        if uniform() < 0.5:
            elements[place] = able[int(uniform() * len(able))]
    return elements.reshape(values.shape)


def _in_one(values: np.ndarray, leaf: ir.Argument, uniform: Uniform) -> np.ndarray:
    """Offsets of which one segment has all and the others are empty."""
    size = values.shape[leaf.ndim - 1]
    place = 1 + int(uniform() * max(size - 1, 1))
    ends = np.where(np.arange(size) < place, leaf.domain.lo, leaf.domain.hi)
    return np.broadcast_to(ends.reshape(-1, *(1 for _ in leaf.type.shape)), values.shape).copy()


def _another(values: np.ndarray, leaf: ir.Argument, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """The last argument's before it that is of the same type and shape, as far as that is in the domain."""
    for other in reversed([*before.values()]):
        if (other.dtype, other.shape) == (values.dtype, values.shape):
            return np.where(leaf.domain.holds(other), other, values)
    return values


def _chain(values: np.ndarray, leaf: ir.Argument) -> np.ndarray:
    """Whole numbers that are one less than their index: each leads to the one before, as far as may be."""
    if leaf.type.is_float or values.ndim != 1:
        return values
    return np.clip(np.arange(values.size) - 1, leaf.domain.lo, leaf.domain.hi)
