"""Makes drawn inputs extreme or degenerate, each still within its argument's domain and with its trait.

What is drawn evenly seldom has two equal numbers, a zero vector, an empty list, a number at an end
of its domain, or all of an array near one: arms and mistakes that only such inputs tell would be missed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..language.analysis.coverage import COMPARISONS
from ..language.program import Apply, Argument, Chain, Literal, Program, Signature
from ..language.traits import kept
from ..language.walks import walk
from ..proof.subject import Arrays

NEAR = 8  # of the domain, the part of it that is near one of its ends
_WHOLE = (None, "sorted", "offsets")  # traits that any numbers can be given

Uniform = Callable[[], float]
Edit = Callable[[np.ndarray, Argument, Uniform], np.ndarray]


def constants(program: Program) -> tuple[float, ...]:
    """The numbers that a program compares with, and those that it names."""
    found = {float(c.value.value) for c in program.constants if isinstance(c.value, Literal)}
    for node in walk(program.bodies):
        if isinstance(node, Chain) or (isinstance(node, Apply) and node.operation in COMPARISONS):
            found |= {float(o.value) for o in node.operands if isinstance(o, Literal)}
    return tuple(sorted(found))


def on_edge(
    inputs: Arrays, signature: Signature, told: Sequence[float], text: str, *, ties: bool
) -> dict[str, np.ndarray]:
    """`inputs` made extreme, as `text` says. Unless there may be `ties`, where a derivative need not exist,
    no two numbers are made the same, and none is put on a border. `told` are the `constants`."""
    uniform = random.Random(text).random
    corner = uniform() < 0.5  # what is rare is often that one is large and another one small
    found: dict[str, np.ndarray] = {}
    for leaf in (leaf for argument in signature.inputs for leaf in argument.leaves):
        given = inputs[leaf.name]
        if leaf.trait in _WHOLE and given.size:
            edits = [_low, _high, *(() if corner else _others(found, told, ties=ties))]
            given = edits[int(uniform() * len(edits))](given, leaf, uniform)
            given = kept(given, leaf).astype(inputs[leaf.name].dtype)
        found[leaf.name] = given
    return found


def _low(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.lo)


def _high(values: np.ndarray, leaf: Argument, uniform: Uniform) -> np.ndarray:
    return _moved(values, leaf, leaf.domain.hi)


def _others(before: Mapping[str, np.ndarray], told: Sequence[float], *, ties: bool) -> Iterator[Edit]:
    yield lambda values, leaf, uniform: values
    if ties:
        yield from _tied(before, told)


def _moved(values: np.ndarray, leaf: Argument, end: float) -> np.ndarray:
    distance = (values.astype(np.float64) - end) / NEAR
    return end + (distance if leaf.type.is_float else np.trunc(distance))


def _tied(before: Mapping[str, np.ndarray], told: Sequence[float]) -> Iterator[Edit]:
    """All the same, few different ones, either end, zeros, the program's constants, another argument's, or a
    chain."""
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 1)
    yield lambda values, leaf, uniform: _among(values, leaf, uniform, 2)
    yield lambda values, leaf, uniform: _chosen(values, uniform, [leaf.domain.lo, leaf.domain.hi])
    yield lambda values, leaf, uniform: _some(values, leaf, uniform, [0.0])
    yield lambda values, leaf, uniform: _some(values, leaf, uniform, told)
    yield lambda values, leaf, uniform: _another(values, leaf, before)
    yield lambda values, leaf, uniform: _chain(values, leaf)


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
