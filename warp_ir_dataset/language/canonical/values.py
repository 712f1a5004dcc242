"""Turns the expressions of a program into values of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from typing_extensions import assert_never

from .. import program as p
from ..types import Array, Handle, Matrix, Quaternion, Scalar, Several, Struct, Tile, Transform, Type, Vector
from .applied import Applied
from .held import Held, Record, Reference, State
from .types import member_numbers


class Values(Applied):
    """Evaluates expressions in a state. Calls are left to the class that runs statements."""

    def value(self, node: p.Expr | p.Place, state: State) -> Any:
        return EVALUATED[node.__class__](self, node, state)

    def nodes(self, expressions: Sequence[p.Expr], state: State) -> tuple[int, ...]:
        """Numbers; of an array what names it, and the indices that lead to it."""
        found: list[int] = []
        for expression in expressions:
            found += self.flat(self.value(expression, state))
        return tuple(found)

    def call(self, node: p.Call, state: State) -> Any:
        raise NotImplementedError

    # ---- what is no operation

    def literal(self, node: p.Literal, state: State) -> int:
        self.word(node.type)
        value = float(node.value) if node.type.is_float else node.value
        if node.type.is_integer:
            value = int(value)
        return self.graph.literal(node.type.scalar, value)

    def name(self, node: p.Name, state: State) -> Held:
        found = state.locals.get(node.name)
        return self.graph.leaf("undefined") if found is None else found

    def chain(self, node: p.Chain, state: State) -> int:
        values = self.nodes(node.operands, state)
        types = [operand.type for operand in node.operands]
        links = zip(node.comparisons, pairwise(types), pairwise(values), strict=True)
        return self.graph.both(*(self.compared(*link) for link in links))

    def load(self, node: p.Load, state: State) -> Held:
        return self.loaded(node, "", node.type, state)

    def loaded(self, node: p.Load, path: str, type: Type, state: State) -> Held:
        array, index = self.place_in(node, state)
        return self._loaded(array, index, path, type, state)

    def place_in(self, node: p.Load, state: State) -> tuple[Reference, tuple[int, ...]]:
        array = self.value(node.array, state)
        if not isinstance(array, Reference):
            array = Reference((), self.flat(array)[0])
        return array, (*array.index, *self.nodes(node.index, state))

    def _loaded(self, array: Reference, index: tuple[int, ...], path: str, type: Type, state: State) -> Held:
        match type:
            case Struct(_, members):
                numbered = enumerate(inner for _, inner in members)
                return Record(
                    tuple(self._loaded(array, index, f"{path}.{n}", inner, state) for n, inner in numbered)
                )
            case Array():
                return Reference(array.memories, self.graph.apply(f"array{path}", array.node, *index))
            case Scalar() | Vector() | Matrix() | Quaternion() | Transform() | Several() | Tile() | Handle():
                memory = [state.memory[number] for number in array.memories]
                return self.graph.apply(f"load{path} {self.word(type)}", *memory, array.node, *index)
            case _:
                assert_never(type)

    def view(self, node: p.View, state: State) -> Reference:
        array = self.value(node.array, state)
        named = node.index
        while named and named[-1] == p.Slice(None, None, None):  # which goes without saying
            named = named[:-1]
        if not any(isinstance(part, p.Slice) for part in named):
            index = self.nodes([part for part in named if not isinstance(part, p.Slice)], state)
            return Reference(array.memories, array.node, (*array.index, *index))
        parts: list[int] = []
        for part in named:
            if isinstance(part, p.Slice):
                bounds = (part.start, part.stop, part.step)
                given = (self.graph.leaf("-") if b is None else self.nodes([b], state)[0] for b in bounds)
                parts.append(self.graph.apply("slice", *given))
            else:
                parts += self.nodes([part], state)
        return Reference(array.memories, self.graph.apply("view", array.node, *array.index, *parts))

    def shape(self, node: p.Shape, state: State) -> int:
        array = self.value(node.array, state)
        return self.graph.apply(f"shape{node.axis + len(array.index)}", array.node)

    def member(self, node: p.Member, state: State) -> Held:
        if not isinstance(node.of.type, Struct):
            return self.letters(self.value(node.of, state), node.of.type, node.member, node.type)
        path, of = f".{member_numbers(node.of.type)[node.member]}", node.of
        while isinstance(of, p.Member) and isinstance(of.of.type, Struct):
            path, of = f".{member_numbers(of.of.type)[of.member]}{path}", of.of
        if isinstance(of, p.Load):
            return self.loaded(of, path, node.type, state)
        held = self.value(node.of, state)
        return held.members[member_numbers(node.of.type)[node.member]]

    def new(self, node: p.New, state: State) -> Held:
        if not node.operands:
            return self.zero(node.type)
        return Record(tuple(self.value(operand, state) for operand in node.operands))

    def apply(self, node: p.Apply, state: State) -> Any:
        return self.applied(node, [self.value(operand, state) for operand in node.operands])


EVALUATED: dict[type, Callable[[Values, Any, State], Any]] = {
    p.Literal: Values.literal,
    p.Name: Values.name,
    p.Apply: lambda values, node, state: values.apply(node, state),
    p.Chain: Values.chain,
    p.Load: Values.load,
    p.View: Values.view,
    p.Shape: Values.shape,
    p.Member: Values.member,
    p.New: Values.new,
    p.Call: lambda values, node, state: values.call(node, state),
}
