"""Forms of one line or two: scales, blends, differences, curves, limits."""

from __future__ import annotations

from dataclasses import replace

from ...language.domains import Interval
from ...language.program import Literal, Name
from ..growing.draft import Draft
from ..growing.terms import literal
from .form import Form, Made, factor, local, other, said

SIGNED, POSITIVE, SHARE = Interval(-2.0, 2.0), Interval(0.5, 3.0), Interval(0.05, 0.95)


def scaled(s: Draft, x: Name) -> Made:
    gain = factor(s, 0.5, 2.0, "gain", "scale", "factor")
    if s.rng.chance(0.5):
        return Made(s.mul(gain, x), ("scaled",), "scale", f"scales it by {said(gain)}")
    bias = factor(s, 0.1, 0.9, "bias", "offset", "shift")
    value = s.add(s.mul(gain, x), bias)
    return Made(value, ("scaled", "mapped"), "rescale", f"scales it by {said(gain)} and adds {said(bias)}")


def blended(s: Draft, x: Name) -> Made:
    past, name = other(s, x.type, "previous", "target", "background", "history", span=SIGNED)
    rate = factor(s, 0.1, 0.9, "alpha", "mix", "rate")
    value = s.apply("lerp", x, past, rate)
    if s.rng.chance(0.5):
        value = s.add(x, s.mul(rate, s.sub(past, x)))
    return Made(value, ("blended", "mixed"), "blend", f"blends it towards `{name}` by {said(rate)}")


def difference(s: Draft, x: Name) -> Made:
    past, name = other(s, x.type, "reference", "expected", "baseline_values", "model", span=SIGNED)
    return Made(s.sub(x, past), ("difference", "residual"), "compare", f"takes its difference from `{name}`")


def weighted(s: Draft, x: Name) -> Made:
    weight, name = other(s, x.type, "weights", "gains", "coefficients", span=POSITIVE)
    return Made(s.mul(weight, x), ("weighted",), "weigh", f"weights it by `{name}`")


def summed(s: Draft, x: Name) -> Made:
    more, name = other(s, x.type, "increments", "corrections", "sources", span=SIGNED)
    rate = factor(s, 0.1, 0.5, "dt", "step_size")
    value = s.add(x, s.mul(rate, more))
    return Made(value, ("updated", "advanced"), "advance", f"adds {said(rate)} times `{name}`")


def normalized(s: Draft, x: Name) -> Made:
    mean = factor(s, 0.2, 0.8, "mean", "centre")
    spread = factor(s, 0.5, 2.0, "deviation", "spread", "std")
    value = s.div(s.sub(x, mean), spread)
    told = f"subtracts {said(mean)} and divides by {said(spread)}"
    return Made(value, ("normalized", "z_score"), "normalize", told)


def ratio(s: Draft, x: Name) -> Made:
    whole, name = other(s, x.type, "totals", "norms", "capacity", "volumes", span=POSITIVE)
    return Made(s.div(x, whole), ("ratio", "share"), "divide", f"divides it by `{name}`")


def squared(s: Draft, x: Name) -> Made:
    if s.span(x).magnitude > 14:
        return scaled(s, x)
    return Made(s.mul(x, x), ("squared", "square"), "square", "squares it")


def magnitude(s: Draft, x: Name) -> Made:
    second, name = other(s, x.type, "imaginary", "y_part", "second", span=Interval(0.2, 2.0))
    y = local(s, second, "y", "b")
    value = s.apply("sqrt", s.add(s.mul(x, x), s.mul(y, y)))
    told = f"takes the root of the sum of its square and that of `{name}`"
    return Made(value, ("magnitude", "norm"), "measure", told)


def decayed(s: Draft, x: Name) -> Made:
    age, name = other(s, x.type, "ages", "times", "depths", span=Interval(0.1, 2.0))
    rate = factor(s, 0.2, 1.2, "decay", "rate", "absorption")
    fall = replace(rate, value=-rate.value) if isinstance(rate, Literal) else s.apply("neg", rate)
    value = s.mul(x, s.apply("exp", s.mul(fall, age)))
    return Made(
        value, ("decayed", "attenuated"), "attenuate", f"lets it decay over `{name}` at rate {said(rate)}"
    )


def logistic(s: Draft, x: Name) -> Made:
    if s.span(x).magnitude > 8:
        return clamped(s, x)
    value = s.div(literal(1.0, x), s.add(s.apply("exp", s.apply("neg", x)), 1.0))
    return Made(value, ("probability", "activated"), "activate", "takes the logistic function of it")


