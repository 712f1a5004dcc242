"""Elementary functions: powers, logarithms, waves, and the formulas built of them."""

from __future__ import annotations

from ...language.analysis.intervals import Illegal
from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Expr, For, Literal, Variable
from ...language.specification.sentences import words
from ...language.types import INT, USUAL_FLOATS, Scalar
from ..blocks import ZERO, accumulate, bindings, branch, fold, gather, helper, neighbours, record
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import fitted, tame


def horner(s: Draft) -> None:
    """A polynomial by Horner's rule, its coefficients literal or in an array."""
    x = s.bind(tame(s, s.moving(s.float, s.rng.integer(0, 1)), 3.0))
    degree = s.rng.integer(2, 5)
    if s.rng.chance(0.5):
        value: Expr = Literal(s.rng.pick((0.5, 1.2, -0.75)), s.float)
        for _ in range(degree):
            value = s.bind(tame(s, s.add(s.mul(value, x), s.rng.pick((1.0, -0.5, 0.25, 2.0, -1.5)))))
        s.pending.append(value)
    else:
        coefficients = s.array(s.float, index=(ZERO,), shape=(degree,), span=Interval(-1.0, 1.0))
        index = s.loop_index(degree)
        target = s.declare(Literal(0.0, s.float), Interval(-400.0, 400.0))
        with s.inner() as body:
            narrow = s.apply("clamp", x, Literal(-1.5, s.float), Literal(1.5, s.float))
            grown = s.apply("clamp", target, Literal(-200.0, s.float), Literal(200.0, s.float))
            s.emit(Assign(target, s.add(s.mul(grown, narrow), s.read(coefficients, (index,)))))
        s.emit(For(index, ZERO, Literal(degree, INT), 1, tuple(body)))
        s.publish(target)
    s.tell(f"evaluates a polynomial of degree {degree} in `{x.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def series(s: Draft) -> None:
    """Partial sums of a power series."""
    x = s.bind(tame(s, s.moving(s.float, 0), 1.5))
    if s.span(x).magnitude > 1.6:
        raise Illegal("its powers may grow beyond what is promised of the sum")
    term = s.declare(Literal(1.0, s.float) if s.rng.chance(0.5) else x, Interval(-100.0, 100.0))
    total = s.declare(term, Interval(-500.0, 500.0), "accumulator")
    terms = s.rng.integer(3, 8)
    index = s.loop_index(terms)
    with s.inner() as body:
        count = s.add(s.real(index, s.float), 1.0)
        kind = s.rng.pick(("exp", "log", "geometric", "squares"))
        ratio = {
            "exp": lambda: s.div(x, count),
            "log": lambda: s.div(s.mul(s.apply("neg", x), count), s.add(count, 1.0)),
            "geometric": lambda: s.mul(x, s.rng.pick((0.5, 0.75, -0.5))),
            "squares": lambda: s.div(s.mul(s.apply("neg", x), x), s.mul(count, s.add(count, 1.0))),
        }[kind]()
        s.emit(Assign(term, tame(s, s.mul(term, ratio))))
        s.emit(Accumulate(total, "+", term))
    s.emit(For(index, ZERO, Literal(terms, INT), 1, tuple(body)))
    s.publish(total)
    s.tell(f"adds {terms} terms of a power series in `{x.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def quadrature(s: Draft) -> None:
    """The integral of a function of two inputs by the midpoint or trapezoidal rule."""
    parts = s.rng.integer(3, 8)
    width = s.bind(s.div(s.moving(s.float, 0), float(parts)))
    index = s.loop_index(parts)
    with s.inner() as body:
        place = s.let(tame(s, s.mul(s.add(s.real(index, s.float), s.rng.pick((0.5, 0.5, 1.0, 0.0))), width)))
        value = s.combine(s.float, s.rng.integer(1, 3))
        if place in s.pending:
            s.pending.remove(place)
        term = tame(s, s.mul(value, width))
        reach = parts * s.span(term).magnitude
        total = s.named(s.names.take("accumulator"), s.float, Interval(-reach, reach))
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, s.float)))
    s.emit(For(index, ZERO, Literal(parts, INT), 1, tuple(body)))
    s.publish(total)
    s.tell(f"integrates {words(value)} over {parts} strips")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def oscillator(s: Draft) -> None:
    """A damped oscillation at a given time."""
    time = s.moving(s.float, 0)
    damping, rate = s.value(s.float, Interval(0.1, 0.9)), s.moving(s.float, 0)
    envelope = s.bind(fitted(s, "exp", s.mul(s.apply("neg", damping), s.apply("abs", time))))
    angle = tame(s, s.mul(rate, time), 15.0)
    if s.rng.chance(0.5):
        angle = s.add(angle, s.value(s.float, Interval(0.1, 1.5)))
    wave = s.bind(s.apply(s.rng.pick(("sin", "cos")), angle))
    s.let(s.mul(envelope, wave))
    s.tell("evaluates a damped oscillation")
    conclude(s, s.combine(s.float, s.rng.integer(0, 3)))


