"""The semantics of operations on numpy arrays: the column `meaning` of the table of operations.

Values carry two leading axes, one for the inputs tried and one for the threads; a vector or matrix has its
own axes after them. `meaning` functions take the result's type and the operands' values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import Value, numpy_type

Meaning = Callable[..., Any]


def each(function: Callable[..., Any]) -> Meaning:
    """Lift a numpy function, which needs the operands' values alone, to a meaning.

    Args:
        function: Takes the array of each operand: inputs along the first axis, threads along the second, a
            vector's or matrix's own axes after them. Floats are float64.

    Returns:
        A function for the column `meaning`.
    """
    return lambda type, *values: function(*values)


class Unmeant(Exception):
    """An operation has no meaning on numpy arrays here."""


def native(type: Value, *values: np.ndarray) -> np.ndarray:
    """The meaning of an operation that is nothing but its own native code. Never called while drawing: a
    proof hands in that code, compiled alone. Raises `Unmeant`."""
    raise Unmeant("this operation means what its native code computes")


def every(test: Callable[..., Any]) -> Meaning:
    """Whether a test holds of every component."""
    return lambda type, x: test(x).all(tuple(range(2, x.ndim)))


def any_of(test: Callable[..., Any]) -> Meaning:
    """Whether a test holds of any component."""
    return lambda type, x: test(x).any(tuple(range(2, x.ndim)))


def truncated_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient: np.ndarray = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
    return quotient


def set_bits(x: np.ndarray) -> np.ndarray:
    """How many bits of values that are not negative are set."""
    counts: np.ndarray = np.vectorize(int.bit_count, otypes=[np.int64])(x.astype(object))
    return counts


def inverted(type: Value, x: np.ndarray) -> np.ndarray:
    """Every bit flipped, in the width of the result's type."""
    return (~x).astype(numpy_type(type)).astype(np.int64)


def reread(type: Value, x: np.ndarray) -> np.ndarray:
    """The bits of a float32 as a whole number, or those of a whole number as a float32."""
    if type.is_float:
        return x.astype(np.uint32).view(np.float32).astype(float)
    return x.astype(np.float32).view(np.uint32).astype(np.int64)


def inverse_erf(y: float) -> float:
    """Newton's method from Winitzki's approximation (2008) for -1 < y < 1; infinite at both ends, and no
    number beyond them, where only a mutant goes."""
    if not abs(y) < 1.0:
        return math.copysign(math.inf, y) if abs(y) == 1.0 else math.nan
    log = math.log1p(-y * y)
    half = 2.0 / (math.pi * 0.147) + log / 2.0
    x = math.copysign(math.sqrt(math.sqrt(half * half - log / 0.147) - half), y)
    for _ in range(4):
        x -= (math.erf(x) - y) * math.sqrt(math.pi) / 2.0 * math.exp(x * x)
    return x


def atomically(function: Callable[..., Any]) -> Meaning:
    """An atomic: from an element and what it meets, the element from before and the one afterwards."""
    return lambda type, element, *values: (element, function(element, *values))


def scaling(function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Meaning:
    """A scalar against each component of a vector or matrix, on either side."""

    def compute(type: Value, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return function(_raised(left, right.ndim), _raised(right, left.ndim))

    return compute


def _raised(value: np.ndarray, ndim: int) -> np.ndarray:
    return value.reshape(value.shape + (1,) * max(ndim - value.ndim, 0))


def choose(type: Value, condition: np.ndarray, then: np.ndarray, orelse: np.ndarray) -> np.ndarray:
    return np.where(_raised(condition, 2 + len(type.shape)), then, orelse)


def smooth_step(type: Value, low: np.ndarray, high: np.ndarray, x: np.ndarray) -> np.ndarray:
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    weight: np.ndarray = t * t * (3.0 - 2.0 * t)
    return weight


def direction(type: Value, v: np.ndarray) -> np.ndarray:
    length = np.sqrt((v * v).sum(-1, keepdims=True))
    return np.where(length > 0, v / np.where(length > 0, length, 1.0), 0.0)


def huber(type: Value, v: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    square: np.ndarray = (v * v).sum(-1)
    far = threshold * (np.sqrt(square) - threshold / 2)
    return np.where(square <= threshold * threshold, square / 2, far)


def pseudo_huber(type: Value, v: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    length: np.ndarray = threshold * np.sqrt(1.0 + (v * v).sum(-1) / (threshold * threshold))
    return length


def smooth_direction(type: Value, v: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    smoothed: np.ndarray = v / pseudo_huber(type, v, threshold)[..., None]
    return smoothed


def same(type: Value, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    equal: np.ndarray = (a == b).all(tuple(range(2, a.ndim)))
    return equal


def assemble(type: Value, *parts: np.ndarray) -> np.ndarray:
    stacked = np.stack(np.broadcast_arrays(*parts), -1)
    return stacked.reshape(stacked.shape[:-1] + type.shape)


def spread(type: Value, value: np.ndarray) -> np.ndarray:
    return np.repeat(value[..., None], type.shape[0], -1)


def zeros(type: Value) -> np.ndarray:
    return np.zeros((1, 1, *type.shape))


def filled(type: Value, value: np.ndarray) -> np.ndarray:
    """Every entry the same."""
    return np.broadcast_to(_raised(value, 2 + len(type.shape)), value.shape + type.shape)


def rows(type: Value, *vectors: np.ndarray) -> np.ndarray:
    return np.stack(np.broadcast_arrays(*vectors), -2)


def columns(type: Value, *vectors: np.ndarray) -> np.ndarray:
    return np.stack(np.broadcast_arrays(*vectors), -1)


def unit_matrix(type: Value) -> np.ndarray:
    return np.eye(type.shape[0])[None, None]


def pick(type: Value, value: np.ndarray, *index: np.ndarray) -> np.ndarray:
    """A component, an entry or a row. A `while` that only some threads enter counts in them alone, so that an
    index may be another one in every thread."""
    place: tuple[Any, ...]
    if all(i.size == 1 or np.all(i == i.flat[0]) for i in index):
        place = (slice(None), slice(None), *(int(i.flat[0]) for i in index))
    else:
        sets, threads = np.broadcast_shapes(value.shape[:2], *(i.shape for i in index))
        place = (*np.ogrid[:sets, :threads], *index)
        value = np.broadcast_to(value, (sets, threads, *value.shape[2:]))
    picked: np.ndarray = value[place]
    return picked


def cross_matrix(type: Value, v: np.ndarray) -> np.ndarray:
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    return assemble(type, zero, -z, y, z, zero, -x, -y, x, zero)
