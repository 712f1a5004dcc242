"""Steps with loops: sums and extremes of rows and blocks, polynomials, neighbours, relaxation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...language import ir
from ...language.domains import Interval
from ...language.types import INT, Type
from .builder import Builder
from .ranges import rescale
from .step import (
    ZERO,
    Step,
    StepResult,
    Use,
    any_free_name,
    as_local,
    as_variable,
    free_name,
    free_names,
    new_array,
    new_factor,
    other_element,
    phrase,
    rescaled_phrase,
    trip_count,
)
from .terms import literal

INDICES = "k m n q s t"
BLOCKS = ((2, 2), (2, 3), (3, 2), (2, 4), (3, 3))  # rows and columns


@dataclass(frozen=True)
class LoopNest:
    """A loop over a row, or two nested loops over a block, the outer one first: their indices, the ends of
    their ranges, and their most iterations."""

    indices: tuple[ir.Name, ...]
    stops: tuple[ir.Expr, ...]
    most: tuple[int, ...]

    @property
    def count(self) -> int:
        """The most iterations of the innermost body."""
        return self.most[0] * (self.most[1] if len(self.most) == 2 else 1)

    def around(self, body: Sequence[ir.Stmt]) -> ir.Stmt:
        """The loops around a body."""
        loop = tuple(body)
        for index, stop in zip(reversed(self.indices), reversed(self.stops), strict=True):
            loop = (ir.For(index, ZERO, stop, 1, loop),)
        return loop[0]


def _loop_nest(b: Builder, low: int, high: int, choices: str = "") -> LoopNest:
    """A loop of `low` to `high` iterations, or two over a block. With `choices`, the end of the outer one may
    be an argument; it has one of these names, or a name of a block's height.

    A step that divides by `LoopNest.count` must pass none: the argument may be less than the most iterations.
    """
    if not b.rng.chance(b.priors.blocks):
        stop, most = trip_count(b, low, high, choices)
        return LoopNest((_index(b, most),), (stop,), (most,))
    rows, columns = b.rng.pick(BLOCKS)
    outer: ir.Expr = ir.Literal(rows, INT)
    left = free_names(b, "num_rows block_height") if choices else []
    if left and b.rng.chance(0.4):
        rows += 1
        outer = b.scalar_argument(INT, Interval(rows - 1, rows), left[0])
    return LoopNest((_index(b, rows), _index(b, columns)), (outer, ir.Literal(columns, INT)), (rows, columns))


def _entry(b: Builder, type: Type, nest: LoopNest, choices: str, span: Interval) -> tuple[ir.Load, str]:
    """The thread's entry at the indices of the loops, and the array's name."""
    place = (*b.threads, *nest.indices)
    entries = new_array(b, type, choices, span=span, index=place)
    return b.read(entries, place), entries.name


def _entries_phrase(b: Builder, name: str, nest: LoopNest) -> str:
    """Words for the entries that loops visit, with their number if that is an argument."""
    stop = nest.stops[0]
    if len(nest.indices) == 2:
        if isinstance(stop, ir.Name):
            return f"the first `{stop.name}` rows of its block of `{name}`"
        return f"its {nest.most[0]} by {nest.most[1]} block of `{name}`"
    if isinstance(stop, ir.Name):
        return f"the first `{stop.name}` of its entries of `{name}`"
    return f"{'the row' if len(b.threads) == 1 else 'its entries'} of `{name}`"


def _index(b: Builder, most: int) -> ir.Name:
    return b.named(any_free_name(b, INDICES), INT, Interval(0, most - 1))


def _term(b: Builder, x: ir.Name, use: Use, nest: LoopNest, kind: str) -> tuple[ir.Expr, str]:
    """The term that loops add up, and words for the entries; may emit a test that skips an entry."""
    entry, name = _entry(b, x.type, nest, use.names[0], use.span)
    entries = _entries_phrase(b, name, nest)
    if kind == "weighted":
        place = nest.indices[-1:] if b.rng.chance(0.5) else nest.indices
        weights = new_array(b, x.type, use.names[2], span=Interval(0.1, 0.9), index=place)
        return b.mul(b.read(weights, place), entry), f"{entries}, weighted by `{weights.name}`"
    if kind == "squares":
        v = b.bind(entry, free_name(b, use.names[1]))
        return b.mul(v, v), f"the squares of {entries}"
    if kind == "large":
        least = literal(0.5 if use.is_positive else 0.0, x)
        v = b.bind(entry, free_name(b, use.names[1]))
        b.emit(ir.If(b.compare("le", v, least), (ir.Continue(),)))
        return v, f"what is more than {phrase(least)} among {entries}"
    if kind == "masked":
        flag, marks = _entry(b, INT, nest, "used included", Interval(0, 1))
        b.emit(ir.If(b.compare("eq", flag, 0), (ir.Continue(),)))
        return entry, f"{entries} where `{marks}` is not 0"
    return entry, entries


def _accumulated(
    b: Builder, x: ir.Name, use: Use, kinds: tuple[str, ...], nest: LoopNest
) -> tuple[ir.Name, str]:
    """A local with the sum of a row or a block, and words for its terms."""
    with b.block() as body:
        term, entries = _term(b, x, use, nest, b.rng.pick(kinds))
        total = _total(b, term, nest.count, "total acc subtotal")
        b.emit(ir.Accumulate(total, "+", term))
    b.emit(ir.Variable(total, ir.Literal(0.0, x.type.element)))
    b.emit(nest.around(body))
    return total, entries


def _total(b: Builder, term: ir.Expr, count: int, choices: str) -> ir.Name:
    """The name of a sum of `count` terms."""
    low, high = min(count * b.span(term).lo, 0.0), max(count * b.span(term).hi, 0.0)
    return b.named(free_name(b, choices), term.type, Interval(float(low), float(high)))


def row_sum(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """Plus the sum of a row's entries, maybe weighted, or only those that pass a mask or a threshold. The
    names are those of the rows, of an entry, and of the weights if there may be some."""
    kinds: tuple[str, ...] = ("plain", "masked", "large")
    nest = _loop_nest(b, 3, 8, "num_terms width")
    if len(nest.indices) == 2 and use.is_positive and b.rng.chance(0.4):
        return _best_row(b, x, use, nest)
    kinds = (*kinds, "weighted", "weighted") if len(use.names) > 2 else kinds
    total, entries = _accumulated(b, x, use, kinds, nest)
    return StepResult(b.add(x, total), "accumulate", f"adds the sum of {entries}")


def _best_row(b: Builder, x: ir.Name, use: Use, nest: LoopNest) -> StepResult:
    """The largest sum of a block's rows, whose entries are positive."""
    entry, name = _entry(b, x.type, nest, use.names[0], use.span)
    (outer, inner), (rows, columns) = nest.indices, nest.stops
    row = _total(b, entry, nest.most[1], "row_total partial")
    best = b.declare(literal(0.0, x), b.span(row), free_name(b, "largest best"))
    body = (
        ir.Variable(row, ir.Literal(0.0, x.type.element)),
        ir.For(inner, ZERO, columns, 1, (ir.Accumulate(row, "+", entry),)),
        ir.Assign(best, b.apply("max", best, row)),
    )
    b.emit(ir.For(outer, ZERO, rows, 1, body))
    return StepResult(
        b.add(x, best), "accumulate", f"adds the largest sum of a row of {_entries_phrase(b, name, nest)}"
    )


