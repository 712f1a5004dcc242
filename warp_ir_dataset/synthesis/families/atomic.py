"""Atomics: reductions, histograms, scatters and bounds, where threads share what they write."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Argument, Expr, If, Literal
from ...language.specification.sentences import words
from ...language.types import INT, Scalar, shaped
from ..blocks import (
    ZERO,
    accumulate,
    bindings,
    bounds_check,
    branch,
    fold,
    gather,
    helper,
    neighbours,
    record,
    working_type,
)
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family
from ..growing.repair import tame
from ..growing.terms import atomic

SHAPES = (((),), ((),), ((), (3,)), ((), (2,)))
SUMMED = (
    Scalar("float32"),
    Scalar("float64"),
    INT,
    shaped("float32", (3,)),
    shaped("float32", (2,)),
    shaped("float64", (3,)),
)


def target_cell(s: Draft) -> tuple[tuple[Expr, ...], tuple[int, ...], str]:
    """Which shared element a thread updates: its index, the array's shape, and words for it, with ``{}`` for
    the array's name."""
    kinds = ["one", "one", "bins", "modulo", "block"] + (["row", "column"] if len(s.threads) == 2 else [])
    kind = s.rng.pick(kinds)
    if kind == "one":
        return (ZERO,), (1,), "one total{}"
    if kind == "bins":
        bins = s.rng.integer(2, 6)
        labels = s.array(INT, span=Interval(0, bins - 1))
        return (s.read(labels),), (bins,), f"the bin{{}} that `{labels.name}` names"
    thread = s.rng.pick(s.threads)
    if kind == "modulo":
        bins = s.rng.integer(2, 4)
        nth = {2: "second", 3: "third", 4: "fourth"}[bins]
        index = s.apply("mod", thread, Literal(bins, INT))
        return (index,), (bins,), f"a cell{{}} shared by every {nth} thread"
    if kind == "block":
        width = s.rng.integer(2, 4)
        index = s.apply("floordiv", thread, Literal(width, INT))
        return (index,), (int(s.span(index).hi) + 1,), f"a cell{{}} shared by {width} threads"
    if kind == "row":
        return s.threads[:1], s.launch_dim[:1], "its row{}"
    return s.threads[1:], s.launch_dim[1:], "its column{}"


def update(s: Draft, value: Expr, operation: str | None = None, out: Argument | None = None) -> Argument:
    """An atomic on a shared element."""
    index, shape, where = target_cell(s)
    operation = operation or choose(s, value)
    out = s.array(value.type, role="output", index=index, shape=shape)
    s.emit(atomic(operation, out, index, value))
    verb = {"add": "adds", "sub": "subtracts", "min": "takes the minimum of", "max": "takes the maximum of"}[
        operation
    ]
    joiner = {"add": "to", "sub": "from"}.get(operation, "into")
    s.tell(f"{verb} {words(value)} {joiner} {where.format(f' of `{out.name}`')}")
    return out


def choose(s: Draft, value: Expr) -> str:
    """An operation whose result differs from the zero that outputs start with."""
    options = [("add", 4.0), ("sub", 1.5)]
    if not value.type.shape:
        options += [("max", 1.5)] if s.span(value).hi > 0.2 else []
        options += [("min", 1.5)] if s.span(value).lo < -0.2 else []
    return s.rng.weighted(options)


def single_update(s: Draft) -> None:
    """One atomic, of an input or of one operation on inputs."""
    wanted = s.rng.pick(SUMMED)
    value = tame(s, s.moving(wanted, 1 if s.rng.chance(0.5) else 0))
    update(s, value)


def short_update(s: Draft) -> None:
    """One atomic of a short expression."""
    wanted = s.rng.pick((s.float, s.float, INT, working_type(s)))
    if s.rng.chance(0.4):
        s.let(s.moving(wanted, s.rng.integer(1, 2)))
    update(s, tame(s, s.combine(wanted, s.rng.integer(1, 3))))


