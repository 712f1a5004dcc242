"""Tells whether inputs kill a mutant: whether a proof on them would notice its mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..language import ir
from ..language.analysis.interpreter import NonTerminating, interpret
from ..language.types import SCALARS
from .subject import Arrays, stacked

# Relative; programs whose outputs are nowhere further apart than what float64 itself rounds are one.
SAME = 1e-9


class Bitten:
    """A program on sets of inputs, by which its mutants are told. Raises what `interpret` does."""

    def __init__(self, program: ir.Program, sets: Sequence[Arrays]) -> None:
        self._stacked = stacked(sets)
        self._sets = len(sets)
        self._outputs = interpret(program, self._stacked, self._sets)
        leaves = (leaf for argument in program.arguments for leaf in argument.leaves)
        self._tolerance = {leaf.name: SCALARS[leaf.type.scalar].tolerance for leaf in leaves}

    def by(self, mutant: ir.Program) -> Told:
        """What each of the inputs tells of a mutant. One that leaves an array or does not end is told."""
        try:
            outputs = interpret(mutant, self._stacked, self._sets)
        except (NonTerminating, IndexError, np.linalg.LinAlgError):
            return self._one_by_one(mutant)
        seen, any_apart = np.zeros(self._sets, bool), False
        for name, expected in self._outputs.items():
            errors = _errors(outputs[name], expected)
            seen |= ~(errors <= self._tolerance[name])
            any_apart |= not (errors <= (SAME if self._tolerance[name] else 0.0)).all()
        return Told(seen, not any_apart)

    def _one_by_one(self, mutant: ir.Program) -> Told:
        seen = np.zeros(self._sets, bool)
        for place in range(self._sets):
            one = {name: given[place : place + 1] for name, given in self._stacked.items()}
            try:
                outputs = interpret(mutant, one, 1)
            except (NonTerminating, IndexError, np.linalg.LinAlgError):
                seen[place] = True
                continue
            for name, expected in self._outputs.items():
                error = _errors(outputs[name], expected[place : place + 1])
                seen[place] |= not error[0] <= self._tolerance[name]
        return Told(seen, False, ends=False)


@dataclass(frozen=True)
class Told:
    """Which inputs tell a mutant from its program (`seen`, one flag each), by more than two texts of one
    kernel may differ; whether all its outputs are `same`, to what float64 rounds: it is no mistake then; and
    whether it `ends` on all inputs, within its arrays."""

    seen: np.ndarray
    same: bool
    ends: bool = True


def _errors(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """The largest difference for each set of inputs, relative as in `verify.relative_error`; infinite where
    something is not finite on one side alone, and for other whole numbers."""
    sets = expected.shape[0]
    actual, expected = actual.reshape(sets, -1), expected.reshape(sets, -1)
    if expected.dtype.kind != "f":
        return np.where((actual == expected).all(axis=1), 0.0, np.inf)
    with np.errstate(all="ignore"):
        magnitude = np.abs(expected)
        size = magnitude + magnitude.max(axis=1, initial=0.0, keepdims=True)
        distance = np.abs(actual - expected)
        errors = np.where(distance == 0, 0.0, distance / size)
    largest: np.ndarray = np.where(np.isfinite(errors), errors, np.inf).max(axis=1, initial=0.0)
    return largest
