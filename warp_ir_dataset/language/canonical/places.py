"""The effects of statements on symbolic values: changes locals, parts of them, and memory behind arrays."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_never

from .. import program as p
from .. import walks
from ..operations.forms import ATOMICS
from ..operations.table import TABLE, infix
from ..types import INT, Struct, Type
from .held import Held, Record, Reference, State
from .plain import LETTERS
from .types import member_numbers
from .values import Values


class Places(Values):
    def assign(self, place: p.Place, held: Held, state: State) -> None:
        match place:
            case p.Name(name):
                state.locals[name] = held
            case p.Load():
                array, index = self.place_in(place, state)
                self.store(array, index, "", (), held, place.type, state)
            case p.Member(of, letters) if not isinstance(of.type, Struct) and len(letters) > 1:
                self.assign_letters(place, held, state)
            case p.Member() | p.Component():
                load = walks.element(place)
                if load is not None:
                    array, index = self.place_in(load, state)
                    path, parts = self.steps(place, load, state)
                    self.store(array, index, path, parts, held, place.type, state)
                else:
                    self.assign_part(place, held, state)
            case _:
                assert_never(place)

    def assign_part(self, place: p.Member | p.Component, held: Held, state: State) -> None:
        """A member or a component of a local: the local is made over."""
        of, index = place.of, self.part_index(place, state)
        assert isinstance(of, p.Place)
        if index is None:
            record, number = self.value_of(of, state), member_numbers(of.type)[place.member]  # type: ignore
            made: Held = Record((*record.members[:number], held, *record.members[number + 1 :]))
        else:
            if isinstance(of, p.Component) and len(of.type.shape) == len(index):  # an entry of a row
                inner = self.part_index(of, state)
                assert inner is not None
                of, index = of.of, (*inner, *index)
            made = self.with_part(self.value_of(of, state), of.type, index, *self.flat(held))
        self.assign(of, made, state)

    def value_of(self, place: p.Place, state: State) -> Any:
        """What a place holds that is part of a local."""
        if not isinstance(place, p.Component):
            return self.value(place, state)
        index = self.part_index(place, state)
        assert index is not None
        return self.part(self.value_of(place.of, state), place.of.type, index)

    def part_index(self, place: p.Member | p.Component, state: State) -> tuple[int, ...] | None:
        """The indices of a component; None for a struct's member."""
        if isinstance(place, p.Component):
            return self.nodes(place.index, state)
        if isinstance(place.of.type, Struct):
            return None
        if place.member in LETTERS:
            return (self.graph.literal(INT.scalar, LETTERS.index(place.member)),)
        return (self.graph.leaf(f".{place.member}"),)

    def assign_letters(self, place: p.Member, held: Held, state: State) -> None:
        """``v.zx = w``"""
        (value,) = self.flat(held)
        for number, letter in enumerate(place.member):
            index = (self.graph.literal(INT.scalar, number),)
            part = self.part(value, place.type, index)
            self.assign(p.Member(place.of, letter, place.type.element), part, state)

    def steps(self, place: p.Place, load: p.Load, state: State) -> tuple[str, tuple[int, ...]]:
        """The way from an element of an array to a part of it: members, then components."""
        if place is load or not isinstance(place, p.Member | p.Component):
            return "", ()
        assert isinstance(place.of, p.Place)
        path, parts = self.steps(place.of, load, state)
        index = self.part_index(place, state)
        if index is None:
            assert isinstance(place, p.Member) and isinstance(place.of.type, Struct)
            return f"{path}.{member_numbers(place.of.type)[place.member]}", parts
        return path, (*parts, *index)

    def store(
        self,
        array: Reference,
        index: tuple[int, ...],
        path: str,
        parts: tuple[int, ...],
        held: Held,
        type: Type,
        state: State,
    ) -> None:
        if isinstance(held, Record):
            assert isinstance(type, Struct)
            for number, (member, (_, inner)) in enumerate(zip(held.members, type.members, strict=True)):
                self.store(array, index, f"{path}.{number}", parts, member, inner, state)
            return
        given = (*self.flat(held)[:1], array.node, *index, *parts)
        self.remember(array, f"store{path}", given, state)

    def accumulate(self, statement: p.Accumulate, state: State) -> None:
        target, operator, value = statement.target, statement.operator, statement.value
        load = walks.element(target)
        if load is not None and operator in ATOMICS:
            array, index = self.place_in(load, state)
            path, parts = self.steps(target, load, state)
            given = (array.node, *index, *parts, *self.nodes([value], state))
            self.remember(array, f"{ATOMICS[operator]} {self.word(target.type)} 0{path}", given, state)
            return
        before = self.value_of(target, state) if load is None else self.read(target, state)
        operation = infix(operator, target.type, value.type) or operator
        left = p.Name("%left", target.type)
        inner = State({**state.locals, "%left": before}, state.memory)
        self.assign(target, self.value(p.Apply(operation, (left, value), target.type), inner), state)

    def read(self, place: p.Place, state: State) -> Any:
        """What a place in an array holds."""
        if isinstance(place, p.Component):
            index = self.nodes(place.index, state)
            return self.part(self.read(place.of, state), place.of.type, index)
        return self.value(place, state)

    # ---- operations that change operands

    def apply(self, node: p.Apply, state: State) -> Any:
        changed = TABLE[node.operation].changed
        return self.effect(node, changed, state) if changed else super().apply(node, state)

    def effect(self, node: p.Apply, changed: tuple[int, ...], state: State) -> int:
        """An operation that changes operands: what they are then, and what it gives."""
        given = self.nodes(node.operands, state)
        label = f"{node.operation} {self.word(node.type)}"
        for at in changed:
            operand = node.operands[at]
            held = self.value(operand, state)
            if isinstance(held, Reference):
                made = self.remember(held, f"{label} {at}", given, state)
                return self.graph.apply("before", *made)
            if isinstance(operand, p.Place):
                self.assign(operand, self.graph.apply(f"{label} {at}", *given), state)
        return self.graph.apply(label, *given)

    def remember(self, array: Reference, label: str, given: tuple[int, ...], state: State) -> list[int]:
        """Change the memory that an array is part of."""
        for number in array.memories:
            state.memory[number] = self.graph.apply(label, state.memory[number], *given)
        return [state.memory[number] for number in array.memories]
