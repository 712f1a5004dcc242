"""Plain CUDA compiled and run: every construct, every operation, and texts that were tampered with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from toys.constructs import PROGRAMS
from toys.kernels.in_plain_cuda import Tried, differences, one_operation
from toys.native import Case, cases
from toys.operations import BY_FILE

from warp_ir_dataset.language.cuda.refusals import NoPlainForm
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.proof.inputs import make_inputs

pytestmark = pytest.mark.compile

UNIT = 60
# What has no plain form, beside half precision.
REFUSED = {"closest_point_edge_edge", "intersect_tri_tri"}
RENDERED = [title for title in PROGRAMS if title != "half precision"]


def tried(title: str) -> Tried:
    program = PROGRAMS[title]
    inputs = tuple(make_inputs(program.signature, f"{title}/{number}") for number in range(3))
    return Tried(title, program, inputs)


def test_every_construct_does_what_warps_code_does() -> None:
    assert differences([tried(title) for title in RENDERED]) == []


# ---- operations


def batches(batch: list[Case]) -> Iterator[list[Tried]]:
    """Those that have a plain form; raises where another one has none."""
    kept = []
    for number, case in enumerate(batch):
        made = one_operation(case, f"op_{number}")
        try:
            render(made.program)
            kept.append(made)
        except NoPlainForm as refused:
            assert "float16" in str(refused) or case.row.name in REFUSED, refused
    yield from (kept[at : at + UNIT] for at in range(0, len(kept), UNIT))


@pytest.mark.slow
@pytest.mark.parametrize("file", BY_FILE)
def test_plain_cuda_does_what_warp_does(file: str) -> None:
    """Every row, at the first of its types and at every eleventh after it."""
    chosen = [case for row in BY_FILE[file] for case in islice(cases(row), 0, None, 11)]
    assert [line for batch in batches(chosen) for line in differences(batch)] == []


@pytest.mark.long
@pytest.mark.parametrize("file", BY_FILE)
def test_at_all_types(file: str) -> None:
    chosen = [case for row in BY_FILE[file] for case in cases(row)]
    assert [line for batch in batches(chosen) for line in differences(batch)] == []


def test_most_of_the_table_has_a_plain_form() -> None:
    rows = [row for name, rows in BY_FILE.items() for row in rows if next(cases(row), None)]
    refused = {row.name for row in rows if row.name in REFUSED}
    assert refused == REFUSED and len(rows) > 300 and not REFUSED - set(TABLE)


# ---- texts that are wrong


@pytest.mark.parametrize(
    ("title", "right", "wrong"),
    [
        ("a constant of the module", "a[i] * SCALE", "-a[i] * SCALE"),
        ("a launch of three dimensions", "b[k * b_cols + j]", "b[j * b_cols + k]"),
        ("a row of an array", "* row(3)", "* row(2)"),
        ("a transform by value", "turn[3]", "turn[2]"),
        ("members of an element", "    atomicAdd(&bodies[i].mass, a[i]);\n", ""),
        ("a loop downwards", "k > -1", "k > 0"),
        ("comparisons in a row", "a[i] < 1.4f", "a[i] < 1.3f"),
        ("random numbers", "rand_init(seed, i)", "rand_init(seed, i + 1)"),
        ("a function of two results", "out = x * 0.5f", "out_2 = x * 0.5f"),
        ("unsigned numbers wrap", "4294967295u", "4294967294u"),
        ("an endless loop that is left", "x > 3.0f", "x >= 2.9f"),
    ],
)
def test_a_wrong_text_is_noticed(title: str, right: str, wrong: str) -> None:
    case = tried(title)
    plain = render(case.program)
    assert plain.completion.count(right) == 1, plain.completion
    mutant = replace(plain, completion=plain.completion.replace(right, wrong))
    assert differences([case], [plain]) == []
    assert differences([case], [mutant]) != []
