"""Values of loops and jumps that Warp's backward pass loses: wrong gradients are refused, right ones are
not."""

from __future__ import annotations

import pytest
from toys.kernels.findings import Finding, findings
from toys.kernels.replayed import RIGHT, WRONG, kernel

from warp_ir_dataset.language.analysis.backward.replay import lost_on_the_way_back
from warp_ir_dataset.language.python.read import Unreadable, read

# Of `tests/findings/loops` and `jumps`: kernels that these rules let through. Finite differences refuse them.
UNTOLD = {
    "loops/loop_variable_after_the_loop",
    "loops/start_by_exp",
    "loops/scaled_parameter",
}
LOOPS = {
    "loops/product_with_a_result",
    "loops/square_of_a_result",
    "loops/square_of_a_result_in_a_function",
    "loops/carried_product",
    "loops/carried_maximum",
    "loops/found_index",
    "loops/inner_sum_as_a_factor",
    "loops/while_counter_as_a_factor",
    "loops/carried_member",
    "loops/carried_component",
    "loops/random_number_as_a_factor",
    "jumps/continue_after_a_sum",
    "jumps/continue_after_a_store",
    "jumps/break_after_a_sum",
    "jumps/break_before_a_store",
    "jumps/return_in_a_loop",
    "jumps/while_loop_over_an_index",
    "jumps/while_true",
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


@pytest.mark.parametrize("finding", READ, ids=[finding.name for finding in READ])
def test_of_what_is_wrong_it_tells_what_loops_and_jumps_lose(finding: Finding) -> None:
    source = f"import warp as wp\n{finding.source}"
    assert (lost(source) is not None) is (finding.name in LOOPS)


def test_the_files_have_them_all() -> None:
    names = {finding.name for finding in READ if finding.wrong}
    assert names >= LOOPS | UNTOLD


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_let_through(name: str) -> None:
    assert lost(kernel(RIGHT[name])) is None


@pytest.mark.parametrize("name", WRONG)
def test_what_is_lost_is_told(name: str) -> None:
    assert lost(kernel(WRONG[name])) is not None


ANGLE = (
    "axis = wp.vec3(0.0)",
    "angle = float(0.0)",
    "wp.quat_to_axis_angle(q, axis, angle)",
    "y[i] = angle * w",
)
LOOP = "for j in range(n):\n        w = w * x[j]"
SUM = "for j in range(n):\n        w = w + x[j]"


@pytest.mark.parametrize(
    "lines, reason",
    [
        (("y[i] = w * w", SUM), "derivative"),
        ((LOOP, "y[i] = w"), "derivative"),
        ((SUM, "y[i] = w * w"), "derivative"),
        ((SUM, "y[i] = w"), None),
        # What is compared is no index.
        ((SUM, "v = x[i]", "wp.atomic_cas(y, i, w, v)"), None),
        (("q = wp.quat(w, w, w, w)", "for j in range(n):\n        q = q * q", *ANGLE), "derivative"),
    ],
)
def test_a_local_that_a_loop_changes_is_lost_before_in_and_after_it(
    lines: tuple[str, ...], reason: str | None
) -> None:
    body = "\n    ".join(("i = wp.tid()", "w = x[i]", *lines))
    arguments = "x: wp.array(dtype=float), y: wp.array(dtype=float), n: int"
    found = lost(f"import warp as wp\n@wp.kernel\ndef k({arguments}):\n    {body}\n")
    assert found is None if reason is None else found is not None and reason in found


def test_it_is_known_how_many_iterations_are_unrolled() -> None:
    short = kernel(RIGHT["a short loop that is unrolled"])
    assert lost(short, 12) is None and lost(short, 11) is not None
    assert lost(short.replace("range(12)", "range(20)")) is not None
    assert lost(short.replace("range(12)", "range(20)"), 32) is None
