"""Activations: gates, and gradients through curves."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "x": "x inputs hidden",
        "gates": "gates gate_in z",
        "y": "y out gated",
        "value": "value content up",
        "g": "g gate",
        "kernel": "glu_forward apply_gate gated_unit",
        "i j": "i j | row col | row unit",
    },
)
def gated_linear_unit(c):
    """Applies gated linear units: {VALUES} times {GATE} of {LAYOUT}{BIASED}.

    Apply a gated linear unit. {PAIR}{CLIP} With t for the gate, {y} gets {RESULT}.
    """
    n, width = c.size(5, 8), c.size(4, 7)
    LAYOUT = c.meaning("the entry half a row on", "the entry after it", "its entry in a matrix of gates")
    VALUES = c.meaning("each value", "each scaled value", "each clipped value")
    BIASED = c.meaning("", ", with biases for both", ", plus the value itself")
    RESIDUAL, SCALED = BIASED == ", plus the value itself", VALUES == "each scaled value"
    if RESIDUAL and SCALED:
        BIASED = ", plus the value unscaled"
    elif RESIDUAL and VALUES == "each clipped value":
        BIASED = ", plus the clipped value"
    EDGE, SCALE = c.constant(0.8, 1.5), c.constant(0.2, 0.8)
    columns = width if LAYOUT == "its entry in a matrix of gates" else 2 * width

    def logistic(z: float) -> float:
        """The share of the value that a gate lets through."""
        return 1.0 / (1.0 + wp.exp(-z))

    def gelu(z: float) -> float:
        """The gate times the share of a normal distribution below it."""
        return 0.5 * z * (1.0 + wp.erf(0.70710678 * z))

    def swish(z: float) -> float:
        """The gate times a sigmoid of it."""
        return z / (1.0 + wp.exp(-z))

    GATE = c.meaning("the sigmoid", "GELU", "swish", "ReLU", "tanh")
    curve = {"GELU": gelu, "swish": swish}.get(GATE, logistic)
    PAIR = {
        "the entry half a row on": (
            "The value of output (i, j) is `{x}[i, j]` and its gate the entry half a row on, `{x}[i, j + "
            "m]`, if {y} has m columns"
        ),
        "the entry after it": "The value of output (i, j) is `{x}[i, 2j]`, and its gate is `{x}[i, 2j + 1]`",
        "its entry in a matrix of gates": (
            "The value of output (i, j) is `{x}[i, j]`, and its gate is `{gates}[i, j]`"
        ),
    }[LAYOUT]
    if BIASED == ", with biases for both" and columns == width:
        PAIR += "; `{bias}[j]` is added to the value and `{gate_bias}[j]` to the gate"
    elif BIASED == ", with biases for both":
        PAIR += "; to both, the entry of {bias} for their own column of {x} is added"
    PAIR += "."
    CLIP = " The value is then clamped to [-{EDGE}, {EDGE}]." if VALUES == "each clipped value" else ""
    RESULT = "{SCALE} times the value times {FORMULA}" if SCALED else "the value times {FORMULA}"
    if RESIDUAL:
        RESULT += ", to which the value itself is added" + (", unscaled" if SCALED else "")
    FORMULA = {
        "the sigmoid": "the logistic sigmoid 1 / (1 + exp(-t))",
        "GELU": "GELU, ½·t·(1 + erf(0.70710678·t))",
        "swish": "swish, t / (1 + exp(-t))",
        "ReLU": "max(t, 0)",
        "tanh": "tanh(t)",
    }[GATE]

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = input(n, columns, low=-2.0, high=2.0, of="activation"),
        gates: wp.array2d[float] = input(n, width, low=-3.0, high=3.0, of="activation"),
        bias: wp.array[float] = input(columns, low=-0.5, high=0.5),
        gate_bias: wp.array[float] = input(width, low=-0.5, high=0.5),
        y: wp.array2d[float] = output(n, width, of="activation"),
    ):
        i, j = wp.tid()
        if LAYOUT == "the entry half a row on":
            value = x[i, j]
            z = x[i, j + y.shape[1]]
            if BIASED == ", with biases for both":
                value += bias[j]
                z += bias[j + y.shape[1]]
        elif LAYOUT == "the entry after it":
            value = x[i, 2 * j]
            z = x[i, 2 * j + 1]
            if BIASED == ", with biases for both":
                value += bias[2 * j]
                z += bias[2 * j + 1]
        elif BIASED == ", with biases for both":
            value = x[i, j] + bias[j]
            z = gates[i, j] + gate_bias[j]
        else:
            value = x[i, j]
            z = gates[i, j]
        if VALUES == "each clipped value":
            # an open gate would let outliers pass
            value = wp.clamp(value, -EDGE, EDGE)
        if GATE == "ReLU":
            g = wp.max(z, 0.0)
        elif GATE == "tanh":
            g = wp.tanh(z)
        else:
            g = curve(z)
        if RESIDUAL:
            y[i, j] = SCALE * value * g + value if SCALED else value * g + value
        else:
            y[i, j] = SCALE * value * g if SCALED else value * g


@idiom(
    level=3,
    names={
        "x": "x inputs pre",
        "y": "y outputs activations",
        "dy": "dy grad_out adj_y",
        "dx": "dx grad_in adj_x",
        "db": "db grad_bias adj_bias",
        "g": "g grad delta",
        "kernel": "backward backprop_activation",
        "i j": "i j | row col | sample unit",
    },
)
def activation_backward(c):
    """Backpropagates through {FORM}, given its {SAVED}{KEEP}{ALSO}.

    Backpropagate through {FORM} from its saved {SAVED}: each gradient {OF} is multiplied by the derivative of
    the activation there. With t for the entry of {SAVED_IN}, the derivative is {FORMULA}. {STORE} {COLUMNS}
    """
    n, width = c.size(5, 8), c.size(4, 7)
    KEEP = c.meaning("", ", accumulating the input gradients", ", in place")
    IN_PLACE, ADDED = KEEP == ", in place", KEEP.startswith(", accumulating")
    if IN_PLACE:
        c.names({"dx": "grads grad adj"})
    SAVED = c.meaning("outputs", "inputs")
    FROM_OUTPUT = ("the logistic sigmoid", "tanh", "softplus", "ELU", "leaky ReLU")
    FROM_INPUT = ("swish", "softplus", "ReLU", "GELU", "ELU", "softsign", "capped ReLU")
    FORM = c.meaning(*(FROM_OUTPUT if SAVED == "outputs" else FROM_INPUT))
    ALSO = c.meaning("", ", and adds up the bias gradient of each column")
    ALPHA, LEAK, CAP = c.constant(0.5, 1.5), c.constant(0.05, 0.3), c.constant(0.8, 2.0)
    # What each of them can have given.
    low = {"the logistic sigmoid": 0.05, "softplus": 0.05, "ELU": -0.45}.get(FORM, -0.95)
    high = 0.95 if FORM in ("the logistic sigmoid", "tanh") else 2.0
    target = output(n, width) if not KEEP else inout(n, width, low=-1.0, high=1.0)
    SAVED_IN = "{y}" if SAVED == "outputs" else "{x}"
    OF = "in {dx}" if IN_PLACE else "in {dy}"
    STORE = "The product goes to {dx}."
    if IN_PLACE:
        STORE = "The product replaces the gradient in {dx}."
    elif ADDED:
        STORE = "The product is added to the gradient that {dx} already holds."
    if SAVED == "outputs":
        FORMULA = {
            "the logistic sigmoid": "t·(1 - t)",
            "tanh": "1 - t²",
            "softplus": "1 - exp(-t)",
            "ELU": "t + {ALPHA} if t is negative and 1 otherwise",
            "leaky ReLU": "1 if t is positive and {LEAK} otherwise",
        }[FORM]
    else:
        FORMULA = {
            "swish": "s·(1 + t·(1 - s)), where s = 1 / (1 + exp(-t))",
            "softplus": "1 / (1 + exp(-t))",
            "ReLU": "1 if t is positive and 0 otherwise",
            "GELU": "½·(1 + erf(0.70710678·t)) + t·0.39894228·exp(-½·t²)",
            "ELU": "{ALPHA}·exp(t) if t is negative and 1 otherwise",
            "softsign": "1 / (1 + |t|)²",
            "capped ReLU": "1 if 0 < t < {CAP} and 0 otherwise",
        }[FORM]
    COLUMNS = (
        "Add the sum of the products of each column to its entry of {db}, the bias gradient." if ALSO else ""
    )

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = input(n, width, low=-3.0, high=3.0),
        y: wp.array2d[float] = input(n, width, low=low, high=high),
        dy: wp.array2d[float] = input(n, width, low=-1.0, high=1.0, of="gradient"),
        dx: wp.array2d[float] = target,
        db: wp.array[float] = inout(width, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        g = dx[i, j] if IN_PLACE else dy[i, j]
        if SAVED == "outputs":
            a = y[i, j]
            if FORM == "the logistic sigmoid":
                g *= a * (1.0 - a)
            elif FORM == "tanh":
                g *= 1.0 - a * a
            elif FORM == "softplus":
                g *= 1.0 - wp.exp(-a)
            elif FORM == "ELU":
                if a < 0.0:
                    g *= a + ALPHA
            else:
                g *= wp.where(a > 0.0, 1.0, LEAK)
        else:
            z = x[i, j]
            if FORM == "ReLU":
                if z <= 0.0:
                    g = float(0.0)
            elif FORM == "capped ReLU":
                if z <= 0.0 or z >= CAP:
                    g = float(0.0)
            elif FORM == "ELU":
                if z < 0.0:
                    g *= ALPHA * wp.exp(z)
            elif FORM == "softplus":
                g /= 1.0 + wp.exp(-z)
            elif FORM == "swish":
                s = 1.0 / (1.0 + wp.exp(-z))
                g *= s * (1.0 + z * (1.0 - s))
            elif FORM == "softsign":
                r = 1.0 + wp.abs(z)
                g /= r * r
            else:
                cdf = 0.5 * (1.0 + wp.erf(0.70710678 * z))
                pdf = 0.39894228 * wp.exp(-0.5 * z * z)
                g *= cdf + z * pdf
        if ADDED:
            dx[i, j] += g
        else:
            dx[i, j] = g
        if ALSO != "":
            wp.atomic_add(db, j, g)
