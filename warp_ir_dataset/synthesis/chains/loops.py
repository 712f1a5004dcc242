"""Forms with loops: sums and extremes of rows, polynomials, neighbours, relaxation."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Break, Continue, Expr, For, If, Literal, Name, Variable
from ...language.types import INT, Type
from ..blocks import ZERO
from ..growing.draft import Draft
from ..growing.terms import literal
from .form import Form, Made, array, factor, free, local, other, said, trips, variable

ENTRIES = Interval(-1.0, 2.0)


def _row(s: Draft, type: Type, index: Name, *options: str, span: Interval = ENTRIES) -> tuple[Expr, str]:
    """The entry of the thread's row that a loop has come to."""
    place = (*s.threads[:1], index)
    rows = array(s, type, *options, span=span, index=place)
    del s.element_index[rows.name]
    return s.read(rows, place), rows.name


def _index(s: Draft, most: int) -> Name:
    return s.named(free(s, *s.rng.shuffled(("k", "m", "col"))[:1], "k", "m"), INT, Interval(0, most - 1))


def row_sum(s: Draft, x: Name) -> Made:
    """A sum of a row's entries: weighted, or those that a mask or a threshold lets through."""
    kind = s.rng.pick(("plain", "weighted", "masked", "positive", "squares"))
    stop, most = trips(s, 3, 8, "width", "num_terms")
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "rows", "contributions", "terms", "entries")
    told = f"adds the sum of the row of `{name}`"
    with s.inner() as body:
        term = entry
        if kind == "weighted":
            place = (index,)
            weights = array(
                s, x.type, "kernel_weights", "stencil", "filter_taps", span=Interval(0.1, 0.9), index=place
            )
            del s.element_index[weights.name]
            term, told = s.mul(s.read(weights, place), entry), f"{told} weighted by `{weights.name}`"
        elif kind == "squares":
            v = s.bind(entry, free(s, "v", "entry"))
            term, told = s.mul(v, v), f"adds the sum of squares of the row of `{name}`"
        elif kind == "positive":
            v = s.bind(entry, free(s, "v", "entry"))
            s.emit(If(s.compare("le", v, 0.0), (Continue(),)))
            term, told = v, f"{told} that are positive".replace("row of", "entries of")
        elif kind == "masked":
            flag, marks = _row(s, INT, index, "row_mask", "used", span=Interval(0, 1))
            s.emit(If(s.compare("eq", flag, 0), (Continue(),)))
            told = f"{told} that `{marks}` marks".replace("row of", "entries of")
        low, high = min(most * s.span(term).lo, 0.0), max(most * s.span(term).hi, 0.0)
        total = s.named(free(s, "total", "row_sum", "acc"), x.type, Interval(float(low), float(high)))
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, x.type.element)))
    s.emit(For(index, ZERO, stop, 1, tuple(body)))
    return Made(s.add(x, total), ("accumulated", "summed"), "accumulate", told)


def row_extreme(s: Draft, x: Name) -> Made:
    """The running maximum or minimum of a row, beginning with the value."""
    which = s.rng.pick(("max", "min"))
    stop, most = trips(s, 3, 8, "width", "num_candidates")
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "candidates", "rows", "levels", span=Interval(-2.0, 2.0))
    best = variable(s, x, s.span(entry))
    s.emit(For(index, ZERO, stop, 1, (Assign(best, s.apply(which, best, entry)),)))
    word = "largest" if which == "max" else "smallest"
    return Made(best, (), f"find_{word}", f"takes the {word} of it and the row of `{name}`")


def count_above(s: Draft, x: Name) -> Made:
    """How many entries of a row exceed the value, as a share."""
    most = s.rng.integer(3, 8)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "thresholds", "levels", "samples_of_row", span=Interval(-2.0, 2.0))
    count = s.named(free(s, "count", "hits"), INT, Interval(0, most))
    s.emit(Variable(count, ZERO))
    s.emit(
        For(
            index,
            ZERO,
            Literal(most, INT),
            1,
            (If(s.compare("lt", entry, x), (Accumulate(count, "+", Literal(1, INT)),)),),
        )
    )
    value = s.div(s.real(count, x.type), float(most))
    return Made(
        value, ("share_below", "rank"), "rank", f"finds the share of the row of `{name}` that is less"
    )


def first_above(s: Draft, x: Name) -> Made:
    """The first entry of a row that exceeds the value takes its place."""
    most = s.rng.integer(3, 8)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "steps_of_row", "levels", "thresholds", span=Interval(-2.0, 2.0))
    found = variable(s, x, s.span(entry))
    s.emit(
        For(
            index,
            ZERO,
            Literal(most, INT),
            1,
            (If(s.compare("gt", entry, x), (Assign(found, entry), Break())),),
        )
    )
    return Made(
        found,
        (),
        "search",
        f"replaces it by the first entry of the row of `{name}` that exceeds it, if there is one",
    )


