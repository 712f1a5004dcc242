"""When one sentence is enough: of what it leaves open, nothing may change an output."""

from __future__ import annotations

import pytest
from edits import outputs_of, same

from warp_ir_dataset.builds.prompts import DESCRIPTION, SPECIFICATION, style_of, words_of
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.mutants.table import every_mutant
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.specification.short import decides
from warp_ir_dataset.language.specification.write import outside, specify
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.synthesis.categories import CATEGORIES, GROWN
from warp_ir_dataset.synthesis.difficulty import difficulty_of
from warp_ir_dataset.synthesis.draw import address_of, draw

EASY = [number for number in range(200) if difficulty_of(number) == 1][:8]
HEADS = {
    1: """import warp as wp

RATE = wp.constant(0.5)

@wp.kernel
def k(a: wp.array[float], b: wp.array[float], v: wp.array[wp.vec3], bins: wp.array[int], s: float,
      out: wp.array[float]):
    i = wp.tid()
""",
    2: """import warp as wp

@wp.kernel
def k(a: wp.array2d[float], b: wp.array2d[float], row: wp.array[float], out: wp.array2d[float],
      sums: wp.array[float]):
    i, j = wp.tid()
""",
}


def kernel(body: str, dims: int = 1) -> ir.Program:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return read(HEADS[dims] + lines)


ENOUGH = [
    (1, "out[i] = wp.sqrt(a[i])", "stores the square root of `a` in `out`"),
    (1, "x = a[i]\nout[i] = wp.sqrt(x)", "stores the square root of `a` in `out`"),
    (1, "out[i] = a[i] - RATE", "stores `a` minus 0.5 in `out`"),
    (1, "out[i] = s * float(i)", "stores the product of `s` and `i` in `out`"),
    (1, "out[i] = a[i] + wp.length(v[i])", "stores the sum of `a` and the length of `v` in `out`"),
    (1, "out[bins[i]] += a[i]", "adds `a` to the bin of `out` that `bins` names"),
    (1, "out[i // 3] -= a[i]", "subtracts `a` from a cell of `out` shared by 3 threads"),
    (2, "out[i, j] = wp.max(a[i, j], b[i, j])", "stores the larger of `a` and `b` in `out`"),
    (2, "wp.atomic_max(sums, i, a[i, j])", "takes the maximum of `a` into its row of `sums`"),
    (2, "sums[j] += a[i, j]", "adds `a` to its column of `sums`"),
]

OPEN = {
    "another operand": (1, "out[i] = wp.sqrt(b[i])", "stores the square root of `a` in `out`"),
    "another literal": (1, "out[i] = a[i] - 0.25", "stores `a` minus 0.5 in `out`"),
    "another column": (2, "sums[i] += a[i, j]", "adds `a` to its column of `sums`"),
    "a neighbour's element": (1, "out[i] = wp.sqrt(a[i + 1])", "stores the square root of `a` in `out`"),
    "an array over one dimension": (
        2,
        "out[i, j] = wp.sqrt(row[i])",
        "stores the square root of `row` in `out`",
    ),
    "the sign of what is divided": (1, "out[i] = a[i] % b[i]", "stores `a` modulo `b` in `out`"),
    "halves": (1, "out[i] = wp.round(a[i])", "stores `a` rounded to the nearest whole number in `out`"),
    "where brackets are": (
        1,
        "out[i] = (a[i] + b[i]) / s",
        "stores the sum of `a` and `b` divided by `s` in `out`",
    ),
    "a branch that is left out": (
        1,
        "if a[i] > 0.5:\n    out[i] = b[i]\nelse:\n    out[i] = s",
        "stores `b` in `out` where `a` exceeds 0.5",
    ),
    "how long a loop is": (
        1,
        "t = float(0.0)\nfor k in range(3):\n    t += a[k]\nout[i] = t",
        "sums `a` over 3 steps, and stores `t` in `out`",
    ),
    "which cells": (1, "out[i % 3] += a[i]", "adds `a` to a cell of `out` shared by every third thread"),
    "a second store": (1, "out[i] = a[i]\nout[0] = s", "stores `a` in `out`"),
    "a total that is none": (1, "out[0] += a[i]", "adds `a` to one total of `out`"),
}


def of(dims: int, clauses: str) -> str:
    return f"For each {'cell' if dims == 1 else f'cell of a {dims}D grid'}, {clauses}."


@pytest.mark.parametrize(("dims", "body", "description"), ENOUGH)
def test_a_sentence_that_tells_all_is_enough(dims: int, body: str, description: str) -> None:
    assert decides(of(dims, description), kernel(body, dims))
    assert not decides(description, kernel(body, dims))


@pytest.mark.parametrize("what", OPEN)
def test_a_sentence_that_leaves_something_open_is_not(what: str) -> None:
    dims, body, description = OPEN[what]
    assert not decides(of(dims, description), kernel(body, dims))


# ---- drawn kernels


@pytest.fixture(scope="module")
def decided() -> list[tuple[str, ir.Program]]:
    draws = [draw(address_of(3, category, number)) for category in GROWN for number in EASY]
    assert all(drawn.difficulty == 1 for drawn in draws)
    return [(d.description, d.program) for d in draws if decides(d.description, d.program)]


def test_it_is_enough_for_many_kernels_of_one_operation(decided: list[tuple[str, ir.Program]]) -> None:
    assert len(GROWN) * len(EASY) / 3 < len(decided) < len(GROWN) * len(EASY)


def test_an_edit_that_changes_an_output_leaves_the_sentence_wrong(
    decided: list[tuple[str, ir.Program]],
) -> None:
    tried = 0
    for description, program in decided:
        cases = [make_inputs(program.signature, str(case)) for case in range(2)]
        for mutant in every_mutant(program):
            tried += 1
            if decides(description, mutant.program):
                after = outputs_of(mutant.program, cases)
                assert after is None or same(outputs_of(program, cases), after), (mutant, description)
    assert tried > 200


def test_pages_are_told_in_full() -> None:
    pages = [draw(address_of(3, category, 0)) for category in CATEGORIES if category not in GROWN]
    assert not any(decides(drawn.description, drawn.program) for drawn in pages)


def test_every_second_of_them_is_asked_for_by_its_sentence(decided: list[tuple[str, ir.Program]]) -> None:
    styles = {}
    for description, program in decided:
        id = identify(program).id
        styles[id] = style_of(id, description, program)
        assert (styles[id] == DESCRIPTION) == (int(id[-1], 16) % 2 == 0)
        assert style_of(id, description + " ", program) == SPECIFICATION
    assert set(styles.values()) == {DESCRIPTION, SPECIFICATION}


def test_what_is_asked_in_a_sentence_begins_as_the_specification(
    decided: list[tuple[str, ir.Program]],
) -> None:
    for description, program in decided:
        specification = specify(program)
        asked = words_of(DESCRIPTION, description, specification, program)
        assert asked == f"{outside(program)}\n{description}\n"
        assert specification.startswith(outside(program) + "\nEach thread:\n")
        assert words_of(SPECIFICATION, description, specification, program) == specification
