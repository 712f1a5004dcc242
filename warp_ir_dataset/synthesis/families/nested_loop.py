"""Loops within loops: products, convolutions, pairwise sums, tables and prefix sums."""

from __future__ import annotations

from collections.abc import Sequence

from ...language.operations.table import apply
from ...language.program import INT, Accumulate, Assign, Expr, For, If, Literal, Load, Name, Range, Type
from ...language.words import words
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
from ..draft import Sketch
from ..family import SATURATING, Family, conclude
from ..grow import tame
from ..terms import add, compare, div, mod, mul, real, sub, upper

SHAPES = (((),), ((),), ((),), ((), (3,)), ((), (2,)))


def loop_name(s: Sketch, trips: int) -> Name:
    return Name(s.names.take("loop"), INT, Range(0, trips - 1))


def table(s: Sketch, *index: Expr, type: Type | None = None) -> Load:
    """An element of a fresh array, one dimension per index."""
    argument = s.array(type or s.float, index=index)
    del s.element_index[argument.name]
    return s.read(argument, index)


def sum_over(s: Sketch, loops: Sequence[tuple[Name, Expr, int]], term: Expr, type: Type) -> Name:
    """``total`` of a term over loops, outermost first."""
    count = 1
    for _, _, trips in loops:
        count *= trips
    reach = count * term.range.magnitude
    total = Name(s.names.take("accumulator"), type, Range(-reach, reach))
    body: tuple = (Accumulate(total, "+", term),)
    for index, stop, trips in reversed(loops):
        body = (For(index, ZERO, stop, 1, trips, body),)
    s.emit_variable(total, zero(type))
    s.emit(body[0])
    s.publish(total)
    return total


def single_loops(s: Sketch) -> None:
    """Two loops around one operation."""
    wanted = s.rng.pick((Type("float32"), Type("float64"), INT, Type("float32", (3,)), Type("float32", (2,))))
    (stop, trips), (inner_stop, inner_trips) = trip_count(s, short=4), trip_count(s, short=4)
    outer, inner = loop_name(s, trips), loop_name(s, inner_trips)
    thread = s.rng.pick(s.threads)
    index = s.rng.pick(((outer, inner), (thread, outer, inner), (thread, inner), (inner, thread)))
    element: Expr = table(s, *index, type=wanted)
    kind = s.rng.pick(("plain", "scaled", "product"))
    if kind == "scaled" and wanted.is_float:
        element = mul(element, s.moving(wanted.element, 0))
    elif kind == "product" and not wanted.shape:
        element = mul(element, table(s, *s.rng.pick(((outer,), (inner,), (thread, outer))), type=wanted))
    sum_over(s, [(outer, stop, trips), (inner, inner_stop, inner_trips)], tame(s.rng, element), wanted)
    s.tell(f"sums {words(element)} over two nested loops")
    conclude(s, s.combine(wanted))


def short_loops(s: Sketch) -> None:
    """Two loops around a short expression."""
    (stop, trips), inner_trips = trip_count(s, short=4), s.rng.integer(2, 4)
    outer, inner = loop_name(s, trips), loop_name(s, inner_trips)
    with s.inner():
        s.pending = [table(s, s.rng.pick(s.threads), s.rng.pick((outer, inner)))]
        s.pending.append(
            table(s, outer, inner) if s.rng.chance(0.4) else real(s.rng.pick((outer, inner)), s.float)
        )
        term = tame(s.rng, s.combine(s.float, s.rng.integer(0, 1)))
    sum_over(s, [(outer, stop, trips), (inner, Literal(inner_trips, INT), inner_trips)], term, s.float)
    s.tell(f"sums {words(term)} over two nested loops")
    conclude(s, s.combine(s.float, s.rng.integer(0, 1)))


