"""Statements that families compose kernels from: branches, loops, helper functions, structs, neighbours.

Each block takes a `Sketch`, emits its statements, leaves its result pending there, and tells in a clause
what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..language.analysis.unrolling import MAX_UNROLL
from ..language.domains import Interval, joined
from ..language.program import (
    Accumulate,
    Argument,
    Assign,
    Break,
    Call,
    Continue,
    Expr,
    For,
    Function,
    If,
    Literal,
    Load,
    Name,
    NewStruct,
    Return,
    SetMember,
    Stmt,
    StructName,
    Variable,
    While,
)
from ..language.types import INT, Struct, Value, shaped
from ..language.words import listed, words
from .adapt import adapt
from .draft import Draft, kind_of
from .repair import INTEGER_SOFT_LIMIT, SOFT_LIMIT, compare_to_middle, fit, tame

Block = Callable[[Draft], None]

ZERO = Literal(0, INT)


def zero(s: Draft, type: Value) -> Expr:
    """The neutral start of a sum."""
    scalar = Literal(0 if type.is_integer else 0.0, type.element)
    if not type.shape:
        return scalar
    if len(type.shape) == 1:
        return s.apply("splat", scalar, type=type)
    rows, columns = (s.apply("splat", scalar, type=shaped(type.scalar, (n,))) for n in type.shape)
    return s.apply("diag", rows) if rows.type == columns.type else s.apply("outer", rows, columns)


def soft_span(type: Value) -> Interval:
    """What `tame` keeps a value of this type within."""
    if type.is_integer:
        return Interval(-INTEGER_SOFT_LIMIT, INTEGER_SOFT_LIMIT)
    return Interval(-SOFT_LIMIT, SOFT_LIMIT)


# ---- straight lines


def bindings(s: Draft, types: tuple[Value, ...] | None = None) -> None:
    """One or two locals, each a short expression."""
    for _ in range(s.rng.integer(1, 2)):
        wanted = s.rng.pick(types) if types else working_type(s)
        value = s.moving(wanted, s.rng.integer(1, 2))
        name = s.let(value)
        s.tell(f"takes {words(value)} as `{name.name}`" if s.rng.chance(0.5) else "")


def working_type(s: Draft) -> Value:
    """The kernel's float, or one of its vectors or matrices."""
    shape = s.rng.weighted([(shape, 2.0 if not shape else 1.0) for shape in s.shapes])
    return shaped(s.float.scalar, shape)


def neighbours(s: Draft) -> None:
    """Elements beside the thread's own, clamped to the border or wrapped around."""
    argument = s.array(s.float)
    axis = s.rng.below(len(s.threads))
    wrap = s.rng.chance(0.4)
    for offset in s.rng.pick(((-1, 1), (1,), (-1,), (1, 2), (-2, 2))):
        index: list[Expr] = [*s.threads]
        index[axis] = beside(s, axis, offset, wrap)
        s.let(s.read(argument, tuple(index)))
    if s.rng.chance(0.7):
        s.publish(s.read(argument))
    s.tell(f"looks at neighbouring `{argument.name}` {'around a ring' if wrap else 'clamped at the border'}")


def beside(s: Draft, axis: int, offset: int, wrap: bool) -> Expr:
    """A thread index moved by `offset` along an axis, kept inside the array."""
    thread = s.threads[axis]
    if wrap and offset > 0:
        return s.apply("mod", s.apply("add", thread, Literal(offset, INT)), s.size(axis))
    if offset < 0:
        return s.apply("max", s.apply("sub", thread, Literal(-offset, INT)), ZERO)
    last = s.apply("sub", s.size(axis), Literal(1, INT))
    return s.apply("min", s.apply("add", thread, Literal(offset, INT)), last)


def gather(s: Draft) -> None:
    """An element of a table chosen by an index array."""
    length = s.rng.integer(4, 12)
    indices = s.array(INT, span=Interval(0, length - 1))
    table = s.array(
        s.rng.pick([shaped(s.float.scalar, shape) for shape in s.shapes]), index=(ZERO,), shape=(length,)
    )
    del s.element_index[table.name]  # only the gathered element is meant
    s.let(Load(table.name, (s.read(indices),), table.type))
    s.tell(f"looks up `{table.name}` by `{indices.name}`")


