"""Mutations of one expression. The result has the same type; nothing else is guaranteed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from .. import ir
from ..operations.table import TABLE, changed_by, result_type
from ..operations.traits import BOUNDING, CHOICES, MINUS, OPPOSITE, PLUS, RELAXED, TURNED
from ..types import Array, Scalar, Struct, Type, Value, part_type
from ..walks import walk

_Index = TypeVar("_Index")

Names = Mapping[Type, Sequence[str]]

_PARTS = ("x", "y", "z", "w")  # members of a vector


def names_by_type(program: ir.Program) -> Names:
    """The names that the kernel's body may read, by type: inputs, locals and indices, in source order."""
    found: dict[Type, list[str]] = {}
    fixed = {"_", *(constant.name for constant in program.constants)}
    fixed |= {argument.name for argument in program.arguments if argument.role == "output"}
    for node in walk(program.body):
        if isinstance(node, ir.Name) and node.name not in fixed:
            names = found.setdefault(node.type, [])
            if node.name not in names:
                names.append(node.name)
    return found


# ---- operations


@cache
def _similar(operation: str, types: tuple[Type, ...], result: Type) -> tuple[str, ...]:
    """Operations of one group with the same operand types and the same result type."""
    group = TABLE[operation].group
    return tuple(
        other.name
        for other in TABLE.values()
        if other.name != operation
        and other.group == group
        and not other.signature.literal
        and result_type(other.name, types, result) is not None
    )


def other_operations(node: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Apply) and node.operation not in RELAXED and not changed_by(node):
        types = tuple(operand.type for operand in node.operands)
        for other in _similar(node.operation, types, node.type):
            yield replace(node, operation=other)


def other_atomics(node: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Apply) and changed_by(node):
        types = tuple(operand.type for operand in node.operands)
        for other in _similar(node.operation, types, node.type):
            yield replace(node, operation=other)


def dropped_operations(node: ir.Expr) -> Iterator[ir.Expr]:
    """One of the operands alone: ``a + b`` as ``a``, ``floor(x)`` as ``x``; a choice is not dropped here."""
    if not isinstance(node, ir.Apply) or changed_by(node) or node.operation in CHOICES:
        return
    for operand in dict.fromkeys(node.operands):
        if operand.type == node.type:
            yield operand


def dropped_conversions(node: ir.Expr) -> Iterator[ir.Expr]:
    """``float(int(x))`` as ``x``."""
    if isinstance(node, ir.Apply) and TABLE[node.operation].converts:
        inner = node.operands[0]
        if not isinstance(inner, ir.Apply) or not TABLE[inner.operation].converts:
            return
        if inner.operands[0].type == node.type:
            yield inner.operands[0]


def swapped_operands(node: ir.Expr) -> Iterator[ir.Expr]:
    if not isinstance(node, ir.Apply | ir.Call):
        return
    if isinstance(node, ir.Apply) and (changed_by(node) or node.operation in CHOICES):
        return
    parts = node.operands
    for i in range(len(parts) - 1):
        if parts[i] != parts[i + 1] and parts[i].type == parts[i + 1].type:
            yield replace(node, operands=(*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]))


def dropped_bounds(node: ir.Expr) -> Iterator[ir.Expr]:
    """``max(x, 0.0)`` as ``x`` and as ``0.0``, ``abs(x)`` and ``clamp(x, low, high)`` as ``x``."""
    if isinstance(node, ir.Apply) and node.operation in BOUNDING:
        yield from dropped_operations(node)


# ---- comparisons and choices


def _compared(node: ir.Expr, others: Mapping[str, str]) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Apply) and node.operation in others:
        yield replace(node, operation=others[node.operation])
    if isinstance(node, ir.Chain):
        for place, comparison in enumerate(node.comparisons):
            if comparison in others:
                comparisons = (*node.comparisons[:place], others[comparison], *node.comparisons[place + 1 :])
                yield replace(node, comparisons=comparisons)


def relaxed_comparisons(node: ir.Expr) -> Iterator[ir.Expr]:
    """``a < b`` as ``a <= b``, and back."""
    return _compared(node, RELAXED)