def polynomial(s: Draft, x: Name) -> Made:
    """Horner's rule."""
    if s.span(x).magnitude > 4:
        return row_sum(s, x)
    count = s.rng.integer(3, 4)
    index = _index(s, count)
    coefficients = array(s, x.type, "coefficients", "poly", span=Interval(-0.5, 0.5), index=(index,))
    del s.element_index[coefficients.name]
    value = s.declare(
        Literal(0.0, x.type.element), Interval(-200.0, 200.0), called=free(s, "value", "result")
    )
    step = s.apply(
        "clamp", s.add(s.mul(value, x), s.read(coefficients, (index,))), literal(-200.0, x), literal(200.0, x)
    )
    plain = step.operands[0]
    s.emit(For(index, ZERO, Literal(count, INT), 1, (Assign(value, plain),)))
    return Made(
        value, (), "evaluate", f"evaluates the polynomial of `{coefficients.name}` there by Horner’s rule"
    )


def relaxed(s: Draft, x: Name) -> Made:
    """Some steps towards a target."""
    wanted, name = other(s, x.type, "targets", "goals", "equilibrium", span=Interval(-2.0, 2.0))
    goal = local(s, wanted, "target", "goal")
    rate = factor(s, 0.1, 0.9, "rate", "relaxation")
    stop, most = trips(s, 2, 5, "num_steps", "iterations")
    index = s.named(free(s, "step", "iteration"), INT, Interval(0, most - 1))
    state = variable(s, x, s.span(goal))
    moved = s.apply("lerp", state, goal, rate)
    s.emit(For(index, ZERO, stop, 1, (Assign(state, moved),)))
    many = f"`{stop.name}`" if isinstance(stop, Name) else str(most)
    return Made(state, (), "relax", f"relaxes it towards `{name}` at rate {said(rate)} for {many} steps")


def moving_average(s: Draft, x: Name) -> Made:
    """A running value that follows the entries of a row."""
    rate = factor(s, 0.1, 0.9, "alpha", "smoothing")
    stop, most = trips(s, 3, 8, "num_samples", "width")
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "history", "samples_of_row", "readings_of_row")
    state = variable(s, x, s.span(entry))
    s.emit(For(index, ZERO, stop, 1, (Assign(state, s.apply("lerp", state, entry, rate)),)))
    return Made(state, (), "follow", f"lets it follow the row of `{name}` at rate {said(rate)}")


def row_mean(s: Draft, x: Name) -> Made:
    """How far the value is from the mean of a row."""
    most = s.rng.integer(3, 8)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "rows", "group_values", "ensemble")
    span = s.span(entry)
    total = s.named(free(s, "total", "acc"), x.type, Interval(most * span.lo, most * span.hi))
    s.emit(Variable(total, Literal(0.0, x.type.element)))
    s.emit(For(index, ZERO, Literal(most, INT), 1, (Accumulate(total, "+", entry),)))
    mean = s.bind(s.div(total, float(most)), free(s, "mean", "average"))
    return Made(
        s.sub(x, mean),
        ("anomaly", "deviation"),
        "centre",
        f"takes its deviation from the mean of the row of `{name}`",
    )


def nearness(s: Draft, x: Name) -> Made:
    """A sum of bells around the entries of a row."""
    if s.span(x).magnitude > 3:
        return row_mean(s, x)
    width = factor(s, 0.8, 1.6, "bandwidth", "width")
    most = s.rng.integer(3, 6)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, "centres", "knots", "support_points")
    with s.inner() as body:
        d = s.bind(s.div(s.sub(x, entry), width), free(s, "d", "z"))
        term = s.apply("exp", s.apply("neg", s.mul(d, d)))
        total = s.named(free(s, "total", "density"), x.type, Interval(0.0, 1.0e3))
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, x.type.element)))
    s.emit(For(index, ZERO, Literal(most, INT), 1, tuple(body)))
    return Made(
        total, (), "estimate", f"adds up Gaussian weights of width {said(width)} around the row of `{name}`"
    )


LOOPS: tuple[tuple[Form, float], ...] = (
    (row_sum, 3.0), (row_extreme, 1.5), (count_above, 1.0), (first_above, 1.0), (polynomial, 1.0),
    (relaxed, 1.2), (moving_average, 1.2), (row_mean, 1.2), (nearness, 0.8),
)  # fmt: skip
