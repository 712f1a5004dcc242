"""Answers that are right when threads run in turn, and wrong when they run in step."""

from __future__ import annotations

import numpy as np
import pytest
from toys.judged import row_at
from toys.texts import program

from warp_ir_dataset.judge.racing import races
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.mutants.table import OPERATORS
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.run import Result

COUNT = "wp.atomic_add(o, c[i] % 2, a[i])"
LOOP = "for k in range(n):\n    wp.atomic_add(o, k, a[i])"


def found(body: str, code: str) -> bool:
    """Whether a source is said to race where the kernel with this body is asked for."""
    own = program(body)
    inputs = [make_inputs(own.signature, f"racing/{number}") for number in range(2)]
    expected = []
    for given in inputs:
        left = interpret(own, {name: value[None] for name, value in given.items()}, 1)
        expected.append(Result({name: np.float32(value[0]) for name, value in left.items()}, {}))
    return races(code, own, inputs, expected)


def unlocked(body: str) -> str:
    (made,) = OPERATORS["atomic unlocked"].variants(program(body))
    return write(made)


@pytest.mark.parametrize("body", [COUNT, LOOP])
def test_an_atomic_without_its_lock_races(body: str) -> None:
    assert found(body, unlocked(body)) and not found(body, write(program(body)))


def test_threads_that_meet_nowhere_or_leave_the_same_do_not() -> None:
    own = "o[i] = a[i]"
    assert not found(
        own, write(program("j = n * 0 + i\no[j] = a[j]")).replace(", n: int", "").replace("n * 0", "0")
    )
    both = write(program("o[i // 2 * 2] = a[i // 2 * 2]\no[i // 2 * 2 + 1] = a[i // 2 * 2 + 1]"))
    assert not found(own, both)


def test_what_is_not_known_is_no_race() -> None:
    assert not found(COUNT, "import warp as wp\n")  # not read
    assert not found(COUNT, unlocked(LOOP))  # another signature, or more loops
    beyond = unlocked(COUNT).replace("c[i] % 2", "c[i] + 9")
    assert "c[i] + 9" in beyond and not found(COUNT, beyond)


@pytest.mark.process
@pytest.mark.compile
def test_the_judge_refuses_a_race(judge) -> None:
    row = row_at("spec_to_warp", "atomic", 3)
    right = judge(row, row["completion"])
    assert right.status is Status.CORRECT
    racing = next(OPERATORS["atomic unlocked"].variants(read(row["completion"])))
    verdict = judge(row, write(racing))
    assert (verdict.status, verdict.value) == (Status.WRONG_OUTPUT, 0.0) and "race" in verdict.feedback
