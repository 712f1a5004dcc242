"""Adjusts drawn numbers so that they have the trait that an argument promises (`domains.Trait`)."""

from __future__ import annotations

import numpy as np

from .domains import Interval
from .program import Argument
from .types import Transform


def kept(values: np.ndarray, argument: Argument) -> np.ndarray:
    """Numbers of an argument, each within its domain, moved so that they have its trait; still within it.

    `values` has the argument's shape, then its element's. Only additions, products, quotients, square roots
    and comparisons are used: the result is the same on every machine.
    """
    match argument.trait:
        case None:
            return values
        case "unit":
            rotation = values[..., 3:] if isinstance(argument.type, Transform) else values
            units = rotation / np.sqrt(_summed(rotation * rotation))[..., None]
            return np.concatenate((values[..., : -rotation.shape[-1]], units), axis=-1)
        case "sorted":
            return np.sort(values, axis=argument.ndim - 1)
        case "offsets":
            return _offsets(values, argument)
        case "permutation":
            places = np.argsort(np.argsort(values.reshape(-1), kind="stable"), kind="stable")
            return places.reshape(values.shape) + int(argument.domain.lo)
        case "rotation":
            return _rotations(values)
        case "symmetric":
            return (values + values.swapaxes(-1, -2)) / 2
        case "dominant":
            return _dominant(values, argument.domain)
        case "positive definite":
            return _dominant((values + values.swapaxes(-1, -2)) / 2, argument.domain, signed=False)


def _summed(values: np.ndarray) -> np.ndarray:
    """The sum over the last axis, one after the other: numpy's own order differs between processors."""
    total = values[..., 0]
    for k in range(1, values.shape[-1]):
        total = total + values[..., k]
    return total


def _offsets(values: np.ndarray, argument: Argument) -> np.ndarray:
    made = np.sort(values, axis=argument.ndim - 1)
    made[..., 0], made[..., -1] = argument.domain.lo, argument.domain.hi
    return made


def _rotations(values: np.ndarray) -> np.ndarray:
    """Rows made orthonormal one after the other (Gram and Schmidt), the last turned to a determinant of 1."""
    rows: list[np.ndarray] = []
    size = values.shape[-1]
    for k in range(size):
        row = values[..., k, :] + 2.0 * np.eye(size)[k]  # far enough from the others to be normalized
        for other in rows:
            row = row - _summed(row * other)[..., None] * other
        rows.append(row / np.sqrt(_summed(row * row))[..., None])
    made = np.stack(rows, axis=-2)
    made[..., -1, :] *= np.sign(np.linalg.det(made))[..., None]
    return made


def _dominant(values: np.ndarray, domain: Interval, *, signed: bool = True) -> np.ndarray:
    """Off-diagonal entries shrunk, and diagonal ones moved away from zero."""
    size, most = values.shape[-1], domain.magnitude
    diagonal = np.eye(size, dtype=bool)
    strong = np.abs(values) / 2 + most / 2
    if signed:
        strong = np.where(values < 0, -strong, strong)
    return np.where(diagonal, strong, values / (2 * size))
