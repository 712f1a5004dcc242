"""How each operation is written in Python: as an operator, a function, an index or otherwise.

Writers and some passes match on these classes; how an operation is written stands in its row alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Infix:
    symbol: str
    precedence: int  # Python's: a higher one binds tighter
    right: bool = False  # groups from the right: a ** (b ** c) needs no brackets


@dataclass(frozen=True)
class Prefix:
    symbol: str
    precedence: int


@dataclass(frozen=True)
class Function:
    """A built-in, or with an empty name the constructor of the result's type.

    `named` are arguments that only tell the result's type: ``n`` its side, ``dtype`` the type of a component,
    ``dtype?`` the same where that is not float32.
    """

    name: str
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class Subscript:
    """``operand[i]`` or ``operand[i, j]``."""


@dataclass(frozen=True)
class Conditional:
    """``a if condition else b`` with operands (condition, a, b)."""


@dataclass(frozen=True)
class Constant:
    """A number that Warp has a name for."""

    name: str


Spelling = Infix | Prefix | Function | Subscript | Conditional | Constant

# Few know how tightly these bind, so people put brackets around them, and around what they take.
MASKING = frozenset(("|", "^", "&"))
MISREAD = MASKING | {"<<", ">>"}

OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, POWER = range(1, 13)

INFIX = {
    symbol: Infix(symbol, precedence, right=symbol == "**")
    for precedence, symbols in (
        (OR, "or"),
        (AND, "and"),
        (COMPARE, "< <= > >= == !="),
        (BIT_OR, "|"),
        (BIT_XOR, "^"),
        (BIT_AND, "&"),
        (SHIFT, "<< >>"),
        (SUM, "+ -"),
        (PRODUCT, "* / // %"),
        (POWER, "**"),
    )
    for symbol in symbols.split()
}
PREFIX = {
    symbol: Prefix(symbol, precedence)
    for symbol, precedence in (("not ", NOT), ("-", SIGN), ("+", SIGN), ("~", SIGN))
}
