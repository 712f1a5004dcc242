"""Chain steps that branch: thresholds, dead bands, brackets, kinds, masks; and limits written as branches."""

from __future__ import annotations

from collections.abc import Sequence

from ...language import ir
from ...language.domains import Interval
from ...language.types import INT
from .draft import Draft
from .form import Form, Made, Use, array, factor, free, other, said, variable
from .ranges import central, likely, rounded
from .terms import literal


def ladder(conditions: Sequence[ir.Expr], arms: Sequence[tuple[ir.Stmt, ...]]) -> ir.Stmt:
    """``if / elif / ... / else``; one arm more than conditions, or as many."""
    chain: tuple[ir.Stmt, ...] = arms[len(conditions)] if len(arms) > len(conditions) else ()
    for condition, arm in zip(reversed(conditions), reversed(arms[: len(conditions)]), strict=True):
        chain = (ir.If(condition, arm, chain),)
    return chain[0]


# ---- limits


def by_branches(s: Draft, use: Use) -> bool:
    """Whether to write a limit as a branch, which changes the local that holds the value."""
    return use.keeps and s.rng.chance(s.ways.branches)


def held_between(s: Draft, x: ir.Name, low: ir.Expr | None, high: ir.Expr | None) -> ir.Name:
    """What is below the lower bound takes its value, as does what is above the upper one."""
    conditions, arms = [], []
    result = x
    for relation, bound, called in (("lt", low, "least lowest"), ("gt", high, "most highest")):
        if bound is None:
            continue
        if isinstance(bound, ir.Load):
            bound = s.bind(bound, free(s, called))
        result = variable(s, result, s.span(bound))
        conditions.append(s.compare(relation, x, bound))
        arms.append((ir.Assign(x, bound),))
    s.emit(ladder(conditions, arms))
    return result


def shrunk(s: Draft, x: ir.Name, limit: ir.Expr) -> ir.Name:
    """Towards zero by a limit; what is smaller becomes zero."""
    less = s.sub(x, limit)
    conditions, arms = [s.compare("gt", x, limit)], [(ir.Assign(x, less),)]
    span = s.span(less).join(Interval(0.0, 0.0))
    if s.span(x).lo < 0:
        below = minus(s, limit)
        more = s.add(x, limit)
        conditions.append(s.compare("lt", x, below))
        arms.append((ir.Assign(x, more),))
        span = span.join(s.span(more))
    result = variable(s, x, span)
    s.emit(ladder(conditions, [*arms, (ir.Assign(result, literal(0.0, x)),)]))
    return result


def minus(s: Draft, x: ir.Expr) -> ir.Expr:
    """Minus a factor, which may be a literal."""
    return ir.Literal(-x.value, x.type) if isinstance(x, ir.Literal) else s.apply("neg", x)


def turned_positive(s: Draft, value: ir.Expr) -> ir.Name:
    """The size of a value."""
    gap = s.bind(value, free(s, "gap deviation"))
    negative = s.apply("neg", gap)
    result = variable(s, gap, s.span(negative))
    s.emit(ir.If(s.compare("lt", gap, 0.0), (ir.Assign(result, negative),)))
    return result


# ---- forms


def _middle(s: Draft, x: ir.Name, low: float, high: float) -> ir.Literal:
    span = likely(s.span(x))
    return literal(rounded(central(span, low + (high - low) * s.rng.integer(0, 10) / 10)) or 0.1, x)


def knee(s: Draft, x: ir.Name, use: Use) -> Made:
    """What passes a threshold is bent."""
    limit = literal(abs(_middle(s, x, 0.4, 0.65).value), x)
    slope = factor(s, 0.2, 0.7, use.names[0])
    bent = s.add(limit, s.mul(slope, s.sub(x, limit)))
    result = variable(s, x, s.span(bent))
    s.emit(ir.If(s.compare("gt", x, limit), (ir.Assign(result, bent),)))
    return Made(result, "compress", f"compresses what exceeds {said(limit)} by {said(slope)}")


