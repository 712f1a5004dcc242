"""Traversals of a typed tree: every node, every statement, the names that a statement reads and changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from typing_extensions import assert_never

from . import ir

# Fields without nodes, by name and by declared type; skipping them saves two thirds of the time of a walk.
_PLAIN = frozenset(("type", "domain", "shape", "member_shapes", "members", "launch_dim"))
_PLAIN_TYPES = frozenset(("str", "str | None", "int", "bool", "float | int | bool"))
_LEAVES = frozenset((str, type(None)))


@cache
def node_fields(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields of a class that may have nodes, last one first."""
    if not is_dataclass(kind):
        return ()
    found = (f for f in fields(kind) if f.name not in _PLAIN and f.type not in _PLAIN_TYPES)
    return tuple(field.name for field in found)[::-1]


def walk(node: object) -> Iterator[object]:
    """Yield a node and all nodes below it, in source order.

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


def statements(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    """Yield every statement of a body, including those of inner bodies, in source order."""
    for statement in body:
        yield statement
        for inner in blocks(statement):
            yield from statements(inner)


def blocks(statement: ir.Stmt) -> tuple[tuple[ir.Stmt, ...], ...]:
    """The bodies inside a statement."""
    match statement:
        case ir.If(_, then, orelse):
            return then, orelse
        case ir.For() | ir.While():
            return (statement.body,)
        case (
            ir.ThreadIndex()
            | ir.Let()
            | ir.Variable()
            | ir.Unpack()
            | ir.Assign()
            | ir.Accumulate()
            | ir.Do()
            | ir.Print()
        ):
            return ()
        case ir.Assert() | ir.Break() | ir.Continue() | ir.Return() | ir.Pass() | ir.Comment():
            return ()
        case _:
            assert_never(statement)


def reads(statement: ir.Stmt) -> tuple[ir.Expr, ...]:
    """The expressions that a statement itself evaluates, without those of inner bodies.

    Its target is not read: ``x += 1`` and ``v[0] = 1.0`` read no ``x`` and no ``v`` here, ``a[i] = x``
    reads its index.
    """
    match statement:
        case ir.Let(_, value) | ir.Variable(_, value) | ir.Unpack(_, value) | ir.Do(value):
            return (value,)
        case ir.Assign(target, value) | ir.Accumulate(target, _, value):
            return (*indices(target), value)
        case ir.Print(_, operands):
            return operands
        case ir.If(condition) | ir.While(condition) | ir.Assert(condition):
            return (condition,)
        case ir.For(_, start, stop):
            return start, stop
        case ir.Return(values):
            return values
        case ir.ThreadIndex() | ir.Break() | ir.Continue() | ir.Pass() | ir.Comment():
            return ()
        case _:
            assert_never(statement)


def indices(place: ir.Place | ir.View) -> tuple[ir.Expr, ...]:
    """The expressions that say which element or component a place is, or which part of an array a view."""
    match place:
        case ir.Name():
            return ()
        case ir.Load(array, index):
            return (*_inner_indices(array), *index)
        case ir.View(array, index):
            parts = (
                part
                for i in index
                for part in ((i.start, i.stop, i.step) if isinstance(i, ir.Slice) else (i,))
            )
            return (*_inner_indices(array), *(part for part in parts if part is not None))
        case ir.Member(of):
            return _inner_indices(of)
        case ir.Component(of, index):
            return (*indices(of), *index)
        case _:
            assert_never(place)


def _inner_indices(of: ir.Expr | ir.Place) -> tuple[ir.Expr, ...]:
    return indices(of) if isinstance(of, ir.Place | ir.View) else ()


def defined(statement: ir.Stmt) -> tuple[ir.Name, ...]:
    """The locals that a statement may define; `Unpack` may also assign existing ones."""
    match statement:
        case ir.Let(target) | ir.Variable(target) | ir.For(target):
            return (target,)
        case ir.ThreadIndex(names) | ir.Unpack(names):
            return names
        case ir.Assign() | ir.Accumulate() | ir.Do() | ir.Print() | ir.Assert() | ir.If() | ir.While():
            return ()
        case ir.Break() | ir.Continue() | ir.Return() | ir.Pass() | ir.Comment():
            return ()
        case _:
            assert_never(statement)


def root(place: ir.Expr | ir.Place) -> str | None:
    """The name of the local or array that a place, a view or a load is part of; None for other values."""
    while not isinstance(place, ir.Name):
        match place:
            case ir.Load() | ir.View() | ir.Shape():
                place = place.array
            case ir.Member() | ir.Component():
                place = place.of
            case ir.Literal() | ir.Apply() | ir.Chain() | ir.New() | ir.Call():
                return None
            case _:
                assert_never(place)
    return place.name


def element(place: ir.Place) -> ir.Load | None:
    """The element of an array that a place is, or is part of; None for a place in a local."""
    while not isinstance(place, ir.Load):
        match place:
            case ir.Name():
                return None
            case ir.Member(of) | ir.Component(of):
                if not isinstance(of, ir.Place):
                    return None
                place = of
            case _:
                assert_never(place)
    return place


# ---- programs


def without_index(body: tuple[ir.Stmt, ...]) -> tuple[tuple[ir.Name, ...], tuple[ir.Stmt, ...]]:
    """A kernel's thread indices, and its other statements."""
    first = next((s for s in body if isinstance(s, ir.ThreadIndex)), None)
    if first is None:
        return (), body
    return first.names, tuple(statement for statement in body if statement is not first)
