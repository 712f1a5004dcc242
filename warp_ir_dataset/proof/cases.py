"""Chooses the few cases that a kernel is proved on: they run every branch arm that any drawn input runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_

import numpy as np

from ..language import ir
from ..language.analysis.coverage import Coverage
from ..language.analysis.interpreter import NonTerminating, interpret
from ..language.operations.rounding import Rounding
from .run import Result
from .subject import Arrays, Ran, stacked, unstacked

LEAST = 3  # cases, where there are so many inputs


@dataclass(frozen=True)
class Rehearsal:
    """What a kernel's tree says of its inputs: the outputs that each of them means, in float64, and what of
    the tree each of them runs."""

    meaning: tuple[Arrays, ...]
    coverage: Coverage

    def ran(self, places: Sequence[int]) -> Ran:
        """How much of the tree these of the inputs run together."""
        arms = self.coverage.branches
        return Ran(arms.shape[0] * 2, int(arms[:, :, list(places)].any(axis=2).sum()))


@dataclass(frozen=True)
class Case:
    """Inputs, what arrives at the outputs where gradients are asked for, and what Warp's launch made of them.
    `meaning` is what the outputs should be, where there is a tree."""

    inputs: Arrays
    output_gradients: Arrays | None
    result: Result
    meaning: Arrays | None


def rehearse(program: ir.Program, sets: Sequence[Arrays], coverage: Coverage | None = None) -> Rehearsal:
    """A program on sets of inputs, on numpy; what they run is noted in `coverage`, if that is given. Raises
    what `interpret` does."""
    coverage = coverage or Coverage(program, len(sets))
    outputs = interpret(program, stacked(sets), len(sets), coverage)
    return Rehearsal(unstacked(outputs, len(sets)), coverage)


def rounded_otherwise(
    program: ir.Program, sets: Sequence[Arrays], rounding: Rounding | None = None
) -> tuple[Arrays, ...] | None:
    """Outputs for each set where every result has an error of its own, of `rounding` if that is given; None
    where the program then leaves an array, never ends, or inverts what has no inverse."""
    try:
        outputs = interpret(program, stacked(sets), len(sets), rounding=rounding or Rounding())
    except (NonTerminating, IndexError, np.linalg.LinAlgError):
        return None
    return unstacked(outputs, len(sets))


def chosen(count: int, telling: Collection[int], rehearsal: Rehearsal | None) -> tuple[int, ...]:
    """The fewest of so many sets of inputs that together run every arm, and see every side of a comparison
    with an input, that any of them does; `LEAST` or more, by their numbers.

    One of the `telling` is among them and comes first, as far as there are such: those whose outputs are
    neither nearly zero nor what was there before, which is what a kernel that does nothing leaves.
    """
    ran = _ran(count, rehearsal)
    wanted = reduce(or_, ran, 0)
    for size in range(min(LEAST, count), count + 1):
        for places in combinations(range(count), size):
            first = next((place for place in places if place in telling), None)
            if first is None and telling:
                continue
            if reduce(or_, (ran[place] for place in places)) == wanted:
                return tuple(sorted(places, key=lambda place: (place != first, place)))
    raise AssertionError("all inputs together run what they run")


def _ran(count: int, rehearsal: Rehearsal | None) -> list[int]:
    """What each set runs, a bit for each thing."""
    if rehearsal is None:
        return [0] * count
    coverage = rehearsal.coverage
    table = np.concatenate((coverage.branches.reshape(-1, count), coverage.sides))
    return [int("".join("01"[flag] for flag in column.tolist()) or "0", 2) for column in table.T]
