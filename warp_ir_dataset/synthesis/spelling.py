"""Chooses how a drawn program is written: one of several equal ways, about as often as people choose each.

Warp asks for subscripts in annotations since 1.12, and 87 % of the kernels in its examples have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..common.rng import Rng
from ..language import ir
from ..language.passes.table import PASSES
from ..language.rewrite import map_statements
from ..language.types import SCALARS, Scalar
from .drawn import Drawn

SUBSCRIPTS = 0.87  # `wp.array[float]`, not `wp.array(dtype=float)`
FULL_NAMES = 0.15  # `wp.float32`, not `float`
AUGMENTED = 0.5  # `a[i] += x`, not `wp.atomic_add(a, i, x)`

# How often a pass is made where it can be. None of these needs a proof, moves a rounding or drops a name.
HABITS = (
    ("make a method", 0.9),
    ("name all components", 0.6),
    ("chain comparisons", 0.4),
    ("change power syntax", 0.5),
    ("add full slices", 0.4),
    ("augment", 0.8),
    ("return early", 0.3),
    ("name a constant", 0.2),
    ("enclose a constant", 0.15),
    ("evaluate constants early", 0.1),
    ("leave types open", 0.13),
)
_OPERATORS = {"atomic_add": "+", "atomic_sub": "-"}


def respelled(drawn: Drawn, rng: Rng) -> Drawn:
    """The same program in a spelling that `rng` chooses."""
    program = drawn.program
    if rng.chance(AUGMENTED):
        program = replace(program, body=map_statements(program.body, _augmented))
    for name, share in HABITS:
        if rng.chance(share) and (variants := list(PASSES[name].variants(program))):
            program = rng.pick(variants)
    style = ir.Style(subscripts=rng.chance(SUBSCRIPTS), full_names=rng.chance(FULL_NAMES) and _tells(program))
    return replace(drawn, program=replace(program, style=style))


def _augmented(statement: ir.Stmt) -> Iterable[ir.Stmt]:
    """An atomic sum, whose old value nobody wants, as ``a[i] += x``."""
    match statement:
        case ir.Do(ir.Apply(operation, (array, *index, value))) if operation in _OPERATORS:
            yield ir.Accumulate(ir.Load(array, tuple(index), value.type), _OPERATORS[operation], value)
        case _:
            yield statement


def _tells(program: ir.Program) -> bool:
    """Whether the text of a program's arguments tells `float` from `wp.float32`."""
    types = (argument.type for argument in program.arguments)
    return any(isinstance(type, Scalar) and SCALARS[type.scalar].python for type in types)
