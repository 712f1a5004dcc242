"""Activations: curves for single units, gates, slopes that are learned, and their gradients."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .units import dropout, learned_slopes, maxout_units, spline_activation

__all__ = ["dropout", "learned_slopes", "maxout_units", "spline_activation"]


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
    """Applies {FORM} to each entry{BIASED}{PLACED}."""
    n, width = c.size(5, 8), c.size(5, 8)
    BIASED = c.meaning("", " plus its column's bias")
    IN_PLACE = c.meaning(False, True)
    PLACED = ", in place" if IN_PLACE else ""
    ALPHA, BETA = c.constant(0.3, 1.5), c.constant(0.8, 2.5)

    def softplus(x: float) -> float:
        """softplus"""
        return wp.max(x, 0.0) + wp.log(1.0 + wp.exp(-wp.abs(x)))

    def swish(x: float) -> float:
        """swish"""
        return x / (1.0 + wp.exp(-BETA * x))

    def gelu(x: float) -> float:
        """GELU"""
        return 0.5 * x * (1.0 + wp.erf(x * 0.70710678))

    def tanh_gelu(x: float) -> float:
        """GELU by its tanh form"""
        inner = 0.79788456 * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1.0 + wp.tanh(inner))

    def mish(x: float) -> float:
        """mish"""
        # tanh of softplus, with one exponential
        e = wp.exp(x)
        w = e * (e + 2.0)
        return x * w / (w + 2.0)

    def elu(x: float) -> float:
        """ELU"""
        if x > 0.0:
            return x
        return ALPHA * (wp.exp(x) - 1.0)

    def squareplus(x: float) -> float:
        """squareplus"""
        return 0.5 * (x + wp.sqrt(x * x + BETA))

    def smooth_relu(x: float) -> float:
        """a rectifier with a parabola at its knee"""
        if x < -ALPHA:
            return 0.0
        elif x > ALPHA:
            return x
        t = x + ALPHA
        return t * t / (4.0 * ALPHA)

    FORM = c.meaning(softplus, gelu, elu, swish, mish, squareplus, tanh_gelu, smooth_relu)

    @c.kernel(n, width)
    def kernel(
        bias: wp.array[float] = given(width, low=-1.0, high=1.0),
        x: wp.array2d[float] = updated(n, width, low=-3.0, high=3.0)
        if IN_PLACE
        else given(n, width, low=-3.0, high=3.0),
        y: wp.array2d[float] = result(n, width),
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
    """Applies {FORM} to each {SCALED}entry{ALSO}."""
    n = c.size()
    SCALED = c.meaning("", "scaled ")
    ALSO = c.meaning("", ", and stores the slope there", ", and weighs the result")
    GAIN, EDGE = c.constant(0.5, 2.0), c.constant(0.8, 2.0)

    def logistic(z: float) -> float:
        """the logistic curve"""
        return 1.0 / (1.0 + wp.exp(-z))

    def tangent(z: float) -> float:
        """the hyperbolic tangent"""
        return wp.tanh(z)

    def softsign(z: float) -> float:
        """softsign"""
        return z / (1.0 + wp.abs(z))

    def hard_tanh(z: float) -> float:
        """the hard tanh"""
        return wp.clamp(z, -EDGE, EDGE)

    def arctangent(z: float) -> float:
        """the arctangent"""
        return wp.atan(z)

    def algebraic(z: float) -> float:
        """the inverse-root sigmoid"""
        return z / wp.sqrt(1.0 + z * z)

    def bump(z: float) -> float:
        """the Gaussian bump"""
        return wp.exp(-z * z)

    FORM = c.meaning(logistic, tangent, softsign, hard_tanh, arctangent, algebraic, bump)
    NAME = FORM.__name__

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = given(n, low=-3.0, high=3.0),
        weights: wp.array[float] = given(n, low=-1.0, high=2.0),
        y: wp.array[float] = result(n),
        slope: wp.array[float] = result(n),
    ):
        i = wp.tid()
        z = GAIN * x[i] if SCALED != "" else x[i]
        if ALSO == ", and stores the slope there":
            a = FORM(z)
            y[i] = a
            if NAME == "logistic":
                d = a * (1.0 - a)
            elif NAME == "tangent":
                d = 1.0 - a * a
            elif NAME == "softsign":
                edge = 1.0 - wp.abs(a)
                d = edge * edge
            elif NAME == "hard_tanh":
                d = wp.where(wp.abs(z) < EDGE, 1.0, 0.0)
            elif NAME == "arctangent":
                d = 1.0 / (1.0 + z * z)
            elif NAME == "algebraic":
                d = (1.0 - a * a) * wp.sqrt(1.0 - a * a)
            else:
                d = -2.0 * z * a
            slope[i] = GAIN * d if SCALED != "" else d
        elif ALSO == ", and weighs the result":
            y[i] = weights[i] * FORM(z)
        else:
            y[i] = FORM(z)


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
    """Multiplies {VALUES} by {GATE} of {LAYOUT}{BIASED}."""
    n, width = c.size(5, 8), c.size(4, 7)
    LAYOUT = c.meaning("the row's other half", "the entry beside it", "the matrix of gates")
    VALUES = c.meaning("each value", "each value plus one", "each clipped value")
    BIASED = c.meaning("", ", with biases for both", ", and adds what came in")
    EDGE = c.constant(0.6, 1.6)
    columns = width if LAYOUT == "the matrix of gates" else 2 * width

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
        x: wp.array2d[float] = given(n, columns, low=-2.0, high=2.0),
        gates: wp.array2d[float] = given(n, width, low=-3.0, high=3.0),
        bias: wp.array[float] = given(columns, low=-0.5, high=0.5),
        gate_bias: wp.array[float] = given(width, low=-0.5, high=0.5),
        y: wp.array2d[float] = result(n, width),
    ):
        i, j = wp.tid()
        if LAYOUT == "the row's other half":
            value = x[i, j]
            z = x[i, j + width]
            if BIASED == ", with biases for both":
                value += bias[j]
                z += bias[j + width]
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
        if BIASED == ", and adds what came in":
            if VALUES == "each value plus one":
                y[i, j] = (value + 1.0) * GATE(z) + value
            else:
                y[i, j] = value * GATE(z) + value
        elif VALUES == "each value plus one":
            y[i, j] = (value + 1.0) * GATE(z)
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
    """Takes a gradient back through {FORM}, given its {SAVED}, {KEEP}{ALSO}."""
    n, width = c.size(5, 8), c.size(4, 7)
    KEEP = c.meaning("stored apart", "added up", "in place")
    SAVED = c.meaning("outputs", "inputs")
    FROM_OUTPUT = ("the logistic curve", "tanh", "softplus", "ELU", "leaky ReLU")
    FROM_INPUT = ("swish", "softplus", "ReLU", "GELU", "ELU", "softsign", "capped ReLU")
    FORM = c.meaning(*(FROM_OUTPUT if SAVED == "outputs" else FROM_INPUT))
    ALSO = c.meaning("", ", and sums each column")
    ALPHA, LEAK, CAP = c.constant(0.5, 1.5), c.constant(0.05, 0.3), c.constant(0.8, 2.0)
    low = 0.05 if FORM in ("softplus", "the logistic curve") else -0.45
    target = result(n, width) if KEEP == "stored apart" else updated(n, width, low=-1.0, high=1.0)

    @c.kernel(n, width)
    def kernel(
        x: wp.array2d[float] = given(n, width, low=-3.0, high=3.0),
        y: wp.array2d[float] = given(n, width, low=low, high=0.95),
        dy: wp.array2d[float] = given(n, width, low=-1.0, high=1.0),
        dx: wp.array2d[float] = target,
        db: wp.array[float] = updated(width, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        g = dx[i, j] if KEEP == "in place" else dy[i, j]
        if SAVED == "outputs":
            a = y[i, j]
            if FORM == "the logistic curve":
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
        if KEEP == "added up":
            dx[i, j] += g
        else:
            dx[i, j] = g
        if ALSO != "":
            wp.atomic_add(db, j, g)
