"""Pieces of a formula with their precedence, which decides about brackets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from ...operations.row import Strength

# A piece stands in brackets where a tighter one is asked for.
# `neither` is for what only reads well beside its like: ``a and b and c``, but ``(a and b) or c``.
STRENGTHS = {name: strength for strength, name in enumerate(get_args(Strength))}
CHOICE, NEITHER, NEGATED, BITS, COMPARE, MODULO, SUM, MINUS, RATIO, PRODUCT, POWER, ATOM = STRENGTHS.values()


@dataclass(frozen=True)
class Part:
    """A text and its strength. In a template ``{0:sum}`` asks for that strength or a higher one, and ``{0}``
    for anything but a choice."""

    text: str
    strength: int = ATOM

    def __format__(self, wanted: str) -> str:
        return self.within(STRENGTHS[wanted] if wanted else NEITHER)

    def within(self, strength: int) -> str:
        return self.text if self.strength >= strength else f"({self.text})"

    @property
    def is_negative(self) -> bool:
        """Whether it begins with a minus that may be taken out of it."""
        return self.strength in (MINUS, SUM) and self.text.startswith("-")


def filled(template: str, strength: Strength, operands: Sequence[Part]) -> Part:
    """A template with its operands; ``{}`` is for all of them."""
    if "{}" in template:
        return Part(template.format(", ".join(map(format, operands))), STRENGTHS[strength])
    return Part(template.format(*operands), STRENGTHS[strength])


def added(left: Part, right: Part) -> Part:
    """``a + b``; ``a - b`` where the second begins with a minus."""
    a = left.within(SUM)
    if right.text == "0":
        return left
    if right.is_negative:
        return Part(f"{a} - {right.text[1:]}", SUM)
    return Part(f"{a} + {right.within(SUM)}", SUM)


def subtracted(left: Part, right: Part) -> Part:
    """``a - b``; ``a + b`` where the second is ``-b``."""
    if right.strength == MINUS:
        return Part(f"{left.within(SUM)} + {unsigned(right)}", SUM)
    return Part(f"{left.within(SUM)} - {right.within(RATIO)}", SUM)


def negated(part: Part) -> Part:
    return Part(f"-{part.within(RATIO)}", MINUS)


def multiplied(left: Part, right: Part) -> Part:
    """``a·b``. A minus in front of the first factor is one in front of the product."""
    if left.strength == MINUS:
        return negated(multiplied(unsigned(left), right))
    return Part(f"{left.within(PRODUCT)}·{right.within(PRODUCT)}", PRODUCT)


def divided(left: Part, right: Part) -> Part:
    if left.strength == MINUS and unsigned(left).strength == PRODUCT:
        return negated(divided(unsigned(left), right))
    return Part(f"{left.within(PRODUCT)} / {right.within(POWER)}", RATIO)


def unsigned(part: Part) -> Part:
    """What stands behind a minus: a product, a ratio, or something tighter."""
    text = part.text[1:]
    return Part(text, RATIO if " / " in text else PRODUCT)


def listed(items: list[str] | tuple[str, ...], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def article(word: str) -> str:
    return "an" if word[0] in "aeioAEIO" else "a"
