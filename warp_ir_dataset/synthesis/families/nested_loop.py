"""Loops within loops: products, convolutions, pairwise sums, tables and prefix sums."""

from __future__ import annotations

from collections.abc import Sequence

from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Expr, For, If, Literal, Load, Name, Variable
from ...language.specification.sentences import words
from ...language.types import INT, Scalar, Type, shaped
from ...language.walks import root
from ..blocks import (
    ZERO,
    accumulate,
    beside,
    bindings,
    bounds_check,
    branch,
    double_loop,
    fold,
    helper,
    record,
    trip_count,
    working_type,
    zero,
)
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import tame

SHAPES = (((),), ((),), ((),), ((), (3,)), ((), (2,)))


def table(s: Draft, *index: Expr, type: Type | None = None) -> Load:
    """An element of a fresh array, one dimension per index."""
    argument = s.array(type or s.float, index=index)
    del s.element_index[argument.name]
    return s.read(argument, index)


def sum_over(s: Draft, loops: Sequence[tuple[Name, Expr, int]], term: Expr, type: Type) -> Name:
    """``total`` of a term over loops, outermost first."""
    count = 1
    for _, _, trips in loops:
        count *= trips
    reach = count * s.span(term).magnitude
    total = s.named(s.names.take("accumulator"), type, Interval(-reach, reach))
    body: tuple = (Accumulate(total, "+", term),)
    for index, stop, _ in reversed(loops):
        body = (For(index, ZERO, stop, 1, body),)
    s.emit(Variable(total, zero(s, type)))
    s.emit(body[0])
    s.publish(total)
    return total


def single_loops(s: Draft) -> None:
    """Two loops around one operation."""
    wanted = s.rng.pick(
        (Scalar("float32"), Scalar("float64"), INT, shaped("float32", (3,)), shaped("float32", (2,)))
    )
    (stop, trips), (inner_stop, inner_trips) = trip_count(s, short=4), trip_count(s, short=4)
    outer, inner = s.loop_index(trips), s.loop_index(inner_trips)
    thread = s.rng.pick(s.threads)
    index = s.rng.pick(((outer, inner), (thread, outer, inner), (thread, inner), (inner, thread)))
    element: Expr = table(s, *index, type=wanted)
    kind = s.rng.pick(("plain", "scaled", "product"))
    if kind == "scaled" and wanted.is_float:
        element = s.mul(element, s.moving(wanted.element, 0))
    elif kind == "product" and not wanted.shape:
        element = s.mul(element, table(s, *s.rng.pick(((outer,), (inner,), (thread, outer))), type=wanted))
    sum_over(s, [(outer, stop, trips), (inner, inner_stop, inner_trips)], tame(s, element), wanted)
    s.tell(f"sums {words(element)} over two nested loops")
    conclude(s, s.combine(wanted))


def short_loops(s: Draft) -> None:
    """Two loops around a short expression."""
    (stop, trips), inner_trips = trip_count(s, short=4), s.rng.integer(2, 4)
    outer, inner = s.loop_index(trips), s.loop_index(inner_trips)
    with s.inner():
        s.pending = [table(s, s.rng.pick(s.threads), s.rng.pick((outer, inner)))]
        s.pending.append(
            table(s, outer, inner) if s.rng.chance(0.4) else s.real(s.rng.pick((outer, inner)), s.float)
        )
        term = tame(s, s.combine(s.float, s.rng.integer(0, 1)))
    sum_over(s, [(outer, stop, trips), (inner, Literal(inner_trips, INT), inner_trips)], term, s.float)
    s.tell(f"sums {words(term)} over two nested loops")
    conclude(s, s.combine(s.float, s.rng.integer(0, 1)))


