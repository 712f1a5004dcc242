"""Writes expressions and places as formulas, and records the notes that they need."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from typing_extensions import assert_never

from ... import ir
from ...operations.row import Operation
from ...operations.spelling import Function
from ...operations.table import TABLE
from ...operations.traits import MAGNITUDES
from ...rewrite import as_read
from ...types import BOOL, FLOAT, INT, UNSIGNED_INTEGERS, Array, Matrix, Scalar, Transform, Type, float_text
from .builders import BUILDERS, FUNCTIONS, notes_of
from .kinds import kind
from .parts import ATOM, COMPARE, MINUS, MODULO, SUM, Part, filled

_CALL = re.compile(r"(\w+)\(")
# Operations on unsigned numbers that may leave their range.
_WRAPPING = frozenset(["+", "-", "*", "<<", "~"])


class Formulas:
    """Writes formulas of one program. `real` is the type of numbers that goes without saying, `used` are the
    keys of notes that a reader needs, `builtins` the functions that go by Warp's own names, `functions` all
    those that formulas call."""

    def __init__(self, real: Scalar = FLOAT) -> None:
        self.real = real
        self.used: set[str] = set()
        self.builtins: set[str] = set()
        self.functions: set[str] = set()

    def kind(self, type: Type) -> str:
        return kind(type, self.real)

    def text(self, node: ir.Expr) -> str:
        """A formula that stands alone."""
        return self.part(node).text

    def inner(self, node: ir.Expr) -> str:
        """A formula among words: a choice stands in brackets."""
        return format(self.part(node))

    def given(self, node: ir.Expr) -> str:
        """A formula behind ``=``: a comparison with that sign stands in brackets."""
        part = self.part(node)
        return part.within(ATOM) if node.type == BOOL and " = " in part.text else part.text

    def bound(self, node: ir.Expr) -> str:
        """A formula that words add up or multiply: a sum stands in brackets, so that nobody takes its first
        term for all of it."""
        part = self.part(node)
        return f"({part.text})" if part.strength <= SUM else part.text

    def condition(self, node: ir.Expr) -> str:
        return format(self.truth(node))

    def truth(self, node: ir.Expr) -> Part:
        """A condition. An array is one where a launch may leave it out."""
        part = self.part(node)
        if not isinstance(node.type, Array):
            return part
        self.used.add("given")
        return Part(f"{part.within(ATOM)} is given", COMPARE)

    def place(self, place: ir.Place) -> str:
        return self.text(as_read(place))

    def part(self, node: ir.Expr) -> Part:
        match node:
            case ir.Literal():
                return literal(node)
            case ir.Name(name):
                return Part(name)
            case ir.Apply():
                return self.applied(node)
            case ir.Chain(comparisons, operands):
                return self.chained(comparisons, operands)
            case ir.Load(ir.View(array, first), index) if not any(
                isinstance(part, ir.Slice) for part in first
            ):
                # mypy does not see that the guard leaves no slices.
                return self.part(ir.Load(array, (*first, *index), node.type))  # type: ignore[arg-type]
            case ir.Load(array, (index,)):
                return Part(f"{self.part(array).within(ATOM)}[{self.text(index)}]")
            case ir.Load(array, index):
                return Part(f"{self.part(array).within(ATOM)}[{', '.join(map(self.inner, index))}]")
            case ir.View(array, index):
                return self.view(array, index)
            case ir.Shape(array, axis):
                self.used.add("shape")
                return Part(f"{self.part(array).within(ATOM)}.shape[{axis}]")
            case ir.Member(of, member):
                if isinstance(of.type, Transform):
                    self.used.add("transform")
                return Part(f"{self.part(of).within(ATOM)}.{member}")
            case ir.New(type, operands):
                if not operands:
                    self.used.add("empty")
                names = (name for name, _ in type.members)
                pairs = zip(names, operands, strict=False)
                return Part(f"{type.name}({', '.join(f'{name} = {self.inner(o)}' for name, o in pairs)})")
            case ir.Call(function, operands):
                return Part(f"{function}({', '.join(map(self.inner, operands))})")
            case _:
                assert_never(node)

    def applied(self, node: ir.Apply) -> Part:
        row = TABLE[node.operation]
        if (simpler := simplified(node)) is not node:
            return self.part(simpler)
        write = self.truth if row.group in ("logic", "choice") else self.part
        parts = [write(operand) for operand in node.operands]
        if grows(node):
            self.used.add("float" if node.type.is_float else "narrow")
            name = "float" if node.type.is_float else node.type.scalar
            parts = [
                Part(f"{name}({p})") if _converted(o) else p
                for o, p in zip(node.operands, parts, strict=True)
            ]
        part = self.written(row, parts, node)
        shaped = node.type.shape != () or any(operand.type.shape for operand in node.operands)
        self.used |= {note for note in row.notes.split() if shaped or not note.endswith("*")}
        if row.converts and node.operands and part.text not in (parts[0].text, f"{parts[0].text} ≠ 0"):
            self.used |= notes_of(node)
        if node.type.scalar in UNSIGNED_INTEGERS and set(getattr(row.spelling, "symbol", "")) & _WRAPPING:
            self.used.add("wrap")
        if isinstance(node.type, Matrix) and part.text.startswith("(("):
            self.used.add("rows")
        self.note_of_ratio(node)
        return part

    def written(self, row: Operation, operands: Sequence[Part], node: ir.Apply) -> Part:
        """The formula of an operation, which a builder writes, its own template, or Warp's name."""
        if builder := BUILDERS.get(row.formula):
            part = builder(operands, node)
            self.functions |= FUNCTIONS & {part.text.partition("(")[0]}
            return part
        template = row.formula
        if not template:
            name = row.spelling.name if isinstance(row.spelling, Function) else row.name
            self.builtins.add(name)
            template = f"{name}({{}})"
        self.functions |= set(_CALL.findall(template))
        return filled(template, row.strength, operands)

    def note_of_ratio(self, node: ir.Apply) -> None:
        """A division of integers that were made real numbers, which no conversion shows any more."""
        symbol = getattr(TABLE[node.operation].spelling, "symbol", "")
        converted = any(isinstance(operand, ir.Apply) for operand in node.operands)
        if symbol == "/" and node.type.is_float and converted and all(map(_from_integer, node.operands)):
            self.used.add("real")

    def chained(self, comparisons: Sequence[str], operands: Sequence[ir.Expr]) -> Part:
        text = self.part(operands[0]).within(MODULO)
        for comparison, operand in zip(comparisons, operands[1:], strict=True):
            symbol = TABLE[comparison].formula.format(Part(""), Part("")).strip()
            text += f" {symbol} {self.part(operand).within(MODULO)}"
        return Part(text, COMPARE)

    def view(self, array: ir.Expr, index: Sequence[ir.Expr | ir.Slice]) -> Part:
        self.used.add("slice")
        assert isinstance(array.type, Array)
        texts = [self.sliced(part) if isinstance(part, ir.Slice) else self.inner(part) for part in index]
        texts += [":"] * (array.type.ndim - len(texts))
        return Part(f"{self.part(array).within(ATOM)}[{', '.join(texts)}]")

    def sliced(self, part: ir.Slice) -> str:
        bounds = [self.inner(bound) if bound is not None else "" for bound in (part.start, part.stop)]
        step = f":{self.inner(part.step)}" if part.step is not None else ""
        return ":".join(bounds) + step


