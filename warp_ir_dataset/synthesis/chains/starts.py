"""First steps of chains: an element, its neighbours, a window, a look-up, vectors, matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...language import ir
from ...language.domains import Interval
from ...language.types import INT, shaped
from .draft import Draft
from .form import SIGNED, ZERO, Use, any_of, array, free, here, local, trips
from .terms import element_of


@dataclass(frozen=True)
class Began:
    """A value, the name of the array that it is taken from, and words."""

    value: ir.Expr
    source: str
    told: str


# The first name of its use is that of the array it takes from.
Start = Callable[[Draft, Use], Began]


def _field(s: Draft, use: Use, index: tuple[ir.Expr, ...] | None = None) -> ir.Argument:
    return array(s, s.float, use.names[0], span=use.span, index=index)


def element(s: Draft, use: Use) -> Began:
    field = _field(s, use)
    return Began(s.read(field), field.name, f"takes `{field.name}`")


def _sides(s: Draft, field: ir.Argument) -> tuple[ir.Name, ir.Name]:
    """What stands before and after the thread's own element in its row; an end is its own neighbour."""
    axis = len(s.threads) - 1
    sides = []
    for offset, words in ((-1, "left before"), (1, "right after")):
        index: list[ir.Expr] = [*s.threads]
        index[axis] = _beside(s, field, axis, offset)
        sides.append(s.bind(s.read(field, tuple(index)), free(s, words)))
    return sides[0], sides[1]


def _beside(s: Draft, array: ir.Argument, axis: int, offset: int) -> ir.Expr:
    """A thread's index moved by `offset` along an axis, kept inside an array as long as the launch."""
    thread = s.threads[axis]
    if offset < 0:
        return s.apply("max", s.sub(thread, -offset), ZERO)
    last = s.sub(s.extent(array, axis), 1)
    return s.apply("min", s.add(thread, offset), last)


def central_difference(s: Draft, use: Use) -> Began:
    field = _field(s, use)
    left, right = _sides(s, field)
    value = s.mul(0.5, s.sub(right, left))
    return Began(value, field.name, f"takes the central difference of `{field.name}`, ends repeated")


def smoothed(s: Draft, use: Use) -> Began:
    field = _field(s, use)
    left, right = _sides(s, field)
    value = s.add(s.mul(0.5, s.read(field)), s.mul(0.25, s.add(left, right)))
    return Began(value, field.name, f"smooths `{field.name}` with its two neighbours, ends repeated")


def second_difference(s: Draft, use: Use) -> Began:
    field = _field(s, use)
    left, right = _sides(s, field)
    value = s.add(s.sub(left, s.mul(2.0, s.read(field))), right)
    return Began(value, field.name, f"takes the second difference of `{field.name}`, ends repeated")


def window(s: Draft, use: Use) -> Began:
    """The sum of a small window of a padded array, weighted in the plane, or its mean."""
    flat = len(s.threads) == 1
    if flat:
        stop, side = trips(s, 3, 4, "taps window_size")
    else:
        stop, side = ir.Literal(3, INT), 3
    offsets = tuple(
        s.named(free(s, word), INT, Interval(0, side - 1)) for word in ("di", "dj")[: len(s.threads)]
    )
    index = tuple(s.apply("add", thread, offset) for thread, offset in zip(s.threads, offsets, strict=True))
    field = _field(s, use, index)
    value = s.read(field, index)
    mean = flat and isinstance(stop, ir.Literal) and s.rng.chance(0.5)
    term: ir.Expr = value
    many = f"`{stop.name}`" if isinstance(stop, ir.Name) else f"{side}" if flat else f"{side} by {side}"
    told = f"averages a window of {many} entries of `{field.name}`"
    if not mean:
        weights = array(s, s.float, use.names[1], span=Interval(0.05, 0.4), index=offsets)
        term = s.mul(s.read(weights, offsets), value)
        told = f"adds up a window of {many} entries of `{field.name}`, weighted by `{weights.name}`"
    bound = s.span(term).magnitude * side ** len(offsets)
    low = 0.0 if s.span(term).lo >= 0 else -bound
    total = s.named(free(s, "total acc" if mean else here(use.quantity)), s.float, Interval(low, bound))
    s.emit(ir.Variable(total, ir.Literal(0.0, s.float)))
    loop: ir.Stmt = ir.Accumulate(total, "+", term)
    for offset in reversed(offsets):
        loop = ir.For(offset, ZERO, stop, 1, (loop,))
    s.emit(loop)
    return Began(s.div(total, float(side)) if mean else total, field.name, told)


