"""Kernels steered by arguments passed by value: weights, rates, limits, switches and step counts."""

from __future__ import annotations

from ...language.operations.table import TABLE, apply
from ...language.program import INT, Assign, Expr, For, If, Name, Range, Type
from ...language.words import words
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
from ..draft import Sketch
from ..family import SATURATING, Family, conclude
from ..grow import fit, tame
from ..terms import add, compare, div, literal, mul, real, sub, upper

SHAPES = (((),), ((),), ((), (3,)), ((), (2,)))
SCALED = tuple(
    Type(scalar, shape)
    for scalar in ("float32", "float64")
    for shape in ((), (2,), (3,), (4,), (2, 2), (3, 3))
)


def single_value(s: Sketch) -> None:
    """One operation between an array and a plain argument."""
    wanted = s.rng.pick((*SCALED, INT, Type("int64"), Type("uint32"), Type("float32"), Type("float64"), INT))
    element: Expr = s.read(s.array(wanted))
    other = s.value(wanted.element if wanted.is_float and s.rng.chance(0.7) else wanted)
    pairs = [(element, other), (other, element)]
    rows = [
        row for row in TABLE.values() if row.group in ("arithmetic", "integer", "vector", "math", "matrix")
    ]
    for row in s.rng.shuffled(rows):
        for operands in s.rng.shuffled(pairs):
            if tuple(o.type for o in operands) in [tuple(types) for types in row.takes(wanted)]:
                node = fit(s.rng, row.name, list(operands), wanted)
                if node is not None:
                    conclude(s, node)
                    return
    conclude(s, fit(s.rng, "scale_left", [other, element], wanted) or element)


def short_values(s: Sketch) -> None:
    """A short expression of one array and two or three plain arguments."""
    wanted = s.rng.pick((s.float, s.float, working_type(s), INT))
    s.pending.append(s.read(s.array(wanted)))
    for _ in range(s.rng.integer(1, 3)):
        s.pending.append(s.value(wanted.element))
    conclude(s, s.combine(wanted, s.rng.integer(0, 2)))


def switch(s: Sketch) -> None:
    """An integer argument that chooses among formulas."""
    count = s.rng.integer(2, 4)
    mode = s.value(INT, Range(0, count - 1), s.names.claim("mode") if "mode" not in s.names.taken else None)
    start = tame(s.rng, s.moving(s.float, 1))
    target = s.declare(start, soft_span(s.float).join(start.range))
    arms = []
    for _ in range(count):
        with s.inner() as arm:
            s.pending.append(target)
            value = tame(s.rng, s.combine(s.float, s.rng.integer(1, 2)))
            s.emit(Assign(target, value))
        arms.append(tuple(arm))
    s.emit(ladder([compare("eq", mode, position) for position in range(count - 1)], arms))
    s.pending.append(target)
    s.tell(f"lets `{mode.name}` choose among {count} formulas")


def limits(s: Sketch) -> None:
    """A value kept between two arguments."""
    low, high = s.value(s.float, Range(-1.0, 0.2)), s.value(s.float, Range(0.4, 2.0))
    value = s.combine(s.float) if s.pending else s.moving(s.float, 1)
    s.let(apply("clamp", tame(s.rng, value), low, high))
    s.tell(f"keeps {words(value)} between `{low.name}` and `{high.name}`")


def threshold(s: Sketch) -> None:
    """A branch on a value and an argument."""
    limit = s.value(s.float, Range(0.2, 1.2))
    value = s.bind(tame(s.rng, s.moving(s.float, 1)))
    target = s.declare(value, soft_span(s.float).join(value.range))
    excess = sub(value, limit)
    gain = s.value(s.float) if s.rng.chance(0.6) else literal(0.5, value)
    s.emit(
        If(
            compare(s.rng.pick(("gt", "lt", "ge")), value, limit),
            (Assign(target, tame(s.rng, add(limit, mul(excess, gain)))),),
        )
    )
    s.publish(target)
    s.tell(f"bends `{value.name}` where it passes `{limit.name}`")


def steps(s: Sketch) -> None:
    """As many relaxation steps as an argument says."""
    most = s.rng.integer(3, 7)
    count = s.value(INT, Range(most - 2, most))
    start, goal = tame(s.rng, s.moving(s.float, 0)), tame(s.rng, s.moving(s.float, 1))
    pace = s.value(s.float, Range(0.1, 0.9))
    target = s.declare(start, Range(-200.0, 200.0))
    index = Name(s.names.take("loop"), INT, Range(0, most - 1))
    moved = apply(
        "clamp", add(target, mul(pace, sub(goal, target))), literal(-200.0, goal), literal(200.0, goal)
    )
    damped = mul(add(target, mul(pace, sub(goal, target))), s.rng.pick((0.25, 0.3)))
    s.emit(For(index, ZERO, count, 1, most, (Assign(target, moved if s.rng.chance(0.5) else damped),)))
    s.publish(target)
    s.tell(f"relaxes towards {words(goal)} for `{count.name}` steps")


