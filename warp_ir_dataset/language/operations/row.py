"""What the table of operations says of an operation: the columns of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

import numpy as np

from .bounds import Bound, Condition, Tells, anything, never
from .meanings import Meaning
from .signatures import Takes
from .spelling import Spelling

# Which values the backward walk needs for an operation's derivative. The last one, the cautious one, is right
# for any operation.
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

    `takes` lists the operand types that give a result type; `bound` holds every result; `meaning` computes it
    on numpy arrays; `requires` says for which operands it is defined (a program that breaks it is illegal).
    `underived` are operands for which Warp gives no derivative although there is one. `tells` is what a
    condition's outcome says about its operands. `changes` is the place of an operand that the operation
    changes: an array, of whose element `meaning` makes the new value from the old one and the last operand.
    Such an application is the whole value of a statement. `commutes` is the numpy function by which threads
    may change one element in any order; None where their order tells.

    The rest guides how expressions are grown: `telling` says what the last operand is when it is a literal
    that matters, `settled` when an application is pointless, `alike` that both operands may be the same,
    `literal_first` that a literal may stand first.
    """

    name: str
    group: str
    spelling: Spelling
    takes: Takes
    bound: Bound
    meaning: Meaning
    requires: Condition = anything
    derivative: Derivative = "result"
    underived: tuple[int, ...] = ()
    tells: Tells | None = None
    changes: int | None = None
    commutes: np.ufunc | None = None
    telling: OneOf["divisor", "bound"] | None = None
    settled: Condition = never
    alike: bool = False
    literal_first: bool = False
    words: str = ""

    @property
    def needs_result(self) -> bool:
        """Whether the backward walk may read the derivative off the result."""
        return self.derivative in ("quotient", "result")
