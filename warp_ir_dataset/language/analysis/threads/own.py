"""Finds indices that belong to one thread only, so that no two threads access the same element.

These are the thread's index; the element at that index of an argument without equal numbers, a permutation;
and, among indices from one counter that every thread increments, the value that the thread got, its ticket.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ... import ir
from ...operations.table import TABLE
from ...walks import statements
from .accesses import Access


class Own:
    """What is known of the indices of one program, whose accesses are `found`."""

    def __init__(self, program: ir.Program, found: Sequence[Access]) -> None:
        self._alone = math.prod(program.launch_dim) == 1
        self.threads = next((s.names for s in program.body if isinstance(s, ir.ThreadIndex)), ())
        self._permutations = {a.name for a in program.arguments if a.trait == "permutation" and a.ndim == 1}
        self._locals = {s.target.name: s.value for s in statements(program.body) if isinstance(s, ir.Let)}
        self._tickets = dict(_tickets(self._locals, Counter(access.array for access in found)))

    def is_own(self, access: Access) -> bool:
        """Whether an element is that of one thread, by its index as such."""
        return self._alone or self._holds(access.index)

    def is_apart(self, access: Access) -> bool:
        """Whether an element is that of one thread, where all accesses to its array are by that index."""
        for index in access.index:
            counter = self._tickets.get(index.name) if isinstance(index, ir.Name) else None
            if counter is not None and all(part in access.index for part in counter):
                return True
        return self._holds([self._thread(index) for index in access.index])

    def _holds(self, index: Collection[ir.Expr | None]) -> bool:
        """Whether an index is another one in each thread; none is if the kernel asks for no thread index."""
        return bool(self.threads) and all(thread in index for thread in self.threads)

    def _thread(self, index: ir.Expr | None) -> ir.Name | None:
        """The thread's index that another one is distinct for, if there is one."""
        match index:
            case ir.Name(name):
                return index if index in self.threads else self._thread(self._locals.get(name))
            case ir.Load(ir.Name(array), (one,)) if array in self._permutations:
                return self._thread(one)
        return None


def _tickets(values: dict[str, ir.Expr], accesses: Counter[str]) -> Iterator[tuple[str, list[ir.Expr]]]:
    """The locals that hold tickets, each from counters that nothing else touches, and what of the index says
    which counter it is."""
    for name, value in values.items():
        match value:
            case ir.Apply(operation, (ir.Name(array), *index, ir.Literal(more, type))) if _adds(operation):
                if accesses[array] == 1 and type.is_integer and more > 0:
                    yield name, [part for part in index if not isinstance(part, ir.Literal)]


def _adds(operation: str) -> bool:
    """Whether an operation adds to an element, and gives what it held."""
    row = TABLE[operation]
    return bool(row.changed) and row.commutes is np.add