def row_norm(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The value over the root mean square of a row; the names are those of the rows and of an entry."""
    nest = _loop_nest(b, 3, 8)
    total, entries = _accumulated(b, x, use, ("squares",), nest)
    mean = b.div(total, float(nest.count))
    size = b.bind(b.apply("sqrt", b.add(mean, literal(0.1, x))), free_name(b, "rms"))
    return StepResult(
        b.div(x, size), "normalize", f"divides it by the root of 0.1 plus the mean of {entries}"
    )


def row_maximum(b: Builder, x: ir.Name, use: Use) -> StepResult:
    return _extreme(b, x, use, "max", "largest")


def row_minimum(b: Builder, x: ir.Name, use: Use) -> StepResult:
    return _extreme(b, x, use, "min", "smallest")


def _extreme(b: Builder, x: ir.Name, use: Use, which: str, word: str) -> StepResult:
    """The maximum or minimum of the value and a row."""
    nest = _loop_nest(b, 3, 8, "num_candidates width")
    entry, name = _entry(b, x.type, nest, use.names[0], use.span)
    best = as_variable(b, x, b.span(entry))
    change: ir.Stmt = ir.Assign(best, b.apply(which, best, entry))
    if b.rng.chance(b.priors.branches):
        change = ir.If(b.compare("gt" if which == "max" else "lt", entry, best), (ir.Assign(best, entry),))
    b.emit(nest.around((change,)))
    return StepResult(best, f"find_{word}", f"takes the {word} of it and {_entries_phrase(b, name, nest)}")


def share_below(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The share of a row's entries that are less than the value."""
    nest = _loop_nest(b, 3, 8)
    entry, name = _entry(b, x.type, nest, use.names[0], use.span)
    count = b.named(free_name(b, "count below"), INT, Interval(0, nest.count))
    b.emit(ir.Variable(count, ZERO))
    b.emit(nest.around((ir.If(b.compare("lt", entry, x), (ir.Accumulate(count, "+", ir.Literal(1, INT)),)),)))
    clause = f"finds the share of {_entries_phrase(b, name, nest)} that is less"
    return StepResult(b.div(b.as_float(count, x.type), float(nest.count)), "rank", clause)


def first_above(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The first entry of a row that exceeds the value, or the value if none does."""
    stop, most = trip_count(b, 3, 8)
    nest = LoopNest((_index(b, most),), (stop,), (most,))
    entry, name = _entry(b, x.type, nest, use.names[0], use.span)
    found = as_variable(b, x, b.span(entry))
    b.emit(nest.around((ir.If(b.compare("gt", entry, x), (ir.Assign(found, entry), ir.Break())),)))
    clause = f"replaces it by the first of {_entries_phrase(b, name, nest)} that exceeds it, if there is one"
    return StepResult(found, "round_up", clause)


def polynomial(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """A polynomial by Horner's rule; the names are those of the coefficients and of the result."""
    small = rescale(b, x, 12.0)
    point = as_local(b, small, "point")
    reach = b.span(point).magnitude
    count = min(b.rng.integer(3, 4), 3 if reach > 6.0 else 4)
    index = _index(b, count)
    coefficients = new_array(b, x.type, use.names[0], span=Interval(-0.5, 0.5), index=(index,))
    most = 0.5 * sum(reach**power for power in range(count))
    value = b.declare(ir.Literal(0.0, x.type.element), Interval(-most, most), free_name(b, use.names[1]))
    step = b.add(b.mul(value, point), b.read(coefficients, (index,)))
    b.emit(ir.For(index, ZERO, ir.Literal(count, INT), 1, (ir.Assign(value, step),)))
    clause = (
        f"evaluates the polynomial of `{coefficients.name}` at {rescaled_phrase(small, x)} by Horner's rule"
    )
    return StepResult(value, "evaluate", clause)


def relaxed(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """Some steps towards a target, or towards each of a row of targets; the names are those of the targets,
    of one target, and of the rate."""
    if b.rng.chance(b.priors.blocks):
        return _relaxed_in_turn(b, x, use)
    wanted, name = other_element(b, x.type, use.names[0], span=use.span)
    goal = as_local(b, wanted, use.names[1])
    rate = new_factor(b, 0.1, 0.9, use.names[2])
    stop, most = trip_count(b, 2, 5, "num_steps iterations")
    index = b.named(free_name(b, "step iteration"), INT, Interval(0, most - 1))
    state = as_variable(b, x, b.span(goal))
    moved = b.apply("lerp", state, goal, rate)
    b.emit(ir.For(index, ZERO, stop, 1, (ir.Assign(state, moved),)))
    clause = f"relaxes it towards `{name}` at rate {phrase(rate)} for {_count_phrase(stop)} steps"
    return StepResult(state, "relax", clause)


def _relaxed_in_turn(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """Sweeps over a row of targets."""
    rate = new_factor(b, 0.1, 0.6, use.names[2])
    stop, most = trip_count(b, 2, 4, "num_sweeps iterations")
    sweep = b.named(free_name(b, "sweep iteration"), INT, Interval(0, most - 1))
    width, count = trip_count(b, 2, 4)
    inner = LoopNest((_index(b, count),), (width,), (count,))
    goal, name = _entry(b, x.type, inner, use.names[0], use.span)
    state = as_variable(b, x, b.span(goal))
    moved = inner.around((ir.Assign(state, b.apply("lerp", state, goal, rate)),))
    b.emit(ir.For(sweep, ZERO, stop, 1, (moved,)))
    entries = _entries_phrase(b, name, inner)
    clause = (
        f"moves it towards each of {entries} in turn at rate {phrase(rate)}, in {_count_phrase(stop)} sweeps"
    )
    return StepResult(state, "relax", clause)


def _count_phrase(stop: ir.Expr) -> str:
    """Words for a number of iterations."""
    return f"`{stop.name}`" if isinstance(stop, ir.Name) else phrase(stop)


def moving_average(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The exponential average of a row of earlier values, oldest first, and the value."""
    rate = new_factor(b, 0.1, 0.9, use.names[1])
    stop, most = trip_count(b, 3, 8, "num_samples width")
    index = b.named(any_free_name(b, INDICES), INT, Interval(1, most - 1))
    nest = LoopNest((index,), (stop,), (most,))
    entry, name = _entry(b, x.type, nest, use.names[0], use.span)
    first = replace(entry, index=(*b.threads, ZERO))
    state = b.declare(first, b.span(entry), free_name(b, "average so_far"))
    b.emit(
        ir.For(index, ir.Literal(1, INT), stop, 1, (ir.Assign(state, b.apply("lerp", state, entry, rate)),))
    )
    clause = f"smooths it exponentially after {_entries_phrase(b, name, nest)} at rate {phrase(rate)}"
    return StepResult(b.apply("lerp", state, x, rate), "smooth", clause)


def row_mean(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The value minus the mean of a row."""
    nest = _loop_nest(b, 3, 8)
    total, entries = _accumulated(b, x, use, ("plain",), nest)
    mean = b.bind(b.div(total, float(nest.count)), free_name(b, "mean average"))
    return StepResult(b.sub(x, mean), "centre", f"takes its deviation from the mean of {entries}")


def nearness(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The sum of Gaussians around the entries of a row; the names are those of the rows, of the width, and of
    the sum."""
    small = rescale(b, x, 2.0)
    point = as_local(b, small, "point")
    width = new_factor(b, 0.8, 1.6, use.names[1])
    nest = _loop_nest(b, 3, 6)
    entry, name = _entry(b, x.type, nest, use.names[0], Interval(0.0 if use.is_positive else -1.2, 1.2))
    with b.block() as body:
        d = b.bind(b.div(b.sub(point, entry), width), free_name(b, "d z"))
        term = b.apply("exp", b.mul(b.mul(-0.5, d), d))
        total = b.named(free_name(b, use.names[2]), x.type, Interval(0.0, float(nest.count)))
        b.emit(ir.Accumulate(total, "+", term))
    b.emit(ir.Variable(total, ir.Literal(0.0, x.type.element)))
    b.emit(nest.around(body))
    entries = _entries_phrase(b, name, nest)
    clause = (
        f"adds up Gaussian weights of width {phrase(width)} between {rescaled_phrase(small, x)} and {entries}"
    )
    return StepResult(total, "estimate", clause)


LOOPS: tuple[Step, ...] = (
    row_sum, row_norm, row_maximum, row_minimum, share_below, first_above, polynomial, relaxed,
    moving_average, row_mean, nearness,
)  # fmt: skip
# Steps that may loop over a block, by nested loops.
OVER_BLOCKS: tuple[Step, ...] = (
    row_sum, row_norm, row_maximum, row_minimum, share_below, relaxed, row_mean, nearness,
)  # fmt: skip
