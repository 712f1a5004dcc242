"""Chain steps with loops: sums and extremes of rows and blocks, polynomials, neighbours, relaxation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...language import ir
from ...language.domains import Interval
from ...language.types import INT, Type
from .draft import Draft
from .form import (
    ZERO,
    Form,
    Made,
    Use,
    any_of,
    array,
    factor,
    free,
    local,
    other,
    part,
    said,
    trips,
    untaken,
    variable,
)
from .ranges import tame
from .terms import literal

INDICES = "k m n q s t"
BLOCKS = ((2, 2), (2, 3), (3, 2), (2, 4), (3, 3))  # rows and columns


@dataclass(frozen=True)
class Rounds:
    """A loop over a row, or two loops over a block, the outer one first: their indices, where they stop, and
    their most iterations."""

    indices: tuple[ir.Name, ...]
    stops: tuple[ir.Expr, ...]
    most: tuple[int, ...]

    @property
    def count(self) -> int:
        """The most entries that they go through."""
        return self.most[0] * (self.most[1] if len(self.most) == 2 else 1)

    def of(self, body: Sequence[ir.Stmt]) -> ir.Stmt:
        """The loops around a body."""
        loop = tuple(body)
        for index, stop in zip(reversed(self.indices), reversed(self.stops), strict=True):
            loop = (ir.For(index, ZERO, stop, 1, loop),)
        return loop[0]


def _rounds(s: Draft, low: int, high: int, choices: str = "") -> Rounds:
    """A loop of `low` to `high` iterations, or a block's two. With `choices`, an argument may say where the
    outer one stops; it has one of these names, or a name of a block's height.

    A form that divides by `Rounds.count` must pass none: an argument may be less than the most iterations."""
    if not s.rng.chance(s.ways.blocks):
        stop, most = trips(s, low, high, choices)
        return Rounds((_index(s, most),), (stop,), (most,))
    rows, columns = s.rng.pick(BLOCKS)
    outer: ir.Expr = ir.Literal(rows, INT)
    left = untaken(s, "num_rows block_height") if choices else []
    if left and s.rng.chance(0.4):
        rows += 1
        outer = s.value(INT, Interval(rows - 1, rows), left[0])
    return Rounds((_index(s, rows), _index(s, columns)), (outer, ir.Literal(columns, INT)), (rows, columns))


def _entry(s: Draft, type: Type, rounds: Rounds, choices: str, span: Interval) -> tuple[ir.Load, str]:
    """The entry that loops have come to of the thread's own, and the array's name."""
    place = (*s.threads, *rounds.indices)
    entries = array(s, type, choices, span=span, index=place)
    return s.read(entries, place), entries.name


def _own(s: Draft, name: str, rounds: Rounds) -> str:
    """What loops go through, in words, and how many where that is an argument."""
    stop = rounds.stops[0]
    if len(rounds.indices) == 2:
        if isinstance(stop, ir.Name):
            return f"the first `{stop.name}` rows of its block of `{name}`"
        return f"its {rounds.most[0]} by {rounds.most[1]} block of `{name}`"
    if isinstance(stop, ir.Name):
        return f"the first `{stop.name}` of its entries of `{name}`"
    return f"{'the row' if len(s.threads) == 1 else 'its entries'} of `{name}`"


def _index(s: Draft, most: int) -> ir.Name:
    return s.named(any_of(s, INDICES), INT, Interval(0, most - 1))


def _sum(s: Draft, x: ir.Name, use: Use, rounds: Rounds, kind: str) -> tuple[ir.Expr, str]:
    """What loops add up of a row or a block, and words for it; may emit a test that skips an entry."""
    entry, name = _entry(s, x.type, rounds, use.names[0], use.span)
    own = _own(s, name, rounds)
    if kind == "weighted":
        place = rounds.indices[-1:] if s.rng.chance(0.5) else rounds.indices
        weights = array(s, x.type, use.names[2], span=Interval(0.1, 0.9), index=place)
        return s.mul(s.read(weights, place), entry), f"{own}, weighted by `{weights.name}`"
    if kind == "squares":
        v = s.bind(entry, free(s, use.names[1]))
        return s.mul(v, v), f"the squares of {own}"
    if kind == "large":
        least = literal(0.5 if use.is_positive else 0.0, x)
        v = s.bind(entry, free(s, use.names[1]))
        s.emit(ir.If(s.compare("le", v, least), (ir.Continue(),)))
        return v, f"what is more than {said(least)} among {own}"
    if kind == "masked":
        flag, marks = _entry(s, INT, rounds, "used included", Interval(0, 1))
        s.emit(ir.If(s.compare("eq", flag, 0), (ir.Continue(),)))
        return entry, f"{own} where `{marks}` is not 0"
    return entry, own


def _added(s: Draft, x: ir.Name, use: Use, kinds: tuple[str, ...], rounds: Rounds) -> tuple[ir.Name, str]:
    """A local with the sum of a row or a block, and words for what was added up."""
    with s.block() as body:
        term, told = _sum(s, x, use, rounds, s.rng.pick(kinds))
        total = _total(s, term, rounds.count, "total acc subtotal")
        s.emit(ir.Accumulate(total, "+", term))
    s.emit(ir.Variable(total, ir.Literal(0.0, x.type.element)))
    s.emit(rounds.of(body))
    return total, told


def _total(s: Draft, term: ir.Expr, count: int, choices: str) -> ir.Name:
    """The name of a sum of so many terms."""
    low, high = min(count * s.span(term).lo, 0.0), max(count * s.span(term).hi, 0.0)
    return s.named(free(s, choices), term.type, Interval(float(low), float(high)))


def row_sum(s: Draft, x: ir.Name, use: Use) -> Made:
    """A sum of a row's entries: weighted, or those that a mask or a threshold lets through. The names are the
    rows', an entry's, and the weights' where they may have some."""
    kinds: tuple[str, ...] = ("plain", "masked", "large")
    rounds = _rounds(s, 3, 8, "num_terms width")
    if len(rounds.indices) == 2 and use.is_positive and s.rng.chance(0.4):
        return _best_row(s, x, use, rounds)
    kinds = (*kinds, "weighted", "weighted") if len(use.names) > 2 else kinds
    total, told = _added(s, x, use, kinds, rounds)
    return Made(s.add(x, total), "accumulate", f"adds the sum of {told}")


