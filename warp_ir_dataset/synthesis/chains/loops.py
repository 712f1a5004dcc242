"""Chain steps with loops: sums and extremes of rows, polynomials, neighbours, relaxation."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Break, Continue, Expr, For, If, Literal, Name, Variable
from ...language.types import INT, Type
from ..blocks import ZERO
from ..growing.draft import Draft
from ..growing.repair import tame
from ..growing.terms import literal
from .form import Form, Made, Use, any_of, array, factor, free, local, other, part, said, trips, variable


def _row(s: Draft, type: Type, index: Name, choices: str, span: Interval) -> tuple[Expr, str]:
    """The entry that a loop has come to of the thread's own, which are a row in a launch of one dimension."""
    place = (*s.threads, index)
    rows = array(s, type, choices, span=span, index=place)
    del s.element_index[rows.name]
    return s.read(rows, place), rows.name


def _own(s: Draft, name: str, stop: Expr | None = None) -> str:
    """What a loop goes through, in words; `stop` says how many where that is an argument."""
    if isinstance(stop, Name):
        return f"the first `{stop.name}` of its entries of `{name}`"
    return f"{'the row' if len(s.threads) == 1 else 'its entries'} of `{name}`"


def _index(s: Draft, most: int) -> Name:
    return s.named(any_of(s, "k m n"), INT, Interval(0, most - 1))


def _sum(s: Draft, x: Name, use: Use, index: Name, kind: str, stop: Expr) -> tuple[Expr, str]:
    """What a loop adds up of a row, and words for it; may emit a test that skips an entry."""
    entry, name = _row(s, x.type, index, use.names[0], use.span)
    own = _own(s, name, stop)
    if kind == "weighted":
        weights = array(s, x.type, use.names[2], span=Interval(0.1, 0.9), index=(index,))
        del s.element_index[weights.name]
        return s.mul(s.read(weights, (index,)), entry), f"{own}, weighted by `{weights.name}`"
    if kind == "squares":
        v = s.bind(entry, free(s, use.names[1]))
        return s.mul(v, v), f"the squares of {own}"
    if kind == "large":
        least = literal(0.5 if use.is_positive else 0.0, x)
        v = s.bind(entry, free(s, use.names[1]))
        s.emit(If(s.compare("le", v, least), (Continue(),)))
        return v, f"what is more than {said(least)} among {own}"
    if kind == "masked":
        flag, marks = _row(s, INT, index, "used included", Interval(0, 1))
        s.emit(If(s.compare("eq", flag, 0), (Continue(),)))
        return entry, f"{own} where `{marks}` is not 0"
    return entry, own


def _added(s: Draft, x: Name, use: Use, kinds: tuple[str, ...], stop: Expr, most: int) -> tuple[Name, str]:
    """A local with the sum of a row, and words for what was added up."""
    index = _index(s, most)
    with s.inner() as body:
        term, told = _sum(s, x, use, index, s.rng.pick(kinds), stop)
        low, high = min(most * s.span(term).lo, 0.0), max(most * s.span(term).hi, 0.0)
        total = s.named(free(s, "total acc"), x.type, Interval(float(low), float(high)))
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, x.type.element)))
    s.emit(For(index, ZERO, stop, 1, tuple(body)))
    return total, told


def row_sum(s: Draft, x: Name, use: Use) -> Made:
    """A sum of a row's entries: weighted, or those that a mask or a threshold lets through. The names are the
    rows', an entry's, and the weights' where they may have some."""
    kinds: tuple[str, ...] = ("plain", "masked", "large")
    stop, most = trips(s, 3, 8, "num_terms width")
    kinds = (*kinds, "weighted", "weighted") if len(use.names) > 2 else kinds
    total, told = _added(s, x, use, kinds, stop, most)
    return Made(s.add(x, total), "accumulate", f"adds the sum of {told}")


def row_norm(s: Draft, x: Name, use: Use) -> Made:
    """The value relative to the root mean square of a row; the names are the rows' and an entry's."""
    most = s.rng.integer(3, 8)
    total, told = _added(s, x, use, ("squares",), Literal(most, INT), most)
    size = s.bind(s.apply("sqrt", s.add(s.div(total, float(most)), literal(0.1, x))), free(s, "rms"))
    return Made(s.div(x, size), "normalize", f"divides it by the root of 0.1 plus the mean of {told}")


def row_maximum(s: Draft, x: Name, use: Use) -> Made:
    return _extreme(s, x, use, "max", "largest")


def row_minimum(s: Draft, x: Name, use: Use) -> Made:
    return _extreme(s, x, use, "min", "smallest")


def _extreme(s: Draft, x: Name, use: Use, which: str, word: str) -> Made:
    """The running maximum or minimum of a row, beginning with the value."""
    stop, most = trips(s, 3, 8, "num_candidates width")
    index = _index(s, most)
    entry, name = _row(s, x.type, index, use.names[0], use.span)
    best = variable(s, x, s.span(entry))
    s.emit(For(index, ZERO, stop, 1, (Assign(best, s.apply(which, best, entry)),)))
    return Made(best, f"find_{word}", f"takes the {word} of it and {_own(s, name, stop)}")


