"""The tree's own meaning: it agrees with Warp, and it sees what is degenerate."""

from __future__ import annotations

import json

import numpy as np
import pytest
from toys.programs import THREAD, argument, kernel, name, number, op, read, write

from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.outcomes import Rejected
from warp_ir_dataset.language import program as p
from warp_ir_dataset.language.analysis.degenerate import is_degenerate
from warp_ir_dataset.language.analysis.interpreter import Endless, interpret
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array
from warp_ir_dataset.synthesis.draw import draw
from warp_ir_dataset.synthesis.families import CATEGORIES

A, B, OUT = argument("a"), argument("b"), argument("o", "output")


def outputs(program, **inputs):
    arrays = {key: np.asarray(value)[None] for key, value in inputs.items()}
    return {key: value[0] for key, value in interpret(program, arrays, 1).items()}


def test_break_continue_and_return():
    k, total = name("k", INT), name("total")
    skip = p.If(op("eq", k, number(1, INT), type=BOOL), (p.Continue(),))
    stop = p.If(op("gt", k, number(3, INT), type=BOOL), (p.Break(),))
    loop = p.For(k, number(0, INT), number(8, INT), 1, (skip, stop, p.Accumulate(total, "+", read("a"))))
    leave = p.If(op("eq", THREAD, number(2, INT), type=BOOL), (p.Return(),))
    program = kernel(p.Variable(total, number(0.0)), loop, leave, write("o", total), arguments=(A, OUT))
    values = np.arange(8.0)
    expected = 3 * values
    expected[2] = 0
    assert np.array_equal(outputs(program, a=values)["o"], expected)


def test_atomics_and_while():
    n = name("n", INT)
    step = (p.Accumulate(n, "+", number(1, INT)),)
    count = p.While(op("lt", n, THREAD, type=BOOL), step)
    add = p.Do(op("atomic_add", p.Name("o", Array(FLOAT, 1)), number(0, INT), op("to_float", n)))
    program = kernel(
        p.Variable(n, number(0, INT)), count, add, arguments=(A, argument("o", "output", shape=(1,)))
    )
    assert outputs(program, a=np.ones(8))["o"][0] == sum(range(8))


def test_a_loop_that_does_not_end_is_told():
    forever = p.While(op("gt", read("a"), number(0.0), type=BOOL), (write("o", read("a")),))
    program = kernel(forever, arguments=(A, OUT))
    with pytest.raises(Endless, match="64"):
        outputs(program, a=np.ones(8))
    assert np.array_equal(outputs(program, a=np.zeros(8))["o"], np.zeros(8))
    assert is_degenerate(program, "x")


@pytest.mark.parametrize(
    ("value", "degenerate"),
    [
        (op("add", read("a"), read("b")), False),
        (op("sub", read("a"), read("a")), True),  # zero
        (op("mul", read("b"), number(0.0)), True),
        (op("max", read("a"), op("add", read("b"), number(9.0))), True),  # a never matters
        (op("mul", op("add", read("a"), read("b")), number(1e-3)), True),  # near zero
        (op("mul", op("add", read("a"), read("b")), number(1e-2)), False),
        (number(3.0), True),
        (op("div", read("a"), op("sub", read("b"), read("b"))), True),  # not finite
    ],
)
def test_degenerate(value, degenerate):
    assert is_degenerate(kernel(write("o", value), arguments=(A, B, OUT)), "x") is degenerate


@pytest.mark.compile
@pytest.mark.parametrize("category", CATEGORIES)
def test_warp_computes_the_same(category):
    from warp_ir_dataset.builds.produce import produce

    candidates = [Candidate(Address(11, category, number)) for number in range(20)]
    compared = 0
    for candidate, row in zip(
        candidates, produce(candidates, "cpu", "sm_80", lambda place: None), strict=True
    ):
        if isinstance(row, Rejected):
            continue
        example = json.loads(row["example"])
        found = outputs(draw(candidate.address).program, **example["inputs"])
        for key, value in example["outputs"].items():
            expected = np.asarray(value, float)
            scale = np.abs(expected).max() + 1e-6
            assert np.allclose(found[key], expected, rtol=1e-2, atol=1e-2 * scale), candidate.address
        compared += 1
    assert compared >= 18
