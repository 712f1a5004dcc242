"""Starts of chains: they read an element, its neighbours, a window, a look-up, vectors or matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...language import ir
from ...language.domains import Interval
from ...language.types import INT, shaped
from .builder import Builder
from .step import SIGNED, ZERO, Use, any_free_name, as_local, free_name, local_names, new_array, trip_count
from .terms import element_of


@dataclass(frozen=True)
class StartResult:
    """A value, the name of the array that it was read from, and a clause of the description."""

    value: ir.Expr
    source: str
    clause: str


# The first name in its `Use` is that of the array that it reads.
Start = Callable[[Builder, Use], StartResult]


def _field(b: Builder, use: Use, index: tuple[ir.Expr, ...] | None = None) -> ir.Argument:
    return new_array(b, b.float, use.names[0], span=use.span, index=index)


def element(b: Builder, use: Use) -> StartResult:
    field = _field(b, use)
    return StartResult(b.read(field), field.name, f"takes `{field.name}`")


def _sides(b: Builder, field: ir.Argument) -> tuple[ir.Name, ir.Name]:
    """The elements before and after the thread's own in its row; an end is its own neighbour."""
    axis = len(b.threads) - 1
    sides = []
    for offset, words in ((-1, "left before"), (1, "right after")):
        index: list[ir.Expr] = [*b.threads]
        index[axis] = _beside(b, field, axis, offset)
        sides.append(b.bind(b.read(field, tuple(index)), free_name(b, words)))
    return sides[0], sides[1]


def _beside(b: Builder, array: ir.Argument, axis: int, offset: int) -> ir.Expr:
    """A thread's index moved by `offset` along an axis, kept inside an array as long as the launch."""
    thread = b.threads[axis]
    if offset < 0:
        return b.apply("max", b.sub(thread, -offset), ZERO)
    last = b.sub(b.extent(array, axis), 1)
    return b.apply("min", b.add(thread, offset), last)


def central_difference(b: Builder, use: Use) -> StartResult:
    field = _field(b, use)
    left, right = _sides(b, field)
    value = b.mul(0.5, b.sub(right, left))
    return StartResult(value, field.name, f"takes the central difference of `{field.name}`, ends repeated")


def smoothed(b: Builder, use: Use) -> StartResult:
    field = _field(b, use)
    left, right = _sides(b, field)
    value = b.add(b.mul(0.5, b.read(field)), b.mul(0.25, b.add(left, right)))
    return StartResult(value, field.name, f"smooths `{field.name}` with its two neighbours, ends repeated")


def second_difference(b: Builder, use: Use) -> StartResult:
    field = _field(b, use)
    left, right = _sides(b, field)
    value = b.add(b.sub(left, b.mul(2.0, b.read(field))), right)
    return StartResult(value, field.name, f"takes the second difference of `{field.name}`, ends repeated")


def window(b: Builder, use: Use) -> StartResult:
    """The weighted sum of a small window of a padded array, or in one dimension sometimes its mean."""
    flat = len(b.threads) == 1
    if flat:
        stop, side = trip_count(b, 3, 4, "taps window_size")
    else:
        stop, side = ir.Literal(3, INT), 3
    offsets = tuple(
        b.named(free_name(b, word), INT, Interval(0, side - 1)) for word in ("di", "dj")[: len(b.threads)]
    )
    index = tuple(b.apply("add", thread, offset) for thread, offset in zip(b.threads, offsets, strict=True))
    field = _field(b, use, index)
    value = b.read(field, index)
    mean = flat and isinstance(stop, ir.Literal) and b.rng.chance(0.5)
    term: ir.Expr = value
    many = f"`{stop.name}`" if isinstance(stop, ir.Name) else f"{side}" if flat else f"{side} by {side}"
    clause = f"averages a window of {many} entries of `{field.name}`"
    if not mean:
        weights = new_array(b, b.float, use.names[1], span=Interval(0.05, 0.4), index=offsets)
        term = b.mul(b.read(weights, offsets), value)
        clause = f"adds up a window of {many} entries of `{field.name}`, weighted by `{weights.name}`"
    bound = b.span(term).magnitude * side ** len(offsets)
    low = 0.0 if b.span(term).lo >= 0 else -bound
    total = b.named(
        free_name(b, "total acc" if mean else local_names(use.quantity)), b.float, Interval(low, bound)
    )
    b.emit(ir.Variable(total, ir.Literal(0.0, b.float)))
    loop: ir.Stmt = ir.Accumulate(total, "+", term)
    for offset in reversed(offsets):
        loop = ir.For(offset, ZERO, stop, 1, (loop,))
    b.emit(loop)
    return StartResult(b.div(total, float(side)) if mean else total, field.name, clause)


