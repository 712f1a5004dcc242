"""`docs/findings.md` is true of the pinned Warp: what it calls wrong is wrong in that way, what it calls
right is right. And what our tree can say of it is barred."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from toys.kernels.findings import Finding, Measured, Runner, findings, load, widened

from warp_ir_dataset.language.analysis import legality
from warp_ir_dataset.language.analysis.flow import flow
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.program import Argument, Program, Role, Signature
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.language.types import FLOAT, INT, shaped

FINDINGS = findings()
WRONG = [finding for finding in FINDINGS if finding.wrong]
RIGHT = [finding for finding in FINDINGS if not finding.wrong]

# The page has four digits of every number.
DIGITS = {"rtol": 1e-3, "atol": 1e-3}
# Programs that are legal do not come to such a point, or race; a tie is seen by the differences alone.
BY_LEGALITY = {
    "eig3 at equal eigenvalues": "eig3 needs an operand that is symmetric",
    "A loop's variable after its loop": "j is not what was declared",
    "Threads that store to one element": "two threads may store",
    "The untaken side of where": "log is not defined",
    "A root of zero": "sqrt is not defined",
    "The exponent of a power of zero": "pow is not defined",
}
# Refused for another reason before the rule that matters comes to it.
BY_FLOW = {"svd3 at equal singular values": "svd3 needs an operand that is dominant"}
BY_DIFFERENCES = {"A tie for an atomic maximum"}


def _titles(found: list[Finding]) -> list[str]:
    return [finding.title for finding in found]


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
@pytest.mark.parametrize("finding", WRONG, ids=_titles(WRONG))
def test_a_wrong_gradient_is_wrong_still(finding: Finding, tmp_path: Path) -> None:
    measured = _measured(finding, tmp_path)
    for name, stated in finding.wrong.items():
        gradient = measured.gradients[name]
        assert not np.allclose(gradient, finding.right[name], **DIGITS), (
            f"Warp is right now: take '{finding.title}' out of docs/findings.md, or move it to what is right"
        )
        assert np.allclose(gradient, stated, **DIGITS, equal_nan=True), f"{name}.grad is {gradient} now"


@pytest.mark.compile
@pytest.mark.parametrize("finding", RIGHT, ids=_titles(RIGHT))
def test_a_right_neighbour_is_right(finding: Finding, tmp_path: Path) -> None:
    measured = _measured(finding, tmp_path)
    assert finding.right.keys() == measured.gradients.keys()
    for name, stated in finding.right.items():
        assert np.allclose(measured.gradients[name], stated, **DIGITS), f"{name}.grad is {measured.gradients}"


# ---- the page


def test_entries_are_whole() -> None:
    assert len(set(_titles(FINDINGS))) == len(FINDINGS) and len(WRONG) > 50 and len(RIGHT) > 15
    for finding in WRONG:
        assert "**Barred:** " in finding.prose
        assert finding.wrong.keys() <= finding.right.keys()
        assert all(len(numbers) == len(finding.right[name]) for name, numbers in finding.wrong.items())
    for finding in FINDINGS:
        assert finding.outputs and widened(finding.source).count("wp.kernel") == 1
        assert finding.source.count("\n") <= 18, f"{finding.title} is not small"


def test_every_issue_of_the_table_is_in_an_entry() -> None:
    page = "\n".join(finding.prose for finding in FINDINGS)
    for issue in (1293, 1466, 1552, 1694, 1697, 1736, 1740, 1754):
        assert re.search(rf"[Uu]pstream[:*]+.*\b{issue}\b|\b{issue} describes", page), issue


# ---- our tree

_SHAPES = {"float": (), "wp.vec2": (2,), "wp.vec3": (3,), "wp.mat22": (2, 2), "wp.mat33": (3, 3)}


def _signature(finding: Finding) -> Signature | None:
    """None where an argument is of a type that signatures do not have."""
    (kernel,) = (
        n for n in ast.parse(finding.source).body if isinstance(n, ast.FunctionDef) and n.name == "k"
    )
    arguments = []
    for argument in kernel.args.args:
        kind, numbers = ast.unparse(argument.annotation or kernel), finding.inputs.get(argument.arg, (0.0,))
        domain = Interval(min(numbers), max(numbers))
        if kind == "int":
            arguments.append(Argument(argument.arg, INT, "input", (), Interval(0, int(max(numbers)))))
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
        role: Role = "input"
        if argument.arg in finding.outputs or f"wp.atomic_add({argument.arg}" in finding.source:
            role = "inout" if argument.arg in finding.inputs else "output"
        arguments.append(Argument(argument.arg, type, role, (size,), domain))
    return Signature("k", tuple(arguments), (finding.threads,))


def _program(finding: Finding) -> Program | None:
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


@pytest.mark.parametrize(("finding", "program"), READ, ids=_titles([finding for finding, _ in READ]))
def test_what_the_tree_can_say_is_barred(finding: Finding, program: Program) -> None:
    reason = gradient_bar(program)
    if finding.title in BY_LEGALITY:
        with pytest.raises(legality.Illegal, match=BY_LEGALITY[finding.title]):
            legality.check(program)
    elif finding.title in BY_FLOW:
        with pytest.raises(legality.Illegal, match=BY_FLOW[finding.title]):
            flow(program)
    elif finding.title in BY_DIFFERENCES:
        assert reason is None
    else:
        assert reason is not None
