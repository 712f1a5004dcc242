"""Canonical values of operations: different ways to write the same computation get one form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import assert_never

from .. import program as p
from ..operations.forms import (
    ANY,
    AS_FLOAT,
    BUILT,
    COPIES,
    FILLED,
    MEMBERS,
    NEGATIVE,
    PARTS,
    RELATIONS,
    SCALED,
    ZERO,
)
from ..operations.laws import BOTH, CHOICES, COMMUTATIVE, MINUS, NOT, PLUS, POWERS, TIMES
from ..types import SCALARS, Scalar, Type
from .held import Held, Record, Reference
from .parts import Parts


class Applied(Parts):
    def applied(self, node: p.Apply, operands: list[Any]) -> Any:
        """What an operation gives for values."""
        return OPERATIONS.get(node.operation, Applied.plainly)(self, node, operands)

    def plainly(self, node: p.Apply, operands: Sequence[Held]) -> int:
        flat = [part for operand in operands for part in self.flat(operand)]
        commutes = node.operation in COMMUTATIVE and len(flat) == 2
        return self.graph.apply(f"{node.operation} {self.word(node.type)}", *flat, commutes=commutes)

    def _sum(self, node: p.Apply, operands: list[int]) -> int:
        if not _is_whole(node.type):
            return self.plainly(node, operands)
        one, other = operands
        return self.graph.added(node.type.scalar, one, other, 1 if node.operation == PLUS else -1)

    def _product(self, node: p.Apply, operands: list[int]) -> int:
        whole = _is_whole(node.type) and all(_is_whole(operand.type) for operand in node.operands)
        return self.graph.product(node.type.scalar, *operands) if whole else self.plainly(node, operands)

    def _power(self, node: p.Apply, operands: list[int]) -> int:
        return self.graph.apply(f"power {self.word(node.type)}", *operands)

    def _negative(self, node: p.Apply, operands: list[int]) -> int:
        graph = self.graph
        if _is_whole(node.type):
            return graph.added(node.type.scalar, graph.literal(node.type.scalar, 0), operands[0], -1)
        it = graph.nodes[operands[0]]
        if it.kind == "literal":
            return graph.literal(node.type.scalar, -float(it.text))
        return self.plainly(node, operands)

    def _comparison(self, node: p.Apply, operands: list[int]) -> int:
        return self.compared(node.operation, [operand.type for operand in node.operands], operands)

    def compared(self, operation: str, types: Sequence[Type], operands: Sequence[int]) -> int:
        """A comparison, by one that asks whether the left side is less than the right one.

        Of floats ``a <= b`` is not the opposite of ``b < a``: there is NaN.
        """
        graph, type = self.graph, next((each for each in types if each.is_float), types[0])
        if type.is_float:
            pairs = zip(types, operands, strict=True)
            operands = [self._as_float(type, part) if _is_whole(of) else part for of, part in pairs]
        relation, turned = RELATIONS[operation]
        one, other = operands[::-1] if turned else operands
        match relation:
            case "equal" | "apart":
                if _is_whole(type) and type == types[1]:
                    equal = graph.zero(type.scalar, graph.added(type.scalar, one, other, -1))
                else:
                    equal = graph.apply("equal", one, other, commutes=True)
                return equal if relation == "equal" else graph.opposite(equal)
            case "up to" if type.is_float:
                return graph.apply("up to", one, other)
            case "up to":
                return graph.opposite(self._less(types, other, one))
            case "below":
                return self._less(types, one, other)
            case _:
                assert_never(relation)

    def _less(self, types: Sequence[Type], one: int, other: int) -> int:
        type = types[0]
        if type == types[1] and SCALARS[type.scalar].kind == "signed":
            return self.graph.positive(type.scalar, self.graph.added(type.scalar, other, one, -1))
        return self.graph.apply("below", one, other)

    def truth(self, held: Held) -> int:
        """A condition: an array as one asks whether there is any."""
        if isinstance(held, Reference):
            return self.graph.apply("is there", held.node, *held.index)
        assert isinstance(held, int)
        return held

    def _all(self, node: p.Apply, operands: list[Held]) -> int:
        return self.graph.both(*map(self.truth, operands))

    def _any(self, node: p.Apply, operands: list[Held]) -> int:
        return self.graph.either(*map(self.truth, operands))

    def _opposite(self, node: p.Apply, operands: list[Held]) -> int:
        return self.graph.opposite(self.truth(operands[0]))

    def _choice(self, node: p.Apply, operands: list[Held]) -> Held:
        condition, one, other = operands
        return self.chosen(self.truth(condition), one, other)

    def chosen(self, condition: int, one: Held, other: Held) -> Held:
        if one == other:
            return one
        if isinstance(one, Record) and isinstance(other, Record):
            pairs = zip(one.members, other.members, strict=True)
            return Record(tuple(self.chosen(condition, *pair) for pair in pairs))
        if isinstance(one, Reference) and isinstance(other, Reference):
            nodes = (self.graph.apply("view", a.node, *a.index) for a in (one, other))
            memories = tuple(sorted({*one.memories, *other.memories}))
            return Reference(memories, self.graph.chosen(condition, *nodes))
        assert isinstance(one, int) and isinstance(other, int)
        return self.graph.chosen(condition, one, other)

    def _part(self, node: p.Apply, operands: list[int]) -> int:
        return self.part(operands[0], node.operands[0].type, tuple(operands[1:]))

    def _build(self, node: p.Apply, operands: list[int]) -> int:
        if not operands:
            zero = self.zero(node.type)
            assert isinstance(zero, int)
            return zero
        return self.built(node.type, tuple(operands))

    def _copied(self, node: p.Apply, operands: list[Any]) -> Any:
        return operands[0] if node.operands[0].type == node.type else self.plainly(node, operands)

    def _member(self, node: p.Apply, operands: list[int]) -> int:
        return self.graph.apply(f".{MEMBERS[node.operation]}", *operands)

    def _scaled(self, node: p.Apply, operands: list[int]) -> int:
        """A vector or matrix times a number, whichever stands first."""
        number = SCALED[node.operation]
        given = operands[1 - number], operands[number]
        return self.graph.apply(f"scale {self.word(node.type)}", *given)

    def _converted(self, node: p.Apply, operands: list[int]) -> int:
        whole = _is_whole(node.operands[0].type)
        return self._as_float(node.type, operands[0]) if whole else self.plainly(node, operands)

    def _as_float(self, type: Type, operand: int) -> int:
        """A whole number as a float: written so, or by C++ where it stands beside one."""
        word, value = self.word(type), self.graph.whole(operand)
        if value is not None:
            return self.graph.literal(type.scalar, float(value))
        return self.graph.apply(f"{AS_FLOAT} {word}", operand)


def _is_whole(type: Type) -> bool:
    return isinstance(type, Scalar) and type.is_integer


OPERATIONS: dict[str, Callable[[Applied, p.Apply, list[Any]], Any]] = {
    **dict.fromkeys((PLUS, MINUS), Applied._sum),
    TIMES: Applied._product,
    **dict.fromkeys(POWERS, Applied._power),
    NEGATIVE: Applied._negative,
    **dict.fromkeys(RELATIONS, Applied._comparison),
    BOTH: Applied._all,
    ANY: Applied._any,
    NOT: Applied._opposite,
    **dict.fromkeys(CHOICES, Applied._choice),
    **dict.fromkeys(PARTS, Applied._part),
    **dict.fromkeys((*BUILT, *FILLED, *ZERO), Applied._build),
    **dict.fromkeys(COPIES, Applied._copied),
    **dict.fromkeys(MEMBERS, Applied._member),
    **dict.fromkeys(SCALED, Applied._scaled),
    AS_FLOAT: Applied._converted,
}
