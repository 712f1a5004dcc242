"""Sets of operations with the same trait, from the table; and those that code makes itself, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .row import Operation
from .spelling import Subscript
from .table import TABLE


def _names(has: Callable[[Operation], bool]) -> tuple[str, ...]:
    return tuple(name for name, row in TABLE.items() if has(row))


def _pairs(other: Callable[[Operation], str]) -> Mapping[str, str]:
    return {name: other(row) for name, row in TABLE.items() if other(row)}


def _synonyms(name: str) -> tuple[str, ...]:
    return (name, *_names(lambda row: row.synonym_of == name))


# ---- what code makes

PLUS, MINUS, TIMES, NEGATIVE = "add", "sub", "mul", "neg"
NOT, BOTH, BELOW, ABOVE, CLAMP = "not", "and", "lt", "gt", "clamp"
# What reads a component by one index, an entry by two.
COMPONENTS: Mapping[int, str] = {1: "component", 2: "matrix_component"}
CHOICES = _synonyms("conditional")  # ``a if c else b`` and ``where(c, a, b)``, of operands (c, a, b)
POWERS = _synonyms("pow")  # ``wp.pow(x, y)`` and ``x ** y``
# What may leave the second operand alone, and what may do so with any operand but the first.
SHORT = ("and", "or")
ALTERNATIVES = frozenset((CHOICES[0], *SHORT))

# ---- what changes places, or gives way to another

COMMUTATIVE = frozenset(_names(lambda row: row.commutative))
TURNED = _pairs(lambda row: row.turned)
OPPOSITE = _pairs(lambda row: row.opposite)
RELAXED = _pairs(lambda row: row.relaxed)
SYNONYMS = _pairs(lambda row: row.synonym_of)
UNLOCKED = _pairs(lambda row: row.unlocked)
# What an augmented assignment is on an element of an array: other threads may do the same.
ATOMICS: Mapping[str, str] = {operator: name for name, operator in _pairs(lambda row: row.augments).items()}
ORDERS = _names(lambda row: row.group == "compare" and row.turned != "")  # what stands in a chain
WAYS = frozenset(frozenset((name, TABLE[name].relaxed)) for name in ORDERS)  # that tell a range

# ---- what results are

PARTS = frozenset(_names(lambda row: isinstance(row.spelling, Subscript)))
BUILT = _names(lambda row: row.builds)
FILLED = _names(lambda row: row.fills)
COPIES = _names(lambda row: row.copies)
MAGNITUDES = _names(lambda row: row.magnitude)
BOUNDING = frozenset(_names(lambda row: row.clamps or row.magnitude))
# What gives one of its operands or a bound, or the same with another sign: nothing is rounded.
COPYING = BOUNDING.union(CHOICES, (NEGATIVE,))
JUMPING = frozenset(_names(lambda row: row.jumps is not None))
SIGNS = _names(lambda row: row.jumps == "zero")
MIDDLE = _names(lambda row: row.jumps == "middle")
TRUNCATING = _names(lambda row: row.jumps == "toward zero")
WHOLE = _names(lambda row: row.whole)
