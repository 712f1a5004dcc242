"""Control flow: branches within branches, loops that skip or stop early, while loops, state machines."""

from __future__ import annotations

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
    Return,
    Variable,
    While,
)
from ...language.specification.sentences import words
from ...language.types import INT, Scalar
from ..blocks import (
    ZERO,
    accumulate,
    bindings,
    branch,
    early_exit,
    fold,
    gather,
    helper,
    ladder,
    neighbours,
    record,
    search,
    shrink_until,
    soft_span,
    within,
)
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import compare_to_middle, tame
from ..growing.terms import element_of, literal

NUMBERS = (Scalar("float32"), Scalar("float64"), INT, Scalar("int64"))


def single_branch(s: Draft) -> None:
    """One ``if`` (or conditional expression) around one operation."""
    wanted = s.rng.pick(NUMBERS)
    kind = s.rng.pick(("store", "return", "variable", "expression", "both"))
    value = s.moving(wanted, 1 if s.rng.chance(0.7) else 0)
    tested = s.moving(wanted if s.rng.chance(0.6) else s.rng.pick(NUMBERS), 0)
    if s.rng.chance(0.65):
        condition = compare_to_middle(s, tested)
    else:
        condition = s.compare(s.rng.pick(("lt", "gt", "le", "ge")), tested, s.moving(tested.type, 0))
    if kind == "expression":
        s.tell(f"tests whether {words(condition)}")
        conclude(s, s.apply("conditional", condition, value, s.moving(wanted, 0)))
        return
    out = s.array(wanted, role="output")
    store, stored = Assign(element_of(out, s.threads), value), words(value)
    if kind == "store":
        s.emit(If(condition, (store,)))
        where = f"where {words(condition)}"
    elif kind == "return":
        s.emit(If(condition, (Return(),)))
        s.emit(store)
        where = f"except where {words(condition)}"
    else:
        other = s.moving(wanted, 0)
        stored, where = f"{stored} or {words(other)}", f"by whether {words(condition)}"
        if kind == "both":
            s.emit(If(condition, (store,), (Assign(element_of(out, s.threads), other),)))
        else:
            target = s.declare(other, s.span(other).join(s.span(value)))
            s.emit(If(condition, (Assign(target, value),)))
            s.store(out, target)
    s.tell(f"stores {stored} in `{out.name}` {where}")


def short_branch(s: Draft) -> None:
    """A condition of two parts, or a conditional expression inside an expression."""
    wanted = s.rng.weighted([(s.float, 3.0), (INT, 1.0)])
    condition = s.grower.condition(s.rng.integer(1, 3))
    first, second = s.moving(wanted, s.rng.integer(0, 2)), s.moving(wanted, s.rng.integer(0, 1))
    chosen = s.apply(s.rng.pick(("conditional", "where")), condition, first, second)
    if s.rng.chance(0.5):
        s.let(chosen)
    else:
        s.pending.append(chosen)
    s.tell(f"chooses between {words(first)} and {words(second)} by whether {words(condition)}")
    conclude(s, s.combine(wanted, s.rng.integer(0, 1)))


def nested_branch(s: Draft) -> None:
    branch(s, arms=s.rng.integer(1, 2), nested=True)


def skipping_loop(s: Draft) -> None:
    """A loop over a row that skips some entries and may stop at others."""
    trips = s.rng.integer(3, 9)
    thread = s.rng.pick(s.threads)
    index = s.loop_index(trips)
    rows = s.array(s.float, index=(thread, index))
    del s.element_index[rows.name]
    stop: Expr = s.value(INT, Interval(trips - 2, trips)) if s.rng.chance(0.4) else Literal(trips, INT)
    with s.inner() as body:
        s.scope.append(index)
        entry = s.let(s.read(rows, (thread, index)))
        s.emit(If(compare_to_middle(s, entry), (Continue(),)))
        if s.rng.chance(0.5):
            limit = literal(round(s.span(entry).hi * 0.9, 2), entry)
            s.emit(If(s.compare("gt", entry, limit), (Break(),)))
        term = s.combine(s.float, s.rng.integer(0, 2))
        total = s.named(
            s.names.take("accumulator"),
            s.float,
            Interval(-trips * s.span(term).magnitude, trips * s.span(term).magnitude),
        )
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, s.float)))
    s.emit(For(index, ZERO, stop, 1, tuple(body)))
    s.publish(total)
    s.tell(f"adds up the entries of `{rows.name}` that are not skipped")


def counter(s: Draft) -> None:
    """Counts how often a condition holds along a loop."""
    trips = s.rng.integer(3, 10)
    index = s.loop_index(trips)
    hits = s.declare(ZERO, Interval(0, trips), "integer_local")
    thread = s.rng.pick(s.threads)
    rows = s.array(s.rng.pick((s.float, INT)), index=(thread, index))
    del s.element_index[rows.name]
    with s.inner() as body:
        s.scope.append(index)
        condition = compare_to_middle(s, s.read(rows, (thread, index)))
        if s.rng.chance(0.4):
            condition = s.apply(s.rng.pick(("and", "or")), condition, s.grower.condition(1))
        s.emit(If(condition, (Accumulate(hits, "+", Literal(1, INT)),)))
    s.emit(For(index, ZERO, Literal(trips, INT), 1, tuple(body)))
    s.publish(hits)
    s.tell(f"counts entries of `{rows.name}` for which {words(condition)}")


