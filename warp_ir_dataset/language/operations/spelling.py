"""How an operation is written in Python. Nothing else of the tree knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Infix:
    symbol: str
    precedence: int  # Python's: a higher one binds tighter


@dataclass(frozen=True)
class Prefix:
    symbol: str
    precedence: int


@dataclass(frozen=True)
class Function:
    """A built-in, or with an empty name the constructor of the result's type."""

    name: str


@dataclass(frozen=True)
class Subscript:
    """``operand[i]`` or ``operand[i, j]``."""


@dataclass(frozen=True)
class Conditional:
    """``a if condition else b`` with operands (condition, a, b)."""


Spelling = Infix | Prefix | Function | Subscript | Conditional

OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN = range(1, 12)