def window(s: Sketch) -> None:
    """A weighted window around the thread's element, wrapped or clamped at the border."""
    reach = s.rng.integer(3, 5)
    if len(s.threads) == 1:
        outer_trips = s.rng.integer(2, 3)
        outer, inner = loop_name(s, outer_trips), loop_name(s, reach)
        place = mod(add(s.threads[0], add(inner, outer)), s.size())
        field = table(s, s.threads[0])
        shifted: Expr = Load(field.array, (place,), field.type, field.range)
        loops = [(outer, Literal(outer_trips, INT), outer_trips), (inner, Literal(reach, INT), reach)]
    else:
        outer, inner = loop_name(s, reach), loop_name(s, reach)
        field = table(s, *s.threads)
        half = reach // 2
        places = []
        for axis, index in enumerate((outer, inner)):
            moved = sub(add(s.threads[axis], index), half)
            last = sub(s.size(axis), 1)
            places.append(apply("clamp", moved, ZERO, last) if s.launch_dim[axis] > 2 else s.threads[axis])
        shifted = Load(field.array, tuple(places), field.type, field.range)
        loops = [(outer, Literal(reach, INT), reach), (inner, Literal(reach, INT), reach)]
    weight = table(s, outer, inner)
    term: Expr = mul(shifted, weight)
    if s.rng.chance(0.4):
        term = mul(term, s.moving(s.float, 0))
    if s.rng.chance(0.3):
        term = apply(s.rng.pick(("abs", "sin", "tanh")), tame(s.rng, term, 5.0))
    sum_over(s, loops, tame(s.rng, term), s.float)
    s.tell(f"convolves `{field.array}` with a {reach}-wide window of `{weight.array}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def pairwise(s: Sketch) -> None:
    """All pairs of a short list, each once."""
    count = s.rng.integer(3, 6)
    outer, inner = loop_name(s, count), loop_name(s, count)
    t = working_type(s)
    thread = s.rng.pick(s.threads)
    entries = s.array(t, index=(thread, outer))
    del s.element_index[entries.name]
    first, second = (s.read(entries, (thread, index)) for index in (outer, inner))
    gap: Expr = sub(first, second)
    if t.shape:
        gap = apply(s.rng.pick(("length", "length_sq")), gap)
    else:
        gap = apply("abs", gap) if s.rng.chance(0.5) else mul(gap, gap)
    if s.rng.chance(0.5):
        gap = div(s.moving(s.float, 0), add(gap, s.rng.pick((0.5, 1.0, 2.0))))
    elif s.rng.chance(0.5):
        gap = mul(tame(s.rng, gap), s.moving(s.float, 0))
    term = tame(s.rng, gap)
    reach = count * count * term.range.magnitude
    total = Name(s.names.take("accumulator"), s.float, Range(-reach, reach))
    add_term = Accumulate(total, s.rng.pick(("+", "+", "-")), term)
    s.emit_variable(total, Literal(0.0, s.float))
    if s.rng.chance(0.5):
        inner_loop = For(inner, add(outer, 1), Literal(count, INT), 1, count, (add_term,))
    else:
        inner_loop = For(
            inner, ZERO, Literal(count, INT), 1, count, (If(compare("ne", outer, inner), (add_term,)),)
        )
    s.emit(For(outer, ZERO, Literal(count, INT), 1, count, (inner_loop,)))
    s.publish(total)
    s.tell(f"sums {words(term)} over pairs of `{entries.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def triple_product(s: Sketch) -> None:
    """One entry of a product of three tables, or a bilinear form."""
    outer_trips, inner_trips = s.rng.integer(2, 5), s.rng.integer(2, 5)
    outer, inner = loop_name(s, outer_trips), loop_name(s, inner_trips)
    left = table(s, s.threads[0], outer)
    centre = table(s, outer, inner)
    right = table(s, inner, s.threads[-1]) if s.rng.chance(0.6) else table(s, s.threads[-1], inner)
    term = tame(s.rng, mul(mul(left, centre), right))
    if s.rng.chance(0.4):
        term = tame(s.rng, mul(term, s.moving(s.float, 0)))
    loops = [(outer, Literal(outer_trips, INT), outer_trips), (inner, Literal(inner_trips, INT), inner_trips)]
    sum_over(s, loops, term, s.float)
    s.tell("multiplies three tables into one entry")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def row_maxima(s: Sketch) -> None:
    """The sum of the largest (or smallest) entry of each row of a block."""
    rows, columns = s.rng.integer(2, 4), s.rng.integer(3, 6)
    outer, inner = loop_name(s, rows), loop_name(s, columns)
    thread = s.rng.pick(s.threads)
    block = s.array(s.float, index=(thread, outer, inner))
    del s.element_index[block.name]
    entry = s.read(block, (thread, outer, inner))
    peak = Name(s.names.take("local"), s.float, block.range)
    reach = rows * max(block.range.magnitude, 1)
    total = s.declare(Literal(0.0, s.float), Range(-reach * 4, reach * 4), "accumulator")
    kind = s.rng.pick(("max", "min"))
    with s.inner() as body:
        s.emit_variable(peak, s.read(block, (thread, outer, ZERO)))
        s.emit(For(inner, ZERO, Literal(columns, INT), 1, columns, (Assign(peak, apply(kind, peak, entry)),)))
        weight = mul(peak, s.rng.pick((0.5, 1.5, 2.0))) if s.rng.chance(0.5) else peak
        s.emit(Accumulate(total, "+", weight))
    s.emit(For(outer, ZERO, Literal(rows, INT), 1, rows, tuple(body)))
    s.publish(total)
    s.tell(f"adds the {'largest' if kind == 'max' else 'smallest'} entries of {rows} rows of `{block.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def moving_sum(s: Sketch) -> None:
    """Sums of a row's beginnings, combined."""
    count = s.rng.integer(3, 7)
    outer, inner = loop_name(s, count), loop_name(s, count)
    thread = s.rng.pick(s.threads)
    entry = table(s, thread, inner)
    weight: Expr = table(s, outer) if s.rng.chance(0.6) else div(1.0, add(real(outer, s.float), 1.0))
    term = tame(s.rng, mul(entry, weight))
    reach = count * count * term.range.magnitude
    total = Name(s.names.take("accumulator"), s.float, Range(-reach, reach))
    inner_loop = For(inner, ZERO, add(outer, 1), 1, count, (Accumulate(total, "+", term),))
    s.emit_variable(total, Literal(0.0, s.float))
    s.emit(For(outer, ZERO, Literal(count, INT), 1, count, (inner_loop,)))
    s.publish(total)
    s.tell("sums the beginnings of a row, weighted")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def relaxation(s: Sketch) -> None:
    """Sweeps over a value and its neighbours, as a Jacobi solver makes them."""
    field, source = s.array(s.float), s.array(s.float)
    axis = s.rng.below(len(s.threads))
    left: list[Expr] = [*s.threads]
    right: list[Expr] = [*s.threads]
    wrap = s.rng.chance(0.4)
    left[axis], right[axis] = beside(s, axis, -1, wrap), beside(s, axis, 1, wrap)
    around = s.bind(mul(add(s.read(field, tuple(left)), s.read(field, tuple(right))), 0.5))
    value = s.declare(s.read(field), Range(-40.0, 40.0))
    sweeps, inner_sweeps = s.rng.integer(2, 3), s.rng.integer(2, 3)
    outer, inner = loop_name(s, sweeps), loop_name(s, inner_sweeps)
    pace = s.value(s.float, Range(0.2, 0.8))
    change = mul(pace, sub(add(around, mul(s.read(source), s.rng.pick((0.1, 0.25, 0.5)))), value))
    step = mul(add(value, change), s.rng.pick((0.45, 0.5)))
    damp = mul(value, s.rng.pick((0.9, 0.95))) if s.rng.chance(0.5) else mul(add(value, around), 0.5)
    inner_loop = For(inner, ZERO, Literal(inner_sweeps, INT), 1, inner_sweeps, (Assign(value, step),))
    s.emit(For(outer, ZERO, Literal(sweeps, INT), 1, sweeps, (inner_loop, Assign(value, damp))))
    s.publish(value)
    s.tell(f"relaxes `{field.name}` towards its neighbours in {sweeps} by {inner_sweeps} sweeps")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def conditional_count(s: Sketch) -> None:
    """How many entries of a block meet a condition that depends on both loops."""
    rows, columns = s.rng.integer(2, 5), s.rng.integer(2, 5)
    outer, inner = loop_name(s, rows), loop_name(s, columns)
    thread = s.rng.pick(s.threads)
    first, second = table(s, thread, outer), table(s, inner) if s.rng.chance(0.5) else table(s, thread, inner)
    hits = s.declare(ZERO, Range(0, rows * columns), "integer_local")
    test = compare(s.rng.pick(("lt", "gt")), first, add(second, s.rng.pick((-0.5, 0.25, 0.5))))
    inner_loop = For(
        inner, ZERO, Literal(columns, INT), 1, columns, (If(test, (Accumulate(hits, "+", Literal(1, INT)),)),)
    )
    s.emit(For(outer, ZERO, Literal(rows, INT), 1, rows, (inner_loop,)))
    s.publish(hits)
    s.tell(f"counts pairs for which {words(test)}")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


def branching_loops(s: Sketch) -> None:
    """Two loops with a branch inside."""
    double_loop(s, inside=lambda inner: branch(inner, arms=inner.rng.integer(1, 2)))


def looped_sums(s: Sketch) -> None:
    """A loop of sums, each taken by an inner loop over a row."""
    double_loop(s)
    if s.rng.chance(0.5):
        fold(s)


def guarded_sum(s: Sketch) -> None:
    """Larger than a limit only: the maximum of a nested sum and a floor."""
    double_loop(s)
    value = s.let(upper(tame(s.rng, s.combine(s.float)), s.rng.pick((0.1, 0.5, -1.0))))
    s.tell(f"keeps `{value.name}` above a floor")


FAMILY = Family(
    name="nested_loop",
    verbs=("convolve", "sweep", "correlate", "smooth", "integrate", "pair"),
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
