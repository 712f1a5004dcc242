"""Parts of vectors, quaternions and matrices as values: reads, builds and replaces them."""

from __future__ import annotations

from typing_extensions import assert_never

from ..types import (
    FLOATS,
    INT,
    SCALARS,
    Array,
    Handle,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Struct,
    Tile,
    Transform,
    Type,
    Value,
    Vector,
)
from .graph import Graph
from .held import Held, Record, Reference
from .plain import LETTERS
from .types import TypeWords

MOST_PARTS = 16  # of a value whose parts are values of their own once one of them is assigned


class Parts:
    """Makes nodes of a graph for values that have parts."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.words = TypeWords()
        self.floats: set[str] = set()

    def word(self, type: Type) -> str:
        if isinstance(type, Value) and type.scalar in FLOATS:
            self.floats.add(type.scalar)
        return self.words(type)

    def flat(self, held: Held) -> tuple[int, ...]:
        if isinstance(held, Record):
            return tuple(node for member in held.members for node in self.flat(member))
        return (held.node, *held.index) if isinstance(held, Reference) else (held,)

    def zero(self, type: Type) -> Held:
        match type:
            case Struct(_, members):
                return Record(tuple(self.zero(inner) for _, inner in members))
            case Scalar(scalar):
                self.word(type)
                row = SCALARS[scalar]
                return self.graph.literal(
                    scalar, False if row.kind == "truth" else 0.0 if row.kind == "float" else 0
                )
            case Vector() | Matrix() | Quaternion() | Transform():
                return self.graph.apply(f"filled {self.word(type)}", *self.flat(self.zero(type.element)))
            case Array() | Several() | Tile() | Handle():
                return Reference((), self.graph.leaf("no array"))
            case _:
                assert_never(type)

    def letters(self, of: int, type: Type, letters: str, result: Type) -> int:
        if set(letters) <= set(LETTERS):
            parts = [
                self.part(of, type, (self.graph.literal(INT.scalar, LETTERS.index(letter)),))
                for letter in letters
            ]
            return parts[0] if len(parts) == 1 else self.built(result, tuple(parts))
        return self.graph.apply(f".{letters}", of)

    def part(self, of: int, type: Type, index: tuple[int, ...]) -> int:
        it = self.graph.nodes[of]
        what, _, _ = it.label.partition(" ")
        at = self._flat_index(type, index)
        if what == "built" and at is not None and len(it.operands) == type.size:
            return it.operands[at]
        if what == "filled" and len(index) == len(type.shape):
            return it.operands[0]
        if what == "with" and at is not None:
            base, value, *place = it.operands
            where = self._flat_index(type, tuple(place))
            if where is not None:
                return value if where == at else self.part(base, type, index)
        if what == "part":  # an entry of a row of a matrix
            return self.graph.apply(it.label, *it.operands, *index)
        return self.graph.apply(f"part {self.word(type)}", of, *index)

    def _flat_index(self, type: Type, index: tuple[int, ...]) -> int | None:
        """Which of all parts the indices mean, where they are literals and mean a single one."""
        if len(index) != len(type.shape):
            return None
        at = 0
        for node, size in zip(index, type.shape, strict=True):
            value = self.graph.whole(node)
            if value is None or not 0 <= value < size:
                return None
            at = at * size + value
        return at

    def built(self, type: Type, parts: tuple[int, ...]) -> int:
        label = f"built {self.word(type)}"
        if len(parts) != type.size:
            return self.graph.apply(f"filled {self.word(type)}" if len(parts) == 1 else f"{label} of", *parts)
        first = self.graph.nodes[parts[0]]
        if first.label == f"part {self.word(type)}" and parts == self._parts(first.operands[0], type):
            return first.operands[0]
        return self.graph.apply(label, *parts)

    def _parts(self, of: int, type: Type) -> tuple[int, ...]:
        places: list[tuple[int, ...]] = [()]
        for size in type.shape:
            places = [(*place, number) for place in places for number in range(size)]
        literal = self.graph.literal
        return tuple(self.part(of, type, tuple(literal(INT.scalar, n) for n in place)) for place in places)

    def with_part(self, of: int, type: Type, index: tuple[int, ...], value: int) -> int:
        at = self._flat_index(type, index)
        if at is None or type.size > MOST_PARTS:
            return self.graph.apply(f"with {self.word(type)}", of, value, *index)
        parts = self._parts(of, type)
        return self.built(type, (*parts[:at], value, *parts[at + 1 :]))