def turned_comparisons(node: ir.Expr) -> Iterator[ir.Expr]:
    """``a < b`` as ``a > b`` and as ``a >= b``, ``a == b`` as ``a != b``."""
    yield from _compared(node, TURNED)
    yield from _compared(node, OPPOSITE)


def swapped_choices(node: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Apply) and node.operation in CHOICES:
        condition, chosen, other = node.operands
        if chosen != other:
            yield replace(node, operands=(condition, other, chosen))


def lost_choices(node: ir.Expr) -> Iterator[ir.Expr]:
    """Always the first value of a choice."""
    if isinstance(node, ir.Apply) and node.operation in CHOICES:
        yield node.operands[1]


def other_choices(node: ir.Expr) -> Iterator[ir.Expr]:
    """Always the second value of a choice."""
    if isinstance(node, ir.Apply) and node.operation in CHOICES:
        yield node.operands[2]


# ---- literals and names


def other_literals(node: ir.Expr) -> Iterator[ir.Expr]:
    if not isinstance(node, ir.Literal):
        return
    if isinstance(node.value, bool):
        yield replace(node, value=not node.value)
    elif node.type.is_integer:
        yield replace(node, value=node.value + 1)
        if node.value > 0:
            yield replace(node, value=node.value - 1)
    else:
        yield replace(node, value=node.value + 0.25)
        if node.value:
            yield replace(node, value=-node.value)


def scaled_literals(node: ir.Expr, factor: float) -> Iterator[ir.Expr]:
    """A floating-point constant that is a little off; the product is rounded to nine digits."""
    if isinstance(node, ir.Literal) and node.type.is_float and node.value:
        yield replace(node, value=float(f"{node.value * factor:.9g}"))


def other_names(node: ir.Expr, names: Names) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Name) and not isinstance(node.type, Array):
        for other in names.get(node.type, ()):
            if other != node.name:
                yield replace(node, name=other)


def other_arrays(node: ir.Expr, names: Names) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Load) and isinstance(node.array, ir.Name):
        for other in names.get(node.array.type, ()):
            if other != node.array.name:
                yield replace(node, array=replace(node.array, name=other))


def other_members(node: ir.Expr) -> Iterator[ir.Member]:
    if not isinstance(node, ir.Member):
        return
    if isinstance(node.of.type, Struct):
        others = [member for member, type in node.of.type.members if type == node.type]
    else:
        value = node.of.type
        parts = _PARTS if isinstance(value, Value) and node.member in _PARTS else ()
        others = [part for part in parts if part_type(value, part) == node.type]
    for other in others:
        if other != node.member:
            yield replace(node, member=other)


def other_axes(node: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Shape) and isinstance(node.array.type, Array):
        for axis in range(node.array.type.ndim):
            if axis != node.axis:
                yield replace(node, axis=axis)


# ---- indices


def moved(part: ir.Expr) -> Iterator[ir.Expr]:
    """An index that is one less or one more."""
    assert isinstance(part.type, Scalar)
    if isinstance(part, ir.Literal):
        yield from other_literals(part)
        return
    one = ir.Literal(1, part.type)
    yield ir.Apply(MINUS, (part, one), part.type)
    yield ir.Apply(PLUS, (part, one), part.type)


def moved_indices(index: Sequence[ir.Expr]) -> Iterator[tuple[ir.Expr, ...]]:
    for place, part in enumerate(index):
        for other in moved(part):
            yield (*index[:place], other, *index[place + 1 :])


def turned_indices(index: Sequence[_Index]) -> Iterator[tuple[_Index, ...]]:
    for place in range(len(index) - 1):
        first, second = index[place : place + 2]
        if first != second:
            yield (*index[:place], second, first, *index[place + 2 :])


def moved_loads(node: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Load):
        for index in moved_indices(node.index):
            yield replace(node, index=index)


def turned_loads(node: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(node, ir.Load):
        for index in turned_indices(node.index):
            yield replace(node, index=index)
