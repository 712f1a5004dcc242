"""The files of `tests/findings/` are true of the pinned Warp: wrong gradients are wrong as they state, right
ones are right. Those that the kernel language can express are barred from `cuda_backward`. And
`docs/findings.md` has the numbers of the files."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from toys.kernels.findings import Finding, Measured, Numbers, Runner, findings, load, widened

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis import legality
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.analysis.interval_analysis import analyze_intervals
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.language.types import FLOAT, INT, shaped

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"
FINDINGS = findings()
WRONG = [finding for finding in FINDINGS if finding.wrong]
RIGHT = [finding for finding in FINDINGS if not finding.wrong]

# The files have four digits of every number.
DIGITS = {"rtol": 1e-3, "atol": 1e-3}
# Programs that are legal do not come to such a point, or race; a tie is seen by the differences alone.
BY_LEGALITY = {
    "infinite/eig3_of_equal_values": "^eig3 .*symmetric",
    "loops/loop_variable_after_the_loop": "^j .*declared",
    "arrays/threads_store_to_one_element": "threads",
    "infinite/other_side_of_where": "^log .*defined",
    "infinite/root_of_zero": "^sqrt .*defined",
    "infinite/exponent_of_zero": "^pow .*defined",
}
# Refused for another reason before the rule that matters comes to it.
BY_FLOW = {"infinite/svd3_of_equal_values": "^svd3 .*dominant"}
BY_DIFFERENCES = {"atomics/tied_maximum"}


def _names(found: list[Finding]) -> list[str]:
    return [finding.name for finding in found]


# ---- Warp


def _measured(finding: Finding, folder: Path) -> Measured:
    measured = Runner(finding, load(finding, folder)).measure()
    for name, numbers in finding.outputs.items():
        assert np.allclose(measured.outputs[name], numbers, **DIGITS), f"{name} is {measured.outputs[name]}"
    for name, slopes in measured.differences.items():
        stated = finding.right.get(name, measured.gradients[name])
        assert np.allclose(slopes, stated, **DIGITS), f"differences of {name} are {slopes}, not {stated}"
    return measured


@pytest.mark.compile
@pytest.mark.parametrize("finding", WRONG, ids=_names(WRONG))
def test_a_wrong_gradient_is_wrong_still(finding: Finding, tmp_path: Path) -> None:
    measured = _measured(finding, tmp_path)
    for name, stated in finding.wrong.items():
        gradient = measured.gradients[name]
        assert not np.allclose(gradient, finding.right[name], **DIGITS), (
            f"Warp is right now: give tests/findings/{finding.name}.py a name with right_, without WARP"
        )
        assert np.allclose(gradient, stated, **DIGITS, equal_nan=True), f"{name}.grad is {gradient} now"


@pytest.mark.compile
@pytest.mark.parametrize("finding", RIGHT, ids=_names(RIGHT))
def test_a_right_neighbour_is_right(finding: Finding, tmp_path: Path) -> None:
    measured = _measured(finding, tmp_path)
    assert finding.right.keys() == measured.gradients.keys()
    for name, stated in finding.right.items():
        assert np.allclose(measured.gradients[name], stated, **DIGITS), f"{name}.grad is {measured.gradients}"


# ---- the files, and the page


def test_files_are_whole() -> None:
    assert len(WRONG) > 50 and len(RIGHT) > 15
    for finding in WRONG:
        assert "\nBarred: " in finding.prose
        assert finding.wrong.keys() <= finding.right.keys()
        assert all(len(numbers) == len(finding.right[name]) for name, numbers in finding.wrong.items())
    for finding in FINDINGS:
        assert ("/right_" in finding.name) == (not finding.wrong)
        assert finding.outputs and widened(finding.source).count("wp.kernel") == 1
        assert finding.source.count("\n") <= 18, f"{finding.name} is not small"


def _cell(gradients: Mapping[str, Numbers]) -> str:
    return "; ".join(f"{name}: {' '.join(f'{n:g}' for n in numbers)}" for name, numbers in gradients.items())


def test_the_page_has_every_file_and_its_numbers() -> None:
    text = PAGE.read_text()
    assert sorted(re.findall(r"\(\.\./tests/findings/([\w/]+)\.py\)", text)) == sorted(_names(FINDINGS))
    for finding in WRONG:
        (row,) = re.findall(rf"tests/findings/{finding.name}\.py\) \|(.*)\|$", text, re.M)
        warp, right, upstream = map(str.strip, row.split("|"))
        assert warp == _cell(finding.wrong)
        assert right == _cell({name: finding.right[name] for name in finding.wrong})
        issues = " ".join(re.findall(r"Upstream: (.*)", finding.prose))
        assert re.findall(r"\[(\d+)\]", upstream) == re.findall(r"\d+", issues), finding.name


# ---- our tree

_SHAPES = {"float": (), "wp.vec2": (2,), "wp.vec3": (3,), "wp.mat22": (2, 2), "wp.mat33": (3, 3)}


def _signature(finding: Finding) -> ir.Signature | None:
    """None where an argument is of a type that signatures do not have."""
    (kernel,) = (
        n for n in ast.parse(finding.source).body if isinstance(n, ast.FunctionDef) and n.name == "k"
    )
    arguments = []
    for argument in kernel.args.args:
        kind, numbers = ast.unparse(argument.annotation or kernel), finding.inputs.get(argument.arg, (0.0,))
        domain = Interval(min(numbers), max(numbers))
        if kind == "int":
            arguments.append(ir.Argument(argument.arg, INT, "input", (), Interval(0, int(max(numbers)))))
            continue
        element = kind.removeprefix("wp.array[").removesuffix("]")
        if element == "int":
            type, size = INT, len(numbers)
        elif element in _SHAPES:
            type = shaped("float32", _SHAPES[element]) if _SHAPES[element] else FLOAT
            size = len(finding.inputs.get(argument.arg) or finding.outputs[argument.arg]) // int(
                np.prod(_SHAPES[element])
            )
        else:
            return None
        role: ir.Role = "input"
        if argument.arg in finding.outputs or f"wp.atomic_add({argument.arg}" in finding.source:
            role = "inout" if argument.arg in finding.inputs else "output"
        arguments.append(ir.Argument(argument.arg, type, role, (size,), domain))
    return ir.Signature("k", tuple(arguments), (finding.threads,))


def _program(finding: Finding) -> ir.Program | None:
    """None where our tree cannot say it."""
    if (signature := _signature(finding)) is None:
        return None
    try:
        return read(f"import warp as wp\n\n\n{finding.source}", signature)
    except Unreadable:
        return None


READ = [(finding, program) for finding in WRONG if (program := _program(finding))]


def test_the_tree_can_say_many() -> None:
    assert len(READ) >= 28


@pytest.mark.parametrize(("finding", "program"), READ, ids=_names([finding for finding, _ in READ]))
def test_what_the_tree_can_say_is_barred(finding: Finding, program: ir.Program) -> None:
    reason = gradient_bar(program)
    if finding.name in BY_LEGALITY:
        with pytest.raises(legality.Illegal, match=BY_LEGALITY[finding.name]):
            legality.check(program)
    elif finding.name in BY_FLOW:
        with pytest.raises(legality.Illegal, match=BY_FLOW[finding.name]):
            analyze_intervals(program)
    elif finding.name in BY_DIFFERENCES:
        assert reason is None
    else:
        assert reason is not None