def squashed(s: Draft, x: Name) -> Made:
    limit = factor(s, 0.5, 2.0, "limit", "saturation")
    value = s.mul(limit, s.apply("tanh", s.div(x, limit)))
    return Made(value, ("squashed", "saturated"), "saturate", f"saturates it softly at {said(limit)}")


def wave(s: Draft, x: Name) -> Made:
    frequency = factor(s, 0.5, 3.0, "frequency", "omega")
    phase = factor(s, 0.1, 1.5, "phase", "phase_shift")
    value = s.apply("sin", s.add(s.mul(frequency, x), phase))
    return Made(
        value,
        ("wave", "oscillation"),
        "modulate",
        f"takes the sine of it times {said(frequency)} plus {said(phase)}",
    )


def clamped(s: Draft, x: Name) -> Made:
    low, high = (
        factor(s, -1.0, -0.2, "low", "lower", "min_value"),
        factor(s, 0.4, 1.5, "high", "upper", "max_value"),
    )
    value = s.apply("clamp", x, low, high)
    return Made(value, ("clamped", "limited"), "clamp", f"clamps it between {said(low)} and {said(high)}")


def rectified(s: Draft, x: Name) -> Made:
    if s.span(x).lo >= 0:
        return scaled(s, x)
    return Made(s.upper(x, 0.0), ("positive", "rectified"), "rectify", "sets what is negative to zero")


def soft_threshold(s: Draft, x: Name) -> Made:
    limit = factor(s, 0.1, 0.7, "threshold", "shrinkage")
    value = s.mul(s.apply("sign", x), s.upper(s.sub(s.apply("abs", x), limit), 0.0))
    return Made(value, ("shrunk", "thresholded"), "shrink", f"shrinks it towards zero by {said(limit)}")


def bounded(s: Draft, x: Name) -> Made:
    bound, name = other(s, x.type, "limits", "capacities", "ceilings", span=Interval(0.2, 1.5))
    if s.rng.chance(0.5):
        return Made(s.apply("min", x, bound), ("capped",), "bound", f"caps it at `{name}`")
    return Made(s.upper(x, bound), ("raised",), "bound", f"raises it to at least `{name}`")


def midpoint(s: Draft, x: Name) -> Made:
    partner, name = other(s, x.type, "partners", "neighbours", "estimates", span=SIGNED)
    return Made(s.mul(0.5, s.add(x, partner)), ("mean", "midpoint"), "average", f"averages it with `{name}`")


def relative_change(s: Draft, x: Name) -> Made:
    loaded, name = other(s, x.type, "initial", "baseline", "nominal", span=POSITIVE)
    start = local(s, loaded, "start", "base")
    change = s.div(s.sub(x, start), start)
    return Made(change, ("change", "relative"), "compare", f"takes its change relative to `{name}`")


def absolute_error(s: Draft, x: Name) -> Made:
    truth, name = other(s, x.type, "truth", "observed", "measured", span=SIGNED)
    return Made(
        s.apply("abs", s.sub(x, truth)), ("error", "gap"), "compare", f"takes how far it is from `{name}`"
    )


def interpolated(s: Draft, x: Name) -> Made:
    """Between two arrays, by the value as a share."""
    low, first = other(s, x.type, "lows", "starts", "lower_values", span=Interval(-2.0, 0.0))
    high, second = other(s, x.type, "highs", "ends", "upper_values", span=Interval(0.5, 2.0))
    share = local(s, s.apply("clamp", x, literal(0.0, x), literal(1.0, x)), "t", "share")
    told = f"blends `{first}` into `{second}` by it, kept between 0 and 1"
    return Made(s.apply("lerp", low, high, share), ("interpolated", "remapped"), "interpolate", told)


LINES: tuple[tuple[Form, float], ...] = (
    (scaled, 2.0), (difference, 1.5), (weighted, 2.0), (normalized, 1.5), (ratio, 1.2), (squared, 0.4),
    (midpoint, 1.0), (relative_change, 1.0), (absolute_error, 1.0),
)  # fmt: skip
UPDATES: tuple[tuple[Form, float], ...] = ((blended, 1.5), (summed, 1.2))
CURVES: tuple[tuple[Form, float], ...] = (
    (magnitude, 1.0), (decayed, 1.5), (logistic, 1.2), (squashed, 1.2), (wave, 0.8), (squared, 0.6),
    (interpolated, 1.0),
)  # fmt: skip
LIMITS: tuple[tuple[Form, float], ...] = (
    (clamped, 2.0),
    (rectified, 1.0),
    (soft_threshold, 1.0),
    (bounded, 1.2),
)