def gathered(s: Draft, use: Use) -> Began:
    """An element that an index array names; the names are the array's, the indices', and an index's."""
    length = s.rng.integer(4, 12)
    indices = array(s, INT, use.names[1], span=Interval(0, length - 1))
    table = array(s, s.float, use.names[0], span=use.span, shape=(length,))
    place = s.bind(s.read(indices), free(s, use.names[2]))
    told = f"looks `{table.name}` up by `{indices.name}`"
    return Began(element_of(table, (place,)), table.name, told)


# ---- vectors and matrices


def _vectors(s: Draft, choices: str, span: Interval = SIGNED) -> tuple[ir.Expr, str]:
    made = array(s, shaped(s.float.scalar, (s.size,)), choices, span=span)
    return s.read(made), made.name


def distance(s: Draft, use: Use) -> Began:
    """How far a point is from another one, or from a centre; the names are the points', the others', the
    centre's."""
    value, name = _vectors(s, use.names[0])
    if s.rng.chance(0.5):
        told = any_of(s, use.names[2])
        centre: ir.Expr = s.value(value.type, Interval(-1.0, 1.0), told)
    else:
        centre, told = _vectors(s, use.names[1])
    offset = s.bind(s.sub(value, centre), free(s, "offset delta d"))
    return Began(s.apply("length", offset), name, f"finds the distance from `{name}` to `{told}`")


def projection(s: Draft, use: Use) -> Began:
    """The part of a vector along another one; the names are the vectors', the others', a unit vector's."""
    value, name = _vectors(s, use.names[0])
    axis, along = _vectors(s, use.names[1], Interval(0.2, 1.5))
    unit = s.bind(s.apply("normalize", axis), free(s, use.names[2]))
    return Began(s.apply("dot", value, unit), name, f"finds the part of `{name}` along `{along}`")


def length(s: Draft, use: Use) -> Began:
    """The length of a vector; the names are the vectors' and a vector's."""
    value, name = _vectors(s, use.names[0])
    v = local(s, value, use.names[1])
    return Began(s.apply("length", v), name, f"takes the length of `{name}`")


def half_square(s: Draft, use: Use) -> Began:
    """Half the square of a vector; the names are the vectors' and a vector's."""
    value, name = _vectors(s, use.names[0])
    v = local(s, value, use.names[1])
    return Began(s.mul(0.5, s.apply("dot", v, v)), name, f"takes half the squared length of `{name}`")


def _matrix(s: Draft, use: Use) -> tuple[ir.Name, str]:
    """A matrix of the thread's own; the names are the matrices' and a matrix's."""
    type = shaped(s.float.scalar, (s.size, s.size))
    made = array(s, type, use.names[0], span=Interval(-1.0, 1.0), trait=use.trait)
    return s.bind(s.read(made), free(s, use.names[1])), made.name


def determinant(s: Draft, use: Use) -> Began:
    m, name = _matrix(s, use)
    return Began(s.apply("determinant", m), name, f"takes the determinant of `{name}`")


def trace(s: Draft, use: Use) -> Began:
    m, name = _matrix(s, use)
    return Began(s.apply("trace", m), name, f"takes the trace of `{name}`")


def quadratic_form(s: Draft, use: Use) -> Began:
    """A vector's square in the metric of a matrix; the names are the matrices', a matrix's, the vectors', and
    a vector's."""
    m, metric = _matrix(s, use)
    vectors = array(s, shaped(s.float.scalar, (s.size,)), use.names[2], span=SIGNED)
    v = s.bind(s.read(vectors), free(s, use.names[3]))
    told = f"takes the quadratic form of `{vectors.name}` by `{metric}`"
    return Began(s.apply("dot", v, s.apply("matrix_vector", m, v)), vectors.name, told)


def half_form(s: Draft, use: Use) -> Began:
    """Half of it, as energies are; the names are those of a quadratic form."""
    whole = quadratic_form(s, use)
    return Began(s.mul(0.5, whole.value), whole.source, whole.told.replace("takes", "takes half of", 1))


STARTS: tuple[Start, ...] = (
    element, central_difference, smoothed, second_difference, gathered, window,
)  # fmt: skip
VECTOR_STARTS: tuple[Start, ...] = (distance, projection, length, half_square)
MATRIX_STARTS: tuple[Start, ...] = (determinant, trace, quadratic_form, half_form)
