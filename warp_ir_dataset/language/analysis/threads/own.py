"""Which indices are a thread's own, so that no two threads meet there.

The thread's index is; and so is the element that it names of an argument that holds no number twice, a
permutation.
"""

from __future__ import annotations

from ...program import Expr, Let, Load, Name, Program, ThreadIndex
from ...walks import statements
from .accesses import Access


class Own:
    """What is known of the indices of one program."""

    def __init__(self, program: Program) -> None:
        self.threads = next((s.names for s in program.body if isinstance(s, ThreadIndex)), ())
        self._permutations = {a.name for a in program.arguments if a.trait == "permutation" and a.ndim == 1}
        self._locals = {s.target.name: s.value for s in statements(program.body) if isinstance(s, Let)}

    def is_own(self, access: Access) -> bool:
        """Whether an element is that of one thread, by its index as such."""
        return all(thread in access.index for thread in self.threads)

    def is_permuted(self, access: Access) -> bool:
        """Whether an element is that of one thread, where all accesses to its array are by that index."""
        places = [self._thread(index) for index in access.index]
        return all(thread in places for thread in self.threads)

    def _thread(self, index: Expr | None) -> Name | None:
        """The thread's index that another one is distinct for, if there is one."""
        match index:
            case Name(name):
                return index if index in self.threads else self._thread(self._locals.get(name))
            case Load(Name(array), (one,)) if array in self._permutations:
                return self._thread(one)  # type: ignore[arg-type]
        return None
