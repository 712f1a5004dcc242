"""The typed tree: what a kernel is, before anyone decides how it is written down.

Every node is frozen and carries its type. The tree holds what was said: types, and the domains that arguments
are declared to keep. What follows from that (which values an expression takes, that an index is in bounds,
how often a loop runs) is found by `analysis`.

Not covered: structs as kernel arguments (they live inside a kernel and its functions), strings, tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any
from typing import Literal as OneOf

from typing_extensions import assert_never

from .domains import Interval
from .types import Scalar, Struct, Value

Role = OneOf["input", "output", "inout"]

# ---- expressions


@dataclass(frozen=True)
class Literal:
    value: float | int | bool
    type: Scalar


@dataclass(frozen=True)
class Name:
    """A reference to an argument, a local, a loop variable or a function's parameter."""

    name: str
    type: Value


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
    type: Value


@dataclass(frozen=True)
class Load:
    """An element of an array argument."""

    array: str
    index: tuple[Expr, ...]
    type: Value


@dataclass(frozen=True)
class Member:
    """A member of a struct local."""

    struct: StructName
    member: str
    type: Value


@dataclass(frozen=True)
class Call:
    """A call of one of the program's own functions."""

    function: str
    operands: tuple[Expr | StructName, ...]
    type: Value


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
    """A local that later statements assign."""

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
    """``for target in range(start, stop, step)``, with a step above zero."""

    target: Name
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class While:
    """A loop that runs as long as `condition` holds; how often must follow from the inputs' domains."""

    condition: Expr
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

# Statements that give a local, or a part of one, a value.
Binding = Let | Variable | Assign | Accumulate | SetComponent | SetMember


# ---- programs


@dataclass(frozen=True)
class Argument:
    """A kernel argument. `shape` is the array's shape in the example launch, ``()`` for a plain value.

    `type` is that of the plain value or of the array's elements. Every element of the input lies in `domain`,
    and the kernel is legal for every such input.
    """

    name: str
    type: Value
    role: Role
    shape: tuple[int, ...]
    domain: Interval

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[Name | StructName, ...]
    body: tuple[Stmt, ...]
    type: Value


@dataclass(frozen=True)
class Signature:
    """A kernel seen from outside: its name, its arguments, and the launch that its examples use."""

    name: str
    arguments: tuple[Argument, ...]
    launch_dim: tuple[int, ...]

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """What a launch is given: inputs, and arrays that are read and written."""
        return tuple(argument for argument in self.arguments if argument.role != "output")


@dataclass(frozen=True)
class Program:
    """One kernel with all it needs."""

    signature: Signature
    body: tuple[Stmt, ...]
    functions: tuple[Function, ...] = ()
    structs: tuple[Struct, ...] = ()

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return self.signature.arguments

    @property
    def launch_dim(self) -> tuple[int, ...]:
        return self.signature.launch_dim

    @property
    def bodies(self) -> tuple[tuple[Stmt, ...], ...]:
        """The kernel's statements, and those of each function."""
        return (self.body, *(function.body for function in self.functions))


# Fields that hold no nodes; leaving them out halves the time that walks take.
_PLAIN = frozenset(("type", "domain", "shape", "members", "launch_dim"))


@cache
def _members(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields that may hold nodes, last one first."""
    if not is_dataclass(kind):
        return ()
    return tuple(field.name for field in fields(kind) if field.name not in _PLAIN)[::-1]


def walk(node: object) -> Iterator[object]:
    """Yield a node and all nodes below it, in the order in which they are written.

    Types and domains are attributes of nodes, not nodes.
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
        for inner in blocks(statement):
            yield from statements(inner)


def blocks(statement: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """The bodies inside a statement."""
    match statement:
        case If(_, then, orelse):
            return then, orelse
        case For() | While():
            return (statement.body,)
        case ThreadIndex() | Let() | Variable() | NewStruct() | Assign() | Accumulate():
            return ()
        case SetComponent() | SetMember() | Store() | Atomic() | Break() | Continue() | Return():
            return ()
        case _:
            assert_never(statement)


def reads(statement: Stmt) -> tuple[Expr, ...]:
    """The expressions that a statement itself evaluates, those of inner bodies left out.

    What it writes to is not read: ``x += 1`` and ``v[0] = 1.0`` read no ``x`` and no ``v`` here.
    """
    match statement:
        case Let(_, value) | Variable(_, value) | Assign(_, value) | Accumulate(_, _, value):
            return (value,)
        case SetMember(_, _, value) | SetComponent(_, _, value):
            return (value,)
        case Store(_, index, value) | Atomic(_, _, index, value):
            return (*index, value)
        case If(condition) | While(condition):
            return (condition,)
        case For(_, start, stop):
            return start, stop
        case Return(value):
            return () if value is None else (value,)
        case ThreadIndex() | NewStruct() | Break() | Continue():
            return ()
        case _:
            assert_never(statement)
