"""What chains begin with: an element, its neighbours, a window, a look-up, vectors, matrices."""

from __future__ import annotations

from collections.abc import Callable

from ...language.domains import Interval
from ...language.program import Accumulate, Expr, For, Literal, Stmt, Variable
from ...language.types import INT, shaped
from ..blocks import ZERO, beside
from ..growing.draft import Draft
from ..growing.terms import element_of
from .form import Made, array, free, local, trips

SIGNED, POSITIVE = Interval(-2.0, 2.0), Interval(0.2, 3.0)
Start = Callable[[Draft], Made]


def _field(s: Draft, index: tuple[Expr, ...] | None = None) -> tuple[Expr, str]:
    """An element of an array of the theme's."""
    span = s.rng.pick((SIGNED, SIGNED, POSITIVE))
    made = s.array(s.float, span=span, index=index, name=s.names.take("fields"))
    return s.read(made), made.name


def element(s: Draft) -> Made:
    value, name = _field(s)
    return Made(value, ("x", "value", "v"), name, f"starts from `{name}`")


def slope(s: Draft) -> Made:
    """The difference, mean or curvature of what stands on both sides."""
    value, name = _field(s)
    field = next(a for a in s.inputs if a.name == name)
    axis, wrap = s.rng.below(len(s.threads)), s.rng.chance(0.3)
    sides = []
    for offset, words in ((-1, ("left", "before")), (1, ("right", "after"))):
        index: list[Expr] = [*s.threads]
        index[axis] = beside(s, axis, offset, wrap)
        sides.append(s.bind(s.read(field, tuple(index)), free(s, *words)))
    left, right = sides
    kind = s.rng.pick(("slope", "mean", "laplacian"))
    if kind == "slope":
        return Made(
            s.mul(0.5, s.sub(right, left)),
            ("slope", "gradient"),
            name,
            f"takes the central difference of `{name}`",
        )
    if kind == "mean":
        smooth = s.add(s.mul(0.5, value), s.mul(0.25, s.add(left, right)))
        return Made(smooth, ("smooth", "average"), name, f"smooths `{name}` with its two neighbours")
    bent = s.add(s.sub(left, s.mul(2.0, value)), right)
    return Made(bent, ("laplacian", "curvature_here"), name, f"takes the second difference of `{name}`")


def window(s: Draft) -> Made:
    """The sum of a small window of a padded array, weighted in the plane, or its mean."""
    flat = len(s.threads) == 1
    if flat:
        stop, side = trips(s, 3, 4, "taps", "window_size")
    else:
        stop, side = s.value(INT, Interval(2, 3), free(s, "size", "side")), 3
    words = ("di", "dj")[: len(s.threads)]
    offsets = tuple(s.named(free(s, word), INT, Interval(0, side - 1)) for word in words)
    index = tuple(s.apply("add", thread, offset) for thread, offset in zip(s.threads, offsets, strict=True))
    value, name = _field(s, index)
    del s.element_index[name]
    mean = flat and isinstance(stop, Literal) and s.rng.chance(0.5)
    term, told = value, f"averages a window of `{name}`"
    if not mean:
        weights = array(
            s, s.float, "window", "stencil", "kernel_weights", span=Interval(0.05, 0.4), index=offsets
        )
        del s.element_index[weights.name]
        term = s.mul(s.read(weights, offsets), value)
        told = f"adds up a window of `{name}` weighted by `{weights.name}`"
    bound = s.span(term).magnitude * side ** len(offsets)
    total = s.named(free(s, "total", "acc"), s.float, Interval(-bound, bound))
    s.emit(Variable(total, Literal(0.0, s.float)))
    loop: Stmt = Accumulate(total, "+", term)
    for offset in reversed(offsets):
        loop = For(offset, ZERO, stop, 1, (loop,))
    s.emit(loop)
    return Made(s.div(total, float(side)) if mean else total, ("mean", "average"), name, told)


def gathered(s: Draft) -> Made:
    """An element that an index array names."""
    length, name = s.rng.integer(4, 12), s.names.take("fields")
    indices = array(s, INT, "indices", "ids", "parents", span=Interval(0, length - 1))
    table = s.array(s.float, span=SIGNED, index=(ZERO,), shape=(length,), name=name)
    del s.element_index[name]
    place = s.bind(s.read(indices), free(s, "index", "source", "place"))
    return Made(element_of(table, (place,)), ("x", "value"), name, f"looks `{name}` up by `{indices.name}`")


# ---- vectors and matrices


def _vectors(s: Draft, span: Interval = SIGNED) -> tuple[Expr, str]:
    size = next(shape for shape in s.shapes if len(shape) == 1)
    made = s.array(shaped(s.float.scalar, size), span=span, name=s.names.take("vectors"))
    return s.read(made), made.name


def distance(s: Draft) -> Made:
    """How far a point is from another one, or from a centre."""
    value, name = _vectors(s)
    if s.rng.chance(0.5):
        told = free(s, "centre", "origin", "target")
        centre: Expr = s.value(value.type, Interval(-1.0, 1.0), told)
    else:
        centre, told = _vectors(s)
    offset = s.bind(s.sub(value, centre), free(s, "offset", "delta", "d"))
    return Made(
        s.apply("length", offset),
        ("distance", "dist", "r"),
        name,
        f"finds the distance from `{name}` to `{told}`",
    )


def projection(s: Draft) -> Made:
    """The part of a vector along another one."""
    (value, name), (axis, along) = _vectors(s), _vectors(s, Interval(0.2, 1.5))
    unit = s.bind(s.apply("normalize", axis), free(s, "axis", "direction", "n"))
    return Made(
        s.apply("dot", value, unit),
        ("along", "projected"),
        name,
        f"finds the part of `{name}` along `{along}`",
    )


def speed(s: Draft) -> Made:
    value, name = _vectors(s)
    v = local(s, value, "v", "p")
    if s.rng.chance(0.5):
        return Made(s.apply("length", v), ("speed", "norm"), name, f"takes the length of `{name}`")
    half = s.mul(0.5, s.apply("dot", v, v))
    return Made(half, ("energy", "half_square"), name, f"takes half the squared length of `{name}`")


def quadratic_form(s: Draft) -> Made:
    """A vector's square in the metric of a matrix."""
    matrices = [shape for shape in s.shapes if len(shape) == 2 and shape[0] == shape[1]]
    if not matrices:
        return speed(s)
    size = matrices[0]
    made = s.array(shaped(s.float.scalar, size), span=Interval(-1.0, 1.0), name=s.names.take("matrices"))
    m = s.bind(s.read(made), free(s, "m", "A"))
    if s.rng.chance(0.4):
        kind = s.rng.pick(("determinant", "trace"))
        return Made(
            s.apply(kind, m),
            ({"trace": "tr", "determinant": "det"}[kind], kind),
            made.name,
            f"takes the {kind} of `{made.name}`",
        )
    vectors = s.array(shaped(s.float.scalar, size[:1]), span=SIGNED, name=s.names.take("vectors"))
    v = s.bind(s.read(vectors), free(s, "v", "b"))
    value = s.apply("dot", v, s.apply("matrix_vector", m, v))
    return Made(
        value,
        ("form", "energy"),
        vectors.name,
        f"takes the quadratic form of `{vectors.name}` by `{made.name}`",
    )


STARTS: tuple[tuple[Start, float], ...] = ((element, 4.0), (slope, 1.5), (gathered, 1.0), (window, 0.5))
VECTOR_STARTS: tuple[tuple[Start, float], ...] = ((distance, 2.0), (projection, 1.0), (speed, 1.0))
