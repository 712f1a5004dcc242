"""Loops: sums, folds, searches, loops that shrink a value until it is small."""

from __future__ import annotations

from ...language.analysis.unrolling import MAX_UNROLL
from ...language.domains import Interval
from ...language.program import (
    Accumulate,
    Assign,
    Break,
    Continue,
    Expr,
    For,
    If,
    Literal,
    Name,
    Variable,
    While,
)
from ...language.specification.sentences import words
from ...language.types import INT, Type
from ..growing.adapt import adapt
from ..growing.draft import Draft
from ..growing.repair import compare_to_middle, fitted, tame
from .branches import within
from .lines import ZERO, Block, soft_span, working_type, zero


def trip_count(s: Draft, short: int = 6) -> tuple[Expr, int]:
    """Where a loop stops, and its most iterations: up to `short`, many, or given as an argument."""
    kind = s.rng.weighted([("short", 5.0), ("argument", 3.0), ("long", 1.0)])
    if kind == "argument" and len(s.inputs) <= s.max_inputs:
        most = s.rng.integer(4, 8)
        return s.value(INT, Interval(most - 2, most)), most
    most = s.rng.integer(MAX_UNROLL + 1, 24) if kind == "long" else s.rng.integer(2, short)
    return Literal(most, INT), most


def accumulate(s: Draft, inside: Block | None = None, type: Type | None = None) -> None:
    """A sum over a loop, of terms that depend on the loop index."""
    wanted = type or (working_type(s) if s.rng.chance(0.3) else s.float)
    stop, trips = trip_count(s)
    start = tame(s, s.moving(wanted, 1)) if s.rng.chance(0.3) else zero(s, wanted)
    operator = s.rng.weighted([("+", 5.0), ("-", 1.0)])
    total = s.names.take("accumulator")
    index = s.loop_index(trips)
    with s.inner() as body:
        s.scope.append(index)
        loop_value(s, index, trips)
        if inside:
            inside(s)
        term = s.combine(wanted, s.rng.integer(1, 2))
        skip = s.grower.condition(1) if s.rng.chance(0.2) else None
        name = s.named(total, wanted, _sum_span(s.span(start), s.span(term), trips, operator))
        if skip is not None and s.rng.chance(0.5):
            s.emit(If(skip, (Continue(),)))
            s.emit(Accumulate(name, operator, term))
        elif skip is not None:
            s.emit(If(skip, (Accumulate(name, operator, term),)))
        else:
            s.emit(Accumulate(name, operator, term))
    s.emit(Variable(name, start))
    s.emit(For(index, ZERO, stop, 1, tuple(body)))
    s.publish(name)
    many = "`" + stop.name + "`" if isinstance(stop, Name) else str(trips)
    s.tell(f"sums {words(term)} over {many} steps")


def _sum_span(start: Interval, term: Interval, trips: int, operator: str) -> Interval:
    low, high = (term.lo, term.hi) if operator == "+" else (-term.hi, -term.lo)
    return Interval(start.lo + trips * min(low, 0), start.hi + trips * max(high, 0))


def loop_value(s: Draft, index: Name, trips: int) -> None:
    """Make something pending that changes from one iteration to the next."""
    kind = s.rng.weighted([("row", 3.0), ("index", 0.4), ("ring", 1.5 if len(s.threads) == 1 else 0.0)])
    if len(s.arguments) > s.max_inputs:
        kind = "index"
    if kind == "row":
        thread = s.rng.pick(s.threads)
        rows = s.array(working_type(s), index=(thread, index))
        del s.element_index[rows.name]
        s.pending.append(s.read(rows, (thread, index)))
    elif kind == "ring":
        ring = s.array(s.float)
        moved = s.apply("mod", s.apply("add", s.threads[0], index), s.extent(ring))
        s.pending.append(s.read(ring, (moved,)))
    else:
        s.pending.append(adapt(s, index, s.float))


def fold(s: Draft) -> None:
    """A value that every iteration of a short loop maps onto itself, as in Horner's rule."""
    trips = s.rng.integer(2, 4)
    start = tame(s, s.combine(s.float) if s.pending and s.rng.chance(0.6) else s.moving(s.float, 1))
    target = s.declare(start, soft_span(s.float).join(s.span(start)))
    index = s.loop_index(trips)
    with s.inner() as body:
        s.scope.append(index)
        s.pending.append(target)
        if s.rng.chance(0.6):
            loop_value(s, index, trips)
        value = within(s, s.combine(s.float, s.rng.integer(1, 2)), target)
        s.emit(Assign(target, value))
    s.emit(For(index, ZERO, Literal(trips, INT), 1, tuple(body)))
    s.publish(target)
    s.tell(f"applies {words(value)} {trips} times")


