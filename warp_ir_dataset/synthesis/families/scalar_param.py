"""Kernels steered by arguments passed by value: weights, rates, limits, switches and step counts."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.operations.table import TABLE
from ...language.program import Assign, Expr, For, If
from ...language.specification.sentences import words
from ...language.types import INT, USUAL_FLOATS, Scalar, shaped
from ..blocks import (
    ZERO,
    accumulate,
    bindings,
    bounds_check,
    branch,
    fold,
    helper,
    ladder,
    neighbours,
    record,
    soft_span,
    working_type,
)
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import fit, fitted, tame
from ..growing.terms import literal

SHAPES = (((),), ((),), ((), (3,)), ((), (2,)))
SCALED = tuple(
    shaped(scalar, shape) for scalar in USUAL_FLOATS for shape in ((), (2,), (3,), (4,), (2, 2), (3, 3))
)


def single_value(s: Draft) -> None:
    """One operation between an array and a plain argument."""
    wanted = s.rng.pick(
        (*SCALED, INT, Scalar("int64"), Scalar("uint32"), Scalar("float32"), Scalar("float64"), INT)
    )
    element: Expr = s.read(s.array(wanted))
    other = s.value(wanted.element if wanted.is_float and s.rng.chance(0.7) else wanted)
    pairs = [(element, other), (other, element)]
    rows = [
        row for row in TABLE.values() if row.group in ("arithmetic", "integer", "vector", "math", "matrix")
    ]
    for row in s.rng.shuffled(rows):
        for operands in s.rng.shuffled(pairs):
            if tuple(o.type for o in operands) in [tuple(types) for types in row.takes(wanted)]:
                node = fit(s, row.name, list(operands), wanted)
                if node is not None:
                    conclude(s, node)
                    return
    conclude(s, fit(s, "scale_left", [other, element], wanted) or element)


def short_values(s: Draft) -> None:
    """A short expression of one array and two or three plain arguments."""
    wanted = s.rng.pick((s.float, s.float, working_type(s), INT))
    s.pending.append(s.read(s.array(wanted)))
    for _ in range(s.rng.integer(1, 3)):
        s.pending.append(s.value(wanted.element))
    conclude(s, s.combine(wanted, s.rng.integer(0, 2)))


def switch(s: Draft) -> None:
    """An integer argument that chooses among formulas."""
    count = s.rng.integer(2, 4)
    mode = s.value(
        INT, Interval(0, count - 1), s.names.claim("mode") if "mode" not in s.names.taken else None
    )
    start = tame(s, s.moving(s.float, 1))
    target = s.declare(start, soft_span(s.float).join(s.span(start)))
    arms = []
    for _ in range(count):
        with s.inner() as arm:
            s.pending.append(target)
            value = tame(s, s.combine(s.float, s.rng.integer(1, 2)))
            s.emit(Assign(target, value))
        arms.append(tuple(arm))
    s.emit(ladder([s.compare("eq", mode, position) for position in range(count - 1)], arms))
    s.pending.append(target)
    s.tell(f"lets `{mode.name}` choose among {count} formulas")


def limits(s: Draft) -> None:
    """A value kept between two arguments."""
    low, high = s.value(s.float, Interval(-1.0, 0.2)), s.value(s.float, Interval(0.4, 2.0))
    value = s.combine(s.float) if s.pending else s.moving(s.float, 1)
    s.let(s.apply("clamp", tame(s, value), low, high))
    s.tell(f"keeps {words(value)} between `{low.name}` and `{high.name}`")


def threshold(s: Draft) -> None:
    """A branch on a value and an argument."""
    limit = s.value(s.float, Interval(0.2, 1.2))
    value = s.bind(tame(s, s.moving(s.float, 1)))
    target = s.declare(value, soft_span(s.float).join(s.span(value)))
    excess = s.sub(value, limit)
    gain = s.value(s.float) if s.rng.chance(0.6) else literal(0.5, value)
    s.emit(
        If(
            s.compare(s.rng.pick(("gt", "lt", "ge")), value, limit),
            (Assign(target, tame(s, s.add(limit, s.mul(excess, gain)))),),
        )
    )
    s.publish(target)
    s.tell(f"bends `{value.name}` where it passes `{limit.name}`")


def steps(s: Draft) -> None:
    """As many relaxation steps as an argument says."""
    most = s.rng.integer(3, 7)
    count = s.value(INT, Interval(most - 2, most))
    start, goal = tame(s, s.moving(s.float, 0)), tame(s, s.moving(s.float, 1))
    pace = s.value(s.float, Interval(0.1, 0.9))
    target = s.declare(start, Interval(-200.0, 200.0))
    index = s.loop_index(most)
    moved = s.apply(
        "clamp", s.add(target, s.mul(pace, s.sub(goal, target))), literal(-200.0, goal), literal(200.0, goal)
    )
    damped = s.mul(s.add(target, s.mul(pace, s.sub(goal, target))), s.rng.pick((0.25, 0.3)))
    s.emit(For(index, ZERO, count, 1, (Assign(target, moved if s.rng.chance(0.5) else damped),)))
    s.publish(target)
    s.tell(f"relaxes towards {words(goal)} for `{count.name}` steps")


def affine(s: Draft) -> None:
    """Weight and offset, perhaps of two arrays."""
    t = working_type(s)
    terms = [s.mul(s.value(s.float), s.read(s.array(t))) for _ in range(s.rng.integer(1, 3))]
    total: Expr = terms[0]
    for term in terms[1:]:
        total = s.add(total, term) if s.rng.chance(0.7) else s.sub(total, term)
    s.let(total)
    s.tell(f"combines {len(terms)} weighted arrays" if len(terms) > 1 else "weighs an array")


def schedule(s: Draft) -> None:
    """A rate that decays with a step argument, and an update with momentum."""
    step = s.value(INT, Interval(1, 9), s.names.claim("step_index"))
    base = s.value(s.float, Interval(0.1, 0.9))
    kind = s.rng.pick(("inverse", "root", "exponential", "cosine"))
    time = s.real(step, s.float)
    decay = s.value(s.float, Interval(0.1, 0.9)) if kind != "root" else base
    if kind == "inverse":
        rate: Expr = s.div(base, s.add(s.mul(decay, time), 1.0))
    elif kind == "root":
        rate = s.div(base, s.apply("sqrt", time))
    elif kind == "exponential":
        rate = s.mul(base, s.apply("exp", s.apply("neg", s.mul(s.mul(decay, time), 0.25))))
    else:
        rate = s.mul(s.mul(base, 0.5), s.add(s.apply("cos", s.mul(time, decay)), 1.5))
    pace = s.bind(rate)
    t = working_type(s)
    weights, slopes, past = (s.array(t) for _ in range(3))
    momentum = s.value(s.float, Interval(0.5, 0.95))
    change = s.add(s.mul(momentum, s.read(past)), s.mul(pace, s.read(slopes)))
    if s.rng.chance(0.4):
        change = s.add(change, s.mul(s.read(weights), s.mul(pace, 0.1)))
    s.let(s.sub(s.read(weights), change))
    s.tell(f"updates `{weights.name}` with momentum at a rate that decays ({kind})")
    conclude(s, s.combine(t, s.rng.integer(0, 2)))


def controller(s: Draft) -> None:
    """A proportional, integral and derivative controller."""
    goal, now, past, stored = (s.array(s.float) for _ in range(4))
    gains = [s.value(s.float, Interval(0.1, 1.5)) for _ in range(3)]
    dt = s.value(s.float, Interval(0.2, 0.9))
    error = s.bind(s.sub(s.read(goal), s.read(now)))
    slope = s.bind(s.div(s.sub(error, s.read(past)), dt))
    area = s.bind(s.add(s.read(stored), s.mul(error, dt)))
    parts = [s.mul(gains[0], error), s.mul(gains[1], area), s.mul(gains[2], slope)]
    kept = parts[: s.rng.integer(2, 3)]
    if len(kept) == 2:
        s.pending.append(s.mul(gains[2], slope))
    total: Expr = kept[0]
    for part in kept[1:]:
        total = s.add(total, part)
    s.let(tame(s, total))
    s.tell(f"steers `{now.name}` towards `{goal.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def saturation(s: Draft) -> None:
    """Michaelis-Menten, Hill or exponential saturation with named constants."""
    amount = s.upper(s.apply("abs", s.moving(s.float, s.rng.integer(0, 1))), 0.1)
    top, half = s.value(s.float, Interval(0.5, 3.0)), s.value(s.float, Interval(0.2, 1.5))
    kind = s.rng.pick(("hyperbola", "hill", "exponential"))
    if kind == "hyperbola":
        curve: Expr = s.div(s.mul(top, amount), s.add(half, amount))
    elif kind == "hill":
        square = s.mul(amount, amount)
        curve = s.div(s.mul(top, square), s.add(s.mul(half, half), square))
    else:
        shrunk = fitted(s, "exp", s.apply("neg", s.div(amount, half)))
        curve = s.mul(top, s.sub(1.0, shrunk))
    s.let(tame(s, curve))
    if s.rng.chance(0.5):
        s.pending.append(s.value(s.float))
    s.tell(f"lets {words(amount)} saturate at `{top.name}` ({kind})")
    conclude(s, s.combine(s.float, s.rng.integer(1, 3)))


FAMILY = Family(
    name="scalar_param",
    pool={**SATURATING, "arithmetic": 3.0, "math": 0.7, "vector": 0.5, "component": 0.2, "choice": 0.2},
    singles={"arithmetic": 1.0},
    shapes=SHAPES,
    first=single_value,
    short=short_values,
    menus={
        3: (
            (switch,),
            (limits, branch),
            (threshold,),
            (steps,),
            (affine, branch),
            (affine, accumulate),
            (affine, threshold),
            (bounds_check, affine, fold),
        ),
        4: (
            (switch, helper),
            (record, limits),
            (helper, steps),
            (affine, helper, threshold),
            (record, switch),
            (neighbours, helper, limits),
            (affine, record, branch),
        ),
        5: (
            (switch, helper, accumulate),
            (record, steps, threshold),
            (affine, helper, switch),
            (limits, record, helper, branch),
            (bindings, switch, steps, helper),
        ),
    },
    algorithms=(schedule, controller, saturation),
    options={"max_inputs": 6, "value_share": 0.65},
)
