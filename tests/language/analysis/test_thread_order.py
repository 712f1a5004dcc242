"""Arrays whose contents may depend on the order of threads at an atomic, from the tree alone."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest
from toys.kernels.plain import Case

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.threads.order import order_dependent

HEAD = """
@wp.kernel
def kernel(x: wp.array(dtype=int), count: wp.array(dtype=int), out: wp.array(dtype=int)):
    i = wp.tid()
"""
FIRST = (
    "@wp.func\ndef first(seen: wp.array(dtype=int), k: int) -> int:\n    return wp.atomic_add(seen, k, 1)\n"
)
GIVEN = "@wp.func\ndef put(to: wp.array(dtype=int), k: int):\n    wp.atomic_add(to, k, 1)\n"


def program(body: str, before: str = "") -> ir.Program:
    indented = "".join(f"    {line}\n" for line in dedent(body).strip().split("\n"))
    shapes = {"x": (8,), "count": (8,), "out": (8,)}
    return Case(before + HEAD + indented, lambda arrays: None, shapes).program()


COUNTED = "k = wp.atomic_add(count, x[i], 1)\n"
LOOP = "for j in range(4):\n    out[i] = j\n    k = wp.atomic_add(count, j, 1)\n    if k > 0:\n        break"
CARRIED = "s = int(0)\nfor j in range(3):\n    out[i] = s\n    s = wp.atomic_add(count, x[i], 1)"
MIXED = "wp.atomic_add(out, x[i], i)\nwp.atomic_max(out, x[i], 3)\ncount[i] = 1"
FOLLOWS = {
    "a slot": ("k = wp.atomic_add(count, 0, 1)\nwp.atomic_add(out, k, x[i])", "", "out"),
    "a value": (COUNTED + "out[i] = k", "", "out"),
    "by way of a local": (COUNTED + "s = k * 2\nout[i] = s + x[i]", "", "out"),
    "by way of a variable": (CARRIED, "", "out"),
    "a condition": (COUNTED + "if k == 0:\n    wp.atomic_add(out, x[i], i)", "", "out"),
    "a thread that left": (COUNTED + "if k > 0:\n    return\nout[i] = x[i]", "", "out"),
    "a loop that was left": (LOOP, "", "count out"),
    "how long a loop is": (COUNTED + "for j in range(k):\n    wp.atomic_add(out, j, 1)", "", "out"),
    "a function's result": ("k = first(count, x[i])\nout[i] = k", FIRST, "out"),
    "in a function": (COUNTED + "put(out, k)", GIVEN, "out"),
    "an exchange": ("wp.atomic_exch(count, x[i], i)\nout[i] = x[i]", "", "count"),
    "a sum and a maximum": (MIXED, "", "out"),
}
STAYS = {
    "a sum": "wp.atomic_add(count, x[i], i)\nout[i] = x[i]",
    "sums and differences": "wp.atomic_add(out, x[i], i)\nwp.atomic_sub(out, x[i], 3)\ncount[i] = 1",
    "plus and a sum": "wp.atomic_add(out, x[i], i)\nout[x[i]] += 3\ncount[i] = 1",
    "the thread's own element": "k = wp.atomic_exch(count, i, x[i])\nout[i] = k",
    "nothing atomic": "out[i] = x[i]\ncount[i] = 1",
}


@pytest.mark.parametrize("title", FOLLOWS)
def test_what_follows(title: str) -> None:
    body, before, arrays = FOLLOWS[title]
    assert order_dependent(program(body, before)) == set(arrays.split())


@pytest.mark.parametrize("title", STAYS)
def test_what_does_not(title: str) -> None:
    assert order_dependent(program(STAYS[title])) == frozenset()


def test_the_interpreter_runs_threads_in_any_order_for_each_set() -> None:
    slots = program("k = wp.atomic_add(count, 0, 1)\nwp.atomic_add(out, k, x[i])")
    inputs = {"x": np.arange(10, 26).reshape(2, 8), **dict.fromkeys(("count", "out"), np.zeros((2, 8)))}
    orders = np.array([[7, 0, 6, 1, 5, 2, 4, 3], [1, 2, 3, 0, 7, 6, 5, 4]])
    assert interpret(slots, inputs, 2)["out"].tolist() == inputs["x"].tolist()
    moved = np.take_along_axis(inputs["x"], orders, axis=1)
    assert interpret(slots, inputs, 2, orders=orders)["out"].tolist() == moved.tolist()
