"""Rows of scores: softmax and what goes with it."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(level=3, names={"x": "scores logits energies", "out": "result out lse"})
def log_sum_exp(c):
    """The log-sum-exp of each row of {x}, shifted by the row's largest entry."""
    n, width = c.size(), c.meaning(4, 8, 6)
    TEMPERATURE = c.constant(0.5, 4.0)
    SCALE = c.meaning("none", "temperature", "mean")

    @c.kernel(n)
    def kernel(
        x: wp.array2d[float] = given(n, width, low=-10.0, high=10.0),
        out: wp.array[float] = result(n),
    ):
        row = wp.tid()
        peak = x[row, 0]
        for k in range(1, width):
            peak = wp.max(peak, x[row, k])
        # shifted by {peak}, no exponential overflows
        total = float(0.0)
        for k in range(width):
            if SCALE == "temperature":
                total += wp.exp((x[row, k] - peak) / TEMPERATURE)
            else:
                total += wp.exp(x[row, k] - peak)
        if SCALE == "temperature":
            out[row] = peak + TEMPERATURE * wp.log(total)
        elif SCALE == "mean":
            out[row] = peak + wp.log(total / float(width))
        else:
            out[row] = peak + wp.log(total)
