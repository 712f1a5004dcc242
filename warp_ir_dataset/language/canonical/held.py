"""The symbolic value of a local variable while the canonical form of a kernel is computed.

A value is a node of the graph, a struct's members (`Record`), or an array (`Reference`): which memory it may
be part of, and by which indices. So a struct is no more than its members, a view no more than its indices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Record:
    members: tuple[Any, ...]


@dataclass(frozen=True)
class Reference:
    """`memories` are the numbers of the arguments that the array may be part of."""

    memories: tuple[int, ...]
    node: int
    index: tuple[int, ...] = ()


Held = int | Record | Reference


class State:
    """What locals hold, and what the memory behind each array is."""

    def __init__(self, locals: dict[str, Held], memory: dict[int, int]) -> None:
        self.locals = locals
        self.memory = memory

    def copy(self) -> State:
        return State(dict(self.locals), dict(self.memory))
