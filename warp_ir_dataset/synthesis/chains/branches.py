"""Steps with branches: thresholds, dead bands, brackets, kinds, masks; and limits written as branches."""

from __future__ import annotations

from collections.abc import Sequence

from ...language import ir
from ...language.domains import Interval
from ...language.types import INT
from .builder import Builder
from .ranges import central, likely, rounded
from .step import Step, StepResult, Use, as_variable, free_name, new_array, new_factor, other_element, phrase
from .terms import literal


def if_chain(conditions: Sequence[ir.Expr], branches: Sequence[tuple[ir.Stmt, ...]]) -> ir.Stmt:
    """``if / elif / ... / else``. The last branch is that of `else` if there are more branches than
    conditions."""
    chain: tuple[ir.Stmt, ...] = branches[len(conditions)] if len(branches) > len(conditions) else ()
    for condition, branch in zip(reversed(conditions), reversed(branches[: len(conditions)]), strict=True):
        chain = (ir.If(condition, branch, chain),)
    return chain[0]


# ---- limits


def writes_branches(b: Builder, use: Use) -> bool:
    """Whether to write a limit as a branch, which changes the local that holds the value."""
    return use.keeps and b.rng.chance(b.priors.branches)


def clamp_by_branches(b: Builder, x: ir.Name, low: ir.Expr | None, high: ir.Expr | None) -> ir.Name:
    """A value below `low` becomes `low`, one above `high` becomes `high`. A bound may be None."""
    conditions, branches = [], []
    result = x
    for relation, bound, called in (("lt", low, "least lowest"), ("gt", high, "most highest")):
        if bound is None:
            continue
        if isinstance(bound, ir.Load):
            bound = b.bind(bound, free_name(b, called))
        result = as_variable(b, result, b.span(bound))
        conditions.append(b.compare(relation, x, bound))
        branches.append((ir.Assign(x, bound),))
    b.emit(if_chain(conditions, branches))
    return result


def shrink_by_branches(b: Builder, x: ir.Name, limit: ir.Expr) -> ir.Name:
    """The value moved towards zero by a limit; a smaller one becomes zero."""
    less = b.sub(x, limit)
    conditions, branches = [b.compare("gt", x, limit)], [(ir.Assign(x, less),)]
    span = b.span(less).join(Interval(0.0, 0.0))
    if b.span(x).lo < 0:
        below = negated(b, limit)
        more = b.add(x, limit)
        conditions.append(b.compare("lt", x, below))
        branches.append((ir.Assign(x, more),))
        span = span.join(b.span(more))
    result = as_variable(b, x, span)
    b.emit(if_chain(conditions, [*branches, (ir.Assign(result, literal(0.0, x)),)]))
    return result


def negated(b: Builder, x: ir.Expr) -> ir.Expr:
    """Minus a factor, which may be a literal."""
    return ir.Literal(-x.value, x.type) if isinstance(x, ir.Literal) else b.apply("neg", x)


def absolute_by_branch(b: Builder, value: ir.Expr) -> ir.Name:
    """The absolute value."""
    gap = b.bind(value, free_name(b, "gap deviation"))
    negative = b.apply("neg", gap)
    result = as_variable(b, gap, b.span(negative))
    b.emit(ir.If(b.compare("lt", gap, 0.0), (ir.Assign(result, negative),)))
    return result


# ---- steps


def _threshold(b: Builder, x: ir.Name, low: float, high: float) -> ir.Literal:
    """A literal with a share of the values below it that lies between `low` and `high`."""
    span = likely(b.span(x))
    return literal(rounded(central(span, low + (high - low) * b.rng.integer(0, 10) / 10)) or 0.1, x)