def shrink_until(s: Draft) -> None:
    """A while loop that lessens a positive value until it is small or the steps run out."""
    value = s.combine(s.float) if s.pending else s.moving(s.float, 1)
    positive = fitted(s, "sqrt", tame(s, value)).operands[0]
    limit = s.rng.integer(4, 12)
    target = s.declare(positive, Interval(0.0, s.span(positive).hi))
    steps = s.declare(ZERO, Interval(0, limit), "integer_local")
    threshold = Literal(round(s.span(positive).hi * s.rng.pick((0.1, 0.2, 0.3)), 2) or 0.1, s.float)
    going = s.apply("and", s.apply("gt", target, threshold), s.apply("lt", steps, Literal(limit, INT)))
    with s.inner() as body:
        factor = Literal(s.rng.pick((0.5, 0.6, 0.7, 0.75, 0.8, 0.9)), s.float)
        shrunk = s.apply("mul", target, factor)
        if s.rng.chance(0.5):
            shrunk = s.apply(
                "div",
                target,
                s.apply(
                    "add", Literal(s.rng.pick((1.1, 1.25, 1.5)), s.float), s.apply("abs", s.leaf(s.float))
                ),
            )
        s.emit(Assign(target, shrunk))
        s.emit(Accumulate(steps, "+", Literal(1, INT)))
    s.emit(While(going, tuple(body)))
    for result in s.rng.pick(((target, steps), (steps,), (target, steps))):
        s.publish(result)
    s.tell(f"shrinks `{target.name}` step by step until it is at most {threshold.value}")


def search(s: Draft) -> None:
    """A loop that stops at the first row entry to meet a condition, and keeps its position."""
    trips = s.rng.integer(4, 9)
    thread = s.rng.pick(s.threads)
    found = s.declare(Literal(trips, INT), Interval(0, trips), "integer_local")
    index = s.loop_index(trips)
    rows = s.array(s.float, index=(thread, index))
    del s.element_index[rows.name]
    entry = s.read(rows, (thread, index))
    with s.inner() as body:
        s.emit(If(compare_to_middle(s, entry), (Assign(found, index), Break())))
    s.emit(For(index, ZERO, Literal(trips, INT), 1, tuple(body)))
    s.publish(found)
    s.tell(f"finds the first entry of `{rows.name}` that meets a condition")


def double_loop(s: Draft, inside: Block | None = None) -> None:
    """A sum over two nested loops."""
    wanted = working_type(s) if s.rng.chance(0.2) else s.float
    (outer_stop, outer_trips), inner_trips = trip_count(s, short=3), s.rng.integer(2, 3)
    total = s.names.take("accumulator")
    outer, inner = (s.loop_index(trips) for trips in (outer_trips, inner_trips))
    triangular = s.rng.chance(0.3)
    stop = s.apply("add", outer, Literal(1, INT)) if triangular else Literal(inner_trips, INT)
    if triangular:
        inner_trips = outer_trips
        inner = s.named(inner.name, INT, Interval(0, inner_trips - 1))
    with s.inner() as outer_body:
        s.scope.append(outer)
        weight = s.let(tame(s, s.moving(s.float, 1))) if s.rng.chance(0.4) else None
        with s.inner() as inner_body:
            s.scope.append(inner)
            loop_value(s, inner, inner_trips)
            s.pending.append(adapt(s, outer, s.float) if s.rng.chance(0.5) else _table_entry(s, outer, inner))
            s.pending += [weight] if weight else []
            if inside:
                inside(s)
            term = s.combine(wanted, s.rng.integer(0, 2))
            name = s.named(
                total, wanted, _sum_span(Interval(0, 0), s.span(term), outer_trips * inner_trips, "+")
            )
            s.emit(Accumulate(name, "+", term))
        s.emit(For(inner, ZERO, stop, 1, tuple(inner_body)))
    s.emit(Variable(name, zero(s, wanted)))
    s.emit(For(outer, ZERO, outer_stop, 1, tuple(outer_body)))
    s.publish(name)
    s.tell(f"sums {words(term)} over {'the triangle' if triangular else 'all pairs'} of two nested loops")


def _table_entry(s: Draft, outer: Name, inner: Name) -> Expr:
    table = s.array(s.float, index=(outer, inner))
    del s.element_index[table.name]
    return s.read(table, (outer, inner))