# ---- branches


def branch(s: Draft, arms: int = 0, nested: bool = False, type: Value | None = None) -> None:
    """A variable that an if chain sets or adjusts; with `nested`, one arm branches again."""
    arms = arms or s.rng.weighted([(1, 3.0), (2, 3.0), (3, 1.0)])
    wanted = type or (working_type(s) if s.rng.chance(0.3) else s.float)
    start = s.combine(wanted) if s.pending and s.rng.chance(0.6) else s.moving(wanted, 1)
    start = tame(s, start)
    target = s.declare(start, soft_span(wanted).join(s.span(start)))
    s.scope.append(target)
    conditions = [s.grower.condition(s.rng.integer(1, 2)) for _ in range(arms)]
    deep = s.rng.below(arms) if nested else -1
    bodies = [_arm(s, target, nested=position == deep) for position in range(arms)]
    if s.rng.chance(0.6):
        bodies.append(_arm(s, target))
    s.emit(ladder(conditions, bodies))
    s.pending.append(target)
    told = listed([words(condition) for condition in conditions[:2]])
    s.tell(f"adjusts `{target.name}` depending on whether {told}")


def ladder(conditions: Sequence[Expr], arms: Sequence[tuple[Stmt, ...]]) -> Stmt:
    """``if / elif / ... / else``; one arm more than conditions, or as many."""
    chain: tuple[Stmt, ...] = arms[len(conditions)] if len(arms) > len(conditions) else ()
    for condition, arm in zip(reversed(conditions), reversed(arms[: len(conditions)]), strict=True):
        chain = (If(condition, arm, chain),)
    return chain[0]


def _arm(s: Draft, target: Name, nested: bool = False) -> tuple[Stmt, ...]:
    with s.inner() as body:
        if s.rng.chance(0.3):
            s.let(s.moving(target.type if s.rng.chance(0.6) else s.float, 1))
        if nested:
            condition = s.grower.condition(s.rng.integer(1, 2))
            then, orelse = _arm(s, target), _arm(s, target) if s.rng.chance(0.6) else ()
            s.emit(If(condition, then, orelse))
        if s.pending or not nested:
            s.pending += [target] if s.rng.chance(0.6) else []
            s.emit(Assign(target, within(s, s.combine(target.type, s.rng.integer(1, 2)), target)))
    return tuple(body)


def within(s: Draft, value: Expr, target: Name) -> Expr:
    """The value brought into what the target may hold."""
    value = tame(s, value)
    if s.span(value).within(s.span(target)):
        return value
    if target.type.shape:
        return s.apply("scale_right", value, Literal(0.25, target.type.element))
    low, high = (Literal(end, target.type.element) for end in (s.span(target).lo, s.span(target).hi))
    return s.apply("clamp", value, low, high)


def bounds_check(s: Draft) -> None:
    """``if i >= count: return``, the way kernels guard a launch that was rounded up."""
    axis = s.rng.below(len(s.threads))
    s.emit(If(s.apply("ge", s.threads[axis], s.size(axis)), (Return(),)))
    s.tell(f"skips threads past `{s.size(axis).name}`")


def early_exit(s: Draft, out: Argument) -> None:
    """Threads that meet a condition store a short result and return."""
    condition = s.grower.condition(s.rng.integer(1, 2))
    with s.inner() as body:
        value = tame(s, s.moving(out.type, 1))
        s.store(out, value)
        s.emit(Return())
    s.emit(If(condition, tuple(body)))
    s.tell(f"returns early with {words(value)} where {words(condition)}")


# ---- loops


def trip_count(s: Draft, short: int = 6) -> tuple[Expr, int]:
    """Where a loop stops, and its most iterations: up to `short`, many, or given as an argument."""
    kind = s.rng.weighted([("short", 5.0), ("argument", 3.0), ("long", 1.0)])
    if kind == "argument" and len(s.inputs) <= s.max_inputs:
        most = s.rng.integer(4, 8)
        return s.value(INT, Interval(most - 2, most)), most
    most = s.rng.integer(MAX_UNROLL + 1, 24) if kind == "long" else s.rng.integer(2, short)
    return Literal(most, INT), most


