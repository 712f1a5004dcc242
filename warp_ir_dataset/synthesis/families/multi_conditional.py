"""Chains of conditions: piecewise functions, grades, brackets and decision trees."""

from __future__ import annotations

from ...language.domains import Interval, joined
from ...language.program import (
    Accumulate,
    Assign,
    Call,
    Expr,
    Function,
    If,
    Literal,
    Name,
    Return,
    Stmt,
)
from ...language.specification.sentences import words
from ...language.types import INT, Scalar
from ..blocks import (
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
    soft_span,
    within,
)
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import compare_to_middle, rounded, tame
from ..growing.terms import element_of, literal


def thresholds(s: Draft, value: Expr, count: int) -> list[Literal]:
    """Rising limits that cut a value's range into parts that are all met."""
    low, high = s.span(value).lo, s.span(value).hi
    if value.type.is_integer:
        step = max(int(high - low) // (count + 1), 1)
        return [Literal(int(low) + step * (k + 1), value.type.element) for k in range(count)]
    width = (high - low) / (count + 1)
    limits = [rounded(low + width * (k + 0.75 + 0.5 * s.rng.below(100) / 100)) for k in range(count)]
    return [literal(limit, value) for limit in limits]


def rungs(s: Draft, value: Expr, count: int) -> list[Expr]:
    """Conditions that a value meets one after another, upwards or downwards."""
    limits = thresholds(s, value, count)
    if s.rng.chance(0.4):
        return [s.compare(s.rng.pick(("gt", "ge")), value, limit) for limit in reversed(limits)]
    name = s.rng.pick(("lt", "le"))
    return [s.compare(name, value, limit) for limit in limits]


def labels(s: Draft) -> None:
    """A label by thresholds: the shortest kernel with several conditions."""
    wanted = s.rng.pick((Scalar("float32"), Scalar("float64"), INT))
    tested = s.moving(wanted, 0)
    count = s.rng.integer(2, 5)
    conditions = rungs(s, tested, count)
    result = s.rng.pick((INT, INT, wanted, s.float))
    marks: list[Expr] = [_mark(result, position) for position in range(count + 1)]
    out = s.array(result, role="output")
    if s.rng.chance(0.5):
        label = s.declare(marks[-1], joined(s.span(mark) for mark in marks))
        s.emit(ladder(conditions, [(Assign(label, mark),) for mark in marks[:-1]]))
        s.store(out, label)
    else:
        s.emit(ladder(conditions, [(Assign(element_of(out, s.threads), mark),) for mark in marks]))
    s.tell(f"labels {words(tested)} by {count} thresholds in `{out.name}`")


def _mark(type: Scalar, position: int) -> Literal:
    return Literal(position + 1, type) if type.is_integer else Literal(0.5 * (position + 1), type)


def short_choice(s: Draft) -> None:
    """A choice within a choice, or a chain of short results."""
    value = s.bind(tame(s, s.moving(s.float, 1))) if s.rng.chance(0.6) else s.moving(s.float, 0)
    count = s.rng.integer(2, 3)
    conditions = rungs(s, value, count)
    results = [tame(s, s.moving(s.float, s.rng.integer(0, 1))) for _ in range(count + 1)]
    if s.rng.chance(0.5):
        chosen = results[-1]
        for condition, result in zip(reversed(conditions), reversed(results[:-1]), strict=True):
            chosen = s.apply(s.rng.pick(("where", "conditional")), condition, result, chosen)
        conclude(s, chosen)
        s.tell(f"depending on {words(value)}")
    else:
        out = s.array(s.float, role="output")
        s.emit(ladder(conditions, [(Assign(element_of(out, s.threads), result),) for result in results]))
        s.tell(f"stores one of {count + 1} results in `{out.name}`, depending on {words(value)}")


def piecewise(s: Draft) -> None:
    """A function given piece by piece."""
    value = s.bind(tame(s, s.combine(s.float) if s.pending else s.moving(s.float, 1), 8.0))
    count = s.rng.integer(2, 4)
    conditions = rungs(s, value, count)
    target = s.declare(_start(s, value), soft_span(s.float).join(s.span(value)))
    arms = [_piece(s, target, value) for _ in range(count + (1 if s.rng.chance(0.7) else 0))]
    s.emit(ladder(conditions, arms))
    s.pending.append(target)
    s.tell(f"applies one of {len(arms)} pieces to `{value.name}`")


def _start(s: Draft, value: Expr) -> Expr:
    return value if s.rng.chance(0.6) else Literal(s.rng.pick((0.5, 1.0, -1.0)), s.float)


def _piece(s: Draft, target: Name, value: Expr) -> tuple[Stmt, ...]:
    with s.inner() as body:
        s.pending.append(value)
        s.emit(Assign(target, within(s, s.combine(s.float, s.rng.integer(1, 2)), target)))
    return tuple(body)


def tree(s: Draft) -> None:
    """A decision tree two levels deep, on two values."""
    first, second = (s.bind(tame(s, s.moving(s.float, s.rng.integer(0, 1)))) for _ in range(2))
    target = s.declare(Literal(0.0, s.float), soft_span(s.float))

    def leaf_arm() -> tuple[Stmt, ...]:
        with s.inner() as body:
            s.pending.append(s.rng.pick((first, second)))
            s.emit(Assign(target, within(s, s.combine(s.float, s.rng.integer(0, 1)), target)))
        return tuple(body)

    halves = []
    for _ in range(2):
        count = s.rng.integer(1, 2)
        halves.append((ladder(rungs(s, second, count), [leaf_arm() for _ in range(count + 1)]),))
    s.emit(If(compare_to_middle(s, first), *halves))
    s.pending += [target] + ([first] if s.rng.chance(0.3) else [])
    s.tell(f"decides by `{first.name}` and then by `{second.name}`")


def quadrants(s: Draft) -> None:
    """Four cases from two conditions joined by ``and``."""
    first, second = (s.moving(s.float, 0) for _ in range(2))
    left, right = compare_to_middle(s, first), compare_to_middle(s, second)
    target = s.declare(tame(s, s.moving(s.float, 1)), soft_span(s.float))
    conditions: list[Expr] = [s.apply("and", left, right), left, right]
    if s.rng.chance(0.4):
        conditions = [s.apply("and", left, right), s.apply("or", left, right)]
    arms = [_piece(s, target, s.rng.pick((first, second))) for _ in range(len(conditions) + s.rng.below(2))]
    s.emit(ladder(conditions, arms))
    s.pending.append(target)
    s.tell(f"tells cases apart by {words(left)} and {words(right)}")


def flags(s: Draft) -> None:
    """Named conditions, combined afterwards."""
    first, second = s.bind(s.grower.condition(2)), s.bind(s.grower.condition(1))
    options: tuple[Expr, Expr] = (second, s.apply("not", second))
    joined = s.apply(s.rng.pick(("and", "or")), first, s.rng.pick(options))
    value, other = s.moving(s.float, 1), s.moving(s.float, 1)
    target = s.declare(tame(s, value), soft_span(s.float))
    conditions = (joined, first, second)[: s.rng.integer(1, 3)]
    s.emit(ladder(conditions, [_piece(s, target, other) for _ in conditions]))
    s.pending.append(target)
    s.tell(f"acts on `{first.name}` and `{second.name}`")


def cases(s: Draft) -> None:
    """An integer mode chooses the formula."""
    count = s.rng.integer(3, 5)
    if s.rng.chance(0.5):
        mode: Expr = s.read(s.array(INT, span=Interval(0, count - 1)))
    else:
        mode = s.bind(s.mod(s.moving(INT, 0), count))
        if s.span(mode).lo < 0:
            mode = s.apply("abs", mode)
    value = s.moving(s.float, 0)
    target = s.declare(tame(s, value), soft_span(s.float).join(s.span(value)))
    conditions: list[Expr] = [s.compare("eq", mode, position) for position in range(count - 1)]
    s.emit(ladder(conditions, [_piece(s, target, value) for _ in range(count)]))
    s.pending.append(target)
    s.tell(f"applies one of {count} formulas chosen by {words(mode)}")


def brackets(s: Draft) -> None:
    """A progressive rate: each bracket's share of an amount at a rate of its own."""
    amounts = s.array(s.float, span=Interval(0.1, 9.0))
    amount = s.read(amounts)
    count = s.rng.integer(2, 4)
    limits = [0.0, *[float(limit.value) for limit in thresholds(s, amount, count)]]
    due = s.declare(Literal(0.0, s.float), Interval(0.0, 60.0))
    for low, high in zip(limits, [*limits[1:], None], strict=True):
        rate = Literal(s.rng.pick((0.05, 0.1, 0.2, 0.25, 0.4, 0.5)), s.float)
        top = amount if high is None else s.apply("min", amount, literal(high, amount))
        share = s.mul(s.sub(top, low), rate) if low else s.mul(top, rate)
        grown = (
            s.apply("clamp", s.add(due, share), Literal(0.0, s.float), Literal(60.0, s.float))
            if s.rng.chance(0.2)
            else None
        )
        step = Assign(due, grown) if grown is not None else Assign(due, within(s, s.add(due, share), due))
        if low:
            s.emit(If(s.compare("gt", amount, low), (step,)))
        else:
            s.emit(step)
    s.publish(due)
    s.tell(f"charges `{amounts.name}` at a rate that rises in {count + 1} brackets")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def voting(s: Draft) -> None:
    """A score that several tests raise, and a decision on it."""
    score = s.declare(Literal(0, INT), Interval(0, 12), "integer_local")
    tests = s.rng.integer(3, 4)
    for _ in range(tests):
        s.emit(
            If(
                s.grower.condition(s.rng.integer(1, 2)),
                (Accumulate(score, "+", Literal(s.rng.integer(1, 3), INT)),),
            )
        )
    value = s.moving(s.float, 1)
    target = s.declare(tame(s, value), soft_span(s.float).join(s.span(value)))
    conditions: list[Expr] = [
        s.compare("ge", score, limit) for limit in s.rng.pick(((4, 2), (3,), (5, 3, 1), (3, 1)))
    ]
    s.emit(ladder(conditions, [_piece(s, target, value) for _ in range(len(conditions) + 1)]))
    s.pending += [target] + ([score] if s.rng.chance(0.4) else [])
    s.tell(f"lets {tests} tests vote on a formula")
    conclude(s, s.combine(s.float, s.rng.integer(0, 1)))


def exits(s: Draft) -> None:
    """Several early returns, each with a result of its own."""
    out = s.array(s.float, role="output")
    bindings(s)
    for _ in range(s.rng.integer(2, 3)):
        early_exit(s, out)
    conclude(s, s.combine(s.float, s.rng.integer(1, 2)), out)


def branching_function(s: Draft) -> None:
    """A function of one value that returns from several places."""
    operand = tame(s, s.combine(s.float) if s.pending else s.moving(s.float, 1))
    parameter = s.named(s.names.take("local"), s.float, s.span(operand))
    name = s.names.take("function")
    spans = []
    with s.function_scope([parameter]) as body:
        for condition in rungs(s, parameter, s.rng.integer(2, 3)):
            with s.inner() as arm:
                s.pending.append(parameter)
                value = tame(s, s.combine(s.float, s.rng.integer(1, 2)))
                s.emit(Return((value,)))
            spans.append(s.span(value))
            s.emit(If(condition, tuple(arm)))
        s.pending = [parameter]
        value = tame(s, s.combine(s.float, s.rng.integer(0, 1)))
        s.emit(Return((value,)))
    span = joined([s.span(value), *spans])
    s.define(Function(name, (parameter,), tuple(body), s.float), span)
    s.let(Call(name, (operand,), s.float))
    s.tell("applies a helper that returns one of several formulas")


FAMILY = Family(
    name="multi_conditional",
    pool={**SATURATING, "arithmetic": 3.0, "math": 0.6, "choice": 0.2},
    singles={"arithmetic": 1.0},
    first=labels,
    short=short_choice,
    results=lambda s: s.rng.weighted([(s.float, 6.0), (INT, 1.0)]),
    menus={
        3: (
            (piecewise,),
            (piecewise, bindings),
            (quadrants,),
            (flags,),
            (cases,),
            (bindings, cases),
            (neighbours, piecewise),
        ),
        4: (
            (tree,),
            (branching_function, piecewise),
            (record, cases),
            (branching_function, flags),
            (tree, bindings),
            (quadrants, helper),
            (cases, branching_function),
        ),
        5: (
            (tree, accumulate),
            (branching_function, cases, branch),
            (record, piecewise, helper),
            (gather, cases, tree),
            (quadrants, fold, branching_function),
        ),
    },
    algorithms=(brackets, voting, exits),
)
