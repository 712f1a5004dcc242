"""Activations: curves for single units, gates, slopes that are learned, and their gradients."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "x": "x inputs pre",
        "y": "y out activations",
        "z": "z u h",
        "bias": "bias b offsets",
        "kernel": "activate apply_activation activation_forward",
    },
)
def smooth_rectifier(c):
    """Applies {CURVE} to each entry{BIASED}{PLACED}.

    Apply {CURVE} to each entry of {x}{SHIFT}, and {STORE}. With t for the {SHIFTED}, the result is {FORMULA}.
    """
    n, width = c.size(5, 8), c.size(5, 8)
    BIASED = c.meaning("", " plus its column's bias")
    IN_PLACE = c.meaning(False, True)
    PLACED = ", in place" if IN_PLACE else ""
    if IN_PLACE:
        c.names({"x": "x activations hidden"})
    ALPHA, BETA = c.constant(0.3, 1.5), c.constant(0.8, 2.5)

    def softplus(x: float) -> float:
        """The log of 1 + exp(x), without an exponential that overflows."""
        return wp.max(x, 0.0) + wp.log(1.0 + wp.exp(-wp.abs(x)))

    def swish(x: float) -> float:
        """The input times a sigmoid of it."""
        return x / (1.0 + wp.exp(-BETA * x))

    def gelu(x: float) -> float:
        """The input times the share of a normal distribution below it."""
        return 0.5 * x * (1.0 + wp.erf(x * 0.70710678))

    def tanh_gelu(x: float) -> float:
        """A fit to the input times the share of a normal distribution below it."""
        inner = 0.79788456 * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1.0 + wp.tanh(inner))

    def mish(x: float) -> float:
        """The input times the tanh of its softplus."""
        # the tanh of a logarithm needs one exponential alone
        e = wp.exp(x)
        w = e * (e + 2.0)
        return x * w / (w + 2.0)

    def elu(x: float) -> float:
        """Below zero, an exponential that levels off."""
        if x > 0.0:
            return x
        return ALPHA * (wp.exp(x) - 1.0)

    def squareplus(x: float) -> float:
        """The hyperbola that nears zero on the left and the input on the right."""
        return 0.5 * (x + wp.sqrt(x * x + BETA))

    def smooth_relu(x: float) -> float:
        """Zero, a parabola around the knee, then the input itself."""
        if x < -ALPHA:
            return 0.0
        elif x > ALPHA:
            return x
        t = x + ALPHA
        return t * t / (4.0 * ALPHA)

    CURVES = {
        softplus: "softplus",
        gelu: "GELU",
        elu: "ELU",
        swish: "swish",
        mish: "mish",
        squareplus: "squareplus",
        tanh_gelu: "the tanh form of GELU",
        smooth_relu: "a ReLU with a parabola at its knee",
    }
    FORM = c.meaning(*CURVES)
    CURVE = CURVES[FORM]
    SHIFT, SHIFTED = "", "entry"
    if BIASED != "":
        SHIFT, SHIFTED = ", after adding the entry of {bias} for its column", "sum"
    STORE = "overwrite the entry with the result" if IN_PLACE else "store the result at the same place in {y}"
    FORMULA = {
        softplus: "the logarithm of 1 + exp(t)",
        gelu: "½·t·(1 + erf(0.70710678·t))",
        elu: "t if it is positive and {ALPHA}·(exp(t) - 1) otherwise",
        swish: "t / (1 + exp(-{BETA}·t))",
        mish: "t·tanh(softplus(t)), the softplus being the logarithm of 1 + exp(t)",
        squareplus: "½·(t + √(t² + {BETA}))",
        tanh_gelu: "½·t·(1 + tanh(0.79788456·(t + 0.044715·t³)))",
        smooth_relu: "0 below -{ALPHA}, t above {ALPHA}, and (t + {ALPHA})² / (4·{ALPHA}) between these",
    }[FORM]

    @c.kernel(n, width)
    def kernel(
        bias: wp.array[float] = input(width, low=-1.0, high=1.0),
        x: wp.array2d[float] = inout(n, width, low=-3.0, high=3.0, of="activation")
        if IN_PLACE
        else input(n, width, low=-3.0, high=3.0, of="activation"),
        y: wp.array2d[float] = output(n, width, of="activation"),
    ):
        i, j = wp.tid()
        if BIASED != "":
            z = x[i, j] + bias[j]
        else:
            z = x[i, j]
        if IN_PLACE:
            x[i, j] = FORM(z)
        else:
            y[i, j] = FORM(z)


@idiom(
    level=2,
    names={
        "x": "x inputs pre",
        "y": "y out activations",
        "slope": "slope derivative dydx",
        "a": "a value s",
        "z": "z u h",
        "kernel": "squash activate apply_activation",
    },
)
def bounded_activation(c):
    """Applies {CURVE} to each {SCALED}entry{ALSO}.

    Apply {CURVE} to each entry of {x}{SCALING}. With t for the {OPERAND}, its value is {FORMULA}; {y} gets
    {RESULT}. {SLOPE}
    """
    n = c.size()
    SCALED = c.meaning("", "scaled ")
    ALSO = c.meaning("", ", and stores the derivative", " and multiplies the result by a weight")
    GAIN, EDGE = c.constant(0.6, 1.6), c.constant(0.8, 1.5)

    def logistic(z: float) -> float:
        """Rises from zero to one."""
        return 1.0 / (1.0 + wp.exp(-z))

    def softsign(z: float) -> float:
        """Nears its bounds like one over the input."""
        return z / (1.0 + wp.abs(z))

    def algebraic(z: float) -> float:
        """Nears its bounds like one over the square of the input."""
        return z / wp.sqrt(1.0 + z * z)

    def bump(z: float) -> float:
        """One at zero, and nothing far from it."""
        return wp.exp(-z * z)

    CURVE = c.meaning(
        "the logistic sigmoid",
        "tanh",
        "softsign",
        "the hard tanh",
        "the arctangent",
        "the inverse-root sigmoid",
        "the Gaussian bump",
    )
    HELPERS = {"softsign": softsign, "the inverse-root sigmoid": algebraic, "the Gaussian bump": bump}
    FORM = HELPERS.get(CURVE, logistic)
    SCALING, OPERAND = "", "entry"
    if SCALED != "":
        SCALING, OPERAND = ", scaled by {GAIN}", "scaled entry"
    FORMULA = {
        "the logistic sigmoid": "1 / (1 + exp(-t))",
        "tanh": "tanh(t)",
        "softsign": "t / (1 + |t|)",
        "the hard tanh": "t clamped to [-{EDGE}, {EDGE}]",
        "the arctangent": "arctan(t)",
        "the inverse-root sigmoid": "t / √(1 + t²)",
        "the Gaussian bump": "exp(-t²)",
    }[CURVE]
    RESULT = "that value times the entry of {weights}" if "weight" in ALSO else "that value"
    SLOPE = ""
    if "derivative" in ALSO:
        SLOPE = "{slope} gets its derivative with respect to the entry of {x}"
        if SCALED != "":
            SLOPE += ", so the scale is a factor of it"
        SLOPE += "; it is 0 at the two limits and beyond." if CURVE == "the hard tanh" else "."

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-3.0, high=3.0, of="score"),
        weights: wp.array[float] = input(n, low=-1.0, high=2.0),
        y: wp.array[float] = output(n, of="activation"),
        slope: wp.array[float] = output(n),
    ):
        i = wp.tid()
        z = GAIN * x[i] if SCALED != "" else x[i]
        if CURVE == "tanh":
            a = wp.tanh(z)
        elif CURVE == "the arctangent":
            a = wp.atan(z)
        elif CURVE == "the hard tanh":
            a = wp.clamp(z, -EDGE, EDGE)
        else:
            a = FORM(z)
        if ALSO == " and multiplies the result by a weight":
            y[i] = weights[i] * a
        else:
            y[i] = a
        if ALSO == ", and stores the derivative":
            if CURVE == "the logistic sigmoid":
                d = a * (1.0 - a)
            elif CURVE == "tanh":
                d = 1.0 - a * a
            elif CURVE == "softsign":
                rest = 1.0 - wp.abs(a)
                d = rest * rest
            elif CURVE == "the hard tanh":
                d = wp.where(wp.abs(z) < EDGE, 1.0, 0.0)
            elif CURVE == "the arctangent":
                d = 1.0 / (1.0 + z * z)
            elif CURVE == "the inverse-root sigmoid":
                d = (1.0 - a * a) * wp.sqrt(1.0 - a * a)
            else:
                d = -2.0 * z * a
            slope[i] = GAIN * d if SCALED != "" else d
