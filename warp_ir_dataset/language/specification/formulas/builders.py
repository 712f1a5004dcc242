"""Formulas that depend on their operands: vectors, choices, conversions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ... import ir
from ...operations.traits import WHOLE
from ...types import SCALARS, UNSIGNED_INTEGERS, Matrix
from . import parts
from .parts import ATOM, CHOICE, NEGATED, NEITHER, POWER, Part

_PARTS = "xyzw"
Given = Sequence[Part]
# Functions that are written here.
FUNCTIONS = frozenset(("abs", "length", "identity", "int", "float", *SCALARS))


def sum_of(given: Given, node: ir.Apply) -> Part:
    return parts.added(*given)


def difference(given: Given, node: ir.Apply) -> Part:
    return parts.subtracted(*given)


def negative(given: Given, node: ir.Apply) -> Part:
    return parts.negated(*given)


def product(given: Given, node: ir.Apply) -> Part:
    return parts.multiplied(*given)


def ratio(given: Given, node: ir.Apply) -> Part:
    return parts.divided(*given)


def magnitude(given: Given, node: ir.Apply) -> Part:
    """``|x|``, but ``abs(...)`` around bars and of vectors."""
    text = format(given[0])
    plain = node.type.shape == () and "|" not in text and "‖" not in text
    return Part(f"|{text}|" if plain else f"abs({text})")


def norm(given: Given, node: ir.Apply) -> Part:
    text = format(given[0])
    return Part(f"length({text})" if "‖" in text or "|" in text else f"‖{text}‖")


def squared_norm(given: Given, node: ir.Apply) -> Part:
    return Part(f"{norm(given, node).text}²", POWER)


def conjunction(given: Given, node: ir.Apply) -> Part:
    """``a and b and c``."""
    return _joined("and", given, node)


def disjunction(given: Given, node: ir.Apply) -> Part:
    return _joined("or", given, node)


def _joined(word: str, given: Given, node: ir.Apply) -> Part:
    texts = []
    for part, operand in zip(given, node.operands, strict=True):
        alike = isinstance(operand, ir.Apply) and operand.operation == node.operation
        texts.append(part.text if alike else part.within(NEGATED))
    return Part(f" {word} ".join(texts), NEITHER)


def choice(given: Given, node: ir.Apply) -> Part:
    condition, then, orelse = given
    return Part(f"{then.within(NEGATED)} if {condition} else {orelse.within(NEGATED)}", CHOICE)


def of_truth(given: Given, node: ir.Apply) -> Part:
    return Part(f"1 if {given[0]} else 0", CHOICE)


# ---- vectors and matrices


def tuple_of(texts: Sequence[str]) -> Part:
    return Part(f"({', '.join(texts)})")


def _table(texts: Sequence[str], columns: int) -> Part:
    rows = [texts[start : start + columns] for start in range(0, len(texts), columns)]
    return tuple_of([f"({', '.join(row)})" for row in rows])


def built(given: Given, node: ir.Apply) -> Part:
    texts = [format(part) for part in given]
    return _table(texts, node.type.columns) if isinstance(node.type, Matrix) else tuple_of(texts)


def _all(text: str, node: ir.Apply) -> Part:
    if isinstance(node.type, Matrix):
        return _table([text] * node.type.size, node.type.columns)
    return tuple_of([text] * node.type.size)


def splat(given: Given, node: ir.Apply) -> Part:
    """A number as every component: a literal that often, or what it is times a vector of ones."""
    if isinstance(node.operands[0], ir.Literal):
        return _all(format(given[0]), node)
    return parts.multiplied(given[0], _all("1", node))


def zero(given: Given, node: ir.Apply) -> Part:
    return _all("0", node)


def identity(given: Given, node: ir.Apply) -> Part:
    assert isinstance(node.type, Matrix)
    return Part(f"identity({node.type.rows})")


def component(given: Given, node: ir.Apply) -> Part:
    of, index = node.operands
    base = given[0].within(ATOM)
    if isinstance(index, ir.Literal) and 0 <= index.value < len(_PARTS) and of.type.size <= len(_PARTS):
        return Part(f"{base}.{_PARTS[int(index.value)]}")
    return Part(f"{base}[{given[1]}]")


# ---- conversions


def unchanged(given: Given, node: ir.Apply) -> Part:
    return given[0]


def _is_unsigned(node: ir.Apply) -> bool:
    return node.operands[0].type.scalar in UNSIGNED_INTEGERS


def _call(name: str, given: Given) -> Part:
    return Part(f"{name}({given[0]})")


def as_float(given: Given, node: ir.Apply) -> Part:
    """A whole number is a real one; only unsigned ones, and floats of other sizes, calculate otherwise."""
    if node.operands[0].type.is_float:
        return _call(node.type.scalar, given)
    return _call("float", given) if _is_unsigned(node) else given[0]


def as_integer(given: Given, node: ir.Apply) -> Part:
    operand, before = node.operands[0], node.operands[0].type
    if before.is_float:
        is_whole = isinstance(operand, ir.Apply) and operand.operation in WHOLE
        return given[0] if is_whole else _call("int", given)
    fits = np.can_cast(SCALARS[before.scalar].numpy, SCALARS[node.type.scalar].numpy)
    return given[0] if fits and not _is_unsigned(node) else _call(node.type.scalar, given)


def as_unsigned(given: Given, node: ir.Apply) -> Part:
    operand = node.operands[0]
    if isinstance(operand, ir.Literal) and operand.type.is_integer and operand.value >= 0:
        return given[0]
    return _call(node.type.scalar, given)


def notes_of(node: ir.Apply) -> set[str]:
    """What a conversion needs explained."""
    before, after = node.operands[0].type, node.type
    if after.scalar in UNSIGNED_INTEGERS:
        return {"unsigned"}
    if after.is_float:
        return {"float"} if _is_unsigned(node) else {"size"}
    if before.is_float:
        return {"int"}
    return {"narrow"}


BUILDERS: Mapping[str, Callable[[Given, ir.Apply], Part]] = {
    builder.__name__: builder
    for builder in (
        *(sum_of, difference, negative, product, ratio, magnitude, norm, squared_norm),
        *(conjunction, disjunction, choice, of_truth),
        *(built, splat, zero, identity, component),
        *(unchanged, as_float, as_integer, as_unsigned),
    )
}
