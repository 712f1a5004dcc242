"""Forms that decide: thresholds, dead bands, brackets, kinds, masks."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Assign, If, Literal, Name, Return, Variable
from ...language.types import INT
from ..blocks import ladder
from ..growing.draft import Draft
from ..growing.repair import central, likely, rounded
from ..growing.terms import literal
from .form import Form, Made, array, factor, free, other, said, variable


def _middle(s: Draft, x: Name, low: float, high: float) -> Literal:
    span = likely(s.span(x))
    return literal(rounded(central(span, low + (high - low) * s.rng.integer(0, 10) / 10)) or 0.1, x)


def knee(s: Draft, x: Name) -> Made:
    """What passes a threshold is bent."""
    limit = literal(abs(_middle(s, x, 0.4, 0.65).value), x)
    slope = factor(s, 0.2, 0.7, "slope", "ratio_above")
    bent = s.add(limit, s.mul(slope, s.sub(x, limit)))
    result = variable(s, x, s.span(bent))
    s.emit(If(s.compare("gt", x, limit), (Assign(result, bent),)))
    return Made(result, (), "compress", f"compresses what exceeds {said(limit)} by {said(slope)}")


def dead_band(s: Draft, x: Name) -> Made:
    band = factor(s, 0.1, 0.6, "tolerance", "dead_zone")
    size = x if s.span(x).lo >= 0 else s.apply("abs", x)
    result = variable(s, x, Interval(0.0, 0.0))
    s.emit(If(s.compare("lt", size, band), (Assign(result, literal(0.0, x)),)))
    return Made(result, (), "clean", f"sets it to zero where it is smaller than {said(band)}")


def brackets(s: Draft, x: Name) -> Made:
    """A rate for each of three or four ranges."""
    bounds = sorted({_middle(s, x, low, low + 0.15).value for low in (0.2, 0.45, 0.7)})
    rates = sorted(s.rng.sample((0.25, 0.5, 0.6, 0.8, 1.2, 1.5, 1.75, 2.0), len(bounds) + 1))
    if s.rng.chance(0.5):
        rates.reverse()
    name = free(s, "rate", "level")
    rate = s.named(name, x.type, Interval(min(rates), max(rates)))
    s.emit(Variable(rate, literal(rates[-1], x)))
    conditions = [s.compare("lt", x, bound) for bound in bounds]
    s.emit(ladder(conditions, [(Assign(rate, literal(r, x)),) for r in rates[:-1]]))
    return Made(
        s.mul(rate, x),
        ("graded", "charged"),
        "grade",
        f"multiplies it by a rate that depends on which of {len(rates)} ranges it is in",
    )


def by_kind(s: Draft, x: Name) -> Made:
    """Another treatment for each kind."""
    kinds = array(s, INT, "kinds", "types", "modes", "labels", span=Interval(0, 2))
    kind = s.bind(s.read(kinds), free(s, "kind", "label"))
    first, second = factor(s, 0.4, 0.9, "damping", "loss"), factor(s, 1.1, 1.9, "gain", "boost")
    low, high = s.mul(first, x), s.mul(second, x)
    arms = [low, high, *([s.apply("neg", x)] if s.rng.chance(0.4) else [])]
    span = s.span(x)
    for arm in arms:
        span = span.join(s.span(arm))
    result = variable(s, x, span)
    s.emit(
        ladder([s.compare("eq", kind, k) for k in range(len(arms))], [(Assign(result, arm),) for arm in arms])
    )
    return Made(result, (), "treat", f"treats it by its `{kinds.name}`")


def selected(s: Draft, x: Name) -> Made:
    """One of two by a condition."""
    mask = array(s, INT, "mask", "flags", "active", span=Interval(0, 1))
    fallback, name = other(s, x.type, "defaults", "fallback", "substitutes", span=Interval(-2.0, 2.0))
    value = s.apply("where", s.compare("ne", s.read(mask), 0), x, fallback)
    return Made(value, ("selected", "chosen"), "select", f"takes `{name}` where `{mask.name}` is zero")


def skipped(s: Draft, x: Name) -> Made:
    """Threads that a mask leaves out end here."""
    mask = array(s, INT, "mask", "active", "valid", span=Interval(0, 1))
    s.emit(If(s.compare("eq", s.read(mask), 0), (Return(),)))
    return Made(x, (), "", f"skips what `{mask.name}` leaves out")


BRANCHES: tuple[tuple[Form, float], ...] = (
    (knee, 1.5), (dead_band, 1.2), (brackets, 1.5), (by_kind, 1.5), (selected, 1.0), (skipped, 1.0),
)  # fmt: skip
