"""Elementary functions and rounding."""

from __future__ import annotations

import math

import numpy as np

from ... import domains
from ...domains import Interval
from .. import meanings
from ..bounds import (
    below,
    blend,
    fixed,
    on,
    positive,
    where,
    with_zero,
)
from ..meanings import each, inverse_erf
from ..row import row

HALF_PI = math.pi / 2

# fmt: off
ROWS = (
    row("sqrt(F) -> F", "math", on(domains.rising(math.sqrt)), each(np.sqrt), requires=positive,
        words="the square root of {0}"),
    row("cbrt(F) -> F", "math", on(domains.rising(lambda x: x ** (1 / 3))), each(np.cbrt), requires=positive,
        words="the cube root of {0}"),
    row("exp(F) -> F", "math", on(domains.rising(math.exp)), each(np.exp), requires=below(8.0),
        words="the exponential of {0}"),
    row("log(F) -> F", "math", on(domains.rising(math.log)), each(np.log), requires=positive,
        words="the logarithm of {0}"),
    row("log2(F) -> F", "math", on(domains.rising(math.log2)), each(np.log2), requires=positive,
        words="the base-2 logarithm of {0}"),
    row("log10(F) -> F", "math", on(domains.rising(math.log10)), each(np.log10), requires=positive,
        words="the base-10 logarithm of {0}"),
    row("pow(F, F) -> F", "math", on(domains.power), each(np.power),
        requires=where(lambda a, b: a.lo > 0.05 and a.hi <= 20 and b.magnitude <= 3),
        words="{0} raised to {1}"),
    row("sin(F) -> F", "math", on(lambda a: domains.wave(a, 0.0)), each(np.sin), requires=below(2e3),
        derivative="operands", words="the sine of {0}"),
    row("cos(F) -> F", "math", on(lambda a: domains.wave(a, HALF_PI)), each(np.cos), requires=below(2e3),
        derivative="operands", words="the cosine of {0}"),
    row("tan(F) -> F", "math", on(domains.rising(math.tan)), each(np.tan), requires=below(1.3),
        words="the tangent of {0}"),
    row("asin(F) -> F", "math", on(domains.rising(math.asin)), each(np.arcsin), requires=below(0.95),
        words="the arcsine of {0}"),
    row("acos(F) -> F", "math", on(domains.falling(math.acos)), each(np.arccos), requires=below(0.95),
        words="the arccosine of {0}"),
    row("atan(F) -> F", "math", on(domains.rising(math.atan)), each(np.arctan), requires=below(1e6),
        words="the arctangent of {0}"),
    row("atan2(F, F) -> F", "math", fixed(-HALF_PI, HALF_PI), each(np.arctan2), requires=positive,
        words="the angle of ({1}, {0})"),
    row("sinh(F) -> F", "math", on(domains.rising(math.sinh)), each(np.sinh), requires=below(4.0),
        words="the hyperbolic sine of {0}"),
    row("cosh(F) -> F", "math", on(lambda a: domains.rising(math.cosh)(domains.absolute(a))), each(np.cosh),
        requires=below(4.0), words="the hyperbolic cosine of {0}"),
    row("tanh(F) -> F", "math", on(domains.rising(math.tanh)), each(np.tanh), requires=below(2e3),
        words="the hyperbolic tangent of {0}"),
    row("erf(F) -> F", "math", on(domains.rising(math.erf)), each(np.vectorize(math.erf, otypes=[float])),
        requires=below(3.0), words="the error function of {0}"),
    row("degrees(F) -> F", "math", on(lambda a: domains.scale(a, 180 / math.pi)), each(np.degrees),
        derivative="linear", words="{0} in degrees"),
    row("radians(F) -> F", "math", on(lambda a: domains.scale(a, math.pi / 180)), each(np.radians),
        derivative="linear", words="{0} in radians"),
    row("floor(F) -> F", "rounding", on(lambda a: Interval(float(math.floor(a.lo)), a.hi)), each(np.floor),
        derivative="flat", words="{0} rounded down"),
    row("ceil(F) -> F", "rounding", on(lambda a: Interval(a.lo, float(math.ceil(a.hi)))), each(np.ceil),
        derivative="flat", words="{0} rounded up"),
    row("round(F) -> F", "rounding", on(lambda a: Interval(a.lo - 0.5, a.hi + 0.5)),
        each(lambda x: np.trunc(x + np.copysign(0.5, x))), derivative="flat",
        words="{0} rounded to the nearest whole number"),
    row("trunc(F) -> F", "rounding", on(with_zero), each(np.trunc), derivative="flat",
        words="{0} rounded towards zero"),
    row("frac(F) -> F", "rounding", on(lambda a: Interval(-1.0 if a.lo < 0 else 0.0, 1.0)),
        each(lambda x: x - np.trunc(x)), derivative="flat", underived=(0,),
        words="the fractional part of {0}"),
    row("lerp(F, F, F) -> F", "math", on(blend), each(lambda a, b, t: a * (1 - t) + b * t),
        words="a blend of {0} and {1} by {2}"),
    row("smoothstep(F, F, F) -> F for F in float32, float64", "math", fixed(0.0, 1.0), meanings.smooth_step,
        requires=where(lambda a, b, x: a.hi + 0.05 < b.lo), words="a smooth step of {2} from {0} to {1}"),
    # What follows has groups of its own, which no family weighs yet.
    row("power: F ** F -> F", "power", on(domains.power), each(np.power),
        requires=where(lambda a, b: a.lo > 0.05 and a.hi <= 20 and b.magnitude <= 3),
        cuda="pow", words="{0} to the power of {1}"),
    row("erfc(F) -> F", "special", on(domains.falling(math.erfc)),
        each(np.vectorize(math.erfc, otypes=[float])), requires=below(3.0),
        words="the complementary error function of {0}"),
    row("erfinv(F) -> F", "special", on(domains.rising(inverse_erf)),
        each(np.vectorize(inverse_erf, otypes=[float])), requires=below(0.95),
        words="the inverse error function of {0}"),
    row("erfcinv(F) -> F", "special", on(domains.falling(lambda x: inverse_erf(1.0 - x))),
        each(np.vectorize(lambda x: inverse_erf(1.0 - x), otypes=[float])),
        requires=where(lambda a: a.lo > 0.05 and a.hi < 1.95),
        words="the inverse complementary error function of {0}"),
    row("rint(F) -> F", "special", on(lambda a: Interval(a.lo - 0.5, a.hi + 0.5)), each(np.rint),
        derivative="flat", words="{0} rounded to the nearest whole number, halves to even"),
)
# fmt: on