def _best_row(s: Draft, x: ir.Name, use: Use, rounds: Rounds) -> Made:
    """The largest sum of a block's rows, whose entries are positive."""
    entry, name = _entry(s, x.type, rounds, use.names[0], use.span)
    (outer, inner), (rows, columns) = rounds.indices, rounds.stops
    row = _total(s, entry, rounds.most[1], "row_total partial")
    best = s.declare(literal(0.0, x), s.span(row), free(s, "largest best"))
    body = (
        ir.Variable(row, ir.Literal(0.0, x.type.element)),
        ir.For(inner, ZERO, columns, 1, (ir.Accumulate(row, "+", entry),)),
        ir.Assign(best, s.apply("max", best, row)),
    )
    s.emit(ir.For(outer, ZERO, rows, 1, body))
    return Made(s.add(x, best), "accumulate", f"adds the largest sum of a row of {_own(s, name, rounds)}")


def row_norm(s: Draft, x: ir.Name, use: Use) -> Made:
    """The value relative to the root mean square of a row; the names are the rows' and an entry's."""
    rounds = _rounds(s, 3, 8)
    total, told = _added(s, x, use, ("squares",), rounds)
    mean = s.div(total, float(rounds.count))
    size = s.bind(s.apply("sqrt", s.add(mean, literal(0.1, x))), free(s, "rms"))
    return Made(s.div(x, size), "normalize", f"divides it by the root of 0.1 plus the mean of {told}")


def row_maximum(s: Draft, x: ir.Name, use: Use) -> Made:
    return _extreme(s, x, use, "max", "largest")


def row_minimum(s: Draft, x: ir.Name, use: Use) -> Made:
    return _extreme(s, x, use, "min", "smallest")