def dead_band(s: Draft, x: ir.Name, use: Use) -> Made:
    band = factor(s, 0.1, 0.6, use.names[0])
    size = x if s.span(x).lo >= 0 else s.apply("abs", x)
    result = variable(s, x, Interval(0.0, 0.0))
    s.emit(ir.If(s.compare("lt", size, band), (ir.Assign(result, literal(0.0, x)),)))
    smaller = "smaller" if size is x else "smaller in size"
    return Made(result, "clean", f"sets it to zero where it is {smaller} than {said(band)}")


def in_band(s: Draft, x: ir.Name, use: Use) -> Made:
    """What is outside of a band becomes zero."""
    least = (0.2, 0.7) if use.is_positive else (-1.2, -0.4)
    low, high = factor(s, *least, use.names[0]), factor(s, 1.0, 1.8, use.names[1])
    result = variable(s, x, Interval(0.0, 0.0))
    outside = s.apply("or", s.compare("lt", x, low), s.compare("gt", x, high))
    s.emit(ir.If(outside, (ir.Assign(result, literal(0.0, x)),)))
    return Made(result, "select", f"sets it to zero where it is not between {said(low)} and {said(high)}")


def brackets(s: Draft, x: ir.Name, use: Use) -> Made:
    """A rate below one for each of three or four ranges, higher for higher values."""
    bounds = sorted({_middle(s, x, low, low + 0.15).value for low in (0.2, 0.45, 0.7)})
    rates = sorted(s.rng.sample((0.1, 0.2, 0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 0.9), len(bounds) + 1))
    rate = s.named(free(s, use.names[0]), x.type, Interval(min(rates), max(rates)))
    s.emit(ir.Variable(rate, literal(rates[-1], x)))
    conditions = [s.compare("lt", x, bound) for bound in bounds]
    s.emit(ladder(conditions, [(ir.Assign(rate, literal(r, x)),) for r in rates[:-1]]))
    told = f"multiplies it by `{rate.name}`, one of {len(rates)} by the range it is in"
    return Made(s.mul(rate, x), "grade", told)


def by_kind(s: Draft, x: ir.Name, use: Use) -> Made:
    """Another factor for each kind; the names are those of the kinds, one kind, what lessens, what raises."""
    kinds = array(s, INT, use.names[0], span=Interval(0, 2))
    kind = s.bind(s.read(kinds), free(s, use.names[1]))
    first, second = factor(s, 0.4, 0.9, use.names[2]), factor(s, 1.1, 1.9, use.names[3])
    low, high = s.mul(first, x), s.mul(second, x)
    result = variable(s, x, s.span(low).join(s.span(high)))
    conditions = [s.compare("eq", kind, 0), s.compare("eq", kind, 1)]
    s.emit(ladder(conditions, [(ir.Assign(result, low),), (ir.Assign(result, high),)]))
    told = f"multiplies it by {said(first)} where its `{kinds.name}` is 0 and by {said(second)} where it is 1"
    return Made(result, "adjust", told)


def selected(s: Draft, x: ir.Name, use: Use) -> Made:
    """One of two by a condition."""
    mask = array(s, INT, use.names[0], span=Interval(0, 1))
    fallback, name = other(s, x.type, use.names[1], span=use.span)
    told = f"takes `{name}` where `{mask.name}` is zero"
    if by_branches(s, use):
        result = variable(s, x, s.span(fallback))
        s.emit(ir.If(s.compare("eq", s.read(mask), 0), (ir.Assign(result, fallback),)))
        return Made(result, "fill", told)
    choice = s.rng.pick(("where", "where", "conditional"))
    return Made(s.apply(choice, s.compare("ne", s.read(mask), 0), x, fallback), "fill", told)


def skipped(s: Draft, x: ir.Name, use: Use) -> Made:
    """Threads that a mask leaves out end here."""
    mask = array(s, INT, use.names[0], span=Interval(0, 1))
    s.emit(ir.If(s.compare("eq", s.read(mask), 0), (ir.Return(),)))
    return Made(x, "", f"skips what `{mask.name}` leaves out")


BRANCHES: tuple[Form, ...] = (knee, dead_band, in_band, brackets, by_kind, selected, skipped)
