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
        rounds="result", steep="zero", parameters="x", formula="sqrt({0})"),
    row("cbrt(F) -> F", "math", on(domains.rising(lambda x: x ** (1 / 3))), each(np.cbrt), requires=positive,
        rounds="result", steep="zero", parameters="x", formula="cbrt({0})"),
    row("exp(F) -> F", "math", on(domains.rising(math.exp)), each(np.exp), requires=below(8.0),
        rounds="result", parameters="x", formula="exp({0})"),
    row("log(F) -> F", "math", on(domains.rising(math.log)), each(np.log), requires=positive, rounds="result",
        parameters="x", formula="ln({0})"),
    row("log2(F) -> F", "math", on(domains.rising(math.log2)), each(np.log2), requires=positive,
        rounds="result", parameters="x", formula="log2({0})"),
    row("log10(F) -> F", "math", on(domains.rising(math.log10)), each(np.log10), requires=positive,
        rounds="result", parameters="x", formula="log10({0})"),
    row("pow(F, F) -> F", "math", on(domains.power), each(np.power),
        requires=where(lambda a, b: a.lo > 0.05 and a.hi <= 20 and b.magnitude <= 3), rounds="result",
        parameters="x y", formula="{0:atom}^{1:atom}", strength="power"),
    row("sin(F) -> F", "math", on(lambda a: domains.wave(a, 0.0)), each(np.sin), requires=below(2e3),
        derivative="operands", rounds="result", parameters="x", formula="sin({0})"),
    row("cos(F) -> F", "math", on(lambda a: domains.wave(a, HALF_PI)), each(np.cos), requires=below(2e3),
        derivative="operands", rounds="result", parameters="x", formula="cos({0})"),
    row("tan(F) -> F", "math", on(domains.rising(math.tan)), each(np.tan), requires=below(1.3),
        rounds="result", parameters="x", formula="tan({0})"),
    row("asin(F) -> F", "math", on(domains.rising(math.asin)), each(np.arcsin), requires=below(0.95),
        rounds="result", steep="one", parameters="x", formula="arcsin({0})"),
    row("acos(F) -> F", "math", on(domains.falling(math.acos)), each(np.arccos), requires=below(0.95),
        rounds="result", steep="one", parameters="x", formula="arccos({0})"),
    row("atan(F) -> F", "math", on(domains.rising(math.atan)), each(np.arctan), requires=below(1e6),
        rounds="result", parameters="x", formula="arctan({0})"),
    row("atan2(F, F) -> F", "math", fixed(-HALF_PI, HALF_PI), each(np.arctan2), requires=positive,
        rounds="result", parameters="y x", formula="atan2({0}, {1})"),
    row("sinh(F) -> F", "math", on(domains.rising(math.sinh)), each(np.sinh), requires=below(4.0),
        rounds="result", parameters="x", formula="sinh({0})"),
    row("cosh(F) -> F", "math", on(lambda a: domains.rising(math.cosh)(domains.absolute(a))), each(np.cosh),
        requires=below(4.0), rounds="result", parameters="x", formula="cosh({0})"),
    row("tanh(F) -> F", "math", on(domains.rising(math.tanh)), each(np.tanh), requires=below(2e3),
        rounds="result", parameters="x", formula="tanh({0})"),
    row("erf(F) -> F", "math", on(domains.rising(math.erf)), each(np.vectorize(math.erf, otypes=[float])),
        requires=below(3.0), rounds="result", parameters="x", formula="erf({0})", notes="erf"),
    row("degrees(F) -> F", "math", on(lambda a: domains.scale(a, 180 / math.pi)), each(np.degrees),
        derivative="linear", rounds="result", parameters="x", formula="degrees({0})", notes="degrees"),
    row("radians(F) -> F", "math", on(lambda a: domains.scale(a, math.pi / 180)), each(np.radians),
        derivative="linear", rounds="result", parameters="x", formula="radians({0})", notes="radians"),
    row("floor(F) -> F", "rounding", on(lambda a: Interval(float(math.floor(a.lo)), a.hi)), each(np.floor),
        derivative="flat", whole=True, jumps="whole", parameters="x", formula="⌊{0}⌋"),
    row("ceil(F) -> F", "rounding", on(lambda a: Interval(a.lo, float(math.ceil(a.hi)))), each(np.ceil),
        derivative="flat", whole=True, jumps="whole", parameters="x", formula="⌈{0}⌉"),
    row("round(F) -> F", "rounding", on(lambda a: Interval(a.lo - 0.5, a.hi + 0.5)),
        each(lambda x: np.trunc(x + np.copysign(0.5, x))), derivative="flat", whole=True, jumps="middle",
        called="round", parameters="x", formula="round({0})", notes="round"),
    row("trunc(F) -> F", "rounding", on(with_zero), each(np.trunc), derivative="flat", whole=True,
        jumps="toward zero", parameters="x", formula="trunc({0})", notes="trunc"),
    row("frac(F) -> F", "rounding", on(lambda a: Interval(-1.0 if a.lo < 0 else 0.0, 1.0)),
        each(lambda x: x - np.trunc(x)), derivative="flat", underived=(0,), jumps="toward zero",
        parameters="x", formula="frac({0})", notes="frac"),
    row("lerp(F, F, F) -> F", "math", on(blend), each(lambda a, b, t: a * (1 - t) + b * t), rounds="products",
        called="blend", parameters="a b t", formula="lerp({0}, {1}, {2})", notes="lerp"),
    row("smoothstep(F, F, F) -> F for F in float32, float64", "math", fixed(0.0, 1.0), meanings.smooth_step,
        requires=where(lambda a, b, x: a.hi + 0.05 < b.lo), rounds="products", parameters="a b x",
        formula="smoothstep({0}, {1}, {2})", notes="smoothstep"),
    # Random programs choose none of what follows: no family of theirs names its groups.
    row("power: F ** F -> F", "power", on(domains.power), each(np.power),
        requires=where(lambda a, b: a.lo > 0.05 and a.hi <= 20 and b.magnitude <= 3), synonym_of="pow",
        rounds="result", formula="{0:atom}^{1:atom}", strength="power", cuda="pow"),
    row("erfc(F) -> F", "special", on(domains.falling(math.erfc)),
        each(np.vectorize(math.erfc, otypes=[float])), requires=below(3.0), rounds="result", parameters="x",
        formula="erfc({0})", notes="erfc"),
    row("erfinv(F) -> F", "special", on(domains.rising(inverse_erf)),
        each(np.vectorize(inverse_erf, otypes=[float])), requires=below(0.95), rounds="result",
        parameters="x", formula="erfinv({0})", notes="erfinv"),
    row("erfcinv(F) -> F", "special", on(domains.falling(lambda x: inverse_erf(1.0 - x))),
        each(np.vectorize(lambda x: inverse_erf(1.0 - x), otypes=[float])),
        requires=where(lambda a: a.lo > 0.05 and a.hi < 1.95), rounds="result", parameters="x",
        formula="erfcinv({0})", notes="erfcinv"),
    row("rint(F) -> F", "special", on(lambda a: Interval(a.lo - 0.5, a.hi + 0.5)), each(np.rint),
        derivative="flat", whole=True, jumps="middle", parameters="x", formula="rint({0})", notes="rint"),
)
# fmt: on