def greatest_divisor(s: Draft) -> None:
    """Euclid's algorithm."""
    high = s.rng.pick((60, 120, 400))
    first, second = (s.array(INT, span=Interval(1, high)) for _ in range(2))
    a = s.declare(s.read(first), Interval(0, high), "integer_local")
    b = s.declare(s.read(second), Interval(0, high), "integer_local")
    with s.inner() as body:
        rest = s.bind(s.mod(a, s.upper(b, 1)))
        s.emit(Assign(a, b))
        s.emit(Assign(b, rest))
    s.emit(While(s.compare("gt", b, 0), tuple(body)))
    s.publish(a)
    s.tell(f"finds the greatest common divisor of `{first.name}` and `{second.name}`")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


def collatz(s: Draft) -> None:
    """Steps of the 3n + 1 map, at most a given number of them."""
    starts = s.array(INT, span=Interval(1, s.rng.pick((30, 60, 99))))
    most = s.rng.integer(5, 12)
    term = s.declare(s.read(starts), Interval(0, 2**28), "integer_local")
    steps = s.declare(ZERO, Interval(0, most), "integer_local")
    going = s.apply("and", s.compare("gt", term, 1), s.compare("lt", steps, most))
    even = s.compare("eq", s.mod(term, 2), 0)
    factor, offset = s.rng.pick(((3, 1), (5, 1), (3, 3), (3, 5)))
    # The remainder keeps the tree's bound on the term; real terms stay far below it.
    odd_step = s.mod(s.add(s.mul(s.mod(term, 2**20), factor), offset), 2**20)
    with s.inner() as body:
        s.emit(
            If(even, (Assign(term, s.apply("floordiv", term, Literal(2, INT))),), (Assign(term, odd_step),))
        )
        s.emit(Accumulate(steps, "+", Literal(1, INT)))
    s.emit(While(going, tuple(body)))
    s.publish(s.rng.pick((term, steps)))
    if s.rng.chance(0.5) and steps not in s.pending:
        s.publish(steps)
    s.tell(f"follows the {factor}n + {offset} map from `{starts.name}`")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


