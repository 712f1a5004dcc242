"""Builds expressions: ``b.add(x, b.mul(2.0, y))``, each checked as it is made.

Plain numbers become literals of the type of the other operand. Methods that apply an operation raise
`Illegal`, as `ExpressionIntervals.apply` does.
"""

from __future__ import annotations

from ...common.rng import Rng
from ...language import ir
from ...language.analysis.intervals import ExpressionIntervals
from ...language.domains import Interval
from ...language.types import BOOL, Type

Term = ir.Expr | float | int


def literal(value: float | int, like: ir.Expr) -> ir.Literal:
    """A literal of another value's scalar type."""
    scalar = like.type.element
    return ir.Literal(int(value) if scalar.is_integer else float(value), scalar)


def _pair(a: Term, b: Term) -> tuple[ir.Expr, ir.Expr]:
    if isinstance(a, (int, float)):
        if isinstance(b, (int, float)):
            raise TypeError("one of the operands must be an expression")
        return literal(a, b), b
    return a, literal(b, a) if isinstance(b, (int, float)) else b


class Terms:
    """Builds expressions. `spans` holds the intervals of the names in them; steps take random numbers of
    `rng`."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.spans = ExpressionIntervals()

    def named(self, name: str, type: Type, span: Interval) -> ir.Name:
        """A name, with the promise that its values lie in an interval."""
        self.spans.names[name] = span
        return ir.Name(name, type)

    def span(self, node: ir.Expr) -> Interval:
        """An interval that holds every value of an expression."""
        return self.spans.of(node)

    def apply(self, name: str, *operands: ir.Expr, type: Type | None = None) -> ir.Apply:
        return self.spans.apply(name, *operands, type=type)

    def add(self, a: Term, b: Term) -> ir.Apply:
        return self.apply("add", *_pair(a, b))

    def sub(self, a: Term, b: Term) -> ir.Apply:
        return self.apply("sub", *_pair(a, b))

    def mul(self, a: Term, b: Term) -> ir.Apply:
        return self.apply("mul", *_pair(a, b))

    def div(self, a: Term, b: Term) -> ir.Apply:
        return self.apply("div", *_pair(a, b))

    def larger(self, a: Term, b: Term) -> ir.Apply:
        """The larger of two."""
        return self.apply("max", *_pair(a, b))

    def compare(self, name: str, a: Term, b: Term) -> ir.Apply:
        """``lt``, ``le``, ``gt``, ``ge``, ``eq`` or ``ne``."""
        return self.apply(name, *_pair(a, b), type=BOOL)

    def as_float(self, value: ir.Expr, type: Type) -> ir.Expr:
        """An integer as the float of a type: the type, or that of its elements."""
        return self.apply("to_float", value, type=type.element)


def element_of(array: ir.Argument, index: tuple[ir.Expr, ...]) -> ir.Load:
    """An element of an array argument."""
    return ir.Load(array.reference, index, array.type)


def atomic(operation: str, array: ir.Argument, index: tuple[ir.Expr, ...], value: ir.Expr) -> ir.Do:
    """An atomic ``add``, ``sub``, ``min`` or ``max`` on an element; its old value is unused."""
    return ir.Do(ir.Apply(f"atomic_{operation}", (array.reference, *index, value), array.type))
