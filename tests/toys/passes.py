"""All passes, those that only twins are made with too, and what tests know about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.passes.table import PASSES, Pass

T = TypeVar("T")

EVERY: Mapping[str, Pass] = {**PASSES, **TWIN_PASSES}
ROUNDS = {"widen floats"}  # results may be rounded otherwise
# Each undoes the other, perhaps at another place first.
_PAIRS = (
    ("chain comparisons", "join comparisons"),
    ("name a component", "number a component"),
    ("bind", "inline"),
    ("draw a function out", "inline a function"),
    ("draw lines out", "inline a body"),
    ("for to while", "while to for"),
    ("condition to break", "break to condition"),
    ("add full slices", "drop full slices"),
    ("augment", "expand augmented assignment"),
    ("branch to choice", "choice to branch"),
    ("return early", "guard"),
    ("name a constant", "write a constant out"),
    ("leave types open", "say types"),
    ("make a method", "make a function"),
)
OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


def moved(before: ir.Signature, after: ir.Signature, given: Mapping[str, T]) -> dict[str, T]:
    """What was told by the names of one signature's leaves, by those of the other's: the same numbers in the
    same order, whatever they are packed into."""
    old = {leaf.name.rpartition(".")[2]: leaf.name for a in before.arguments for leaf in a.leaves}
    names = {leaf.name: leaf.name.rpartition(".")[2] for a in after.arguments for leaf in a.leaves}
    return {name: given[old[last]] for name, last in names.items() if last in old and old[last] in given}