def _extreme(s: Draft, x: ir.Name, use: Use, which: str, word: str) -> Made:
    """The running maximum or minimum of a row, beginning with the value."""
    rounds = _rounds(s, 3, 8, "num_candidates width")
    entry, name = _entry(s, x.type, rounds, use.names[0], use.span)
    best = variable(s, x, s.span(entry))
    change: ir.Stmt = ir.Assign(best, s.apply(which, best, entry))
    if s.rng.chance(s.ways.branches):
        change = ir.If(s.compare("gt" if which == "max" else "lt", entry, best), (ir.Assign(best, entry),))
    s.emit(rounds.of((change,)))
    return Made(best, f"find_{word}", f"takes the {word} of it and {_own(s, name, rounds)}")


def share_below(s: Draft, x: ir.Name, use: Use) -> Made:
    """How many entries of a row are less than the value, as a share."""
    rounds = _rounds(s, 3, 8)
    entry, name = _entry(s, x.type, rounds, use.names[0], use.span)
    count = s.named(free(s, "count below"), INT, Interval(0, rounds.count))
    s.emit(ir.Variable(count, ZERO))
    s.emit(rounds.of((ir.If(s.compare("lt", entry, x), (ir.Accumulate(count, "+", ir.Literal(1, INT)),)),)))
    told = f"finds the share of {_own(s, name, rounds)} that is less"
    return Made(s.div(s.real(count, x.type), float(rounds.count)), "rank", told)


def first_above(s: Draft, x: ir.Name, use: Use) -> Made:
    """The first entry of a row that exceeds the value takes its place."""
    stop, most = trips(s, 3, 8)
    rounds = Rounds((_index(s, most),), (stop,), (most,))
    entry, name = _entry(s, x.type, rounds, use.names[0], use.span)
    found = variable(s, x, s.span(entry))
    s.emit(rounds.of((ir.If(s.compare("gt", entry, x), (ir.Assign(found, entry), ir.Break())),)))
    told = f"replaces it by the first of {_own(s, name, rounds)} that exceeds it, if there is one"
    return Made(found, "round_up", told)


def polynomial(s: Draft, x: ir.Name, use: Use) -> Made:
    """Horner's rule; the names are the coefficients' and the result's."""
    small = tame(s, x, 12.0)
    point = local(s, small, "point")
    reach = s.span(point).magnitude
    count = min(s.rng.integer(3, 4), 3 if reach > 6.0 else 4)
    index = _index(s, count)
    coefficients = array(s, x.type, use.names[0], span=Interval(-0.5, 0.5), index=(index,))
    most = 0.5 * sum(reach**power for power in range(count))
    value = s.declare(ir.Literal(0.0, x.type.element), Interval(-most, most), free(s, use.names[1]))
    step = s.add(s.mul(value, point), s.read(coefficients, (index,)))
    s.emit(ir.For(index, ZERO, ir.Literal(count, INT), 1, (ir.Assign(value, step),)))
    told = f"evaluates the polynomial of `{coefficients.name}` at {part(small, x)} by Horner's rule"
    return Made(value, "evaluate", told)


def relaxed(s: Draft, x: ir.Name, use: Use) -> Made:
    """Some steps towards a target, or towards each of a row of targets; the names are the targets', one
    target's, the rate's."""
    if s.rng.chance(s.ways.blocks):
        return _relaxed_in_turn(s, x, use)
    wanted, name = other(s, x.type, use.names[0], span=use.span)
    goal = local(s, wanted, use.names[1])
    rate = factor(s, 0.1, 0.9, use.names[2])
    stop, most = trips(s, 2, 5, "num_steps iterations")
    index = s.named(free(s, "step iteration"), INT, Interval(0, most - 1))
    state = variable(s, x, s.span(goal))
    moved = s.apply("lerp", state, goal, rate)
    s.emit(ir.For(index, ZERO, stop, 1, (ir.Assign(state, moved),)))
    told = f"relaxes it towards `{name}` at rate {said(rate)} for {_many(stop)} steps"
    return Made(state, "relax", told)


