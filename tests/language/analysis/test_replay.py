"""What Warp's backward walk loses of loops and jumps: what is wrong is told, and nothing that is right."""

from __future__ import annotations

import pytest
from toys.kernels.findings import Finding, findings
from toys.kernels.replayed import RIGHT, WRONG, kernel

from warp_ir_dataset.language.analysis.backward.replay import lost_on_the_way_back
from warp_ir_dataset.language.python.read import Unreadable, read

# Of the page's chapters on loops and jumps: what these rules do not tell. Finite differences do.
UNTOLD = {
    "A loop's variable after its loop",
    "A start whose derivative is read off its result",
    "A parameter scaled by a loop",
}
LOOPS = {
    "A product with a loop's result",
    "A curve of a loop's result",
    "The same inside a function",
    "A product carried by a loop",
    "A maximum carried by a loop",
    "An index found by a loop",
    "An inner sum times something",
    "A counter of a while loop as a factor",
    "A member carried by a loop",
    "A component carried by a loop",
    "A continue after some work",
    "A store before a continue",
    "A break",
    "A break before a store",
    "A return from a loop",
    "A while loop over an index",
    "While True",
}


def lost(source: str, max_unroll: int = 16) -> str | None:
    return lost_on_the_way_back(read(source), max_unroll)


def _read(finding: Finding) -> bool:
    try:
        read(f"import warp as wp\n{finding.source}")
    except Unreadable:
        return False
    return True


READ = [finding for finding in findings() if _read(finding)]


@pytest.mark.parametrize("finding", READ, ids=[finding.title for finding in READ])
def test_of_what_is_wrong_it_tells_what_loops_and_jumps_lose(finding: Finding) -> None:
    source = f"import warp as wp\n{finding.source}"
    assert (lost(source) is not None) is (finding.title in LOOPS)


def test_the_page_has_them_all() -> None:
    titles = {finding.title for finding in READ if finding.wrong}
    assert titles >= LOOPS | UNTOLD


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_let_through(name: str) -> None:
    assert lost(kernel(RIGHT[name])) is None


@pytest.mark.parametrize("name", WRONG)
def test_what_is_lost_is_told(name: str) -> None:
    assert lost(kernel(WRONG[name])) is not None


def test_it_is_known_how_many_iterations_are_unrolled() -> None:
    short = kernel(RIGHT["a short loop that is unrolled"])
    assert lost(short, 12) is None and lost(short, 11) is not None
    assert lost(short.replace("range(12)", "range(20)")) is not None
    assert lost(short.replace("range(12)", "range(20)"), 32) is None
