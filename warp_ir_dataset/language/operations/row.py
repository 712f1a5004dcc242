"""A row of the table of operations: the columns, with all facts about one operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

import numpy as np

from ..domains import Trait
from ..types import Type
from .bounds import Bound, Condition, Giver, Tells, anything, never, nothing
from .meanings import Meaning
from .signatures import Operands, Signature, signature
from .spelling import Spelling

# Which values the backward walk needs for an operation's derivative; all others may have been overwritten by
# then. The last label, the cautious one, is right for any operation that Warp differentiates.
Derivative = OneOf[
    "flat",  # none: the derivative is zero
    "linear",  # none: the derivative is constant
    "bilinear",  # for each operand the other one
    "choice",  # the first operand, which is a condition
    "operands",  # the operands
    "quotient",  # the divisor, and for the divisor's own derivative the result
    "result",  # the operands or the result
]


@dataclass(frozen=True)
class Operation:
    """One row.

    `bound` holds every result; `meaning` computes it on numpy arrays; `requires` says for which operands it
    is defined (a program that breaks it is illegal). `needs` are traits that operands must have, by place
    (None: any will do), `gives` is the trait of the result. `tells` is what a condition's outcome says about
    its operands. An `unlimited` result may be anything that its type holds, beyond what programs keep to: it
    has not overflowed.

    `underived` are operands (by place, from the end where that is negative) for which Warp gives no
    derivative although there is one, or a wrong one; `unreturned` says that it gives none for the result of
    an operation that changes an operand.

    The meaning of an operation that changes operands (`&`) gives a tuple: the result, then these operands
    as they are afterwards; of an array, it takes and gives the element. `commutes` is the numpy function by
    which threads that meet there may change it in any order, where there is one.

    `cuda` is what it is called in plain CUDA where that is not its spelling in Python (see `cuda.forms`): a
    function, an operator or ``?:``; for some kinds of numbers only, as in ``float: fmod``.

    The rest guides how random programs apply it: `telling` says what the last operand is when it is a literal
    that matters, `settled` when an application is pointless, `literal_first` that a literal may stand first.
    """

    signature: Signature
    group: str
    bound: Bound
    meaning: Meaning
    requires: Condition = anything
    needs: tuple[Trait | None, ...] = ()
    gives: Giver = nothing
    derivative: Derivative = "result"
    underived: tuple[int, ...] = ()
    unreturned: bool = False
    tells: Tells | None = None
    unlimited: bool = False
    commutes: np.ufunc | None = None
    telling: OneOf["divisor", "bound"] | None = None
    settled: Condition = never
    literal_first: bool = False
    cuda: str = ""

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def spelling(self) -> Spelling:
        return self.signature.spelling

    @property
    def changed(self) -> tuple[int, ...]:
        """The operands that it changes: such an operation is the whole value of a statement."""
        return self.signature.changed

    @property
    def converts(self) -> bool:
        """Whether it is a conversion from one scalar type to another."""
        return self.group in ("convert", "cast")

    def takes(self, result: Type) -> tuple[Operands, ...]:
        """The operand types that give a result type."""
        return self.signature.takes(result)


def row(text: str, group: str, bound: Bound, meaning: Meaning, **columns: Any) -> Operation:
    """A row of the table, by its signature (see `signatures`); `columns` are those of `Operation`."""
    return Operation(signature(text), group, bound, meaning, **columns)