def _relaxed_in_turn(s: Draft, x: ir.Name, use: Use) -> Made:
    """Sweeps over a row of targets."""
    rate = factor(s, 0.1, 0.6, use.names[2])
    stop, most = trips(s, 2, 4, "num_sweeps iterations")
    sweep = s.named(free(s, "sweep iteration"), INT, Interval(0, most - 1))
    width, count = trips(s, 2, 4)
    inner = Rounds((_index(s, count),), (width,), (count,))
    goal, name = _entry(s, x.type, inner, use.names[0], use.span)
    state = variable(s, x, s.span(goal))
    moved = inner.of((ir.Assign(state, s.apply("lerp", state, goal, rate)),))
    s.emit(ir.For(sweep, ZERO, stop, 1, (moved,)))
    own = _own(s, name, inner)
    told = f"moves it towards each of {own} in turn at rate {said(rate)}, in {_many(stop)} sweeps"
    return Made(state, "relax", told)


def _many(stop: ir.Expr) -> str:
    """How often a loop runs, in words."""
    return f"`{stop.name}`" if isinstance(stop, ir.Name) else said(stop)


def moving_average(s: Draft, x: ir.Name, use: Use) -> Made:
    """The value after a row of earlier ones, oldest first, as an exponential average."""
    rate = factor(s, 0.1, 0.9, use.names[1])
    stop, most = trips(s, 3, 8, "num_samples width")
    index = s.named(any_of(s, INDICES), INT, Interval(1, most - 1))
    rounds = Rounds((index,), (stop,), (most,))
    entry, name = _entry(s, x.type, rounds, use.names[0], use.span)
    first = replace(entry, index=(*s.threads, ZERO))
    state = s.declare(first, s.span(entry), free(s, "average so_far"))
    s.emit(
        ir.For(index, ir.Literal(1, INT), stop, 1, (ir.Assign(state, s.apply("lerp", state, entry, rate)),))
    )
    told = f"smooths it exponentially after {_own(s, name, rounds)} at rate {said(rate)}"
    return Made(s.apply("lerp", state, x, rate), "smooth", told)


def row_mean(s: Draft, x: ir.Name, use: Use) -> Made:
    """How far the value is from the mean of a row."""
    rounds = _rounds(s, 3, 8)
    total, told = _added(s, x, use, ("plain",), rounds)
    mean = s.bind(s.div(total, float(rounds.count)), free(s, "mean average"))
    return Made(s.sub(x, mean), "centre", f"takes its deviation from the mean of {told}")


def nearness(s: Draft, x: ir.Name, use: Use) -> Made:
    """A sum of bells around the entries of a row; the names are the rows', the width's, the sum's."""
    small = tame(s, x, 2.0)
    point = local(s, small, "point")
    width = factor(s, 0.8, 1.6, use.names[1])
    rounds = _rounds(s, 3, 6)
    entry, name = _entry(s, x.type, rounds, use.names[0], Interval(0.0 if use.is_positive else -1.2, 1.2))
    with s.block() as body:
        d = s.bind(s.div(s.sub(point, entry), width), free(s, "d z"))
        term = s.apply("exp", s.mul(s.mul(-0.5, d), d))
        total = s.named(free(s, use.names[2]), x.type, Interval(0.0, float(rounds.count)))
        s.emit(ir.Accumulate(total, "+", term))
    s.emit(ir.Variable(total, ir.Literal(0.0, x.type.element)))
    s.emit(rounds.of(body))
    own = _own(s, name, rounds)
    told = f"adds up Gaussian weights of width {said(width)} between {part(small, x)} and {own}"
    return Made(total, "estimate", told)


LOOPS: tuple[Form, ...] = (
    row_sum, row_norm, row_maximum, row_minimum, share_below, first_above, polynomial, relaxed,
    moving_average, row_mean, nearness,
)  # fmt: skip
# Those that may go through a block, by a loop within a loop.
OVER_BLOCKS: tuple[Form, ...] = (
    row_sum, row_norm, row_maximum, row_minimum, share_below, relaxed, row_mean, nearness,
)  # fmt: skip
