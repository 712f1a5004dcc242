"""Chain steps of one or two lines: scales, blends, differences, curves, limits."""

from __future__ import annotations

from ...language import ir
from ...language.domains import Interval
from .branches import by_branches, held_between, minus, shrunk, turned_positive
from .draft import Draft
from .form import SIGNED, Form, Made, Use, factor, free, local, other, part, said
from .ranges import tame
from .terms import literal

FACTORS = Interval(0.5, 3.0)  # of what multiplies or divides


def scaled(s: Draft, x: ir.Name, use: Use) -> Made:
    """Times a factor; where a second name is given, an offset may be added."""
    gain = factor(s, 0.5, 2.0, use.names[0])
    if len(use.names) == 1 or s.rng.chance(0.4):
        return Made(s.mul(gain, x), "scale", f"scales it by {said(gain)}")
    bias = factor(s, 0.1, 0.9, use.names[1])
    return Made(s.add(s.mul(gain, x), bias), "rescale", f"scales it by {said(gain)} and adds {said(bias)}")


def difference(s: Draft, x: ir.Name, use: Use) -> Made:
    past, name = other(s, x.type, use.names[0], span=use.span)
    return Made(s.sub(x, past), "compare", f"takes its difference from `{name}`")


def weighted(s: Draft, x: ir.Name, use: Use) -> Made:
    weight, name = other(s, x.type, use.names[0], span=FACTORS)
    return Made(s.mul(weight, x), "weigh", f"multiplies it by `{name}`")


def lessened(s: Draft, x: ir.Name, use: Use) -> Made:
    """Times a share, which is no more than one."""
    share, name = other(s, x.type, use.names[0], span=Interval(0.1, 1.0))
    return Made(s.mul(share, x), "reduce", f"multiplies it by `{name}`")


def downhill(s: Draft, x: ir.Name, use: Use) -> Made:
    """Against a slope, as Fourier's and Fick's laws have it."""
    weight, name = other(s, x.type, use.names[0], span=FACTORS)
    return Made(s.mul(s.apply("neg", weight), x), "flow", f"multiplies it by minus `{name}`")


def normalized(s: Draft, x: ir.Name, use: Use) -> Made:
    mean, spread = factor(s, 0.2, 0.8, use.names[0]), factor(s, 0.5, 2.0, use.names[1])
    told = f"subtracts {said(mean)} and divides by {said(spread)}"
    return Made(s.div(s.sub(x, mean), spread), "normalize", told)


def ratio(s: Draft, x: ir.Name, use: Use) -> Made:
    whole, name = other(s, x.type, use.names[0], span=FACTORS)
    return Made(s.div(x, whole), "divide", f"divides it by `{name}`")


def squared(s: Draft, x: ir.Name, use: Use) -> Made:
    small = tame(s, x, 22.0)
    base = local(s, small, "base")
    return Made(s.mul(base, base), "square", f"squares {part(small, x)}")


def midpoint(s: Draft, x: ir.Name, use: Use) -> Made:
    partner, name = other(s, x.type, use.names[0], span=use.span)
    return Made(s.mul(0.5, s.add(x, partner)), "average", f"averages it with `{name}`")


def relative_change(s: Draft, x: ir.Name, use: Use) -> Made:
    loaded, name = other(s, x.type, use.names[0], span=FACTORS)
    start = local(s, loaded, use.names[1])
    return Made(s.div(s.sub(x, start), start), "compare", f"takes its relative change from `{name}`")


def absolute_error(s: Draft, x: ir.Name, use: Use) -> Made:
    truth, name = other(s, x.type, use.names[0], span=use.span)
    told = f"takes how far it is from `{name}`"
    if s.rng.chance(s.ways.branches):
        return Made(turned_positive(s, s.sub(x, truth)), "compare", told)
    return Made(s.apply("abs", s.sub(x, truth)), "compare", told)


def blended(s: Draft, x: ir.Name, use: Use) -> Made:
    past, name = other(s, x.type, use.names[0], span=use.span)
    rate = factor(s, 0.1, 0.9, use.names[1])
    value = s.apply("lerp", x, past, rate)
    if s.rng.chance(0.5):
        value = s.add(x, s.mul(rate, s.sub(past, x)))
    return Made(value, "blend", f"blends it towards `{name}` by {said(rate)}")


def advanced(s: Draft, x: ir.Name, use: Use) -> Made:
    """A step of time, or of another length."""
    more, name = other(s, x.type, use.names[0], span=SIGNED)
    rate = factor(s, 0.1, 0.5, use.names[1])
    return Made(s.add(x, s.mul(rate, more)), "advance", f"adds {said(rate)} times `{name}`")


def magnitude(s: Draft, x: ir.Name, use: Use) -> Made:
    second, name = other(s, x.type, use.names[0], span=Interval(0.3, 2.0))
    y = local(s, second, use.names[1])
    value = s.apply("sqrt", s.add(s.mul(x, x), s.mul(y, y)))
    return Made(value, "measure", f"takes the root of the sum of its square and that of `{name}`")


def decayed(s: Draft, x: ir.Name, use: Use) -> Made:
    age, name = other(s, x.type, use.names[0], span=Interval(0.1, 2.0))
    rate = factor(s, 0.2, 1.2, use.names[1])
    fall = minus(s, rate)
    told = f"lets it fall exponentially with `{name}` at rate {said(rate)}"
    return Made(s.mul(x, s.apply("exp", s.mul(fall, age))), "attenuate", told)