def accumulate(s: Draft, inside: Block | None = None, type: Value | None = None) -> None:
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
    kind = s.rng.weighted([("row", 3.0), ("index", 2.0), ("ring", 1.5 if len(s.threads) == 1 else 0.0)])
    if len(s.arguments) > s.max_inputs:
        kind = "index"
    if kind == "row":
        thread = s.rng.pick(s.threads)
        rows = s.array(working_type(s), index=(thread, index))
        del s.element_index[rows.name]
        s.pending.append(s.read(rows, (thread, index)))
    elif kind == "ring":
        ring = s.array(s.float)
        moved = s.apply("mod", s.apply("add", s.threads[0], index), s.size())
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
    start = fit(s, "sqrt", [tame(s, value)], s.float)
    assert start is not None
    positive = start.operands[0]
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
        s.emit(If(_threshold(s, entry), (Assign(found, index), Break())))
    s.emit(For(index, ZERO, Literal(trips, INT), 1, tuple(body)))
    s.publish(found)
    s.tell(f"finds the first entry of `{rows.name}` that meets a condition")


def _threshold(s: Draft, value: Expr) -> Expr:
    return compare_to_middle(s, value)


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


# ---- functions and structs


def helper(s: Draft, inside: Block | None = None) -> None:
    """A function of the kernel's own, called once or twice."""
    arity = s.rng.weighted([(1, 2.0), (2, 3.0), (3, 1.0)])
    types = [working_type(s) if s.rng.chance(0.35) else s.float for _ in range(arity)]
    calls = [[tame(s, s.moving(t, 1)) for t in types] for _ in range(s.rng.pick((1, 1, 2)))]
    name = s.names.take("function")
    parameters = [
        s.named(s.names.take(kind_of(t)), t, joined(s.span(call[position]) for call in calls))
        for position, t in enumerate(types)
    ]
    result = s.float if s.rng.chance(0.7) else types[0]
    with s.function_scope(parameters) as body:
        if inside:
            inside(s)
        elif s.rng.chance(0.5):
            s.let(s.moving(s.float, 2))
        early = _early_return(s, result) if s.rng.chance(0.3) else None
        value = s.combine(result, s.rng.integer(1, 3))
        s.emit(Return(value))
    span = s.span(value).join(early) if early else s.span(value)
    s.define(Function(name, tuple(parameters), tuple(body), result), span)
    for call in calls:
        s.let(Call(name, tuple(call), result))
    s.tell(f"applies a helper that returns {words(value)}")


def _early_return(s: Draft, result: Value) -> Interval:
    with s.inner() as body:
        value = tame(s, s.moving(result, 1))
        s.emit(Return(value))
    s.emit(If(s.grower.condition(1), tuple(body)))
    return s.span(value)


def record(s: Draft) -> None:
    """A struct that groups values, filled and read again, sometimes by a function."""
    types = [working_type(s) if s.rng.chance(0.4) else s.float for _ in range(s.rng.integer(2, 3))]
    struct = Struct(s.names.take("struct"), tuple((s.names.take(kind_of(t)), t) for t in types))
    target = StructName(s.names.take("local"), struct)
    values = [tame(s, s.moving(t, s.rng.integer(1, 2))) for t in types]
    s.structs.append(struct)
    s.emit(NewStruct(target))
    for (member, _), value in zip(struct.members, values, strict=True):
        s.emit(SetMember(target, member, value))
    if s.rng.chance(0.4):
        _read_by_function(s, target, struct, values)
    else:
        for (member, t), value in zip(struct.members, values, strict=True):
            s.publish(s.member(target, member, t, s.span(value)))
    s.tell(f"groups {listed([f'`{member}`' for member, _ in struct.members])} in a {struct.name}")


def _read_by_function(s: Draft, target: StructName, struct: Struct, values: list[Expr]) -> None:
    parameter = StructName(s.names.take("local"), struct)
    members = [s.member(parameter, m, t, s.span(v)) for (m, t), v in zip(struct.members, values, strict=True)]
    name = s.names.take("function")
    with s.function_scope(members) as body:
        value = s.combine(s.float, s.rng.integer(0, 2))
        s.emit(Return(value))
    s.define(Function(name, (parameter,), tuple(body), s.float), s.span(value))
    s.let(Call(name, (target,), s.float))
