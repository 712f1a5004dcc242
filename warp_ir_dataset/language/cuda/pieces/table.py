"""The table of all pieces of the prelude, each after those that it needs. They implement operations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from . import (
    arrays,
    atomics,
    decompositions,
    matrices,
    noise,
    numbers,
    quaternions,
    randoms,
    spatial,
    transforms,
    vectors,
)
from .piece import Piece

GROUPS = (
    *(numbers, atomics, vectors, spatial, matrices, quaternions, transforms, arrays),
    *(randoms, noise, decompositions),
)
PIECES: Mapping[str, Piece] = {piece.key: piece for piece in chain.from_iterable(g.PIECES for g in GROUPS)}
