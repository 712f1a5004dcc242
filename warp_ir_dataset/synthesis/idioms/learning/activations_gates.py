"""Activations: gates, and gradients through curves."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "x": "x inputs hidden",
        "gates": "gates gate_in z",
        "y": "y out gated",
        "width": "width half size",
        "value": "value content up",
        "kernel": "glu_forward apply_gate gated_unit",
        "i j": "i j | row col | row unit",
    },
)
def gated_linear_unit(c):
    """A gated linear unit: {VALUES} times {GATE} of {LAYOUT}{BIASED}."""
    n, width = c.size(5, 8), c.size(4, 7)
    LAYOUT = c.meaning("the row's other half", "the entry beside it", "a matrix of gates")
    VALUES = c.meaning("each value", "each scaled value", "each clipped value")
    BIASED = c.meaning("", ", with biases for both", ", with the value added as a residual")
    EDGE, SCALE = c.constant(0.6, 1.6), c.constant(0.2, 0.8)
    columns = width if LAYOUT == "a matrix of gates" else 2 * width

    def logistic(z: float) -> float:
        """the logistic curve."""
        return 1.0 / (1.0 + wp.exp(-z))

    def gelu(z: float) -> float:
        """GELU."""
        return 0.5 * z * (1.0 + wp.erf(0.70710678 * z))

    def swish(z: float) -> float:
        """swish."""
        return z / (1.0 + wp.exp(-z))

    def rectified(z: float) -> float:
        """ReLU."""
        return wp.max(z, 0.0)

    def tangent(z: float) -> float:
        """the tanh."""
        return wp.tanh(z)

    GATE = c.meaning(logistic, gelu, swish, rectified, tangent)

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = given(n, columns, low=-2.0, high=2.0, of="activation"),
        gates: wp.array2d[float] = given(n, width, low=-3.0, high=3.0, of="activation"),
        bias: wp.array[float] = given(columns, low=-0.5, high=0.5),
        gate_bias: wp.array[float] = given(width, low=-0.5, high=0.5),
        y: wp.array2d[float] = result(n, width, of="activation"),
    ):
        i, j = wp.tid()
        if LAYOUT == "the row's other half":
            value = x[i, j]
            z = x[i, j + y.shape[1]]
            if BIASED == ", with biases for both":
                value += bias[j]
                z += bias[j + y.shape[1]]
        elif LAYOUT == "the entry beside it":
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
            # a value that runs away is held
            value = wp.clamp(value, -EDGE, EDGE)
        if BIASED == ", with the value added as a residual":
            if VALUES == "each scaled value":
                y[i, j] = SCALE * value * GATE(z) + value
            else:
                y[i, j] = value * GATE(z) + value
        elif VALUES == "each scaled value":
            y[i, j] = SCALE * value * GATE(z)
        else:
            y[i, j] = value * GATE(z)


@idiom(
    level=3,
    names={
        "x": "x inputs pre",
        "y": "y outputs activations",
        "dy": "dy grad_out adj_y",
        "dx": "dx grad_in adj_x",
        "db": "db grad_bias adj_bias",
        "g": "g grad upstream",
        "kernel": "backward backprop_activation",
        "i j": "i j | row col | sample unit",
    },
)
def activation_backward(c):
    """The backward pass of {FORM} from its {SAVED}{KEEP}{ALSO}."""
    n, width = c.size(5, 8), c.size(4, 7)
    KEEP = c.meaning("", ", accumulated", ", in place")
    SAVED = c.meaning("outputs", "inputs")
    FROM_OUTPUT = ("the logistic sigmoid", "tanh", "softplus", "ELU", "leaky ReLU")
    FROM_INPUT = ("swish", "softplus", "ReLU", "GELU", "ELU", "softsign", "capped ReLU")
    FORM = c.meaning(*(FROM_OUTPUT if SAVED == "outputs" else FROM_INPUT))
    ALSO = c.meaning("", ", and sums the bias gradient of each column")
    ALPHA, LEAK, CAP = c.constant(0.5, 1.5), c.constant(0.05, 0.3), c.constant(0.8, 2.0)
    low = 0.05 if FORM in ("softplus", "the logistic sigmoid") else -0.45
    target = result(n, width) if not KEEP else updated(n, width, low=-1.0, high=1.0)

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = given(n, width, low=-3.0, high=3.0),
        y: wp.array2d[float] = given(n, width, low=low, high=0.95),
        dy: wp.array2d[float] = given(n, width, low=-1.0, high=1.0, of="gradient"),
        dx: wp.array2d[float] = target,
        db: wp.array[float] = updated(width, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        g = dx[i, j] if KEEP == ", in place" else dy[i, j]
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
                below = 0.5 * (1.0 + wp.erf(0.70710678 * z))
                density = 0.39894228 * wp.exp(-0.5 * z * z)
                g *= below + z * density
        if KEEP == ", accumulated":
            dx[i, j] += g
        else:
            dx[i, j] = g
        if ALSO != "":
            wp.atomic_add(db, j, g)
