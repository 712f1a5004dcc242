"""Measures how near training rows come to human-written kernels, on which models are evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .similarity import Nearest


@dataclass(frozen=True, eq=False)
class Source:
    """A collected row's source, by the numbers of its 5-grams (see `similarity.Vocabulary`)."""

    id: str
    name: str
    grams: np.ndarray


@dataclass(frozen=True)
class Neighbour:
    """A collected kernel, and the training row that is nearest to it: its id, and its kernel's name."""

    kernel: Source
    row: str
    row_name: str
    similarity: float


class Contamination:
    """The nearest training row of each of some kernels, which are compared with every row that is seen."""

    def __init__(self, kernels: Sequence[Source]) -> None:
        self._kernels = kernels
        self._nearest = Nearest([kernel.grams for kernel in kernels])
        self._rows: dict[int, tuple[str, str]] = {}

    def see(self, id: str, name: str, grams: np.ndarray, size: int) -> None:
        """Compare a training row: its id, its kernel's name, its known 5-grams, and how many it has. One that
        stands in several configs may be seen as often."""
        for place in self._nearest.see(grams, size).tolist() if self._kernels else ():
            self._rows[place] = id, name

    def found(self) -> tuple[Neighbour, ...]:
        """The nearest pair first; nothing where there were no rows."""
        each = zip(self._kernels, self._nearest.similarities, strict=True)
        pairs = [
            Neighbour(kernel, *self._rows[place], similarity)
            for place, (kernel, similarity) in enumerate(each)
            if place in self._rows
        ]
        return tuple(sorted(pairs, key=lambda each: (-each.similarity, each.kernel.id)))
