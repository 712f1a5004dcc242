"""Launches whose threads run in lockstep, whatever they share."""

from __future__ import annotations

import numpy as np
import pytest
from toys.texts import program

from warp_ir_dataset.language.analysis.interpreter import interpret, interpret_in_lockstep
from warp_ir_dataset.language.analysis.memory import ThreadConflict


def left(body: str, run=interpret_in_lockstep) -> np.ndarray:
    start = program(body)
    given = {"a": np.arange(1.0, 9.0)[None], "c": np.zeros((1, 8), np.int64), "o": np.zeros((1, 8))}
    names = {argument.name for argument in start.signature.inputs}
    return run(start, {name: value for name, value in given.items() if name in names}, 1)["o"][0]


def test_each_thread_reads_before_any_of_them_writes() -> None:
    body = "o[0] = o[0] + a[i]"
    assert left(body)[0] == 8.0 and left(body, interpret)[0] == 36.0


def test_what_is_locked_and_what_is_apart_is_the_same_in_any_order() -> None:
    for body in ("wp.atomic_add(o, 0, a[i])", "o[i] = a[i] * 2.0", "o[i] = a[i]\no[i] = o[i] + 1.0"):
        assert np.array_equal(left(body), left(body, interpret))


def test_what_an_atomic_returns_hangs_on_the_order() -> None:
    with pytest.raises(ThreadConflict):
        left("k = wp.atomic_add(c, 0, 1)\no[k] = a[i]")
