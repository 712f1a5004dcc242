"""Runs threads in another order: finds outputs that may depend on it, and those that do.

The tree decides which may (`analysis.threads.order`); where there is none, all of them may, as multisets.
What is the same in both orders, as a counter is that threads count in, is held to that.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Any

import numpy as np

from ..compilers.cuda_on_cpu import enough, last_first
from ..language import ir
from ..language.analysis.interpreter import NonTerminating, interpret, interpret_in_lockstep
from ..language.analysis.memory import ThreadConflict
from ..language.analysis.threads.accesses import accesses
from ..language.analysis.threads.order import order_dependent
from ..language.types import Array
from . import verify
from .run import BLOCKS
from .subject import Arrays, stacked, unstacked
from .verify import Unordered

# In how many orders, besides the other one, threads are made to come, to see what stays together, and what
# changes places: two elements do not, with an even chance, in each.
ORDERS = 4
MORE_ORDERS = 20


def may_follow(signature: ir.Signature, program: ir.Program | None) -> Unordered:
    """The outputs whose elements may lie in another order when threads come in another one."""
    names: Collection[str]
    if program is None:
        names = {argument.name for argument in signature.arguments}
    else:
        names = order_dependent(program)
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


def moved(
    program: ir.Program,
    allowed: Unordered,
    sets: Sequence[Arrays],
    meaning: Sequence[Arrays],
    *,
    grid_stride: bool = True,
) -> Moved:
    """Hold `meaning`, which is that of `sets`, against what the other order means, which is another one where
    the CUDA text does not walk its grid. Raises what `interpret` does."""
    if not allowed:
        return Moved(frozenset(), {})
    items = math.prod(program.launch_dim)
    order = last_first(items, BLOCKS if grid_stride else enough(items))
    orders = np.tile(np.array(order), (len(sets), 1))
    outputs = interpret(program, stacked(sets), len(sets), orders=orders)
    elsewhere: set[str] = set()
    races = {}
    for number, (other, expected) in enumerate(zip(unstacked(outputs, len(sets)), meaning, strict=True)):
        if (unequal := verify.compare(other, expected, allowed).unequal) is not None:
            races[number] = unequal
        elsewhere |= differing(other, expected, allowed)
    return Moved(frozenset(elsewhere), races)


def race_in_step(
    program: ir.Program, allowed: Unordered, sets: Sequence[Arrays], meaning: Sequence[Arrays]
) -> str | None:
    """An output that is another one where all threads read before any of them writes, as those of a GPU's
    warp do, and in no order of one after another. None where threads use what an atomic returned."""
    try:
        outputs = interpret_in_lockstep(program, stacked(sets), len(sets))
    except (ThreadConflict, NonTerminating, IndexError, np.linalg.LinAlgError):
        return None
    for left, expected in zip(unstacked(outputs, len(sets)), meaning, strict=True):
        if (unequal := verify.compare(left, expected, allowed).unequal) is not None:
            return unequal
    return None


def together(
    program: ir.Program, outputs: Unordered, sets: Sequence[Arrays], meaning: Sequence[Arrays]
) -> tuple[frozenset[str], ...]:
    """Groups of outputs, of those that follow the order of threads, whose elements of one index belong
    together: the kernel changes them at one index, and in none of several orders do they part. `meaning` is
    that of `sets`. None where some order leads out of an array, or nowhere."""
    linked = _linked(program, outputs)
    others = _in_orders(program, sets, ORDERS) if linked else []
    found: list[frozenset[str]] = []
    for pair in linked if others else ():
        whole = pair.union(*(group for group in found if group & pair))
        if all(_stays(whole, outputs, other, meaning) for other in others):
            found = [group for group in found if not group & pair] + [whole]
    return tuple(found)


def exchanging(
    program: ir.Program,
    outputs: Unordered,
    groups: Sequence[frozenset[str]],
    sets: Sequence[Arrays],
    meaning: Sequence[Arrays],
) -> list[dict[str, np.ndarray]]:
    """For each of the sets and each of these outputs a number for each element: only those of one number
    change places, in any of several orders. `groups` are those of `together`. Nothing where some order leads
    out of an array, or nowhere."""
    found: list[dict[str, np.ndarray]] = [{} for _ in sets]
    for other in _in_orders(program, sets, MORE_ORDERS) if outputs else ():
        for number, expected in enumerate(meaning):
            left = {name: other[name][number] for name in outputs}
            places = verify.aligned(left, {name: expected[name] for name in outputs}, outputs, groups)
            for name, to in places.items():
                found[number][name] = _joined(found[number].get(name, np.arange(len(to))), to)
    return found


def _joined(numbers: np.ndarray, to: np.ndarray) -> np.ndarray:
    """The least of the numbers that elements have which change places with each other, and all that have one
    number with one of them."""
    while True:
        others = numbers[to]
        least = np.minimum(numbers, others)
        joined = np.arange(len(numbers))
        np.minimum.at(joined, numbers, least)
        np.minimum.at(joined, others, least)
        if np.array_equal(joined[numbers], numbers):
            return numbers
        numbers = joined[numbers]


def _in_orders(program: ir.Program, sets: Sequence[Arrays], count: int) -> list[Arrays]:
    """What is made of several inputs in the other orders of threads, of CUDA and of plain CUDA, and `count`
    more, or nothing where one of them leads out of an array, or nowhere."""
    if not sets:
        return []
    items = math.prod(program.launch_dim)
    orders = [last_first(items, BLOCKS), [*reversed(range(items))]]
    for number in range(count):
        uniform = random.Random(f"order/{number}").random
        keys = [uniform() for _ in range(items)]
        orders.append(sorted(range(items), key=keys.__getitem__))
    # Each order has the sets for itself: one launch then takes as long as it would in one order.
    lanes = np.repeat(np.array(orders), len(sets), axis=0)
    try:
        outputs = interpret(program, stacked([*sets] * len(orders)), len(lanes), orders=lanes)
    except (NonTerminating, IndexError, np.linalg.LinAlgError):
        return []
    split = {name: np.split(array, len(orders)) for name, array in outputs.items()}
    return [{name: split[name][number] for name in split} for number in range(len(orders))]


def _stays(names: frozenset[str], outputs: Unordered, other: Arrays, meaning: Sequence[Arrays]) -> bool:
    """Whether these outputs are the same in another order of threads, each index with all its elements."""
    for number, expected in enumerate(meaning):
        left = {name: other[name][number] for name in names}
        if (
            verify.compare(left, {name: expected[name] for name in names}, outputs, [names]).unequal
            is not None
        ):
            return False
    return True


def _linked(program: ir.Program, outputs: Unordered) -> list[frozenset[str]]:
    """Pairs of outputs of one shape that the kernel changes at one index: of the same array of structs, or
    of arrays that are given the same index."""
    places: dict[str, set[Any]] = {}
    for access in accesses(program):
        if access.kind != "read" and None not in access.index:
            places.setdefault(access.array, set()).add(access.index)
    of = {leaf.name: (a.name, leaf) for a in program.arguments for leaf in a.leaves if leaf.name in outputs}
    found = []
    for (first, (one, leaf)), (second, (two, other)) in combinations(
        sorted(of.items(), key=itemgetter(0)), 2
    ):
        same = one == two and isinstance(_declared(program, one), Array)
        shared = places.get(first, set()) & places.get(second, set())
        if leaf.shape == other.shape and (same or shared):
            found.append(frozenset({first, second}))
    return found


def _declared(program: ir.Program, name: str) -> object:
    """The type that an argument is declared with."""
    return next(argument.reference.type for argument in program.arguments if argument.name == name)


def differing(actual: Arrays, expected: Arrays, among: Collection[str]) -> set[str]:
    """The arrays, among these, that are not equal element by element."""
    return {
        name
        for name in among
        if verify.compare({name: actual[name]}, {name: expected[name]}).unequal is not None
    }
