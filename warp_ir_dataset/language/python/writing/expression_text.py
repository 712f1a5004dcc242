"""Writes expressions and places as Python, with the necessary brackets and the usual ones around bit
operations."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from typing_extensions import assert_never

from ... import ir
from ...operations.spelling import (
    COMPARE,
    MASKING,
    MISREAD,
    NOT,
    PREFIX,
    SIGN,
    SUM,
    Conditional,
    Constant,
    Function,
    Infix,
    Prefix,
    Subscript,
)
from ...operations.table import TABLE
from ...types import FLOAT, SCALARS, Scalar, Type, float_text
from .typenames import PLAIN, type_name

ATOM = 100  # binds tighter than any operator
TERNARY = 0  # binds looser than any operator
LEAST_MASK = 255  # masks from here on are written in hexadecimal


def expression(node: ir.Expr | ir.Place, style: ir.Style = PLAIN) -> str:
    return ExpressionWriter(style).expression(node)


class ExpressionWriter:
    """Writes expressions in one style. `static` are names of constants that are written
    ``wp.static(NAME)``; `like`, in a generic function, is the parameter whose type literals take."""

    def __init__(
        self, style: ir.Style = PLAIN, static: Collection[str] = (), like: ir.Name | None = None
    ) -> None:
        self.style = style
        self.static = static
        self.like = like

    def expression(self, node: ir.Expr | ir.Place) -> str:
        return self.with_precedence(node)[0]

    def listed(self, nodes: Sequence[ir.Expr | ir.Slice]) -> str:
        return ", ".join(self.part(node) for node in nodes)

    def part(self, node: ir.Expr | ir.Slice) -> str:
        """An index, or the slice that stands in place of one."""
        if not isinstance(node, ir.Slice):
            return self.expression(node)
        start, stop, step = (
            "" if bound is None else self.expression(bound) for bound in (node.start, node.stop, node.step)
        )
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"

    def with_precedence(self, node: ir.Expr | ir.Place) -> tuple[str, int]:
        """The text and its precedence."""
        match node:
            case ir.Literal():
                return self.literal(node)
            case ir.Name(name):
                return (f"wp.static({name})" if name in self.static else name), ATOM
            case ir.Load(base, index) | ir.View(base, index) | ir.Component(base, index):
                return f"{self.bracketed(base, ATOM)}[{self.listed(index)}]", ATOM
            case ir.Shape(array, axis):
                return f"{self.bracketed(array, ATOM)}.shape[{axis}]", ATOM
            case ir.Member(of, member):
                return f"{self.bracketed(of, ATOM)}.{member}", ATOM
            case ir.New(struct, operands):
                return f"{struct.name}({self.listed(operands)})", ATOM
            case ir.Call(function, operands):
                return f"{function}({self.listed(operands)})", ATOM
            case ir.Chain(comparisons, operands):
                first, *rest = (self.bracketed(operand, SUM) for operand in operands)
                links = (f" {_symbol(c)} {text}" for c, text in zip(comparisons, rest, strict=True))
                return first + "".join(links), COMPARE
            case ir.Apply():
                return self.apply(node)
            case _:
                assert_never(node)

    def literal(self, node: ir.Literal, text: str = "") -> tuple[str, int]:
        text = text or _number(node.value)
        if self.like is not None and node.type == self.like.type:
            return f"type({self.like.name})({text})", ATOM
        if SCALARS[node.type.scalar].python is None:
            return f"wp.{node.type.scalar}({text})", ATOM
        return text, (SIGN if text.startswith("-") else ATOM)

    def apply(self, node: ir.Apply) -> tuple[str, int]:
        syntax = TABLE[node.operation].spelling
        match syntax:
            case Infix(symbol, precedence):
                left, right = node.operands
                if syntax.right:
                    # Groups from the right, and a sign on the right needs no brackets: ``a ** -b``.
                    texts = self.bracketed(left, precedence + 1), self.bracketed(right, SIGN)
                    return f"{texts[0]} {symbol} {texts[1]}", precedence
                if symbol in MISREAD:
                    texts = self.bit_operand(left, symbol, leads=True), self.bit_operand(right, symbol)
                elif precedence == COMPARE:  # does not group at all
                    texts = self.bracketed(left, SUM), self.bracketed(right, SUM)
                else:  # groups from the left: equal precedence on the right needs brackets
                    texts = self.bracketed(left, precedence), self.bracketed(right, precedence + 1)
                return f"{texts[0]} {symbol} {texts[1]}", precedence
            case Prefix(symbol, precedence):
                return symbol + self.bracketed(node.operands[0], precedence + (precedence != NOT)), precedence
            case Function(name, named):
                type_arguments = [text for key in named if (text := self.type_arguments(key, node.type))]
                inside = ", ".join([*map(self.expression, node.operands), *type_arguments])
                return f"{name or type_name(node.type, self.style)}({inside})", ATOM
            case Constant(name):
                # Bare, it is a float32; the same program in double precision converts it.
                return (name if node.type == FLOAT else f"{type_name(node.type, self.style)}({name})"), ATOM
            case Subscript():
                base, *index = node.operands
                return f"{self.bracketed(base, ATOM)}[{self.listed(index)}]", ATOM
            case Conditional():
                condition, then, orelse = (self.bracketed(operand, TERNARY + 1) for operand in node.operands)
                return f"{then} if {condition} else {orelse}", TERNARY
            case _:
                assert_never(syntax)

    def type_arguments(self, key: str, type: Type) -> str:
        """An argument that states the result's type; empty for the default."""
        if key == "n":
            return f"n={type.shape[0]}"
        if key == "dtype?" and type.element == FLOAT:
            return ""
        return f"dtype={type_name(type.element, self.style)}"

    def bracketed(self, node: ir.Expr | ir.Place, least: int) -> str:
        text, precedence = self.with_precedence(node)
        return text if precedence >= least else f"({text})"

    def bit_operand(self, node: ir.Expr, symbol: str, *, leads: bool = False) -> str:
        """An operand of a bit operation; if it `leads`, the same operation needs no brackets."""
        if isinstance(node, ir.Literal) and symbol in MASKING and node.value >= LEAST_MASK:
            return self.literal(node, f"0x{int(node.value):X}")[0]
        text, precedence = self.with_precedence(node)
        return text if precedence >= SIGN or (leads and _operator(node) == symbol) else f"({text})"

    def dynamic(self, value: ir.Expr) -> str:
        """The first value of a variable. A compile-time value is written as a conversion: otherwise Warp
        keeps it constant, and refuses to change it in a loop."""
        text = self.expression(value)
        if isinstance(value, ir.Literal) and self.like is not None and value.type == self.like.type:
            return text
        known = is_known(value) or (isinstance(value, ir.Name) and value.name in self.static)
        if known and isinstance(value.type, Scalar) and SCALARS[value.type.scalar].python:
            return f"{type_name(value.type, self.style)}({text})"
        return text