def gathered(b: Builder, use: Use) -> StartResult:
    """An element at an index from an array; the names are those of the array, of the indices, and of one
    index."""
    length = b.rng.integer(4, 12)
    indices = new_array(b, INT, use.names[1], span=Interval(0, length - 1))
    table = new_array(b, b.float, use.names[0], span=use.span, shape=(length,))
    place = b.bind(b.read(indices), free_name(b, use.names[2]))
    clause = f"looks `{table.name}` up by `{indices.name}`"
    return StartResult(element_of(table, (place,)), table.name, clause)


# ---- vectors and matrices


def _vectors(b: Builder, choices: str, span: Interval = SIGNED) -> tuple[ir.Expr, str]:
    made = new_array(b, shaped(b.float.scalar, (b.size,)), choices, span=span)
    return b.read(made), made.name


def distance(b: Builder, use: Use) -> StartResult:
    """The distance of a point from another one, or from a centre; the names are those of the points, of the
    others, and of the centre."""
    value, name = _vectors(b, use.names[0])
    if b.rng.chance(0.5):
        other = any_free_name(b, use.names[2])
        centre: ir.Expr = b.scalar_argument(value.type, Interval(-1.0, 1.0), other)
    else:
        centre, other = _vectors(b, use.names[1])
    offset = b.bind(b.sub(value, centre), free_name(b, "offset delta d"))
    return StartResult(b.apply("length", offset), name, f"finds the distance from `{name}` to `{other}`")


def projection(b: Builder, use: Use) -> StartResult:
    """The component of a vector along another one; the names are those of the vectors, of the others, and of
    the unit vector."""
    value, name = _vectors(b, use.names[0])
    axis, along = _vectors(b, use.names[1], Interval(0.2, 1.5))
    unit = b.bind(b.apply("normalize", axis), free_name(b, use.names[2]))
    return StartResult(b.apply("dot", value, unit), name, f"finds the part of `{name}` along `{along}`")


def length(b: Builder, use: Use) -> StartResult:
    """The length of a vector; the names are those of the vectors and of one vector."""
    value, name = _vectors(b, use.names[0])
    v = as_local(b, value, use.names[1])
    return StartResult(b.apply("length", v), name, f"takes the length of `{name}`")


def half_square(b: Builder, use: Use) -> StartResult:
    """Half the square of a vector; the names are those of the vectors and of one vector."""
    value, name = _vectors(b, use.names[0])
    v = as_local(b, value, use.names[1])
    return StartResult(b.mul(0.5, b.apply("dot", v, v)), name, f"takes half the squared length of `{name}`")


def _matrix(b: Builder, use: Use) -> tuple[ir.Name, str]:
    """The thread's own matrix; the names are those of the matrices and of one matrix."""
    type = shaped(b.float.scalar, (b.size, b.size))
    made = new_array(b, type, use.names[0], span=Interval(-1.0, 1.0), trait=use.trait)
    return b.bind(b.read(made), free_name(b, use.names[1])), made.name


def determinant(b: Builder, use: Use) -> StartResult:
    m, name = _matrix(b, use)
    return StartResult(b.apply("determinant", m), name, f"takes the determinant of `{name}`")


def trace(b: Builder, use: Use) -> StartResult:
    m, name = _matrix(b, use)
    return StartResult(b.apply("trace", m), name, f"takes the trace of `{name}`")


def quadratic_form(b: Builder, use: Use) -> StartResult:
    """The quadratic form of a vector by a matrix; the names are those of the matrices, of one matrix, of the
    vectors, and of one vector."""
    m, metric = _matrix(b, use)
    vectors = new_array(b, shaped(b.float.scalar, (b.size,)), use.names[2], span=SIGNED)
    v = b.bind(b.read(vectors), free_name(b, use.names[3]))
    clause = f"takes the quadratic form of `{vectors.name}` by `{metric}`"
    return StartResult(b.apply("dot", v, b.apply("matrix_vector", m, v)), vectors.name, clause)


def half_form(b: Builder, use: Use) -> StartResult:
    """Half a quadratic form, such as an energy; with the same names."""
    whole = quadratic_form(b, use)
    return StartResult(
        b.mul(0.5, whole.value), whole.source, whole.clause.replace("takes", "takes half of", 1)
    )


STARTS: tuple[Start, ...] = (
    element, central_difference, smoothed, second_difference, gathered, window,
)  # fmt: skip
VECTOR_STARTS: tuple[Start, ...] = (distance, projection, length, half_square)
MATRIX_STARTS: tuple[Start, ...] = (determinant, trace, quadratic_form, half_form)