def window(s: Draft) -> None:
    """A weighted window around the thread's element, wrapped or clamped at the border."""
    reach = s.rng.integer(3, 5)
    if len(s.threads) == 1:
        outer_trips = s.rng.integer(2, 3)
        outer, inner = s.loop_index(outer_trips), s.loop_index(reach)
        field = s.array(s.float)
        place = s.mod(s.add(s.threads[0], s.add(inner, outer)), s.extent(field))
        shifted: Expr = s.read(field, (place,))
        loops = [(outer, Literal(outer_trips, INT), outer_trips), (inner, Literal(reach, INT), reach)]
    else:
        outer, inner = s.loop_index(reach), s.loop_index(reach)
        field = s.array(s.float)
        half = reach // 2
        places = []
        for axis, index in enumerate((outer, inner)):
            moved = s.sub(s.add(s.threads[axis], index), half)
            last = s.sub(s.extent(field, axis), 1)
            places.append(s.apply("clamp", moved, ZERO, last) if s.launch_dim[axis] > 2 else s.threads[axis])
        shifted = s.read(field, tuple(places))
        loops = [(outer, Literal(reach, INT), reach), (inner, Literal(reach, INT), reach)]
    del s.element_index[field.name]
    weight = table(s, outer, inner)
    term: Expr = s.mul(shifted, weight)
    if s.rng.chance(0.4):
        term = s.mul(term, s.moving(s.float, 0))
    if s.rng.chance(0.3):
        term = s.apply(s.rng.pick(("abs", "sin", "tanh")), tame(s, term, 5.0))
    sum_over(s, loops, tame(s, term), s.float)
    s.tell(f"convolves `{field.name}` with a {reach}-wide window of `{root(weight)}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def pairwise(s: Draft) -> None:
    """All pairs of a short list, each once."""
    count = s.rng.integer(3, 6)
    outer, inner = s.loop_index(count), s.loop_index(count)
    t = working_type(s)
    thread = s.rng.pick(s.threads)
    entries = s.array(t, index=(thread, outer))
    del s.element_index[entries.name]
    first, second = (s.read(entries, (thread, index)) for index in (outer, inner))
    gap: Expr = s.sub(first, second)
    if t.shape:
        gap = s.apply(s.rng.pick(("length", "length_sq")), gap)
    else:
        gap = s.apply("abs", gap) if s.rng.chance(0.5) else s.mul(gap, gap)
    if s.rng.chance(0.5):
        gap = s.div(s.moving(s.float, 0), s.add(gap, s.rng.pick((0.5, 1.0, 2.0))))
    elif s.rng.chance(0.5):
        gap = s.mul(tame(s, gap), s.moving(s.float, 0))
    term = tame(s, gap)
    reach = count * count * s.span(term).magnitude
    total = s.named(s.names.take("accumulator"), s.float, Interval(-reach, reach))
    add_term = Accumulate(total, s.rng.pick(("+", "+", "-")), term)
    s.emit(Variable(total, Literal(0.0, s.float)))
    if s.rng.chance(0.5):
        inner_loop = For(inner, s.add(outer, 1), Literal(count, INT), 1, (add_term,))
    else:
        inner_loop = For(
            inner, ZERO, Literal(count, INT), 1, (If(s.compare("ne", outer, inner), (add_term,)),)
        )
    s.emit(For(outer, ZERO, Literal(count, INT), 1, (inner_loop,)))
    s.publish(total)
    s.tell(f"sums {words(term)} over pairs of `{entries.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def triple_product(s: Draft) -> None:
    """One entry of a product of three tables, or a bilinear form."""
    outer_trips, inner_trips = s.rng.integer(2, 5), s.rng.integer(2, 5)
    outer, inner = s.loop_index(outer_trips), s.loop_index(inner_trips)
    left = table(s, s.threads[0], outer)
    centre = table(s, outer, inner)
    right = table(s, inner, s.threads[-1]) if s.rng.chance(0.6) else table(s, s.threads[-1], inner)
    term = tame(s, s.mul(s.mul(left, centre), right))
    if s.rng.chance(0.4):
        term = tame(s, s.mul(term, s.moving(s.float, 0)))
    loops = [(outer, Literal(outer_trips, INT), outer_trips), (inner, Literal(inner_trips, INT), inner_trips)]
    sum_over(s, loops, term, s.float)
    s.tell("multiplies three tables into one entry")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def row_maxima(s: Draft) -> None:
    """The sum of the largest (or smallest) entry of each row of a block."""
    rows, columns = s.rng.integer(2, 4), s.rng.integer(3, 6)
    outer, inner = s.loop_index(rows), s.loop_index(columns)
    thread = s.rng.pick(s.threads)
    block = s.array(s.float, index=(thread, outer, inner))
    del s.element_index[block.name]
    entry = s.read(block, (thread, outer, inner))
    peak = s.named(s.names.take("local"), s.float, block.domain)
    reach = rows * max(block.domain.magnitude, 1)
    total = s.declare(Literal(0.0, s.float), Interval(-reach * 4, reach * 4), "accumulator")
    kind = s.rng.pick(("max", "min"))
    with s.inner() as body:
        s.emit(Variable(peak, s.read(block, (thread, outer, ZERO))))
        s.emit(For(inner, ZERO, Literal(columns, INT), 1, (Assign(peak, s.apply(kind, peak, entry)),)))
        weight = s.mul(peak, s.rng.pick((0.5, 1.5, 2.0))) if s.rng.chance(0.5) else peak
        s.emit(Accumulate(total, "+", weight))
    s.emit(For(outer, ZERO, Literal(rows, INT), 1, tuple(body)))
    s.publish(total)
    s.tell(f"adds the {'largest' if kind == 'max' else 'smallest'} entries of {rows} rows of `{block.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def moving_sum(s: Draft) -> None:
    """Sums of a row's beginnings, combined."""
    count = s.rng.integer(3, 7)
    outer, inner = s.loop_index(count), s.loop_index(count)
    thread = s.rng.pick(s.threads)
    entry = table(s, thread, inner)
    weight: Expr = table(s, outer) if s.rng.chance(0.6) else s.div(1.0, s.add(s.real(outer, s.float), 1.0))
    term = tame(s, s.mul(entry, weight))
    reach = count * count * s.span(term).magnitude
    total = s.named(s.names.take("accumulator"), s.float, Interval(-reach, reach))
    inner_loop = For(inner, ZERO, s.add(outer, 1), 1, (Accumulate(total, "+", term),))
    s.emit(Variable(total, Literal(0.0, s.float)))
    s.emit(For(outer, ZERO, Literal(count, INT), 1, (inner_loop,)))
    s.publish(total)
    s.tell("sums the beginnings of a row, weighted")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def relaxation(s: Draft) -> None:
    """Sweeps over a value and its neighbours, as a Jacobi solver makes them."""
    field, source = s.array(s.float), s.array(s.float)
    axis = s.rng.below(len(s.threads))
    left: list[Expr] = [*s.threads]
    right: list[Expr] = [*s.threads]
    wrap = s.rng.chance(0.4)
    left[axis], right[axis] = beside(s, field, axis, -1, wrap), beside(s, field, axis, 1, wrap)
    around = s.bind(s.mul(s.add(s.read(field, tuple(left)), s.read(field, tuple(right))), 0.5))
    value = s.declare(s.read(field), Interval(-40.0, 40.0))
    sweeps, inner_sweeps = s.rng.integer(2, 3), s.rng.integer(2, 3)
    outer, inner = s.loop_index(sweeps), s.loop_index(inner_sweeps)
    pace = s.value(s.float, Interval(0.2, 0.8))
    change = s.mul(pace, s.sub(s.add(around, s.mul(s.read(source), s.rng.pick((0.1, 0.25, 0.5)))), value))
    step = s.mul(s.add(value, change), s.rng.pick((0.45, 0.5)))
    damp = s.mul(value, s.rng.pick((0.9, 0.95))) if s.rng.chance(0.5) else s.mul(s.add(value, around), 0.5)
    inner_loop = For(inner, ZERO, Literal(inner_sweeps, INT), 1, (Assign(value, step),))
    s.emit(For(outer, ZERO, Literal(sweeps, INT), 1, (inner_loop, Assign(value, damp))))
    s.publish(value)
    s.tell(f"relaxes `{field.name}` towards its neighbours in {sweeps} by {inner_sweeps} sweeps")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def conditional_count(s: Draft) -> None:
    """How many entries of a block meet a condition that depends on both loops."""
    rows, columns = s.rng.integer(2, 5), s.rng.integer(2, 5)
    outer, inner = s.loop_index(rows), s.loop_index(columns)
    thread = s.rng.pick(s.threads)
    first, second = table(s, thread, outer), table(s, inner) if s.rng.chance(0.5) else table(s, thread, inner)
    hits = s.declare(ZERO, Interval(0, rows * columns), "integer_local")
    test = s.compare(s.rng.pick(("lt", "gt")), first, s.add(second, s.rng.pick((-0.5, 0.25, 0.5))))
    inner_loop = For(
        inner, ZERO, Literal(columns, INT), 1, (If(test, (Accumulate(hits, "+", Literal(1, INT)),)),)
    )
    s.emit(For(outer, ZERO, Literal(rows, INT), 1, (inner_loop,)))
    s.publish(hits)
    s.tell(f"counts pairs for which {words(test)}")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


def branching_loops(s: Draft) -> None:
    """Two loops with a branch inside."""
    double_loop(s, inside=lambda inner: branch(inner, arms=inner.rng.integer(1, 2)))


def looped_sums(s: Draft) -> None:
    """A loop of sums, each taken by an inner loop over a row."""
    double_loop(s)
    if s.rng.chance(0.5):
        fold(s)


def guarded_sum(s: Draft) -> None:
    """Larger than a limit only: the maximum of a nested sum and a floor."""
    double_loop(s)
    value = s.let(s.upper(tame(s, s.combine(s.float)), s.rng.pick((0.1, 0.5, -1.0))))
    s.tell(f"keeps `{value.name}` above a floor")


FAMILY = Family(
    name="nested_loop",
    pool={**SATURATING, "arithmetic": 3.0, "math": 0.7, "choice": 0.15, "vector": 0.4, "component": 0.2},
    singles={"arithmetic": 1.0},
    shapes=SHAPES,
    first=single_loops,
    short=short_loops,
    results=lambda s: s.float if s.rng.chance(0.8) else working_type(s),
    menus={
        3: (
            (double_loop,),
            (bindings, double_loop),
            (looped_sums,),
            (guarded_sum,),
            (bounds_check, double_loop),
        ),
        4: (
            (branching_loops,),
            (helper, double_loop),
            (record, double_loop),
            (double_loop, branch),
            (double_loop, accumulate),
            (helper, guarded_sum),
        ),
        5: (
            (branching_loops, helper),
            (record, double_loop, branch),
            (helper, double_loop, accumulate),
            (double_loop, fold, branch),
            (branching_loops, record),
        ),
    },
    algorithms=(window, pairwise, triple_product, row_maxima, moving_sum, relaxation, conditional_count),
    options={"max_inputs": 4, "value_share": 0.2},
)