def activation(s: Draft) -> None:
    """One of the smooth activations of neural networks."""
    x = s.bind(tame(s, s.moving(s.float, s.rng.integer(0, 2)), 3.5))
    kind = s.rng.pick(("sigmoid", "softplus", "silu", "gelu", "tanh_gelu", "mish", "softsign"))
    sigmoid = s.div(1.0, s.add(s.apply("exp", s.apply("neg", x)), 1.0))
    softplus = fitted(s, "log", s.add(s.apply("exp", x), 1.0))
    forms = {
        "sigmoid": lambda: sigmoid,
        "softplus": lambda: softplus,
        "silu": lambda: s.mul(x, sigmoid),
        "gelu": lambda: s.mul(s.mul(x, 0.5), s.add(fitted(s, "erf", s.mul(x, 0.7071)), 1.0)),
        "tanh_gelu": lambda: s.mul(
            s.mul(x, 0.5),
            s.add(fitted(s, "tanh", s.mul(s.add(x, s.mul(s.mul(s.mul(x, x), x), 0.044715)), 0.7979)), 1.0),
        ),
        "mish": lambda: s.mul(x, fitted(s, "tanh", softplus)),
        "softsign": lambda: s.div(x, s.add(s.apply("abs", x), 1.0)),
    }
    s.let(forms[kind]())
    s.tell(f"applies the {kind.replace('_', ' ')} activation to `{x.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(1, 3)))


def log_sum_exp(s: Draft) -> None:
    """The logarithm of a sum of exponentials along a row, shifted by its largest entry."""
    width = s.rng.integer(3, 8)
    thread = s.rng.pick(s.threads)
    first, second = (s.loop_index(width) for _ in range(2))
    rows = s.array(s.float, index=(thread, first), span=Interval(-1.5, 1.5))
    del s.element_index[rows.name]
    peak = s.declare(s.read(rows, (thread, ZERO)), rows.domain, "local")
    s.emit(
        For(
            first, ZERO, Literal(width, INT), 1, (Assign(peak, s.upper(peak, s.read(rows, (thread, first)))),)
        )
    )
    scale = s.moving(s.float, 0) if s.rng.chance(0.4) else None
    term: Expr = s.apply("exp", s.sub(s.read(rows, (thread, second)), peak))
    total = s.declare(Literal(0.0, s.float), Interval(0.0, width * s.span(term).hi), "accumulator")
    s.emit(For(second, ZERO, Literal(width, INT), 1, (Accumulate(total, "+", term),)))
    s.scope += [peak, total]
    s.pending.append(s.add(fitted(s, "log", total), peak))
    if scale is not None:
        s.pending.append(scale)
    s.tell(f"takes the log-sum-exp of rows of `{rows.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def mixture(s: Draft) -> None:
    """A sum of Gaussian bumps whose centres lie in an array."""
    bumps = s.rng.integer(2, 6)
    index = s.loop_index(bumps)
    centres = s.array(s.float, index=(index,), span=Interval(-1.5, 1.5))
    weights = s.array(s.float, index=(index,), span=Interval(0.2, 1.5))
    del s.element_index[centres.name], s.element_index[weights.name]
    x = tame(s, s.moving(s.float, 0), 2.0)
    width = s.rng.pick((0.5, 1.5, 0.25, 0.75))
    with s.inner() as body:
        gap = s.bind(s.sub(x, s.read(centres, (index,))))
        bump = fitted(s, "exp", s.mul(s.mul(gap, gap), -width))
        term = s.mul(s.read(weights, (index,)), bump)
        total = s.named(
            s.names.take("accumulator"),
            s.float,
            Interval(-bumps * s.span(term).magnitude, bumps * s.span(term).magnitude),
        )
        s.emit(Accumulate(total, "+", term))
    s.emit(Variable(total, Literal(0.0, s.float)))
    s.emit(For(index, ZERO, Literal(bumps, INT), 1, tuple(body)))
    s.publish(total)
    s.tell(f"sums {bumps} Gaussian bumps centred at `{centres.name}`")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def polar(s: Draft) -> None:
    """Cartesian coordinates turned into polar ones, changed there, and turned back."""
    x, y = s.moving(s.float, 0), s.upper(s.apply("abs", s.moving(s.float, 0)), 0.1)
    radius = s.bind(fitted(s, "sqrt", s.add(s.mul(x, x), s.mul(y, y))))
    angle = s.bind(s.apply("atan2", x, y))
    s.pending.append(angle)
    turned = s.bind(tame(s, s.combine(s.float, s.rng.integer(1, 2)), 15.0))
    s.let(s.mul(radius, s.apply(s.rng.pick(("sin", "cos")), turned)))
    s.tell("changes the angle of a point in polar coordinates")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


def logistic_map(s: Draft) -> None:
    """Iterates of the logistic map, or of a sine map."""
    rate = s.moving(s.float, 0)
    start = fitted(s, "sqrt", s.moving(s.float, 0)).operands[0]
    value = s.declare(s.div(start, s.add(start, 1.0)), Interval(0.0, 4.0))
    steps = s.rng.integer(2, 6)
    index = s.loop_index(steps)
    bounded = s.apply("clamp", rate, Literal(0.5, s.float), Literal(s.rng.pick((2.5, 3.0, 3.5)), s.float))
    kept = s.apply("clamp", value, Literal(0.05, s.float), Literal(0.95, s.float))
    wave = s.rng.chance(0.4)
    shape = s.apply("sin", s.mul(kept, 3.0)) if wave else s.mul(kept, s.sub(1.0, kept))
    s.emit(For(index, ZERO, Literal(steps, INT), 1, (Assign(value, s.apply("abs", s.mul(bounded, shape))),)))
    s.publish(value)
    s.tell(f"iterates the {'sine' if wave else 'logistic'} map {steps} times")
    conclude(s, s.combine(s.float, s.rng.integer(0, 2)))


FAMILY = Family(
    name="math",
    pool={**SATURATING, "math": 3.0, "rounding": 0.3, "arithmetic": 1.6, "choice": 0.2},
    singles={"math": 3.0, "rounding": 2.0, "abs": 1.0, "sign": 1.0},
    single_types=tuple(map(Scalar, USUAL_FLOATS)),
    results=lambda s: s.float,
    menus={
        3: (
            (branch,),
            (accumulate,),
            (fold,),
            (neighbours, branch),
            (bindings, branch),
            (gather, accumulate),
            (bindings, accumulate),
            (bindings, fold),
        ),
        4: (
            (helper, branch),
            (record, branch),
            (helper, accumulate),
            (helper, fold),
            (bindings, record, helper),
            (neighbours, helper),
            (record, accumulate),
        ),
        5: (
            (helper, branch, accumulate),
            (record, fold, branch),
            (helper, neighbours, accumulate),
            (gather, helper, branch),
            (record, helper, accumulate),
        ),
    },
    algorithms=(
        horner,
        series,
        quadrature,
        oscillator,
        activation,
        log_sum_exp,
        mixture,
        polar,
        logistic_map,
    ),
)
