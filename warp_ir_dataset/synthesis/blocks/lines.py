"""Straight lines of code: locals, neighbours, table look-ups; and the basis of all blocks."""

from __future__ import annotations

from collections.abc import Callable

from ...language.domains import Interval
from ...language.program import Argument, Expr, Literal
from ...language.specification.sentences import words
from ...language.types import INT, Type, Vector, shaped
from ..growing.draft import Draft
from ..growing.repair import INTEGER_SOFT_LIMIT, SOFT_LIMIT
from ..growing.terms import element_of

ZERO = Literal(0, INT)

Block = Callable[[Draft], None]


def zero(s: Draft, type: Type) -> Expr:
    """The neutral start of a sum."""
    scalar = Literal(0 if type.is_integer else 0.0, type.element)
    if not type.shape:
        return scalar
    if isinstance(type, Vector):
        return s.apply("splat", scalar, type=type)
    rows, columns = (s.apply("splat", scalar, type=shaped(type.scalar, (n,))) for n in type.shape)
    return s.apply("diag", rows) if rows.type == columns.type else s.apply("outer", rows, columns)


def soft_span(type: Type) -> Interval:
    """What `tame` keeps a value of this type within."""
    if type.is_integer:
        return Interval(-INTEGER_SOFT_LIMIT, INTEGER_SOFT_LIMIT)
    return Interval(-SOFT_LIMIT, SOFT_LIMIT)


def bindings(s: Draft, types: tuple[Type, ...] | None = None) -> None:
    """One or two locals, each a short expression."""
    for _ in range(s.rng.integer(1, 2)):
        wanted = s.rng.pick(types) if types else working_type(s)
        value = s.moving(wanted, s.rng.integer(1, 2))
        name = s.let(value)
        s.tell(f"takes {words(value)} as `{name.name}`" if s.rng.chance(0.5) else "")


def working_type(s: Draft) -> Type:
    """The kernel's float, or one of its vectors or matrices."""
    shape = s.rng.weighted([(shape, 2.0 if not shape else 1.0) for shape in s.shapes])
    return shaped(s.float.scalar, shape)


def neighbours(s: Draft) -> None:
    """Elements beside the thread's own, clamped to the border or wrapped around."""
    argument = s.array(s.float)
    axis = s.rng.below(len(s.threads))
    wrap = s.rng.chance(0.4)
    for offset in s.rng.pick(((-1, 1), (1,), (-1,), (1, 2), (-2, 2))):
        index: list[Expr] = [*s.threads]
        index[axis] = beside(s, argument, axis, offset, wrap)
        s.let(s.read(argument, tuple(index)))
    if s.rng.chance(0.7):
        s.publish(s.read(argument))
    s.tell(f"looks at neighbouring `{argument.name}` {'around a ring' if wrap else 'clamped at the border'}")


def beside(s: Draft, array: Argument, axis: int, offset: int, wrap: bool) -> Expr:
    """A thread index moved by `offset` along an axis, kept inside an array as long as the launch."""
    thread, size = s.threads[axis], s.extent(array, axis)
    if wrap:
        start = thread if offset > 0 else s.apply("add", thread, size)
        moved = s.apply("add" if offset > 0 else "sub", start, Literal(abs(offset), INT))
        return s.apply("mod", moved, size)
    if offset < 0:
        return s.apply("max", s.apply("sub", thread, Literal(-offset, INT)), ZERO)
    last = s.apply("sub", size, Literal(1, INT))
    return s.apply("min", s.apply("add", thread, Literal(offset, INT)), last)


def gather(s: Draft) -> None:
    """An element of a table chosen by an index array."""
    length = s.rng.integer(4, 12)
    indices = s.array(INT, span=Interval(0, length - 1))
    table = s.array(
        s.rng.pick([shaped(s.float.scalar, shape) for shape in s.shapes]), index=(ZERO,), shape=(length,)
    )
    del s.element_index[table.name]  # only the gathered element is meant
    s.let(element_of(table, (s.read(indices),)))
    s.tell(f"looks up `{table.name}` by `{indices.name}`")
