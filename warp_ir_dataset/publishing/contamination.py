"""How near the training rows of a build come to kernels that people wrote, on which models are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .similarity import Corpus


@dataclass(frozen=True, eq=False)
class Source:
    """A row's source, by the numbers of its 5-grams (see `similarity.Vocabulary`)."""

    id: str
    name: str
    grams: np.ndarray


@dataclass(frozen=True)
class Neighbour:
    """A collected kernel, and the training row that is nearest to it."""

    kernel: Source
    row: Source
    similarity: float


def contamination(kernels: Sequence[Source], train: Sequence[Source]) -> tuple[Neighbour, ...]:
    """The nearest training row of each kernel, the nearest pair first; nothing where there are no rows.

    Every kernel is compared with every row. A row that stands in several configs counts once.
    """
    rows = list({row.id: row for row in train}.values())
    if not rows:
        return ()
    corpus = Corpus([row.grams for row in rows])
    found = []
    for kernel in kernels:
        alike = corpus.similarities(kernel.grams)
        at = int(alike.argmax())
        found.append(Neighbour(kernel, rows[at], float(alike[at])))
    return tuple(sorted(found, key=lambda each: (-each.similarity, each.kernel.id)))
