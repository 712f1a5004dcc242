"""Which of the inputs drawn for a kernel are its cases."""

from __future__ import annotations

import numpy as np

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT, INT
from warp_ir_dataset.proof.cases import chosen, rehearse
from warp_ir_dataset.proof.subject import Ran

SOURCE = """import warp as wp


@wp.kernel
def pick(mode: int, x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if mode == 1:
        out[i] = x[i]
    elif mode == 2:
        out[i] = -x[i]
    elif mode == 3:
        out[i] = x[i] * x[i]
    elif mode == 4:
        out[i] = x[i] + 1.0
"""


def pick() -> ir.Program:
    x = ir.Argument("x", FLOAT, "input", (2,), Interval(-1.0, 1.0))
    mode = ir.Argument("mode", INT, "input", (), Interval(0, 5))
    out = ir.Argument("out", FLOAT, "output", (2,), Interval(0, 0))
    return read(SOURCE, ir.Signature("pick", (mode, x, out), (2,)))


def places(modes: list[int], telling: set[int] | None = None) -> tuple[int, ...]:
    sets = [{"mode": np.array(mode), "x": np.array([0.5, 0.25])} for mode in modes]
    told = set(range(len(modes))) if telling is None else telling
    return chosen(len(modes), told, rehearse(pick(), sets))


def test_three_cases_where_one_would_do():
    assert places([1, 1, 1, 1, 1]) == (0, 1, 2)
    assert chosen(5, {0, 1, 2, 3, 4}, None) == (0, 1, 2)


def test_all_inputs_where_there_are_fewer():
    assert places([1, 2]) == (0, 1) and chosen(1, {0}, None) == (0,)


def test_the_fewest_that_run_what_all_of_them_run():
    assert places([1, 1, 1, 1, 2, 1]) == (0, 1, 4)
    assert places([1, 1, 2, 1, 3, 1, 4]) == (0, 2, 4, 6)
    assert places([0, 0, 1, 0, 2, 0, 3, 0, 4, 0]) == (0, 2, 4, 6, 8)


def test_one_that_tells_comes_first():
    assert places([0, 1, 0, 1, 1], telling={3, 4}) == (3, 0, 1)
    assert chosen(4, {3}, None) == (3, 0, 1)
    assert chosen(4, set(), None) == (0, 1, 2)  # such a kernel is refused


def test_how_much_of_the_branches_runs():
    """Four branches of two arms: the first mode runs one arm of the first and stays out of the rest."""
    sets = [{"mode": np.array(mode), "x": np.array([0.5, 0.25])} for mode in (1, 2, 3)]
    rehearsal = rehearse(pick(), sets)
    assert rehearsal.ran((0,)) == Ran(8, 1) and rehearsal.ran((0, 1)) == Ran(8, 3)
    assert rehearsal.ran((0, 1, 2)) == Ran(8, 5)


def test_the_meaning_is_that_of_each_set():
    sets = [{"mode": np.array(mode), "x": np.array([0.5, 0.25])} for mode in (1, 2, 3)]
    meaning = rehearse(pick(), sets).meaning
    assert [outputs["out"].tolist() for outputs in meaning] == [[0.5, 0.25], [-0.5, -0.25], [0.25, 0.0625]]