def knee(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """A value above a threshold rises with a smaller slope."""
    limit = literal(abs(_threshold(b, x, 0.4, 0.65).value), x)
    slope = new_factor(b, 0.2, 0.7, use.names[0])
    bent = b.add(limit, b.mul(slope, b.sub(x, limit)))
    result = as_variable(b, x, b.span(bent))
    b.emit(ir.If(b.compare("gt", x, limit), (ir.Assign(result, bent),)))
    return StepResult(result, "compress", f"compresses what exceeds {phrase(limit)} by {phrase(slope)}")


def dead_band(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """A value that is nearer to zero than a band becomes zero."""
    band = new_factor(b, 0.1, 0.6, use.names[0])
    size = x if b.span(x).lo >= 0 else b.apply("abs", x)
    result = as_variable(b, x, Interval(0.0, 0.0))
    b.emit(ir.If(b.compare("lt", size, band), (ir.Assign(result, literal(0.0, x)),)))
    smaller = "smaller" if size is x else "smaller in size"
    return StepResult(result, "clean", f"sets it to zero where it is {smaller} than {phrase(band)}")


def in_band(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """A value outside of a band becomes zero."""
    least = (0.2, 0.7) if use.is_positive else (-1.2, -0.4)
    low, high = new_factor(b, *least, use.names[0]), new_factor(b, 1.0, 1.8, use.names[1])
    result = as_variable(b, x, Interval(0.0, 0.0))
    outside = b.apply("or", b.compare("lt", x, low), b.compare("gt", x, high))
    b.emit(ir.If(outside, (ir.Assign(result, literal(0.0, x)),)))
    return StepResult(
        result, "select", f"sets it to zero where it is not between {phrase(low)} and {phrase(high)}"
    )


def brackets(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """Times a rate below one, which is higher for higher values.

    Each of the ranges of values has its rate: four ranges, or fewer where thresholds are equal once rounded.
    """
    bounds = sorted({_threshold(b, x, low, low + 0.15).value for low in (0.2, 0.45, 0.7)})
    rates = sorted(b.rng.sample((0.1, 0.2, 0.25, 0.4, 0.5, 0.6, 0.75, 0.8, 0.9), len(bounds) + 1))
    rate = b.named(free_name(b, use.names[0]), x.type, Interval(min(rates), max(rates)))
    b.emit(ir.Variable(rate, literal(rates[-1], x)))
    conditions = [b.compare("lt", x, bound) for bound in bounds]
    b.emit(if_chain(conditions, [(ir.Assign(rate, literal(r, x)),) for r in rates[:-1]]))
    clause = f"multiplies it by `{rate.name}`, one of {len(rates)} by the range it is in"
    return StepResult(b.mul(rate, x), "grade", clause)


def by_kind(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """Times a factor below one for kind 0, and above one for kind 1; a value of kind 2 is kept.

    `use.names` are those of the array of kinds, of one kind, of the smaller factor and of the larger one.
    """
    kinds = new_array(b, INT, use.names[0], span=Interval(0, 2))
    kind = b.bind(b.read(kinds), free_name(b, use.names[1]))
    first, second = new_factor(b, 0.4, 0.9, use.names[2]), new_factor(b, 1.1, 1.9, use.names[3])
    low, high = b.mul(first, x), b.mul(second, x)
    result = as_variable(b, x, b.span(low).join(b.span(high)))
    conditions = [b.compare("eq", kind, 0), b.compare("eq", kind, 1)]
    b.emit(if_chain(conditions, [(ir.Assign(result, low),), (ir.Assign(result, high),)]))
    less, more = phrase(first), phrase(second)
    clause = f"multiplies it by {less} where its `{kinds.name}` is 0 and by {more} where it is 1"
    return StepResult(result, "adjust", clause)


def selected(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The value where a mask is set, otherwise that of another array."""
    mask = new_array(b, INT, use.names[0], span=Interval(0, 1))
    fallback, name = other_element(b, x.type, use.names[1], span=use.span)
    clause = f"takes `{name}` where `{mask.name}` is zero"
    if writes_branches(b, use):
        result = as_variable(b, x, b.span(fallback))
        b.emit(ir.If(b.compare("eq", b.read(mask), 0), (ir.Assign(result, fallback),)))
        return StepResult(result, "fill", clause)
    operation = b.rng.pick(("where", "where", "conditional"))
    return StepResult(b.apply(operation, b.compare("ne", b.read(mask), 0), x, fallback), "fill", clause)


def skipped(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """Threads whose mask is zero end here."""
    mask = new_array(b, INT, use.names[0], span=Interval(0, 1))
    b.emit(ir.If(b.compare("eq", b.read(mask), 0), (ir.Return(),)))
    return StepResult(x, "", f"skips what `{mask.name}` leaves out")


BRANCHES: tuple[Step, ...] = (knee, dead_band, in_band, brackets, by_kind, selected, skipped)
