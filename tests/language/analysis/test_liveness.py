"""Statements whose value shows nowhere, and those that matter: told by replacing their values."""

from __future__ import annotations

import numpy as np
import pytest
from toys.texts import program

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.liveness import FEW, dead, only_copies, target_name
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.subject import stacked

SETS = 10
HALF = "@wp.func\ndef half(x: float) -> float:\n    y = 0.5 * x\n    return y\n"
IDLE_HALF = "@wp.func\ndef half(x: float) -> float:\n    y = 0.5 * x\n    return x + 0.0 * y\n"

DEAD = {
    "a product with zero": ("x = a[i]\no[i] = b[i] + 0.0 * x", "", ["x"]),
    "what is overwritten": ("x = a[i]\nx = b[i]\no[i] = x", "", ["x"]),
    "a bound that never bites": ("x = b[i] - 9.0\no[i] = wp.max(a[i], x)", "", ["x"]),
    "a store that is stored over": ("o[i] = a[i]\no[i] = b[i]", "", ["o"]),
    "in a function": ("o[i] = half(a[i])", IDLE_HALF, ["y"]),
    "a loop that starts anew": ("x = a[i]\nfor k in range(3):\n    x = b[i]\no[i] = x + a[i]", "", ["x"]),
}
LIVE = {
    "a local": ("x = a[i]\no[i] = x * b[i]", ""),
    "what begins with a constant": (
        "x = float(0.0)\nif a[i] > 1.0:\n    x = b[i]\nelse:\n    x = a[i]\no[i] = x", ""
    ),
    "a shift that cancels": (
        "x = a[i]\no[i] = wp.exp(b[i] - x) / (wp.exp(b[i] - x) + wp.exp(1.0 - x))", ""
    ),
    "a shift that is undone": ("x = a[i]\no[i] = (b[i] - x) + x", ""),
    "a guess that is improved": (
        "x = b[i]\nfor k in range(40):\n    x = a[i] + 0.1 * wp.cos(x)\no[i] = x", ""
    ),
    "that it has converged": (
        "x = b[i]\nfor k in range(9):\n    y = 0.5 * (x + a[i] / x)\n    step = wp.abs(y - x)\n    x = y\n"
        "    if step < 0.00001:\n        break\no[i] = x", ""
    ),
    "what a loop counts": ("k = int(0)\nx = a[i]\nwhile k < 3:\n    x = x * b[i]\n    k += 1\no[i] = x", ""),
    "an index": ("k = c[i]\no[i] = a[k]", ""),
    "a truth value": ("above = a[i] > 1.0\nif above:\n    o[i] = b[i]\nelse:\n    o[i] = a[i]", ""),
    "in a function": ("o[i] = half(a[i])", HALF),
    "a divisor": ("x = a[i]\no[i] = b[i] / x", ""),
    "where only few look": ("x = b[i]\no[i] = a[i]\nif a[i] > 1.4:\n    o[i] = x", ""),
}  # fmt: skip


def drawn(kernel: ir.Program) -> dict[str, np.ndarray]:
    return stacked(draw_cases(kernel.signature, "live").inputs)


def found(kernel: ir.Program) -> list[str]:
    inputs = drawn(kernel)
    return [target_name(s) for s in dead(kernel, inputs, interpret(kernel, inputs, SETS), SETS)]


@pytest.mark.parametrize("title", DEAD)
def test_what_shows_nowhere(title: str) -> None:
    body, before, names = DEAD[title]
    assert found(program(body, before)) == names


@pytest.mark.parametrize("title", LIVE)
def test_what_matters(title: str) -> None:
    body, before = LIVE[title]
    assert found(program(body, before)) == []


def test_what_shows_on_a_later_input_only() -> None:
    """By its being replaced by zero: a bound that is moved up is met no more."""
    first, *rest = np.split(drawn(program("o[i] = a[i]"))["a"], [FEW])
    edge = round(float(first.max()), 4)
    assert max(later.max() for later in rest) > edge + 0.001
    bounded = f"x = b[i] + 9.0\no[i] = a[i]\nif a[i] > {edge + 0.0005}:\n    o[i] = wp.min(a[i], x)"
    assert found(program(bounded)) == []


def test_what_goes_wrong_shows_and_costs_its_neighbours_nothing() -> None:
    """Of index 1 there is nothing: `k` leaves the array on its lane, and `x` is dead all the same."""
    kernel = program("k = c[i] - c[i]\nx = a[i]\ny = b[i]\no[i] = b[k * 9] + 0.0 * x + y")
    assert found(kernel) == ["x"]


def test_copies_are_told_from_what_computes() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    assert only_copies({"x": x, "y": y}, {"o": x.copy(), "p": y})
    assert not only_copies({"x": x, "y": y}, {"o": x, "p": x + y})
    assert not only_copies({"x": x}, {"o": x[:, :2]})
    spread = np.stack([x, x], axis=-1)
    assert only_copies({"x": x}, {"o": spread}) and not only_copies({"x": x}, {"o": spread * [1.0, 2.0]})
