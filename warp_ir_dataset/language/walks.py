"""Traversals of a typed tree: every node, every statement, names that a statement reads and changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from typing_extensions import assert_never

from .program import (
    Accumulate,
    Apply,
    Assert,
    Assign,
    Break,
    Call,
    Chain,
    Comment,
    Component,
    Continue,
    Do,
    Expr,
    For,
    If,
    Let,
    Literal,
    Load,
    Member,
    Name,
    New,
    Pass,
    Place,
    Print,
    Return,
    Shape,
    Slice,
    Stmt,
    ThreadIndex,
    Unpack,
    Variable,
    View,
    While,
)

# Fields that hold no nodes, by name and by what they are declared to be; leaving them out takes two thirds of
# the time off walks.
_PLAIN = frozenset(("type", "domain", "shape", "member_shapes", "members", "launch_dim"))
_PLAIN_TYPES = frozenset(("str", "str | None", "int", "bool", "float | int | bool"))
_LEAVES = frozenset((str, type(None)))


@cache
def node_fields(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields of a kind of node that may hold nodes, last one first."""
    if not is_dataclass(kind):
        return ()
    found = (f for f in fields(kind) if f.name not in _PLAIN and f.type not in _PLAIN_TYPES)
    return tuple(field.name for field in found)[::-1]


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
        for name in node_fields(item.__class__):
            value = getattr(item, name)
            if value.__class__ not in _LEAVES:
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
        case ThreadIndex() | Let() | Variable() | Unpack() | Assign() | Accumulate() | Do() | Print():
            return ()
        case Assert() | Break() | Continue() | Return() | Pass() | Comment():
            return ()
        case _:
            assert_never(statement)


def reads(statement: Stmt) -> tuple[Expr, ...]:
    """The expressions that a statement itself evaluates, those of inner bodies left out.

    What it writes to is not read: ``x += 1`` and ``v[0] = 1.0`` read no ``x`` and no ``v`` here, ``a[i] = x``
    reads its index.
    """
    match statement:
        case Let(_, value) | Variable(_, value) | Unpack(_, value) | Do(value):
            return (value,)
        case Assign(target, value) | Accumulate(target, _, value):
            return (*indices(target), value)
        case Print(_, operands):
            return operands
        case If(condition) | While(condition) | Assert(condition):
            return (condition,)
        case For(_, start, stop):
            return start, stop
        case Return(values):
            return values
        case ThreadIndex() | Break() | Continue() | Pass() | Comment():
            return ()
        case _:
            assert_never(statement)


def indices(place: Place) -> tuple[Expr, ...]:
    """The expressions that say which element or component a place is."""
    match place:
        case Name():
            return ()
        case Load(array, index):
            return (*_indices_of_view(array), *index)
        case Member(of):
            return indices(of) if isinstance(of, Place) else ()
        case Component(of, index):
            return (*indices(of), *index)
        case _:
            assert_never(place)


def _indices_of_view(array: Expr) -> tuple[Expr, ...]:
    match array:
        case View(inner, index):
            parts = (
                part for i in index for part in ((i.start, i.stop, i.step) if isinstance(i, Slice) else (i,))
            )
            return (*_indices_of_view(inner), *(part for part in parts if part is not None))
        case Member(of):
            return indices(of) if isinstance(of, Place) else ()
        case Name() | Literal() | Apply() | Chain() | Load() | Shape() | New() | Call():
            return ()
        case _:
            assert_never(array)


def defined(statement: Stmt) -> tuple[Name, ...]:
    """The locals that a statement brings to life, or may: `Unpack` may also assign ones there are."""
    match statement:
        case Let(target) | Variable(target) | For(target):
            return (target,)
        case ThreadIndex(names) | Unpack(names):
            return names
        case Assign() | Accumulate() | Do() | Print() | Assert() | If() | While():
            return ()
        case Break() | Continue() | Return() | Pass() | Comment():
            return ()
        case _:
            assert_never(statement)


def changed(statement: Stmt) -> str | None:
    """The local or array that a statement assigns, in whole or in part; None where it assigns none.

    What functions and operations do to the arrays they are given is not told here.
    """
    match statement:
        case Assign(target) | Accumulate(target):
            return root(target)
        case _:
            return None


def root(place: Expr | Place) -> str | None:
    """The name of what a place, a view or a load is part of; None for a value that is part of nothing."""
    while not isinstance(place, Name):
        match place:
            case Load() | View() | Shape():
                place = place.array
            case Member() | Component():
                place = place.of
            case Literal() | Apply() | Chain() | New() | Call():
                return None
            case _:
                assert_never(place)
    return place.name


def element(place: Place) -> Load | None:
    """The element of an array that a place is, or is part of; None for a place in a local."""
    while not isinstance(place, Load):
        match place:
            case Name():
                return None
            case Member(of) | Component(of):
                if not isinstance(of, Place):
                    return None
                place = of
            case _:
                assert_never(place)
    return place


# ---- programs


def without_index(body: tuple[Stmt, ...]) -> tuple[tuple[Name, ...], tuple[Stmt, ...]]:
    """A kernel's thread indices, and its other statements."""
    first = next((s for s in body if isinstance(s, ThreadIndex)), None)
    if first is None:
        return (), body
    return first.names, tuple(statement for statement in body if statement is not first)