def affine(s: Sketch) -> None:
    """Weight and offset, perhaps of two arrays."""
    t = working_type(s)
    terms = [mul(s.value(s.float), s.read(s.array(t))) for _ in range(s.rng.integer(1, 3))]
    total: Expr = terms[0]
    for term in terms[1:]:
        total = add(total, term) if s.rng.chance(0.7) else sub(total, term)
    s.let(total)
    s.tell(f"combines {len(terms)} weighted arrays" if len(terms) > 1 else "weighs an array")


def schedule(s: Sketch) -> None:
    """A rate that decays with a step argument, and an update with momentum."""
    step = s.value(INT, Range(1, 9), s.names.claim("step_index"))
    base = s.value(s.float, Range(0.1, 0.9))
    kind = s.rng.pick(("inverse", "root", "exponential", "cosine"))
    time = real(step, s.float)
    decay = s.value(s.float, Range(0.1, 0.9)) if kind != "root" else base
    if kind == "inverse":
        rate: Expr = div(base, add(mul(decay, time), 1.0))
    elif kind == "root":
        rate = div(base, apply("sqrt", time))
    elif kind == "exponential":
        rate = mul(base, apply("exp", apply("neg", mul(mul(decay, time), 0.25))))
    else:
        rate = mul(mul(base, 0.5), add(apply("cos", mul(time, decay)), 1.5))
    pace = s.bind(rate)
    t = working_type(s)
    weights, slopes, past = (s.array(t) for _ in range(3))
    momentum = s.value(s.float, Range(0.5, 0.95))
    change = add(mul(momentum, s.read(past)), mul(pace, s.read(slopes)))
    if s.rng.chance(0.4):
        change = add(change, mul(s.read(weights), mul(pace, 0.1)))
    s.let(sub(s.read(weights), change))
    s.tell(f"updates `{weights.name}` with momentum at a rate that decays ({kind})")
    conclude(s, s.combine(t, s.rng.integer(0, 2)))


def controller(s: Sketch) -> None:
    """A proportional, integral and derivative controller."""
    goal, now, past, stored = (s.array(s.float) for _ in range(4))
    gains = [s.value(s.float, Range(0.1, 1.5)) for _ in range(3)]
    dt = s.value(s.float, Range(0.2, 0.9))
    error = s.bind(sub(s.read(goal), s.read(now)))
    slope = s.bind(div(sub(error, s.read(past)), dt))
    area = s.bind(add(s.read(stored), mul(error, dt)))
    parts = [mul(gains[0], error), mul(gains[1], area), mul(gains[2], slope)]
    kept = parts[: s.rng.integer(2, 3)]
    if len(kept) == 2:
        s.pending.append(mul(gains[2], slope))
    total: Expr = kept[0]
    for part in kept[1:]:
        total = add(total, part)
    s.let(tame(s.rng, total))
    s.tell(f"steers `{now.name}` towards `{goal.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def saturation(s: Sketch) -> None:
    """Michaelis-Menten, Hill or exponential saturation with named constants."""
    amount = upper(apply("abs", s.moving(s.float, s.rng.integer(0, 1))), 0.1)
    top, half = s.value(s.float, Range(0.5, 3.0)), s.value(s.float, Range(0.2, 1.5))
    kind = s.rng.pick(("hyperbola", "hill", "exponential"))
    if kind == "hyperbola":
        curve: Expr = div(mul(top, amount), add(half, amount))
    elif kind == "hill":
        square = mul(amount, amount)
        curve = div(mul(top, square), add(mul(half, half), square))
    else:
        shrunk = fit(s.rng, "exp", [apply("neg", div(amount, half))], s.float)
        assert shrunk is not None
        curve = mul(top, sub(1.0, shrunk))
    s.let(tame(s.rng, curve))
    if s.rng.chance(0.5):
        s.pending.append(s.value(s.float))
    s.tell(f"lets {words(amount)} saturate at `{top.name}` ({kind})")
    conclude(s, s.combine(s.float, s.rng.integer(1, 3)))


FAMILY = Family(
    name="scalar_param",
    verbs=("scale", "tune", "weight", "calibrate", "bias", "adjust"),
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
