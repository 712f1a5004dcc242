"""The typed tree: what a kernel is, before anyone decides how it is written down.

Every node is frozen and carries its type. Expressions also carry a closed interval that holds every
value they can take (for a vector or a matrix: every component), which is how the tree knows that an
index is in bounds, that a divisor is not zero, and that an integer does not overflow.

Not covered: structs as kernel arguments (they live inside a kernel and its functions), strings, tiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any
from typing import Literal as OneOf

FLOATS = ("float32", "float64")
INTEGERS = ("int32", "int64", "uint32")
SCALARS = (*FLOATS, *INTEGERS, "bool")

Role = OneOf["input", "output", "inout"]


@dataclass(frozen=True)
class Type:
    """A scalar (shape ``()``), a vector (``(n,)``) or a matrix (``(rows, columns)``) of one scalar type."""

    scalar: str
    shape: tuple[int, ...] = ()

    @property
    def is_float(self) -> bool:
        return self.scalar in FLOATS

    @property
    def is_integer(self) -> bool:
        return self.scalar in INTEGERS

    @property
    def size(self) -> int:
        """Number of components."""
        return math.prod(self.shape)

    @property
    def element(self) -> Type:
        """The type of one component."""
        return Type(self.scalar)


@dataclass(frozen=True)
class Struct:
    """A record type; its values live in a kernel's or a function's locals."""

    name: str
    members: tuple[tuple[str, Type], ...]


BOOL = Type("bool")
INT = Type("int32")
FLOAT = Type("float32")


@dataclass(frozen=True)
class Range:
    """The closed interval ``[lo, hi]``; both ends are finite."""

    lo: float
    hi: float

    @property
    def magnitude(self) -> float:
        return max(abs(self.lo), abs(self.hi))

    def within(self, other: Range) -> bool:
        return other.lo <= self.lo and self.hi <= other.hi

    def join(self, other: Range) -> Range:
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))


TRUTH = Range(0, 1)


# ---- expressions


@dataclass(frozen=True)
class Literal:
    value: float | int | bool
    type: Type

    @property
    def range(self) -> Range:
        return Range(self.value, self.value)


@dataclass(frozen=True)
class Name:
    """A reference to an argument, a local, a loop variable or a function's parameter."""

    name: str
    type: Type
    range: Range


@dataclass(frozen=True)
class StructName:
    """A reference to a struct local, or to a function's parameter that takes one."""

    name: str
    type: Struct


@dataclass(frozen=True)
class Apply:
    """An operation of the table (`operations.TABLE`) applied to operands."""

    operation: str
    operands: tuple[Expr, ...]
    type: Type
    range: Range


@dataclass(frozen=True)
class Load:
    """An element of an array argument."""

    array: str
    index: tuple[Expr, ...]
    type: Type
    range: Range


@dataclass(frozen=True)
class Member:
    """A member of a struct local."""

    struct: StructName
    member: str
    type: Type
    range: Range


@dataclass(frozen=True)
class Call:
    """A call of one of the program's own functions."""

    function: str
    operands: tuple[Expr | StructName, ...]
    type: Type
    range: Range


Expr = Literal | Name | Apply | Load | Member | Call


# ---- statements


@dataclass(frozen=True)
class ThreadIndex:
    """``i, j = tid()``: one name per launch dimension, each from 0 to its dimension less one."""

    names: tuple[Name, ...]


@dataclass(frozen=True)
class Let:
    """A local that is never assigned again."""

    target: Name
    value: Expr


@dataclass(frozen=True)
class Variable:
    """A local that later statements assign; `target.range` holds every value it ever takes."""

    target: Name
    value: Expr


@dataclass(frozen=True)
class NewStruct:
    """A struct local, all members zero."""

    target: StructName


@dataclass(frozen=True)
class Assign:
    """A new value for a `Variable`."""

    target: Name
    value: Expr


@dataclass(frozen=True)
class Accumulate:
    """``target operator= value`` for a `Variable`; operator is ``+``, ``-`` or ``*``."""

    target: Name
    operator: str
    value: Expr


@dataclass(frozen=True)
class SetComponent:
    """One component of a vector or matrix `Variable`; `index` is in bounds and literal."""

    target: Name
    index: tuple[int, ...]
    value: Expr


@dataclass(frozen=True)
class SetMember:
    """A member of a struct local."""

    target: StructName
    member: str
    value: Expr


@dataclass(frozen=True)
class Store:
    """An element of an output or inout array argument; each thread writes elements of its own."""

    array: str
    index: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True)
class Atomic:
    """An atomic ``add``, ``sub``, ``min`` or ``max`` on an element that threads share."""

    operation: str
    array: str
    index: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True)
class If:
    condition: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class For:
    """``for target in range(start, stop, step)``; `trips` bounds the iterations."""

    target: Name
    start: Expr
    stop: Expr
    step: int
    trips: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class While:
    """A loop that `condition` ends after at most `trips` iterations."""

    condition: Expr
    trips: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Break:
    pass


@dataclass(frozen=True)
class Continue:
    pass


@dataclass(frozen=True)
class Return:
    """Ends the thread (no value, in a kernel) or the function (with one)."""

    value: Expr | None = None


Stmt = (
    ThreadIndex
    | Let
    | Variable
    | NewStruct
    | Assign
    | Accumulate
    | SetComponent
    | SetMember
    | Store
    | Atomic
    | If
    | For
    | While
    | Break
    | Continue
    | Return
)


# ---- programs


@dataclass(frozen=True)
class Argument:
    """A kernel argument. `shape` is the array's shape in the example launch, ``()`` for a plain value.

    Every element of the input lies in `range`, and the kernel is legal for every such input.
    """

    name: str
    type: Type
    role: Role
    shape: tuple[int, ...]
    range: Range

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[Name | StructName, ...]
    body: tuple[Stmt, ...]
    type: Type


@dataclass(frozen=True)
class Program:
    """One kernel with all it needs. `description` is one plain sentence."""

    name: str
    category: str
    difficulty: int
    description: str
    arguments: tuple[Argument, ...]
    launch_dim: tuple[int, ...]
    body: tuple[Stmt, ...]
    functions: tuple[Function, ...] = ()
    structs: tuple[Struct, ...] = ()


# Fields that hold no nodes; leaving them out halves the time that walks take.
_PLAIN = frozenset(("range", "type", "shape", "members", "launch_dim"))


@cache
def _members(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields that may hold nodes, last one first."""
    if not is_dataclass(kind):
        return ()
    return tuple(field.name for field in fields(kind) if field.name not in _PLAIN)[::-1]


def walk(node: object) -> Iterator[object]:
    """Yield a node and all nodes below it, in the order in which they are written.

    Types and ranges are attributes of nodes, not nodes.
    """
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if type(item) is tuple:
            stack.extend(item[::-1])
            continue
        yield item
        for name in _members(item.__class__):
            value = getattr(item, name)
            if type(value) is tuple or hasattr(value, "__dataclass_fields__"):
                stack.append(value)


def statements(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Yield every statement of a body, those of inner bodies included, in the order of writing."""
    for statement in body:
        yield statement
        match statement:
            case If(_, then, orelse):
                yield from statements(then)
                yield from statements(orelse)
            case For() | While():
                yield from statements(statement.body)
