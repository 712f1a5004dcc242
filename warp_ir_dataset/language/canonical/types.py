"""Names types in canonical forms, independently of their names in a source."""

from __future__ import annotations

from functools import cache

from typing_extensions import assert_never

from ..types import Array, Handle, Several, Struct, Tile, Type, Value


@cache
def value_word(type: Value) -> str:
    """``Vector:float32:3``"""
    return ":".join((type.__class__.__name__, type.scalar, *map(str, type.shape)))


@cache
def member_numbers(type: Struct) -> dict[str, int]:
    return {member: number for number, (member, _) in enumerate(type.members)}


class TypeWords:
    """Names of the types of one program. A struct is its members' types and a number: two structs of equal
    members are two types, whatever they are called."""

    def __init__(self) -> None:
        # By the identity of types, whose hashes take long; each is kept alive by being held here.
        self._known: dict[int, tuple[Type, str]] = {}
        self._structs: dict[str, str] = {}

    def __call__(self, type: Type) -> str:
        known = self._known.get(id(type))
        if known is None:
            known = self._known[id(type)] = type, self._word(type)
        return known[1]

    def _word(self, type: Type) -> str:
        match type:
            case Struct(name, members):
                if name not in self._structs:
                    number = len(self._structs)
                    self._structs[name] = ""  # takes the number, before those of members
                    inner = ",".join(self(member) for _, member in members)
                    self._structs[name] = f"struct{number}<{inner}>"
                return self._structs[name]
            case Array(element, ndim):
                return f"{self(element)}[{ndim}]"
            case Several(types):
                return f"({','.join(map(self, types))})"
            case Tile(element, sizes):
                return f"tile{sizes}<{self(element)}>"
            case Handle(kind):
                return kind
            case _ if isinstance(type, Value):
                return value_word(type)
            case _:
                assert_never(type)