def scalar_of(function: ir.Function) -> ir.Name | None:
    """The parameter of a generic function whose type its literals take."""
    return next((n for n in function.parameters if isinstance(n.type, Scalar) and n.type.is_float), None)


def is_known(value: ir.Expr) -> bool:
    """Whether Warp treats a whole value as a compile-time constant; a plain name is copied."""
    match value:
        case ir.Literal():
            return True
        case ir.Name(name):
            return "." in name  # a member of an enumeration, as Mode.FAST
        case ir.Apply(operation, (operand,)) if TABLE[operation].spelling == PREFIX["-"]:
            return is_known(operand)
        case ir.Apply(_, operands):
            return not operands and not value.type.shape
        case ir.Chain() | ir.Load() | ir.View() | ir.Shape() | ir.Member() | ir.New() | ir.Call():
            return False
        case _:
            assert_never(value)


def _number(value: bool | int | float) -> str:
    if not isinstance(value, float):
        return repr(value)
    if not math.isfinite(value):
        return "wp.nan" if math.isnan(value) else "wp.inf" if value > 0 else "-wp.inf"
    return float_text(value)


def _operator(node: ir.Expr) -> str | None:
    syntax = TABLE[node.operation].spelling if isinstance(node, ir.Apply) else None
    return syntax.symbol if isinstance(syntax, Infix) else None


def _symbol(comparison: str) -> str:
    syntax = TABLE[comparison].spelling
    if not isinstance(syntax, Infix):
        raise ValueError(f"{comparison} is no comparison")
    return syntax.symbol
