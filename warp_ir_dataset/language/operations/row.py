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

# How tightly a formula holds together, from the loosest to the tightest (see `formulas.parts`).
Strength = OneOf[
    "choice",
    "neither",
    "negated",
    "bits",
    "compare",
    "modulo",
    "sum",
    "minus",
    "ratio",
    "product",
    "power",
    "atom",
]
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
    """One row: its columns, each with its default."""

    signature: Signature
    group: str  # of operations that random programs choose among
    bound: Bound  # an interval that holds every result
    # Computes the result on numpy arrays. Of an operation that changes operands (`&`) it gives a tuple: the
    # result, then these operands as they are afterwards; of an array, it takes and gives the element.
    meaning: Meaning
    # The operands for which it is defined: a program that breaks it is illegal.
    requires: Condition = anything
    needs: tuple[Trait | None, ...] = ()  # traits that operands must have, by place (None: any will do)
    gives: Giver = nothing  # the trait of the result
    derivative: Derivative = "result"
    # Operands (by place, from the end if that is negative) for which Warp gives no derivative although there
    # is one, or a wrong one.
    underived: tuple[int, ...] = ()
    tells: Tells | None = None  # what a condition's outcome says about its operands
    unlimited: bool = False  # any result that its type holds is meant, beyond what programs keep to
    # The numpy function by which threads that meet at an element may change it in any order.
    commutes: np.ufunc | None = None

    # ---- how random programs apply it

    # The part of the last operand, for which a literal is chosen that changes some results.
    discriminating: OneOf["divisor", "bound"] | None = None
    redundant: Condition = never  # when an application is pointless
    literal_first: bool = False  # whether a literal may stand first
    called: str = ""  # begins the name of a kernel of this operation alone

    # ---- traits: what may stand in its place, and what its result is

    commutative: bool = False  # operands may change places: every result is the same to the bit
    turned: str = ""  # the comparison between operands that have changed places
    opposite: str = ""  # the comparison that holds if this one does not; of floats only if none is NaN
    relaxed: str = ""  # the comparison that differs from this one for equal operands alone
    synonym_of: str = ""  # the operation of which it is another spelling
    augments: str = ""  # of an atomic: the operator before ``=`` that does the same to an element
    unlocked: str = ""  # of an atomic: the operation that it applies, without the lock
    copies: bool = False  # gives back its operand
    builds: bool = False  # makes a value of all its numbers
    fills: bool = False  # makes a value whose numbers are all the operand
    magnitude: bool = False  # takes the sign of a number, or of each component
    clamps: bool = False  # keeps a number, or each component, within bounds
    whole: bool = False  # makes a number whole that stays one of its type
    # Where the result jumps: at zero, at whole numbers, in the middle between two of these, or at whole
    # numbers other than zero.
    jumps: OneOf["zero", "whole", "middle", "toward zero"] | None = None

    # ---- precision

    # A rounded result; or products on the way to it, which may cancel and lose more. Others count as exact.
    rounds: OneOf["result", "products"] | None = None
    # The first operand at which the derivative is infinite.
    steep: OneOf["zero", "one", "no length"] | None = None

    # ---- how it is written

    # Warp's names of the operands, for sources that pass them by name: ``x low high``; a semicolon divides
    # those of several overloads.
    parameters: str = ""
    # A template (``{0:power}``: the first operand, in brackets if it is looser than a power; ``{}``: all of
    # them), or the name of a function in `formulas.builders`. Without it, an operation goes by Warp's name.
    formula: str = ""
    strength: Strength = "atom"  # of the template
    notes: str = ""  # keys of `formulas.notes`; those with a ``*`` only if there are vectors
    # What it is called in plain CUDA if that is not its spelling in Python (see `cuda.forms`): a function, an
    # operator or ``?:``; for some kinds of numbers only, as in ``float: fmod``.
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
    """Make a row of the table of operations.

    Args:
        text: The signature, in the notation of `signatures`.
        group: Which operations random programs choose it among.
        bound: Returns an interval that contains every result (see `bounds`).
        meaning: Computes the result on numpy arrays (see `meanings`).
        columns: Other columns of `Operation`, by name.

    Returns:
        The row.
    """
    return Operation(signature(text), group, bound, meaning, **columns)