def conclude_updates(s: Draft) -> None:
    """One or two atomics of all that is pending, now and then under a condition."""
    wanted = s.rng.weighted([(s.float, 4.0), (working_type(s), 1.0), (INT, 0.6)])
    condition = s.grower.condition(s.rng.integer(1, 2)) if s.rng.chance(0.35) else None
    named = s.rng.chance(0.5)
    value = tame(s, s.combine(wanted, s.rng.integer(0, 2)))
    if named:
        value = s.let(value)
    if value in s.pending:
        s.pending.remove(value)
    if condition is None:
        update(s, value)
    else:
        with s.inner() as body:
            update(s, value)
        s.emit(If(condition, tuple(body)))
    if s.rng.chance(0.3):
        update(s, tame(s, s.mul(value, value) if value.type == s.float else value), "add")


def moments(s: Draft) -> None:
    """Sum, sum of squares and count of what passes a test."""
    value = s.bind(tame(s, s.moving(s.float, s.rng.integer(0, 2)), 10.0))
    index, shape, where = target_cell(s)
    with s.inner() as body:
        powers = s.rng.pick(((1, 2), (1, 2, 0), (2, 0), (1, 0), (1, 2, 3)))
        for power in powers:
            term: Expr = Literal(1.0, s.float) if power == 0 else value
            for _ in range(power - 1):
                term = s.mul(term, value)
            out = s.array(s.float, role="output", index=index, shape=shape)
            s.emit(atomic("add", out, index, term))
    if s.rng.chance(0.5):
        s.emit(If(s.grower.condition(1), tuple(body)))
    else:
        s.body += body
    s.tell(f"gathers moments of {words(value)} in {where.format('')}")


def histogram(s: Draft) -> None:
    """Counts (or weights) of values by equal bins."""
    bins = s.rng.integer(4, 10)
    span = Interval(0.0, s.rng.pick((1.0, 2.0, 4.0)))
    values = s.array(s.float, span=span)
    scaled = s.mul(s.read(values), float(bins) / span.hi)
    slot = s.apply("to_integer", scaled, type=INT)
    kept = s.bind(s.apply("clamp", slot, ZERO, Literal(bins - 1, INT)))
    kind = s.rng.pick(("count", "weight", "value"))
    if kind == "count":
        amount: Expr = Literal(1, INT)
    elif kind == "weight":
        amount = s.moving(s.float, s.rng.integer(0, 2))
    else:
        amount = tame(s, s.mul(s.read(values), s.moving(s.float, 0)))
    out = s.array(amount.type, role="output", index=(kept,), shape=(bins,))
    store = atomic("add", out, (kept,), amount)
    if s.rng.chance(0.4):
        s.emit(If(s.grower.condition(s.rng.integer(1, 2)), (store,)))
    else:
        s.emit(store)
    s.tell(f"sorts `{values.name}` into {bins} bins of `{out.name}` and adds {words(amount)}")


def bounds(s: Draft) -> None:
    """Smallest and largest value, of a field or of a vector's components."""
    vector = s.rng.chance(0.4)
    low_high: list[tuple[Literal, Expr]] = []
    if vector:
        places = s.array(shaped(s.float.scalar, (s.rng.pick((2, 3)),)), span=Interval(-2.0, 2.0))
        count = places.type.shape[0]
        for axis in range(count):
            low_high.append((Literal(axis, INT), s.apply("component", s.read(places), Literal(axis, INT))))
        shape = (count,)
        s.tell(f"finds the bounding box of `{places.name}`")
    else:
        value = s.bind(tame(s, s.sub(s.moving(s.float, s.rng.integer(0, 2)), s.moving(s.float, 0))))
        low_high.append((ZERO, value))
        shape = (1,)
        s.tell(f"finds the extent of {words(value)}")
    for operation in s.rng.pick((("min", "max"), ("max", "min"), ("max",))):
        out = s.array(s.float, role="output", index=(ZERO,), shape=shape)
        for place, part in low_high:
            s.emit(atomic(operation, out, (place,), part))