def share_below(s: Draft, x: Name, use: Use) -> Made:
    """How many entries of a row are less than the value, as a share."""
    most = s.rng.integer(3, 8)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, use.names[0], use.span)
    count = s.named(free(s, "count below"), INT, Interval(0, most))
    s.emit(Variable(count, ZERO))
    counted = If(s.compare("lt", entry, x), (Accumulate(count, "+", Literal(1, INT)),))
    s.emit(For(index, ZERO, Literal(most, INT), 1, (counted,)))
    told = f"finds the share of {_own(s, name)} that is less"
    return Made(s.div(s.real(count, x.type), float(most)), "rank", told)


def first_above(s: Draft, x: Name, use: Use) -> Made:
    """The first entry of a row that exceeds the value takes its place."""
    most = s.rng.integer(3, 8)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, use.names[0], use.span)
    found = variable(s, x, s.span(entry))
    taken = If(s.compare("gt", entry, x), (Assign(found, entry), Break()))
    s.emit(For(index, ZERO, Literal(most, INT), 1, (taken,)))
    told = f"replaces it by the first of {_own(s, name)} that exceeds it, if there is one"
    return Made(found, "round_up", told)


def polynomial(s: Draft, x: Name, use: Use) -> Made:
    """Horner's rule; the names are the coefficients' and the result's."""
    small = tame(s, x, 12.0)
    point = local(s, small, "point")
    reach = s.span(point).magnitude
    count = min(s.rng.integer(3, 4), 3 if reach > 6.0 else 4)
    index = _index(s, count)
    coefficients = array(s, x.type, use.names[0], span=Interval(-0.5, 0.5), index=(index,))
    del s.element_index[coefficients.name]
    most = 0.5 * sum(reach**power for power in range(count))
    value = s.declare(Literal(0.0, x.type.element), Interval(-most, most), called=free(s, use.names[1]))
    step = s.add(s.mul(value, point), s.read(coefficients, (index,)))
    s.emit(For(index, ZERO, Literal(count, INT), 1, (Assign(value, step),)))
    told = f"evaluates the polynomial of `{coefficients.name}` at {part(small, x)} by Horner's rule"
    return Made(value, "evaluate", told)


def relaxed(s: Draft, x: Name, use: Use) -> Made:
    """Some steps towards a target; the names are the targets', one target's, the rate's."""
    wanted, name = other(s, x.type, use.names[0], span=use.span)
    goal = local(s, wanted, use.names[1])
    rate = factor(s, 0.1, 0.9, use.names[2])
    stop, most = trips(s, 2, 5, "num_steps iterations")
    index = s.named(free(s, "step iteration"), INT, Interval(0, most - 1))
    state = variable(s, x, s.span(goal))
    moved = s.apply("lerp", state, goal, rate)
    s.emit(For(index, ZERO, stop, 1, (Assign(state, moved),)))
    many = f"`{stop.name}`" if isinstance(stop, Name) else str(most)
    return Made(state, "relax", f"relaxes it towards `{name}` at rate {said(rate)} for {many} steps")


def moving_average(s: Draft, x: Name, use: Use) -> Made:
    """The value after a row of earlier ones, oldest first, as an exponential average."""
    rate = factor(s, 0.1, 0.9, use.names[1])
    stop, most = trips(s, 3, 8, "num_samples width")
    index = s.named(any_of(s, "k m n"), INT, Interval(1, most - 1))
    rows = array(s, x.type, use.names[0], span=use.span, index=(*s.threads, index))
    del s.element_index[rows.name]
    entry = s.read(rows, (*s.threads, index))
    state = s.declare(s.read(rows, (*s.threads, ZERO)), s.span(entry), called=free(s, "average so_far"))
    s.emit(For(index, Literal(1, INT), stop, 1, (Assign(state, s.apply("lerp", state, entry, rate)),)))
    told = f"smooths it exponentially after {_own(s, rows.name, stop)} at rate {said(rate)}"
    return Made(s.apply("lerp", state, x, rate), "smooth", told)


def row_mean(s: Draft, x: Name, use: Use) -> Made:
    """How far the value is from the mean of a row."""
    most = s.rng.integer(3, 8)
    total, told = _added(s, x, use, ("plain",), Literal(most, INT), most)
    mean = s.bind(s.div(total, float(most)), free(s, "mean average"))
    return Made(s.sub(x, mean), "centre", f"takes its deviation from the mean of {told}")


def nearness(s: Draft, x: Name, use: Use) -> Made:
    """A sum of bells around the entries of a row; the names are the rows', the width's, the sum's."""
    point = local(s, tame(s, x, 2.0), "point")
    width = factor(s, 0.8, 1.6, use.names[1])
    most = s.rng.integer(3, 6)
    index = _index(s, most)
    entry, name = _row(s, x.type, index, use.names[0], Interval(0.0 if use.is_positive else -1.2, 1.2))
    with s.inner() as body:
        d = s.bind(s.div(s.sub(point, entry), width), free(s, "d z"))
        term = s.apply("exp", s.mul(s.mul(-0.5, d), d))
        total = s.named(free(s, use.names[2]), x.type, Interval(0.0, 1.0e3))
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, x.type.element)))
    s.emit(For(index, ZERO, Literal(most, INT), 1, tuple(body)))
    told = f"adds up Gaussian weights of width {said(width)} around {_own(s, name)}"
    return Made(total, "estimate", told)


LOOPS: tuple[Form, ...] = (
    row_sum, row_norm, row_maximum, row_minimum, share_below, first_above, polynomial, relaxed,
    moving_average, row_mean, nearness,
)  # fmt: skip
