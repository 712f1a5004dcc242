"""Computes the interval of values of each expression, from the intervals of the names in it.

The generator states the intervals of names while it builds a program; `interval_analysis` finds them by
running a finished program on intervals instead of numbers.
"""

from __future__ import annotations

from typing_extensions import assert_never

from .. import ir
from ..domains import TRUTH, Interval, Trait, has
from ..operations.bounds import Condition
from ..operations.table import TABLE, result_type
from ..types import BOOL, SCALARS, Type, Value


class Illegal(Exception):
    """A tree that breaks a rule; the message says which."""


class ExpressionIntervals:
    """Intervals of names, array elements, members and results of functions, and so of every expression.

    The interval of a vector or matrix contains every component. A member of a struct has a dotted name:
    ``particle.mass``. Intervals of expressions are cached until `forget`: call it after changing the interval
    of a name.
    """

    def __init__(self) -> None:
        self.names: dict[str, Interval] = {}
        self.arrays: dict[str, Interval] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}  # of arrays
        self.results: dict[str, Interval] = {}
        self.traits: dict[str, Trait] = {}  # of names, and of the elements of arrays
        # By the identity of nodes; the tuple keeps each node alive.
        self._known: dict[int, tuple[ir.Expr, Interval]] = {}

    def forget(self) -> None:
        self._known.clear()

    def of(self, node: ir.Expr) -> Interval:
        """The interval of a number, vector or matrix.

        Raises `Illegal` if an operation in it is not defined.
        """
        match node:
            case ir.Apply():
                known = self._known.get(id(node))
                if known is None:
                    known = self._known[id(node)] = (node, self._applied(node))
                return known[1]
            case ir.Name():
                return self.names[node.name]
            case ir.Literal():
                return Interval(node.value, node.value)
            case ir.Load():
                return self.loaded(node)
            case ir.Member():
                return self.member(node)
            case ir.Call():
                return self.called(node)
            case ir.Chain():
                for operand in node.operands:
                    self.of(operand)
                return TRUTH
            case ir.Shape():
                return self.sized(node)
            case ir.View() | ir.New():
                raise Illegal("an array or a struct where a number is needed")
            case _:
                assert_never(node)

    def trait(self, node: ir.Expr) -> Trait | None:
        """The trait of an expression, if it has one."""
        match node:
            case ir.Apply():
                return TABLE[node.operation].gives(self.of, self.trait, *node.operands)
            case ir.Name():
                return self.traits.get(node.name)
            case ir.Load(array):
                return self.traits.get(dotted(array))
            case ir.Literal() | ir.Member() | ir.Call() | ir.Chain() | ir.View() | ir.Shape() | ir.New():
                return None
            case _:
                assert_never(node)

    def loaded(self, node: ir.Load) -> Interval:
        return self.arrays[dotted(node)]

    def member(self, node: ir.Member) -> Interval:
        if isinstance(node.of.type, Value):  # a part of a vector: the interval of all components
            return self.of(node.of)
        return self.names[dotted(node)]

    def called(self, node: ir.Call) -> Interval:
        return self.results[node.function]

    def sized(self, node: ir.Shape) -> Interval:
        shape = self.shapes.get(dotted(node.array))
        if shape is None:
            raise Illegal("a shape that is not known")
        return Interval(shape[node.axis], shape[node.axis])

    def apply(self, name: str, *operands: ir.Expr, type: Type | None = None) -> ir.Apply:
        """Apply an operation; `type` is needed only if operands do not determine the result.

        Raises `Illegal` if the operand types do not fit, if the operation is not defined for the operands'
        intervals, or if the result could leave the limits of its type.
        """
        result = result_type(name, tuple(operand.type for operand in operands), type)
        if result is None:
            raise Illegal(f"{name} does not take operands of these types")
        node = ir.Apply(name, operands, result)
        self.of(node)
        return node

    def _applied(self, node: ir.Apply) -> Interval:
        row = TABLE[node.operation]
        if not self.holds(row.requires, node.operands):
            raise Illegal(f"{node.operation} is not defined for operands of these ranges")
        for operand, needed in zip(node.operands, row.needs, strict=False):
            if not has(self.trait(operand), needed):
                raise Illegal(f"{node.operation} needs an operand that is {needed}")
        if node.type == BOOL:
            return TRUTH
        try:
            interval = row.bound(self.of, *node.operands)
        except (ArithmeticError, ValueError) as beyond:  # at the very end of its domain
            raise Illegal(f"{node.operation} is not bounded for operands of these ranges") from beyond
        if node.type.is_integer:
            interval = Interval(int(interval.lo), int(interval.hi))
        return interval if row.unlimited else self.limited(interval, node.type, node.operation)

    def holds(self, condition: Condition, operands: tuple[ir.Expr, ...]) -> bool:
        return condition(self.of, *operands)

    def limited(self, interval: Interval, type: Type, what: str) -> Interval:
        """The interval of a result within the limits of its type. Raises `Illegal` if it may leave them."""
        if isinstance(type, Value) and not interval.within(SCALARS[type.scalar].limits):
            raise Illegal(f"{what} may leave the limits of {type.scalar}")
        return interval


def dotted(place: ir.Expr) -> str:
    """The key of a place: one name for all elements of an array, dotted names for members."""
    match place:
        case ir.Name(name):
            return name
        case ir.Load(array) | ir.View(array):
            return dotted(array)
        case ir.Member(of, member):
            return f"{dotted(of)}.{member}"
        case ir.Literal() | ir.Apply() | ir.Chain() | ir.Shape() | ir.New() | ir.Call():
            raise Illegal("a member of something that has no name")
        case _:
            assert_never(place)