def weighted_mean(s: Draft) -> None:
    """Numerators and weights of an average, by group."""
    t = working_type(s)
    value = s.moving(t, s.rng.integer(0, 1))
    weight = s.bind(
        s.apply("add", s.apply("abs", s.moving(s.float, s.rng.integer(0, 1))), Literal(0.1, s.float))
    )
    index, shape, where = target_cell(s)
    for term in (s.mul(weight, value), weight):
        out = s.array(term.type, role="output", index=index, shape=shape)
        s.emit(atomic("add", out, index, term))
    s.tell(f"adds {words(value)} and its weight to {where.format('')}")


def scatter(s: Draft) -> None:
    """A value shared between two neighbouring cells by where it lies between them."""
    cells = s.rng.integer(4, 9)
    places = s.array(s.float, span=Interval(0.1, cells - 1.1))
    left = s.bind(s.apply("to_integer", s.read(places), type=INT))
    share = s.bind(s.sub(s.read(places), s.real(left, s.float)))
    amount = s.bind(tame(s, s.moving(s.float, s.rng.integer(0, 2))))
    right = s.apply("add", left, Literal(1, INT))
    out = s.array(s.float, role="output", index=(left,), shape=(cells,))
    s.emit(atomic("add", out, (left,), s.mul(amount, s.sub(1.0, share))))
    s.emit(atomic("add", out, (right,), s.mul(amount, share)))
    s.tell(f"deposits {words(amount)} on the two cells of `{out.name}` around `{places.name}`")


def pair_energy(s: Draft) -> None:
    """Half an interaction energy, added to both partners of a pair."""
    count = s.rng.integer(4, 8)
    first, second = (s.array(INT, span=Interval(0, count - 1)) for _ in range(2))
    rest = s.moving(s.float, s.rng.integer(0, 1))
    energy = s.bind(tame(s, s.mul(s.mul(rest, rest), s.value(s.float, Interval(0.2, 2.0)))))
    out = s.array(s.float, role="output", index=(s.read(first),), shape=(count,))
    for partner in (first, second):
        s.emit(atomic("add", out, (s.read(partner),), s.div(energy, 2.0)))
    if s.rng.chance(0.5):
        total = s.array(s.float, role="output", index=(ZERO,), shape=(1,))
        s.emit(atomic("add", total, (ZERO,), energy))
    s.tell(f"shares {words(rest)} squared between `{first.name}` and `{second.name}`")


def selected(s: Draft) -> None:
    """A count and a sum of what exceeds a limit."""
    value = s.bind(tame(s, s.moving(s.float, s.rng.integer(1, 2))))
    limit = Literal(round((s.span(value).lo + s.span(value).hi) / 2, 1), s.float)
    hits = s.array(INT, role="output", index=(ZERO,), shape=(1,))
    index, shape, where = target_cell(s)
    total = s.array(s.float, role="output", index=index, shape=shape)
    s.emit(
        If(
            s.compare("gt", value, limit),
            (
                atomic("add", hits, (ZERO,), Literal(1, INT)),
                atomic("add", total, index, s.sub(value, limit)),
            ),
        )
    )
    s.tell(f"counts values above {limit.value} and adds their excess to {where.format('')}")


def _menus(*rows: tuple) -> tuple:
    """Every menu of this family ends in atomics."""
    return tuple((*row, conclude_updates) for row in rows)


FAMILY = Family(
    name="atomic",
    pool={**SATURATING, "arithmetic": 3.0, "math": 0.6, "choice": 0.2, "vector": 0.4, "component": 0.2},
    singles={"arithmetic": 1.0},
    shapes=SHAPES,
    first=single_update,
    short=short_update,
    ends=True,
    menus={
        3: _menus(
            (branch,),
            (accumulate,),
            (bindings,),
            (fold,),
            (neighbours, branch),
            (gather, bindings),
            (bounds_check, bindings),
        ),
        4: _menus(
            (helper, bindings),
            (record, branch),
            (helper, accumulate),
            (bindings, record),
            (neighbours, helper),
            (helper, branch),
        ),
        5: _menus(
            (helper, branch, accumulate),
            (record, accumulate, branch),
            (gather, helper, branch),
            (neighbours, record, fold),
        ),
    },
    algorithms=(moments, histogram, bounds, weighted_mean, scatter, pair_energy, selected),
)
