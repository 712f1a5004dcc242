"""Whether an edit of a program changes its outputs, and whether it changes its specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import NonTerminating, interpret
from warp_ir_dataset.language.specification.refusals import NotDescribable
from warp_ir_dataset.language.specification.write import specify

TOLERANCE = 1e-6  # relative; both sides calculate in float64

Outputs = Mapping[str, np.ndarray]


def outputs_of(program: ir.Program, cases: Sequence[Outputs]) -> Outputs | None:
    """The program's outputs; None if an edited one leaves its arrays, never ends or is no program."""
    stacked = {name: np.stack([np.asarray(case[name]) for case in cases]) for name in cases[0]}
    try:
        return interpret(program, stacked, len(cases))
    except (NonTerminating, IndexError, KeyError, ValueError, AssertionError):
        return None


def same(first: Outputs, second: Outputs) -> bool:
    return all(
        np.allclose(first[name], second[name], rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
        for name in first
    )


def changed_text(program: ir.Program, text: str) -> bool:
    """Whether an edited program has another text, or none."""
    try:
        return specify(program) != text
    except NotDescribable:
        return True