def grows(node: ir.Apply) -> bool:
    """Whether whole numbers are made wider before they are multiplied: narrow ones could overflow."""
    symbol = getattr(TABLE[node.operation].spelling, "symbol", "")
    if symbol not in ("*", "<<") or node.type.shape or not any(map(_converted, node.operands)):
        return False
    alone = (ir.Literal,) if node.type.is_integer else ()
    return all(_converted(operand) or isinstance(operand, alone) for operand in node.operands)


def _converted(node: ir.Expr) -> bool:
    """Whether a signed whole number is converted, which goes without saying elsewhere."""
    if (
        not isinstance(node, ir.Apply)
        or not TABLE[node.operation].converts
        or node.type.scalar in UNSIGNED_INTEGERS
    ):
        return False
    before = node.operands[0].type
    return before != node.type and before.is_integer and before.scalar not in UNSIGNED_INTEGERS


def _from_integer(node: ir.Expr) -> bool:
    """Whether a number is a whole one that was converted, a literal beside such a one, or made of these."""
    if isinstance(node, ir.Literal):
        return float(node.value).is_integer()
    if not isinstance(node, ir.Apply):
        return False
    if TABLE[node.operation].converts:
        before = node.operands[0].type
        return before.is_integer and before.scalar not in UNSIGNED_INTEGERS
    symbol = getattr(TABLE[node.operation].spelling, "symbol", "")
    return symbol in ("+", "-", "*") and all(map(_from_integer, node.operands))


def simplified(node: ir.Apply) -> ir.Expr:
    """What is shorter and the same: ``x`` of ``x * 1`` and ``x / 1``, a number of two whole literals, a
    magnitude that is taken once."""
    if node.operation in MAGNITUDES and _is_magnitude(node.operands[0]):
        return node.operands[0]
    if len(node.operands) != 2:
        return node
    first, second = node.operands
    symbol = getattr(TABLE[node.operation].spelling, "symbol", "")
    if isinstance(first, ir.Literal) and isinstance(second, ir.Literal) and first.type == INT:
        result = {"+": first.value + second.value, "-": first.value - second.value}.get(symbol)
        return node if result is None else ir.Literal(result, INT)
    if symbol in ("*", "/") and _is_one(second) and first.type == node.type:
        return node if symbol == "/" and not node.type.is_float else first
    return second if symbol == "*" and _is_one(first) and second.type == node.type else node


def _is_magnitude(node: ir.Expr) -> bool:
    return isinstance(node, ir.Apply) and node.operation in MAGNITUDES


def _is_one(node: ir.Expr) -> bool:
    return isinstance(node, ir.Literal) and not isinstance(node.value, bool) and node.value == 1


def literal(node: ir.Literal) -> Part:
    if isinstance(node.value, bool):
        return Part("true" if node.value else "false")
    return number(node.value)


def number(value: float) -> Part:
    """``2`` of 2.0, ``1e-6``, ``-0.5``."""
    if not math.isfinite(value):
        return Part("NaN" if math.isnan(value) else "infinity" if value > 0 else "-infinity")
    text = float_text(value).removesuffix(".0")
    return Part(text, MINUS if text.startswith("-") else ATOM)
