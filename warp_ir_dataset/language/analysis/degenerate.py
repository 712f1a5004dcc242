"""Finds degenerate programs before compilation: an output is constant, or an input has no effect.

Outputs must be finite, vary with the inputs, depend on each of them, not be near zero, and not all be
copies of inputs. Every branch must run, except guards, and every statement must have an effect (`liveness`).
A guard must act on one of more inputs, some of them extreme or degenerate, or on rounded results.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from .. import ir
from ..operations.rounding import Rounding
from ..traits import with_trait
from .coverage import Coverage, Outcome
from .edges import constants, on_edge
from .guards import keeps_legal, wanted
from .interpreter import NonTerminating, interpret
from .liveness import dead, only_copies

Uniform = Callable[[], float]

BASES = 5  # random inputs
ENOUGH = 2  # of these, an input must change an output for so many when only it is replaced
VISIBLE = 0.004  # smaller relative changes do not count; the proof's own margin is smaller
NEAR_ZERO = 0.005
FEW_EXTREME, MANY_EXTREME = 8, 32  # extreme inputs at a time, for code that random inputs do not run


def is_degenerate(program: ir.Program, seed_text: str) -> bool:
    """Whether random inputs show that a program is degenerate.

    It is if an output is constant, near zero or not finite, if an input or a statement has no effect, if a
    branch never runs, if every output is a copy, or if not even extreme inputs need a guard.
    """
    arguments = [argument for argument in program.arguments if argument.role != "output"]
    uniform = random.Random(seed_text).random
    inputs = {
        leaf.name: _variations(leaf, place, len(arguments), uniform)
        for place, argument in enumerate(arguments)
        for leaf in argument.leaves
    }
    sets = BASES * (1 + len(arguments))
    try:
        outputs = interpret(program, inputs, sets, coverage := Coverage(program, sets))
    except (np.linalg.LinAlgError, IndexError, NonTerminating):
        return True
    if coverage.dead:
        return True
    moved = np.zeros((len(arguments), BASES), bool)
    for values in outputs.values():
        # Axes: what was replaced (first nothing, then each input), the base, the elements.
        table = values.reshape(1 + len(arguments), BASES, -1).astype(float)
        bases = table[0]
        if not np.isfinite(table).all() or np.abs(bases).max() <= NEAR_ZERO:
            return True
        if not _differ(bases[:1], bases[1:]).any():
            return True
        moved |= _differ(bases, table[1:])
    if (moved.sum(axis=1) < ENOUGH).any() or only_copies(inputs, outputs):
        return True
    some = min(2 * BASES, sets)
    first_inputs, first_outputs = (
        {name: value[:some] for name, value in arrays.items()} for arrays in (inputs, outputs)
    )
    return bool(dead(program, first_inputs, first_outputs, some)) or has_idle_guard(
        program, uniform, coverage
    )


def has_idle_guard(program: ir.Program, uniform: Uniform, coverage: Coverage) -> bool:
    """Whether no input gives an outcome that legal inputs should give (`wanted`): neither the inputs of
    `coverage` nor extreme ones, with exact or rounded results."""
    left = _left(wanted(program, ends=False, ties=False), coverage)
    if left:
        left = _left(left, _on_extreme(program, uniform, FEW_EXTREME, None))
    left = [outcomes for outcomes in left if not any(keeps_legal(program, outcome) for outcome in outcomes)]
    for rounding in (None, Rounding(), None, None, None):
        if left:
            left = _left(left, _on_extreme(program, uniform, MANY_EXTREME, rounding))
    return bool(left)


def _on_extreme(program: ir.Program, uniform: Uniform, count: int, rounding: Rounding | None) -> Coverage:
    """The coverage of `count` extreme inputs."""
    numbers = constants(program)
    leaves = [leaf for argument in program.signature.inputs for leaf in argument.leaves]
    sets = []
    for _ in range(count):
        sampled = {leaf.name: _sample(leaf, uniform) for leaf in leaves}
        sets.append(on_edge(sampled, program.signature, numbers, str(uniform()), ties=True))
    inputs = {name: np.stack([each[name] for each in sets]) for name in sets[0]}
    coverage = Coverage(program, count)
    # If a number cannot be computed, the statements before it count as run.
    with suppress(np.linalg.LinAlgError, IndexError, NonTerminating):
        interpret(program, inputs, count, coverage, rounding=rounding)
    return coverage


def _left(outcomes: Sequence[frozenset[Outcome]], coverage: Coverage) -> list[frozenset[Outcome]]:
    ran = coverage.ran_by_any
    return [each for each in outcomes if each.isdisjoint(ran)]


def rehearsed(program: ir.Program, seed_text: str) -> dict[str, np.ndarray]:
    """The outputs of a program for some random inputs, by leaf, with the inputs on the first axis. Raises the
    exceptions of `interpret`."""
    uniform = random.Random(seed_text).random
    arguments = [argument for argument in program.arguments if argument.role != "output"]
    leaves = [leaf for argument in arguments for leaf in argument.leaves]
    inputs = {leaf.name: np.stack([_sample(leaf, uniform) for _ in range(BASES)]) for leaf in leaves}
    return interpret(program, inputs, BASES)


def _differ(first: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which of the last axis' arrays differ visibly."""
    size = np.abs(first) + np.abs(first).max(axis=-1, keepdims=True)
    visible: np.ndarray = (np.abs(others - first) > VISIBLE * size).any(axis=-1)
    return visible


def _variations(argument: ir.Argument, place: int, count: int, uniform: Uniform) -> np.ndarray:
    """`BASES` random values, and all of them again for each argument that is replaced, this one by others."""
    bases = np.stack([_sample(argument, uniform) for _ in range(BASES)])
    others = np.stack([_sample(argument, uniform) for _ in range(BASES)])
    if bases.ndim == 1 and argument.type.is_integer:
        low, high = argument.domain.lo, argument.domain.hi
        others = np.where(others == bases, np.where(bases == high, low, high), others)
    return np.concatenate([others if replaced == place else bases for replaced in range(-1, count)])


def _sample(argument: ir.Argument, uniform: Uniform) -> np.ndarray:
    shape = (*argument.shape, *argument.type.shape)
    units = np.array([uniform() for _ in range(math.prod(shape))]).reshape(shape)
    low, high = argument.domain.lo, argument.domain.hi
    if argument.type.is_float:
        return with_trait(low + units * (high - low), argument)
    return with_trait(np.floor(low + units * (high - low + 1)).astype(np.int64), argument)