def logistic(s: Draft, x: ir.Name, use: Use) -> Made:
    steep = tame(s, x, 7.9)
    value = s.div(literal(1.0, x), s.add(s.apply("exp", s.apply("neg", steep)), 1.0))
    return Made(value, "activate", f"takes the logistic function of {part(steep, x)}")


def squashed(s: Draft, x: ir.Name, use: Use) -> Made:
    limit = factor(s, 0.5, 2.0, use.names[0])
    value = s.mul(limit, s.apply("tanh", s.div(x, limit)))
    return Made(value, "saturate", f"saturates it softly at {said(limit)}")


def wave(s: Draft, x: ir.Name, use: Use) -> Made:
    frequency, phase = factor(s, 0.5, 3.0, use.names[0]), factor(s, 0.1, 1.5, use.names[1])
    function, word = s.rng.pick((("sin", "sine"), ("cos", "cosine")))
    told = f"takes the {word} of it times {said(frequency)} plus {said(phase)}"
    return Made(s.apply(function, s.add(s.mul(frequency, x), phase)), "modulate", told)


def powered(s: Draft, x: ir.Name, use: Use) -> Made:
    exponent = factor(s, 0.4, 2.2, use.names[0])
    return Made(s.apply("pow", x, exponent), "raise", f"raises it to the power of {said(exponent)}")


def logarithm(s: Draft, x: ir.Name, use: Use) -> Made:
    return Made(s.apply("log", s.add(x, 1.0)), "compress", "takes the logarithm of one plus it")


def log_ratio(s: Draft, x: ir.Name, use: Use) -> Made:
    start, name = other(s, x.type, use.names[0], span=FACTORS)
    told = f"takes the logarithm of its ratio to `{name}`"
    return Made(s.apply("log", s.div(x, start)), "compare", told)


def bell(s: Draft, x: ir.Name, use: Use) -> Made:
    """A Gaussian around zero, which is one there."""
    width = factor(s, 0.5, 1.6, use.names[0])
    small = tame(s, x, 2.0)
    z = s.bind(s.div(small, width), free(s, "z u"))
    value = s.apply("exp", s.mul(s.mul(-0.5, z), z))
    return Made(value, "weigh", f"takes the Gaussian of width {said(width)} of {part(small, x)}")


def faded(s: Draft, x: ir.Name, use: Use) -> Made:
    """From zero to one between two bounds, smoothly."""
    low, high = factor(s, 0.1, 0.5, use.names[0]), factor(s, 1.0, 2.2, use.names[1])
    told = f"lets it rise smoothly from 0 at {said(low)} to 1 at {said(high)}"
    return Made(s.apply("smoothstep", low, high, x), "fade", told)


def clamped(s: Draft, x: ir.Name, use: Use) -> Made:
    least = (0.1, 0.5) if use.is_positive else (-1.0, -0.2)
    most = (1.2, 2.2) if use.is_positive else (0.4, 1.5)
    low, high = factor(s, *least, use.names[0]), factor(s, *most, use.names[1])
    branches = by_branches(s, use)
    value = held_between(s, x, low, high) if branches else s.apply("clamp", x, low, high)
    return Made(value, "clamp", f"clamps it between {said(low)} and {said(high)}")


def rectified(s: Draft, x: ir.Name, use: Use) -> Made:
    branches = by_branches(s, use)
    value = held_between(s, x, literal(0.0, x), None) if branches else s.upper(x, 0.0)
    return Made(value, "rectify", "sets what is negative to zero")


def soft_threshold(s: Draft, x: ir.Name, use: Use) -> Made:
    limit = factor(s, 0.1, 0.7, use.names[0])
    told = f"shrinks it towards zero by {said(limit)}"
    if by_branches(s, use):
        return Made(shrunk(s, x, limit), "shrink", told)
    value = s.mul(s.apply("sign", x), s.upper(s.sub(s.apply("abs", x), limit), 0.0))
    return Made(value, "shrink", told)


def capped(s: Draft, x: ir.Name, use: Use) -> Made:
    bound, name = other(s, x.type, use.names[0], span=Interval(0.4, 2.0))
    branches = by_branches(s, use)
    value = held_between(s, x, None, bound) if branches else s.apply("min", x, bound)
    return Made(value, "limit", f"caps it at `{name}`")


def raised(s: Draft, x: ir.Name, use: Use) -> Made:
    bound, name = other(s, x.type, use.names[0], span=Interval(0.3, 1.2))
    branches = by_branches(s, use)
    value = held_between(s, x, bound, None) if branches else s.upper(x, bound)
    return Made(value, "raise", f"raises it to at least `{name}`")


def interpolated(s: Draft, x: ir.Name, use: Use) -> Made:
    """Between two arrays, by the value as a share."""
    low, first = other(s, x.type, use.names[0], span=Interval(0.1, 0.8))
    high, second = other(s, x.type, use.names[1], span=Interval(1.0, 3.0))
    share = local(s, s.apply("clamp", x, literal(0.0, x), literal(1.0, x)), "t share")
    told = f"blends `{first}` into `{second}` by it, kept between 0 and 1"
    return Made(s.apply("lerp", low, high, share), "interpolate", told)


LINES: tuple[Form, ...] = (
    scaled, difference, weighted, lessened, downhill, normalized, ratio, squared, midpoint, relative_change,
    absolute_error,
)  # fmt: skip
UPDATES: tuple[Form, ...] = (blended, advanced)
CURVES: tuple[Form, ...] = (
    magnitude, decayed, logistic, squashed, wave, powered, logarithm, log_ratio, bell, faded, squared,
    interpolated,
)  # fmt: skip
LIMITS: tuple[Form, ...] = (clamped, rectified, soft_threshold, capped, raised)
