"""Moves random numbers so that they have the declared trait of an argument (`domains.Trait`)."""

from __future__ import annotations

import math

import numpy as np

from . import ir
from .domains import DOMINANCE, Interval
from .types import Transform

_SIGNED = Interval(-1.0, 1.0)  # the numbers of a unit vector
_SHARES = 7  # steps from a direction to the diagonal; odd, since the vector half way may be zero
_ROUNDING = (
    2.0**-8
)  # by how much rounding in the narrowest type may lower a sum, relative to the largest number


def can_have_trait(argument: ir.Argument) -> bool:
    """Whether numbers within an argument's domain can have its trait."""
    domain, size = argument.domain, argument.type.shape[-1] if argument.type.shape else 1
    match argument.trait:
        case "unit":
            return isinstance(argument.type, Transform) or _diagonal(size, domain) is not None
        case "rotation":
            return _SIGNED.within(domain)
        case "dominant":
            return max(_room(size, domain, end) for end in (domain.lo, domain.hi)) > 0
        case "positive definite":
            return domain.hi > 0 and _room(size, domain, domain.hi) > 0
        case "permutation":
            return math.prod(argument.shape) <= domain.width + 1
        case "offsets":
            return argument.shape[-1] != 1 or domain.width == 0
        case _:
            return True


def value_range(argument: ir.Argument) -> Interval:
    """The interval of an argument's numbers. Its domain does not cover the rotation in a transform."""
    turned = argument.trait == "unit" and isinstance(argument.type, Transform)
    return argument.domain.join(_SIGNED) if turned else argument.domain


def with_trait(values: np.ndarray, argument: ir.Argument) -> np.ndarray:
    """Numbers of an argument, each within its domain, moved within it so that they have its trait.

    `values` has the argument's shape, then its element's. The trait must be possible (`can_have_trait`). Only
    additions, products, quotients, square roots and comparisons are used: the result is the same on every
    machine.
    """
    if values.dtype == np.float16:
        return with_trait(values.astype(np.float32), argument).astype(np.float16)
    match argument.trait:
        case None:
            return values
        case "unit" if isinstance(argument.type, Transform):
            return np.concatenate((values[..., :3], _normalized(values[..., 3:])), axis=-1)
        case "unit":
            return _units(values, argument.domain)
        case "sorted":
            return np.sort(values, axis=argument.ndim - 1)
        case "offsets":
            return _offsets(values, argument)
        case "permutation":
            ranks = np.argsort(np.argsort(values.reshape(-1), kind="stable"), kind="stable")
            return ranks.reshape(values.shape) + int(argument.domain.lo)
        case "rotation":
            return _rotations(values)
        case "symmetric":
            return _symmetric(values)
        case "dominant":
            return _dominant(values, argument.domain, (argument.domain.lo, argument.domain.hi))
        case "positive definite":
            return _dominant(_symmetric(values), argument.domain, (argument.domain.hi,))


def _symmetric(values: np.ndarray) -> np.ndarray:
    symmetric: np.ndarray = (values + values.swapaxes(-1, -2)) / 2
    return symmetric


def _summed(values: np.ndarray) -> np.ndarray:
    """The sum over the last axis, one after the other: numpy's own order differs between processors."""
    total = values[..., 0]
    for k in range(1, values.shape[-1]):
        total = total + values[..., k]
    return total


def _normalized(values: np.ndarray) -> np.ndarray:
    unit: np.ndarray = values / np.sqrt(_summed(values * values))[..., None]
    return unit


def _units(values: np.ndarray, domain: Interval) -> np.ndarray:
    """Unit vectors. One outside the domain is turned towards the diagonal until it is inside."""
    diagonal = _diagonal(values.shape[-1], domain)
    assert diagonal is not None
    first = vectors = _normalized(values)
    for step in range(1, _SHARES + 1):
        inside = np.all(domain.contains(vectors), axis=-1, keepdims=True)
        if inside.all():
            break
        turned = _normalized(first * (1 - step / _SHARES) + diagonal * step / _SHARES)
        vectors = np.where(inside, vectors, turned)
    return vectors


def _diagonal(size: int, domain: Interval) -> float | None:
    """The component of a unit vector on the diagonal within the domain; None if no unit vector is inside."""
    each = 1 / math.sqrt(size)
    return next((part for part in (each, -each) if domain.lo <= part <= domain.hi), None)


def _offsets(values: np.ndarray, argument: ir.Argument) -> np.ndarray:
    result = np.sort(values, axis=argument.ndim - 1)
    result[..., 0], result[..., -1] = argument.domain.lo, argument.domain.hi
    return result


def _rotations(values: np.ndarray) -> np.ndarray:
    """Rows made orthonormal one after the other (Gram and Schmidt), the last turned to a determinant of 1."""
    rows: list[np.ndarray] = []
    size = values.shape[-1]
    for k in range(size):
        row = values[..., k, :] + 2.0 * np.eye(size)[k]  # far enough from the others to be normalized
        for other in rows:
            row = row - _summed(row * other)[..., None] * other
        rows.append(_normalized(row))
    result = np.stack(rows, axis=-2)
    result[..., -1, :] *= np.sign(np.linalg.det(result))[..., None]
    return result


def _dominant(values: np.ndarray, domain: Interval, ends: tuple[float, ...]) -> np.ndarray:
    """Matrices with diagonal entries moved towards one of the `ends` of the domain, and the others towards
    the number nearest to zero in it, as far as `DOMINANCE` requires."""
    size, near, most = values.shape[-1], _nearest(domain), domain.magnitude
    rooms = {end: _room(size, domain, end) for end in ends}
    # Skip an end with much less room than the other one.
    rooms = {end: room for end, room in rooms.items() if 2 * room >= max(rooms.values())}
    share = min(rooms.values()) / 2  # of the room, for the other entries of a row together
    shrunk = min(1.0, share / ((size - 1) * max(domain.hi - near, near - domain.lo)))
    others = near + (values - near) * shrunk
    diagonals = {
        end: math.copysign(1, end) * (abs(end) - (room - share) * (1 - np.abs(values) / most))
        for end, room in rooms.items()
    }
    low, high = min(rooms), max(rooms)
    diagonal = np.where(values < 0, diagonals[low], diagonals[high])
    matrix: np.ndarray = np.where(np.eye(size, dtype=bool), diagonal, others)
    return matrix


def _nearest(domain: Interval) -> float:
    return min(max(0.0, domain.lo), domain.hi)


def _room(size: int, domain: Interval, end: float) -> float:
    """The slack of a row whose diagonal entry is at one end: the excess over the least dominant value."""
    required = DOMINANCE + domain.magnitude * _ROUNDING
    return abs(end) - (size - 1) * abs(_nearest(domain)) - required
