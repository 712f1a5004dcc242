"""Steps of one or two lines: scales, blends, differences, curves, limits.

In their docstrings `x` is the value so far and `names` are `use.names`: the names of a step's operands, in
the order in which a subject gives them. An operand is an array if the docstring says so, otherwise a factor:
a scalar argument or a literal.
"""

from __future__ import annotations

from ...language import ir
from ...language.domains import Interval
from .branches import absolute_by_branch, clamp_by_branches, negated, shrink_by_branches, writes_branches
from .builder import Builder
from .ranges import rescale
from .step import (
    SIGNED,
    Step,
    StepResult,
    Use,
    as_local,
    free_name,
    new_factor,
    other_element,
    phrase,
    rescaled_phrase,
)
from .terms import literal

FACTORS = Interval(0.5, 3.0)  # of factors and divisors in arrays


def scaled(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """names[0] * x, or names[0] * x + names[1] if there is a second name, by chance."""
    gain = new_factor(b, 0.5, 2.0, use.names[0])
    if len(use.names) == 1 or b.rng.chance(0.4):
        return StepResult(b.mul(gain, x), "scale", f"scales it by {phrase(gain)}")
    bias = new_factor(b, 0.1, 0.9, use.names[1])
    return StepResult(
        b.add(b.mul(gain, x), bias), "rescale", f"scales it by {phrase(gain)} and adds {phrase(bias)}"
    )


def difference(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x - names[0], an array."""
    past, name = other_element(b, x.type, use.names[0], span=use.span)
    return StepResult(b.sub(x, past), "compare", f"takes its difference from `{name}`")


def weighted(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x * names[0], an array of factors."""
    weight, name = other_element(b, x.type, use.names[0], span=FACTORS)
    return StepResult(b.mul(weight, x), "weigh", f"multiplies it by `{name}`")


def lessened(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x * names[0], an array of shares, which are at most one."""
    share, name = other_element(b, x.type, use.names[0], span=Interval(0.1, 1.0))
    return StepResult(b.mul(share, x), "reduce", f"multiplies it by `{name}`")


def downhill(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x * -names[0], an array: a flow against a gradient, by Fourier's or Fick's law."""
    weight, name = other_element(b, x.type, use.names[0], span=FACTORS)
    return StepResult(b.mul(b.apply("neg", weight), x), "flow", f"multiplies it by minus `{name}`")


def normalized(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """(x - names[0]) / names[1], mean and standard deviation."""
    mean, spread = new_factor(b, 0.2, 0.8, use.names[0]), new_factor(b, 0.5, 2.0, use.names[1])
    clause = f"subtracts {phrase(mean)} and divides by {phrase(spread)}"
    return StepResult(b.div(b.sub(x, mean), spread), "normalize", clause)


def ratio(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x / names[0], an array."""
    whole, name = other_element(b, x.type, use.names[0], span=FACTORS)
    return StepResult(b.div(x, whole), "divide", f"divides it by `{name}`")


def squared(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x * x, of a share of x if it may be large."""
    small = rescale(b, x, 22.0)  # the square stays below `LARGEST` of chain.py
    base = as_local(b, small, "base")
    return StepResult(b.mul(base, base), "square", f"squares {rescaled_phrase(small, x)}")


def midpoint(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """(x + names[0]) / 2, an array."""
    partner, name = other_element(b, x.type, use.names[0], span=use.span)
    return StepResult(b.mul(0.5, b.add(x, partner)), "average", f"averages it with `{name}`")


def relative_change(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """(x - start) / start for an array names[0], of which one value is called names[1]."""
    loaded, name = other_element(b, x.type, use.names[0], span=FACTORS)
    start = as_local(b, loaded, use.names[1])
    return StepResult(b.div(b.sub(x, start), start), "compare", f"takes its relative change from `{name}`")


def absolute_error(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """|x - names[0]|, an array."""
    truth, name = other_element(b, x.type, use.names[0], span=use.span)
    clause = f"takes how far it is from `{name}`"
    if b.rng.chance(b.priors.branches):
        return StepResult(absolute_by_branch(b, b.sub(x, truth)), "compare", clause)
    return StepResult(b.apply("abs", b.sub(x, truth)), "compare", clause)


def blended(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x + names[1] * (names[0] - x): an array and a share."""
    past, name = other_element(b, x.type, use.names[0], span=use.span)
    rate = new_factor(b, 0.1, 0.9, use.names[1])
    value = b.apply("lerp", x, past, rate)
    if b.rng.chance(0.5):
        value = b.add(x, b.mul(rate, b.sub(past, x)))
    return StepResult(value, "blend", f"blends it towards `{name}` by {phrase(rate)}")


def advanced(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x + names[1] * names[0]: a step, mostly of time, and an array of rates."""
    rate, name = other_element(b, x.type, use.names[0], span=SIGNED)
    step = new_factor(b, 0.1, 0.5, use.names[1])
    return StepResult(b.add(x, b.mul(step, rate)), "advance", f"adds {phrase(step)} times `{name}`")


def magnitude(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """sqrt(x * x + y * y) for an array names[0], of which one value is called names[1]."""
    second, name = other_element(b, x.type, use.names[0], span=Interval(0.3, 2.0))
    y = as_local(b, second, use.names[1])
    value = b.apply("sqrt", b.add(b.mul(x, x), b.mul(y, y)))
    return StepResult(value, "measure", f"takes the root of the sum of its square and that of `{name}`")


def decayed(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x * exp(-names[1] * names[0]): a rate and an array."""
    age, name = other_element(b, x.type, use.names[0], span=Interval(0.1, 2.0))
    rate = new_factor(b, 0.2, 1.2, use.names[1])
    fall = negated(b, rate)
    clause = f"lets it fall exponentially with `{name}` at rate {phrase(rate)}"
    return StepResult(b.mul(x, b.apply("exp", b.mul(fall, age))), "attenuate", clause)


def logistic(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """1 / (1 + exp(-x)), of a share of x if it may be large."""
    steep = rescale(b, x, 7.9)
    value = b.div(literal(1.0, x), b.add(b.apply("exp", b.apply("neg", steep)), 1.0))
    return StepResult(value, "activate", f"takes the logistic function of {rescaled_phrase(steep, x)}")


def squashed(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """names[0] * tanh(x / names[0])."""
    limit = new_factor(b, 0.5, 2.0, use.names[0])
    value = b.mul(limit, b.apply("tanh", b.div(x, limit)))
    return StepResult(value, "saturate", f"saturates it softly at {phrase(limit)}")


def wave(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """The sine or cosine of names[0] * x + names[1]."""
    frequency, phase = new_factor(b, 0.5, 3.0, use.names[0]), new_factor(b, 0.1, 1.5, use.names[1])
    function, word = b.rng.pick((("sin", "sine"), ("cos", "cosine")))
    clause = f"takes the {word} of it times {phrase(frequency)} plus {phrase(phase)}"
    return StepResult(b.apply(function, b.add(b.mul(frequency, x), phase)), "modulate", clause)


def powered(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x to the power of names[0]."""
    exponent = new_factor(b, 0.4, 2.2, use.names[0])
    return StepResult(b.apply("pow", x, exponent), "raise", f"raises it to the power of {phrase(exponent)}")


def logarithm(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """log(x + 1)."""
    return StepResult(b.apply("log", b.add(x, 1.0)), "compress", "takes the logarithm of one plus it")


def log_ratio(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """log(x / names[0]), an array."""
    start, name = other_element(b, x.type, use.names[0], span=FACTORS)
    clause = f"takes the logarithm of its ratio to `{name}`"
    return StepResult(b.apply("log", b.div(x, start)), "compare", clause)


def bell(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """exp(-x * x / (2 * names[0] * names[0])), a Gaussian that is one at zero."""
    width = new_factor(b, 0.5, 1.6, use.names[0])
    small = rescale(b, x, 2.0)
    z = b.bind(b.div(small, width), free_name(b, "z u"))
    value = b.apply("exp", b.mul(b.mul(-0.5, z), z))
    return StepResult(
        value, "weigh", f"takes the Gaussian of width {phrase(width)} of {rescaled_phrase(small, x)}"
    )


def faded(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """smoothstep(names[0], names[1], x): from zero to one between two bounds."""
    low, high = new_factor(b, 0.1, 0.5, use.names[0]), new_factor(b, 1.0, 2.2, use.names[1])
    clause = f"lets it rise smoothly from 0 at {phrase(low)} to 1 at {phrase(high)}"
    return StepResult(b.apply("smoothstep", low, high, x), "fade", clause)


def clamped(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x, at least names[0] and at most names[1]."""
    least = (0.1, 0.5) if use.is_positive else (-1.0, -0.2)
    most = (1.2, 2.2) if use.is_positive else (0.4, 1.5)
    low, high = new_factor(b, *least, use.names[0]), new_factor(b, *most, use.names[1])
    branches = writes_branches(b, use)
    value = clamp_by_branches(b, x, low, high) if branches else b.apply("clamp", x, low, high)
    return StepResult(value, "clamp", f"clamps it between {phrase(low)} and {phrase(high)}")


def rectified(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x, at least zero."""
    branches = writes_branches(b, use)
    value = clamp_by_branches(b, x, literal(0.0, x), None) if branches else b.larger(x, 0.0)
    return StepResult(value, "rectify", "sets what is negative to zero")


def soft_threshold(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x moved towards zero by names[0]; zero if it is nearer."""
    limit = new_factor(b, 0.1, 0.7, use.names[0])
    clause = f"shrinks it towards zero by {phrase(limit)}"
    if writes_branches(b, use):
        return StepResult(shrink_by_branches(b, x, limit), "shrink", clause)
    value = b.mul(b.apply("sign", x), b.larger(b.sub(b.apply("abs", x), limit), 0.0))
    return StepResult(value, "shrink", clause)


def capped(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x, at most names[0], an array."""
    bound, name = other_element(b, x.type, use.names[0], span=Interval(0.4, 2.0))
    branches = writes_branches(b, use)
    value = clamp_by_branches(b, x, None, bound) if branches else b.apply("min", x, bound)
    return StepResult(value, "limit", f"caps it at `{name}`")


def raised(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """x, at least names[0], an array."""
    bound, name = other_element(b, x.type, use.names[0], span=Interval(0.3, 1.2))
    branches = writes_branches(b, use)
    value = clamp_by_branches(b, x, bound, None) if branches else b.larger(x, bound)
    return StepResult(value, "raise", f"raises it to at least `{name}`")


def interpolated(b: Builder, x: ir.Name, use: Use) -> StepResult:
    """names[0] + x * (names[1] - names[0]) for two arrays, with x kept between 0 and 1."""
    low, first = other_element(b, x.type, use.names[0], span=Interval(0.1, 0.8))
    high, second = other_element(b, x.type, use.names[1], span=Interval(1.0, 3.0))
    share = as_local(b, b.apply("clamp", x, literal(0.0, x), literal(1.0, x)), "t share")
    clause = f"blends `{first}` into `{second}` by it, kept between 0 and 1"
    return StepResult(b.apply("lerp", low, high, share), "interpolate", clause)


LINES: tuple[Step, ...] = (
    scaled, difference, weighted, lessened, downhill, normalized, ratio, squared, midpoint, relative_change,
    absolute_error,
)  # fmt: skip
UPDATES: tuple[Step, ...] = (blended, advanced)
CURVES: tuple[Step, ...] = (
    magnitude, decayed, logistic, squashed, wave, powered, logarithm, log_ratio, bell, faded, squared,
    interpolated,
)  # fmt: skip
LIMITS: tuple[Step, ...] = (clamped, rectified, soft_threshold, capped, raised)
