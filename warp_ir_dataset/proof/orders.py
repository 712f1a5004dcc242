"""Threads in another order: which outputs may follow it, and which do.

The tree decides which may (`analysis.threads.arrival`); where there is none, all of them may, as multisets.
What is the same in both orders, as a counter is that threads count in, is held to that.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ..compilers.cuda_on_cpu import last_first
from ..language.analysis.interpreter import interpret
from ..language.analysis.threads.arrival import follows_arrival
from ..language.program import Program, Signature
from . import verify
from .run import BLOCKS
from .subject import Arrays
from .verify import Unordered


def may_follow(signature: Signature, program: Program | None) -> Unordered:
    """The outputs whose elements may lie in another order when threads come in another one."""
    names: Collection[str]
    if program is None:
        names = {argument.name for argument in signature.arguments}
    else:
        names = follows_arrival(program)
    return {
        leaf.name: leaf.type.shape
        for argument in signature.arguments
        for leaf in argument.leaves
        if argument.name in names and leaf.role != "input"
    }


@dataclass(frozen=True)
class Moved:
    """What another order makes of several inputs, by the tree: outputs of which elements lie elsewhere, and
    the inputs by number on which something is not even the same as a multiset, with what that is."""

    outputs: frozenset[str]
    races: dict[int, str]


def moved(program: Program, allowed: Unordered, sets: Sequence[Arrays], meaning: Sequence[Arrays]) -> Moved:
    """Hold `meaning`, which is that of `sets`, against what the other order means. Raises what `interpret`
    does."""
    if not allowed:
        return Moved(frozenset(), {})
    stacked = {name: np.stack([inputs[name] for inputs in sets]) for name in sets[0]}
    order = last_first(math.prod(program.launch_dim), BLOCKS)
    outputs = interpret(program, stacked, len(sets), order=order)
    elsewhere: set[str] = set()
    races = {}
    for number, expected in enumerate(meaning):
        other = {name: value[number] for name, value in outputs.items()}
        if (unequal := verify.compare(other, expected, allowed).unequal) is not None:
            races[number] = unequal
        elsewhere |= differing(other, expected, allowed)
    return Moved(frozenset(elsewhere), races)


def differing(actual: Arrays, expected: Arrays, among: Collection[str]) -> set[str]:
    """The arrays, among these, that are not equal element by element."""
    return {
        name
        for name in among
        if verify.compare({name: actual[name]}, {name: expected[name]}).unequal is not None
    }