def bisection(s: Draft) -> None:
    """A root of a rising function by halving an interval."""
    targets = s.array(s.float, span=Interval(0.5, 6.0))
    low = s.declare(Literal(0.0, s.float), Interval(0.0, 4.0), "local")
    high = s.declare(Literal(s.rng.pick((2.5, 3.0, 4.0)), s.float), Interval(0.0, 4.0), "local")
    steps = s.rng.integer(4, 12)
    index = s.loop_index(steps)
    with s.inner() as body:
        middle = s.bind(s.mul(s.add(low, high), 0.5))
        rising = [
            lambda: s.mul(middle, middle),
            lambda: s.add(s.mul(middle, middle), middle),
            lambda: s.mul(s.mul(middle, middle), middle),
            lambda: s.add(s.apply("exp", s.mul(middle, 0.5)), s.mul(middle, 0.25)),
            lambda: s.add(s.mul(middle, 1.5), s.apply("sin", middle)),
        ]
        there = s.compare("lt", s.rng.pick(rising)(), s.read(targets))
        s.emit(If(there, (Assign(low, middle),), (Assign(high, middle),)))
    s.emit(For(index, ZERO, Literal(steps, INT), 1, tuple(body)))
    s.scope += [low, high]
    s.pending.append(s.mul(s.add(low, high), 0.5) if s.rng.chance(0.6) else low)
    s.tell(f"solves for `{targets.name}` by bisection")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def sorting_network(s: Draft) -> None:
    """Compare and swap a few values, then use them in order."""
    size = s.rng.pick((3, 3, 4))
    pairs = {3: ((0, 1), (1, 2), (0, 1)), 4: ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2))}[size]
    span = Interval(-4.0, 4.0)
    values = [s.declare(tame(s, s.leaf(s.float), 4.0), span, "local") for _ in range(size - 1)]
    values.append(s.declare(s.read(s.array(s.float, span=span)), span, "local"))
    falling = s.rng.chance(0.4)
    for left, right in pairs:
        with s.inner() as body:
            kept = s.bind(values[left])
            s.emit(Assign(values[left], values[right]))
            s.emit(Assign(values[right], kept))
        s.emit(If(s.compare("lt" if falling else "gt", values[left], values[right]), tuple(body)))
    middle = values[size // 2]
    s.scope += values
    spread = s.sub(values[-1], values[0])
    s.pending += s.rng.pick(((middle,), (middle, spread), (spread,), (values[0], values[-1])))
    s.tell(f"sorts {size} values {'downwards' if falling else 'upwards'} and combines them")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def hysteresis(s: Draft) -> None:
    """A switch with two thresholds, moved along a row."""
    trips = s.rng.integer(4, 10)
    thread = s.rng.pick(s.threads)
    index = s.loop_index(trips)
    rows = s.array(s.float, index=(thread, index), span=Interval(-2.0, 2.0))
    del s.element_index[rows.name]
    state = s.declare(ZERO, Interval(0, 2), "integer_local")
    switches = s.declare(ZERO, Interval(0, 2 * trips), "integer_local")
    low, high = s.rng.pick(((-0.5, 0.5), (-0.25, 0.75), (-1.0, 0.0), (0.0, 1.0)))
    with s.inner() as body:
        entry = s.bind(s.read(rows, (thread, index)))
        up = s.apply("and", s.compare("eq", state, 0), s.compare("gt", entry, high))
        down = s.apply("and", s.compare("eq", state, 1), s.compare("lt", entry, low))
        count = Accumulate(switches, "+", Literal(1, INT))
        s.emit(If(up, (Assign(state, Literal(1, INT)), count), (If(down, (Assign(state, ZERO), count)),)))
    s.emit(For(index, ZERO, Literal(trips, INT), 1, tuple(body)))
    for value in s.rng.pick(((switches,), (switches, state))):
        s.publish(value)
    s.tell(f"runs a two-threshold switch along `{rows.name}`")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


def newton(s: Draft) -> None:
    """Newton's method for a root, ended when the change is small."""
    goals = s.array(s.float, span=Interval(0.5, 4.0))
    goal = s.read(goals)
    guess = s.declare(s.add(s.mul(goal, 0.5), s.rng.pick((0.5, 0.75, 1.0))), Interval(0.1, 40.0))
    most = s.rng.integer(3, 7)
    index = s.loop_index(most)
    cubic = s.rng.chance(0.4)
    with s.inner() as body:
        quotient = s.div(goal, s.mul(guess, guess) if cubic else guess)
        better = (
            s.div(s.add(s.mul(guess, 2.0), quotient), 3.0) if cubic else s.mul(s.add(guess, quotient), 0.5)
        )
        bounded = s.bind(s.apply("clamp", better, literal(0.1, goal), literal(20.0, goal)))
        change = s.apply("abs", s.sub(bounded, guess))
        s.emit(If(s.compare("lt", change, s.rng.pick((0.001, 0.01, 0.05))), (Break(),)))
        s.emit(Assign(guess, bounded))
    s.emit(For(index, ZERO, Literal(most, INT), 1, tuple(body)))
    s.publish(guess)
    s.tell(f"finds the {'cube' if cubic else 'square'} root of `{goals.name}` by Newton's method")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def phases(s: Draft) -> None:
    """A value that takes a different step depending on a counter's remainder."""
    start = tame(s, s.moving(s.float, 1))
    target = s.declare(start, soft_span(s.float).join(s.span(start)))
    steps = s.rng.integer(3, 7)
    index = s.loop_index(steps)
    kinds = s.rng.integer(2, 3)
    with s.inner() as body:
        s.scope.append(index)
        arms = []
        for _ in range(kinds):
            with s.inner() as arm:
                s.pending.append(target)
                s.emit(Assign(target, within(s, s.combine(s.float, s.rng.integer(1, 2)), target)))
            arms.append(tuple(arm))
        s.emit(
            ladder([s.compare("eq", s.mod(index, kinds), position) for position in range(kinds - 1)], arms)
        )
    s.emit(For(index, ZERO, Literal(steps, INT), 1, tuple(body)))
    s.publish(target)
    s.tell(f"steps `{target.name}` through {kinds} alternating updates")


def guarded(s: Draft) -> None:
    """An early return with a short result."""
    out = s.array(s.float, role="output")
    early_exit(s, out)
    bindings(s)
    branch(s)
    conclude(s, s.combine(s.float, 1), out)


FAMILY = Family(
    name="control_flow",
    pool={**SATURATING, "arithmetic": 3.0, "integer": 0.4, "choice": 0.4, "math": 0.25},
    singles={"arithmetic": 3.0},
    first=single_branch,
    short=short_branch,
    results=lambda s: s.rng.weighted([(s.float, 4.0), (INT, 1.0)]),
    menus={
        3: (
            (branch,),
            (search, bindings),
            (skipping_loop,),
            (counter, bindings),
            (shrink_until,),
            (phases,),
            (fold,),
            (neighbours, branch),
            (gather, branch),
        ),
        4: (
            (nested_branch,),
            (nested_branch, bindings),
            (helper, search),
            (record, branch),
            (helper, counter),
            (nested_branch, helper),
            (shrink_until, record),
            (skipping_loop, helper),
        ),
        5: (
            (nested_branch, skipping_loop),
            (helper, phases, branch),
            (record, search, branch),
            (shrink_until, nested_branch),
            (helper, counter, nested_branch),
            (accumulate, nested_branch, record),
        ),
    },
    algorithms=(greatest_divisor, collatz, bisection, sorting_network, hysteresis, newton, guarded),
)
