"""Quantization of single numbers on curved scales, and its error."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "x": "x values weights",
        "codes": "codes q quantized",
        "level": "level t exponent",
        "size": "size magnitude",
        "i": "i tid idx",
        "kernel": "quantize_log encode_log log_encode",
    },
)
def log_quantization(c):
    """Rounds each entry of {x}{SCALED} {ROUND}on {A} {CURVE} scale{CUT}{GIVES}.

    Quantize each z = `{x}[i]` on {A} {CURVE} scale. Let {UNIT} and t = {LEVEL}. The level m is {TO}{MOSTLY}.
    {GETS}
    """
    n = c.size()
    CURVE = c.meaning("power-of-two", "mu-law", "square-root", "inverse hyperbolic sine", "half-octave")
    ROUND = c.meaning("", "towards zero ", "stochastically ")
    EXPONENT = CURVE in ("power-of-two", "half-octave")
    # the sign is no part of a logarithm
    INTEGERS = ", giving exponents" if EXPONENT else ", giving codes"
    if EXPONENT:
        ROUND = ROUND.replace("towards zero", "downwards")
    GIVES = c.meaning("", INTEGERS, ", giving the residual", ", in place")
    SCALED = c.meaning("", ", in units of its scale,")
    MU, LEVELS, FINENESS = c.constant(10.0, 90.0), c.constant(8.0, 60.0), c.constant(8.0, 60.0)
    CUT = " up to one" if CURVE in ("mu-law", "square-root") else ""
    MOST = 1.5 if CUT else 3.0
    A = "an" if CURVE[0] == "i" else "a"
    CODES, RANDOM = GIVES == INTEGERS, ROUND.startswith("stochastically")
    if not EXPONENT:
        c.names({"level": "level t index"})
    if CURVE == "square-root":
        c.names({"kernel": "quantize_roots root_quantization"})
    elif CURVE == "mu-law":
        c.names({"kernel": "quantize_mu_law compand mu_law_quantization"})
    elif CURVE == "inverse hyperbolic sine":
        c.names({"kernel": "quantize_asinh asinh_quantization"})
    elif not CODES:
        c.names({"kernel": "quantize_log round_on_log_scale log_quantization"})
    UNIT = "u = z / `{scales}[i]`" if SCALED else "u = z"
    LEVEL = {
        "power-of-two": "log₂(max(|u|, 0.001))",
        "half-octave": "2·log₂(max(|u|, 0.001))",
        "mu-law": "{LEVELS}·ln(1 + {MU}·|u|) / ln(1 + {MU})",
        "square-root": "{LEVELS}·√|u|",
        "inverse hyperbolic sine": "{FINENESS}·asinh(|u|)",
    }[CURVE]
    TO = "t rounded to the nearest whole number, halves away from 0"
    if RANDOM:
        TO = (
            "⌊t + r⌋ with one random number r, the first of `wp.randf` from the state "
            "`wp.rand_init({seed}, i)`"
        )
    elif ROUND:
        TO = "⌊t⌋"
    MOSTLY = ", but at most {LEVELS}" if CUT else ""
    SIZE = {
        "power-of-two": "2^m",
        "half-octave": "2^(m / 2)",
        "mu-law": "((1 + {MU})^(m / {LEVELS}) - 1) / {MU}",
        "square-root": "(m / {LEVELS})²",
        "inverse hyperbolic sine": "sinh(m / {FINENESS})",
    }[CURVE]
    SIGN = "the sign of u (1 for 0)" if EXPONENT else "the sign of u"
    VALUE = "The rounded value is {SIGN} times {SIZE}" + (", times the scale." if SCALED else ".")
    if CODES:
        GETS = (
            "`{codes}[i]` gets m, without a sign." if EXPONENT else "`{codes}[i]` gets the sign of u times m."
        )
    else:
        GETS = {
            "": VALUE + " It goes to `{out}[i]`.",
            ", giving the residual": VALUE + " `{out}[i]` gets z less this value.",
            ", in place": VALUE + " It replaces `{x}[i]`.",
        }[GIVES]

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = (inout if GIVES == ", in place" else input)(n, low=-MOST, high=MOST),
        scales: wp.array[float] = input(n, low=0.5, high=2.0),
        seed: int = input(low=1, high=10000),
        codes: wp.array[int] = output(n),
        out: wp.array[float] = output(n),
    ):
        i = wp.tid()
        u = x[i] / scales[i] if SCALED != "" else x[i]
        if CURVE == "power-of-two":
            # zero has no logarithm
            level = wp.log2(wp.max(wp.abs(u), 0.001))
        elif CURVE == "half-octave":
            level = 2.0 * wp.log2(wp.max(wp.abs(u), 0.001))
        elif CURVE == "mu-law":
            level = LEVELS * wp.log(1.0 + MU * wp.abs(u)) / wp.log(1.0 + MU)
        elif CURVE == "square-root":
            level = LEVELS * wp.sqrt(wp.abs(u))
        else:
            size = wp.abs(u)
            level = FINENESS * wp.log(size + wp.sqrt(size * size + 1.0))
        if RANDOM:
            state = wp.rand_init(seed, i)
            level = wp.floor(level + wp.randf(state))
        elif ROUND:
            level = wp.floor(level)
        else:
            level = wp.round(level)
        if CUT:
            # what is beyond one gets the last level
            level = wp.min(level, LEVELS)
        if CODES:
            codes[i] = int(level) if EXPONENT else int(wp.sign(u) * level)
        else:
            if CURVE == "power-of-two":
                size = wp.pow(2.0, level)
            elif CURVE == "half-octave":
                size = wp.pow(2.0, 0.5 * level)
            elif CURVE == "mu-law":
                size = (wp.pow(1.0 + MU, level / LEVELS) - 1.0) / MU
            elif CURVE == "square-root":
                size = level * level / (LEVELS * LEVELS)
            else:
                size = wp.sinh(level / FINENESS)
            value = wp.sign(u) * size
            if SCALED != "":
                value *= scales[i]
            if GIVES == "":
                out[i] = value
            elif GIVES == ", giving the residual":
                out[i] = x[i] - value
            else:
                x[i] = value


@idiom(
    level=2,
    names={
        "x": "x values weights",
        "dy": "dy grad_out adj_y",
        "dx": "dx grad_in adj_x",
        "u": "u scaled t",
        "passes": "passes gate mask",
        "i k": "i k | row col | channel entry",
        "kernel": "ste_backward backward_rounding pass_gradient",
    },
)
def straight_through_gradient(c):
    """The {KIND} gradient of {STEP_TAKEN} {SCALE}{FORM}{KEEP}{ALSO}.

    Backpropagate through {STEP_TAKEN} of each entry z of {x} with a {KIND} gradient. Let {UNIT}. {GETS} the
    gradient {dy} times {SLOPE}.{MORE}
    """
    n, width = c.size(5, 8), c.size(4, 7)
    FORM = c.meaning(
        " within a range",
        ", by a triangle",
        ", by a tanh",
        ", leaking outside a range",
        ", by a Cauchy curve",
        ", weaker between grid points",
    )
    ROUNDED = not FORM.startswith(", by")
    KIND, STEP_TAKEN = ("straight-through", "rounding") if ROUNDED else ("surrogate", "taking signs")
    SCALE = c.meaning("at one scale", "at a scale per row", "at a scale per column")
    KEEP = c.meaning("", ", accumulated")
    RANGE = FORM.endswith("a range")
    ALSO = c.meaning("", ", and marks what is clipped") if RANGE else ""
    ALSO = c.meaning("", ", and gives that of the step") if FORM.endswith("points") else ALSO
    if ROUNDED:
        if not FORM.startswith(" within"):
            c.names({"passes": "passes weight share"})
    else:
        c.names(
            {"kernel": "surrogate_gradient backward_sign sign_backward", "passes": "passes slope surrogate"}
        )
    MOST, LEAK, STEP = c.constant(1.0, 3.0, step=1.0), c.constant(0.05, 0.3), c.constant(0.3, 0.9)
    many = width if SCALE.endswith("column") else n
    UNIT = {
        "at one scale": "u = z / {STEP}",
        "at a scale per row": "u = z / `{scales}[i]` in row i",
        "at a scale per column": "u = z / `{scales}[j]` in column j",
    }[SCALE]
    SLOPE = {
        " within a range": "1 if |u| < {MOST}, and otherwise 0",
        ", by a triangle": "max(1 - |u| / {MOST}, 0)",
        ", by a tanh": "1 - tanh²(u)",
        ", leaking outside a range": "1 if |u| < {MOST}, and otherwise {LEAK}",
        ", by a Cauchy curve": "1 / (1 + u²)",
        ", weaker between grid points": "1 - 2·|u - round(u)|, with u rounded to the nearest whole number, "
        "halves away from 0",
    }[FORM]
    GETS = "{dx} is increased by" if KEEP else "{dx} gets"
    MORE = ""
    if ALSO == ", and marks what is clipped":
        MORE = " {marks} gets 0 if |u| < {MOST}, and otherwise 1."
    elif ALSO != "":
        MORE = " {dsteps}, the gradient of the step, gets (round(u) - u) times {dy}."

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = input(n, width, low=-3.0, high=3.0, of="weights"),
        dy: wp.array2d[float] = input(n, width, low=-1.0, high=1.0, of="gradient"),
        scales: wp.array[float] = input(many, low=0.3, high=1.5),
        dx: wp.array2d[float] = inout(n, width, low=-1.0, high=1.0, of="gradient")
        if KEEP != ""
        else output(n, width, of="gradient"),
        marks: wp.array2d[int] = output(n, width),
        dsteps: wp.array2d[float] = output(n, width),
    ):
        i, k = wp.tid()
        if SCALE == "at one scale":
            u = x[i, k] / STEP
        elif SCALE == "at a scale per row":
            u = x[i, k] / scales[i]
        else:
            u = x[i, k] / scales[k]
        if FORM.startswith(" within"):
            passes = wp.where(wp.abs(u) < MOST, 1.0, 0.0)
        elif FORM == ", by a triangle":
            passes = wp.max(1.0 - wp.abs(u) / MOST, 0.0)
        elif FORM == ", by a tanh":
            bend = wp.tanh(u)
            passes = 1.0 - bend * bend
        elif FORM.startswith(", leaking"):
            # what is cut off may still come back
            passes = wp.where(wp.abs(u) < MOST, 1.0, LEAK)
        elif FORM == ", weaker between grid points":
            passes = 1.0 - 2.0 * wp.abs(u - wp.round(u))
        else:
            passes = 1.0 / (1.0 + u * u)
        if KEEP != "":
            dx[i, k] += passes * dy[i, k]
        else:
            dx[i, k] = passes * dy[i, k]
        if ALSO == ", and marks what is clipped":
            marks[i, k] = wp.where(wp.abs(u) < MOST, 0, 1)
        elif ALSO != "":
            dsteps[i, k] = dy[i, k] * (wp.round(u) - u)
