"""Computes the range of values of each expression from the typed tree.

`Spans` tells the interval of an expression where the intervals of names are known: a drafter promises them
while it draws, `flow` finds them by running a program on intervals instead of numbers.
"""

from __future__ import annotations

from typing_extensions import assert_never

from ..domains import TRUTH, Interval, Trait, has
from ..operations.bounds import Condition
from ..operations.table import TABLE, result_type
from ..program import Apply, Call, Chain, Expr, Literal, Load, Member, Name, New, Shape, View
from ..types import BOOL, SCALARS, Type, Value


class Illegal(Exception):
    """A tree that breaks a rule; the message says which."""


class Spans:
    """The intervals of names, array elements, members and functions' results; and so of every expression.

    For vectors and matrices an interval holds every component. A member of a struct has a dotted name:
    ``particle.mass``. Intervals of expressions are remembered until `forget`, so a name that is in use must
    not be given another interval without it.
    """

    def __init__(self) -> None:
        self.names: dict[str, Interval] = {}
        self.arrays: dict[str, Interval] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}  # of arrays
        self.results: dict[str, Interval] = {}
        self.traits: dict[str, Trait] = {}  # of names, and of the elements of arrays
        # By the identity of nodes, which are kept alive with what is known of them.
        self._known: dict[int, tuple[Expr, Interval]] = {}

    def forget(self) -> None:
        self._known.clear()

    def of(self, node: Expr) -> Interval:
        """The interval of a number, vector or matrix.

        Raises `Illegal` where an operation in it is not defined.
        """
        match node:
            case Apply():
                known = self._known.get(id(node))
                if known is None:
                    known = self._known[id(node)] = (node, self._applied(node))
                return known[1]
            case Name():
                return self.names[node.name]
            case Literal():
                return Interval(node.value, node.value)
            case Load():
                return self.loaded(node)
            case Member():
                return self.member(node)
            case Call():
                return self.called(node)
            case Chain():
                for operand in node.operands:
                    self.of(operand)
                return TRUTH
            case Shape():
                return self.sized(node)
            case View() | New():
                raise Illegal("an array or a struct where a number is needed")
            case _:
                assert_never(node)

    def trait(self, node: Expr) -> Trait | None:
        """What is known of an expression besides its interval."""
        match node:
            case Apply():
                return TABLE[node.operation].gives(self.of, self.trait, *node.operands)
            case Name():
                return self.traits.get(node.name)
            case Load(array):
                return self.traits.get(dotted(array))
            case Literal() | Member() | Call() | Chain() | View() | Shape() | New():
                return None
            case _:
                assert_never(node)

    def loaded(self, node: Load) -> Interval:
        return self.arrays[dotted(node)]

    def member(self, node: Member) -> Interval:
        if isinstance(node.of.type, Value):  # a part of a vector: what holds for all components
            return self.of(node.of)
        return self.names[dotted(node)]

    def called(self, node: Call) -> Interval:
        return self.results[node.function]

    def sized(self, node: Shape) -> Interval:
        shape = self.shapes.get(dotted(node.array))
        if shape is None:
            raise Illegal("a shape that is not known")
        return Interval(shape[node.axis], shape[node.axis])

    def apply(self, name: str, *operands: Expr, type: Type | None = None) -> Apply:
        """Apply an operation; `type` is needed only where operands do not decide the result.

        Raises `Illegal` where the operand types do not fit, where the operation is not defined for the
        operands' intervals, and where the result could leave the limits of its type.
        """
        result = result_type(name, tuple(operand.type for operand in operands), type)
        if result is None:
            raise Illegal(f"{name} does not take operands of these types")
        node = Apply(name, operands, result)
        self.of(node)
        return node

    def _applied(self, node: Apply) -> Interval:
        row = TABLE[node.operation]
        if not self.holds(row.requires, node.operands):
            raise Illegal(f"{node.operation} is not defined for operands of these ranges")
        for operand, needed in zip(node.operands, row.needs, strict=False):
            if not has(self.trait(operand), needed):
                raise Illegal(f"{node.operation} needs an operand that is {needed}")
        if node.type == BOOL:
            return TRUTH
        try:
            span = row.bound(self.of, *node.operands)
        except (ArithmeticError, ValueError) as beyond:  # at the very end of where it is defined
            raise Illegal(f"{node.operation} is not bounded for operands of these ranges") from beyond
        if node.type.is_integer:
            span = Interval(int(span.lo), int(span.hi))
        return span if row.unlimited else self.limited(span, node.type, node.operation)

    def holds(self, condition: Condition, operands: tuple[Expr, ...]) -> bool:
        return condition(self.of, *operands)

    def limited(self, span: Interval, type: Type, what: str) -> Interval:
        """What is left of a result in the limits of its type. Raises `Illegal` where it may leave them."""
        if isinstance(type, Value) and not span.within(SCALARS[type.scalar].limits):
            raise Illegal(f"{what} may leave the limits of {type.scalar}")
        return span


def dotted(place: Expr) -> str:
    """What a place is known by: all elements of an array by one name, members by dotted ones."""
    match place:
        case Name(name):
            return name
        case Load(array) | View(array):
            return dotted(array)
        case Member(of, member):
            return f"{dotted(of)}.{member}"
        case Literal() | Apply() | Chain() | Shape() | New() | Call():
            raise Illegal("a member of something that has no name")
        case _:
            assert_never(place)
