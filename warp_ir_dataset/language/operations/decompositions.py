"""Decompositions of small matrices, on numpy arrays.

A decomposition is not unique: columns may be turned round, and the eigenvalues of a symmetric matrix stand in
any order. The methods here are those of Warp's `svd.h` step by step (McAdams et al. 2011, Computing the
Singular Value Decomposition of 3x3 matrices with minimal branching), so that signs and order agree, in double
precision. Where values are alike, rounding alone says which vectors belong to them, and results do not agree.
"""

from __future__ import annotations

import math

import numpy as np

from ..types import Several
from .meanings import Meaning

Several3 = tuple[np.ndarray, np.ndarray, np.ndarray]

# Sweeps over the three entries off the diagonal: Warp's number in float64. In float32 it makes half of them,
# and more would change nothing there.
SWEEPS = 8
TINY = 1e-12  # a shorter column counts as zero for a Givens rotation
# A Givens angle is approximated where it is small, and a fixed one elsewhere: (3 + sqrt 8), and pi / 8.
STEEP = 3.0 + math.sqrt(8.0)
COSINE, SINE = math.cos(math.pi / 8.0), math.sin(math.pi / 8.0)


def _transposed(m: np.ndarray) -> np.ndarray:
    transposed: np.ndarray = m.swapaxes(-1, -2)
    return transposed


def into(decomposition: Meaning) -> Meaning:
    """The same, written to operands that follow the matrix."""
    return lambda type, a, *results: ((), *decomposition(type, a))


# ---- eigenvectors of a symmetric matrix


def _eigenvectors(s: np.ndarray) -> np.ndarray:
    """A rotation that makes a symmetric matrix (the lower triangle counts) diagonal, by cyclic Jacobi."""
    lower = np.tril(s)
    s = lower + _transposed(np.tril(s, -1))
    q = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0]), (*s.shape[:-2], 4)).copy()
    for _ in range(SWEEPS):
        for i, j in ((0, 1), (1, 2), (2, 0)):
            s, q = _rotated(s, q, i, j)
    return _matrix(q)


def _rotated(s: np.ndarray, q: np.ndarray, i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """One Jacobi rotation of the axes i and j, about the third one."""
    cosine, sine = _half_angle(s[..., i, i], s[..., j, i], s[..., j, j])
    size = cosine * cosine + sine * sine
    a, b = (cosine * cosine - sine * sine) / size, 2 * sine * cosine / size
    turn = np.zeros_like(s)
    k = 3 - i - j
    turn[..., i, i] = turn[..., j, j] = a
    turn[..., j, i], turn[..., i, j], turn[..., k, k] = b, -b, 1.0
    v, w = q[..., :3], q[..., 3]
    about = np.eye(3)[k]
    vector = v * cosine[..., None] + sine[..., None] * (w[..., None] * about + np.cross(v, about))
    scalar = w * cosine - sine * v[..., k]
    return _transposed(turn) @ s @ turn, np.concatenate([vector, scalar[..., None]], -1)


def _half_angle(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of half an angle that makes b small, nearly of length one."""
    cosine, sine = 2 * (a - c), b
    small = STEEP * sine * sine < cosine * cosine
    size = np.sqrt(np.where(small, cosine * cosine + sine * sine, 1.0))
    return np.where(small, cosine / size, COSINE), np.where(small, sine / size, SINE)


def _matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def eig3(type: Several, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvectors as columns, and eigenvalues, of a symmetric matrix."""
    q = _eigenvectors(a)
    return q, np.diagonal(_transposed(q) @ a @ q, axis1=-2, axis2=-1)


# ---- orthogonal and triangular


def qr3(type: Several, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A rotation and an upper triangle, by three Givens rotations; the first two diagonal entries are not
    negative."""
    return _qr(a)


def _qr(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q, r = np.broadcast_to(np.eye(3), a.shape), a
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pivot, other = r[..., i, i], r[..., j, i]
        length = np.sqrt(pivot * pivot + other * other)
        zero = length <= TINY
        safe = np.where(zero, 1.0, length)
        cosine = np.where(zero, np.where(pivot < 0, -1.0, 1.0), pivot / safe)
        sine = np.where(zero, 0.0, other / safe)
        turn = np.zeros_like(a)
        turn[...] = np.eye(3)
        turn[..., i, i] = turn[..., j, j] = cosine
        turn[..., j, i], turn[..., i, j] = sine, -sine
        q, r = q @ turn, _transposed(turn) @ r
    return q, r


# ---- singular values


def svd3(type: Several, a: np.ndarray) -> Several3:
    """Rotations u and v and singular values, the largest first, the last one of the determinant's sign."""
    v = _eigenvectors(_transposed(a) @ a)
    b = a @ v
    for i, j in ((0, 1), (0, 2), (1, 2)):
        swap = ((b[..., i] ** 2).sum(-1) < (b[..., j] ** 2).sum(-1))[..., None]
        b, v = _swapped(b, i, j, swap), _swapped(v, i, j, swap)
    u, r = _qr(b)
    return u, np.diagonal(r, axis1=-2, axis2=-1), v


def _swapped(m: np.ndarray, i: int, j: int, swap: np.ndarray) -> np.ndarray:
    """Columns in each other's place, one of them turned round, so that a rotation remains one."""
    made: np.ndarray = m.copy()
    made[..., i] = np.where(swap, m[..., j], m[..., i])
    made[..., j] = np.where(swap, -m[..., i], m[..., j])
    return made


def svd2(type: Several, a: np.ndarray) -> Several3:
    """Singular values, none negative, the largest first; v rotates, u may mirror. Of one value twice both are
    the identity."""
    p, q, r, s = a[..., 0, 0], a[..., 0, 1], a[..., 1, 0], a[..., 1, 1]
    trace, difference = (a * a).sum((-2, -1)), p * p + r * r - q * q - s * s
    mixed = 2 * (p * q + r * s)
    root = np.sqrt(difference * difference + mixed * mixed)
    alike = root == 0
    first, second = np.sqrt((trace + root) / 2), np.sqrt(np.maximum((trace - root) / 2, 0.0))
    x, y = difference + root - mixed, difference - root + mixed
    size = np.sqrt(x * x + y * y)
    level = size == 0
    safe = np.where(level, 1.0, size)
    x = np.where(alike, 1.0, np.where(level, math.sqrt(0.5), x / safe))
    y = np.where(alike, 0.0, np.where(level, math.sqrt(0.5), y / safe))
    v = np.stack([np.stack([x, -y], -1), np.stack([y, x], -1)], -2)
    image = (a @ v[..., 0, None])[..., 0] / np.where(alike, 1.0, first)[..., None]
    sign = np.where(p * s - q * r < 0, -1.0, 1.0)[..., None]
    other = np.stack([-image[..., 1], image[..., 0]], -1) * sign
    u = np.where(alike[..., None, None], np.eye(2), np.stack([image, other], -1))
    return u, np.stack([first, second], -1), v
