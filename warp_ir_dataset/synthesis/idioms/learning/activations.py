"""Activations: curves for single units, gates, slopes that are learned, and their gradients."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


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
        x: wp.array2d[float] = updated(n, width, low=-3.0, high=3.0, of="activation")
        if IN_PLACE
        else given(n, width, low=-3.0, high=3.0, of="activation"),
        y: wp.array2d[float] = result(n, width, of="activation"),
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
    ALSO = c.meaning("", ", and stores the derivative", ", times a weight")
    GAIN, EDGE = c.constant(0.5, 2.0), c.constant(0.8, 2.0)

    def logistic(z: float) -> float:
        """the logistic sigmoid"""
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
        x: wp.array[float] = given(n, low=-3.0, high=3.0, of="score"),
        weights: wp.array[float] = given(n, low=-1.0, high=2.0),
        y: wp.array[float] = result(n, of="activation"),
        slope: wp.array[float] = result(n),
    ):
        i = wp.tid()
        z = GAIN * x[i] if SCALED != "" else x[i]
        if ALSO == ", and stores the derivative":
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
        elif ALSO == ", times a weight":
            y[i] = weights[i] * FORM(z)
        else:
            y[i] = FORM(z)
