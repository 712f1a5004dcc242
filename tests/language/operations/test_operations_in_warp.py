"""The table held against Warp: every row at all operand types it promises, compiled and run."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from toys.native import UNIT, Case, cases, compiled, faults
from toys.operations import BY_FILE

from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.table import TABLE

pytestmark = [pytest.mark.compile, pytest.mark.slow]


def wrong(batch: list[Case]) -> list[str]:
    """A line for everything that Warp does otherwise than the table says."""
    found: list[str] = []
    for start in range(0, len(batch), UNIT):
        ready, failed = compiled(batch[start : start + UNIT])
        found += failed
        for case, translation, entries in ready:
            found += faults(case, translation, entries)
    return found


@pytest.mark.parametrize("file", BY_FILE)
def test_warp_does_what_the_table_says(file: str) -> None:
    """Every row, at the first of its types and at every seventh after it."""
    held([case for row in BY_FILE[file] for case in islice(cases(row), 0, None, 7)])


@pytest.mark.long
@pytest.mark.parametrize("file", BY_FILE)
def test_at_all_types(file: str) -> None:
    held([case for row in BY_FILE[file] for case in cases(row)])


def held(batch: list[Case]) -> None:
    found = wrong(batch)
    assert not found, f"{len(found)} faults in {len(batch)} kernels:\n" + "\n".join(found)


def first_case(row: Operation) -> Case:
    return next(cases(row))


@pytest.mark.parametrize(
    ("name", "label"), [("mul", "linear"), ("div", "bilinear"), ("sqrt", "operands"), ("abs", "flat")]
)
def test_a_bold_label_is_noticed(name: str, label: str) -> None:
    row = TABLE[name]
    assert not wrong([first_case(row)])
    bold = wrong([replace(first_case(row), row=replace(row, derivative=label))])
    assert any("gradient" in line for line in bold)
