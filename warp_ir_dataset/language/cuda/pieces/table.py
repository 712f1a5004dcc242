"""The pieces of the prelude, each behind those that it needs. They are written from what operations mean."""

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
