"""What each operator makes of a program, and which mutants are drawn."""

from __future__ import annotations

import pytest
from toys.texts import program

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.mutants.table import OPERATORS, every_mutant, mutants, runs
from warp_ir_dataset.language.python.write import write

LOOP = "total = float(0.0)\nfor k in range(4):\n    total += a[k]\no[i] = total"
BRANCH = "if a[i] < 1.0:\n    o[i] = a[i]\nelse:\n    o[i] = 1.0"
PAIR = """
@wp.struct
class Pair:
    low: float
    high: float
"""

# By operator: a kernel's body, and lines that its mutants have and it has not.
MADE = {
    "another operation": ("o[i] = a[i] + b[i]", {"o[i] = a[i] - b[i]", "o[i] = a[i] * b[i]"}),
    "another atomic": ("wp.atomic_add(o, 0, a[i])", {"wp.atomic_max(o, 0, a[i])"}),
    "operands swapped": ("o[i] = a[i] - b[i]", {"o[i] = b[i] - a[i]"}),
    "operation dropped": ("o[i] = wp.floor(a[i])", {"o[i] = a[i]"}),
    "conversion dropped": ("o[i] = float(int(a[i]))", {"o[i] = a[i]"}),
    "bound dropped": ("o[i] = wp.max(a[i], 0.0)", {"o[i] = a[i]", "o[i] = 0.0"}),
    "comparison relaxed": (BRANCH, {"if a[i] <= 1.0:"}),
    "comparison turned": (BRANCH, {"if a[i] > 1.0:", "if a[i] >= 1.0:"}),
    "another constant": (BRANCH, {"if a[i] < 1.25:", "if a[i] < -1.0:", "o[i] = 1.25", "o[i] = -1.0"}),
    "constant off by 1 %": (BRANCH, {"if a[i] < 1.01:", "o[i] = 1.01"}),
    "constant off by 0.1 %": ("o[i] = a[i] * 0.55", {"o[i] = a[i] * 0.55055"}),
    "another variable": ("x = a[i]\ny = b[i]\no[i] = x - y", {"o[i] = x - x", "o[i] = y - y"}),
    "another array": ("o[i] = a[i] - b[i]", {"o[i] = a[i] - a[i]", "o[i] = b[i] - b[i]"}),
    "another member": ("p = Pair(a[i], b[i])\no[i] = p.low", {"o[i] = p.high"}),
    "index off by one": ("o[i] = a[i]", {"o[i] = a[i - 1]", "o[i] = a[i + 1]", "o[i - 1] = a[i]"}),
    "bound off by one": (LOOP, {"for k in range(3):", "for k in range(5):", "for k in range(1, 4):"}),
    "step doubled": (LOOP, {"for k in range(0, 4, 2):"}),
    "statement deleted": (LOOP, {"pass"}),
    "store deleted": (BRANCH, {"pass"}),
    "definition emptied": ("x = a[i]\no[i] = x", {"x = 0.0"}),
    "statements swapped": ("x = a[i]\nx += 1.0\nx *= 2.0\no[i] = x", set()),
    "exit changed": ("for k in range(4):\n    if a[k] > 1.0:\n        break\n    o[i] = a[k]", {"pass"}),
    "condition negated": (BRANCH, {"if not a[i] < 1.0:"}),
    "guard lost": ("if a[i] < 1.0:\n    o[i] = a[i]", {"o[i] = a[i]"}),
    "another sign": (LOOP, {"total -= a[k]"}),
    "sum overwritten": (LOOP, {"total = a[k]"}),
    "overwriting added": ("o[i] = a[i]", {"o[i] += a[i]"}),
}  # fmt: skip


def made(operator: str, of: ir.Program) -> list[ir.Program]:
    return list(OPERATORS[operator].variants(of))


def lines(of: ir.Program) -> set[str]:
    return {line.strip() for line in write(of).splitlines()}


@pytest.mark.parametrize("operator", MADE)
def test_an_operator_makes_its_mistake(operator: str) -> None:
    body, expected = MADE[operator]
    start = program(body, PAIR if "Pair" in body else "")
    found = made(operator, start)
    assert found and start not in found
    assert expected <= set().union(*map(lines, found))


def test_matrices_are_not_divided() -> None:
    body = "S = wp.mat22(a[i], b[i], b[i], a[i])\n{}\no[i] = S[0, 1]"
    assert not made("another sign", program(body.format("S *= S")))
    assert "S /= 2.0" in lines(made("another sign", program(body.format("S *= 2.0")))[0])


def test_arms_and_targets_change_places() -> None:
    (swapped,) = made("branches swapped", program(BRANCH))
    text = write(swapped)
    assert text.index("o[i] = 1.0") < text.index("else") < text.index("o[i] = a[i]")
    start = program("x = float(0.0)\ny = float(0.0)\nx += a[i]\ny += b[i]\no[i] = x - y")
    assert {"y += a[i]", "x += b[i]"} <= set().union(*map(lines, made("another target", start)))


def test_a_choice_is_a_branch_too() -> None:
    start = program("o[i] = wp.where(a[i] < 1.0, a[i], b[i])")
    assert "o[i] = wp.where(a[i] < 1.0, b[i], a[i])" in lines(made("branches swapped", start)[0])
    assert "o[i] = a[i]" in lines(made("guard lost", start)[0])
    assert "o[i] = b[i]" in lines(made("branch always taken", start)[0])


def test_an_arm_is_taken_whatever_the_condition() -> None:
    taken, other = made("branch always taken", program(BRANCH))
    assert lines(program("o[i] = a[i]")) == lines(taken) and "o[i] = 1.0" in lines(other)
    assert not made("branch always taken", program("if a[i] < 1.0:\n    o[i] = a[i]"))


def test_bounds_are_few_operations() -> None:
    assert "o[i] = a[i]" in lines(made("bound dropped", program("o[i] = wp.clamp(a[i], 0.0, 1.0)"))[0])
    assert not made("bound dropped", program("o[i] = wp.floor(a[i]) + b[i]"))


def test_constants_of_the_module_are_constants() -> None:
    (up, down) = made("another constant", program("o[i] = a[i] * HALF", "\nHALF = wp.constant(0.5)\n"))
    assert "HALF = wp.constant(0.75)" in lines(up) and "HALF = wp.constant(-0.5)" in lines(down)
    (near,) = made("constant off by 1 %", program("o[i] = a[i] * HALF", "\nHALF = wp.constant(0.5)\n"))
    assert "HALF = wp.constant(0.505)" in lines(near)


def test_operators_differ_in_one_edit() -> None:
    """Whatever operators make, it is another program, and most of it is text that was there before."""
    start = program(LOOP)
    before = write(start).splitlines()
    for mutant in every_mutant(start):
        after = write(mutant.program).splitlines()
        assert after != before and len(set(before) - set(after)) <= 2


def test_mutants_that_are_drawn_stand() -> None:
    start = program(BRANCH)
    found = mutants(start, Rng("bite"), 100)
    assert found and all(runs(mutant.program) for mutant in found)
    assert start not in {mutant.program for mutant in found}
    assert len({mutant.program for mutant in found}) == len(found)
    # An index beyond the arrays is no mutant; nor is a name before there is one.
    assert not any("a[i + 1]" in line for mutant in found for line in lines(mutant.program))


def test_operators_take_turns() -> None:
    start = program("x = a[i] + b[i] * a[i]\no[i] = x - b[i]")
    found = mutants(start, Rng("turns"), 6)
    assert len({mutant.operator for mutant in found}) == 6
    more = mutants(start, Rng("turns"), 100)
    assert more[:6] == found and len(more) > len({mutant.operator for mutant in more})


def test_the_same_text_gives_the_same_mutants() -> None:
    start = program(LOOP)
    assert mutants(start, Rng("a"), 12) == mutants(start, Rng("a"), 12) != mutants(start, Rng("b"), 12)


def test_only_operators_that_are_named() -> None:
    found = mutants(program(LOOP), Rng("a"), 12, ("step doubled", "another sign"))
    assert {mutant.operator for mutant in found} == {"step doubled", "another sign"}


def test_what_is_unused_stands_and_what_is_unknown_does_not() -> None:
    start = program("x = a[i]\no[i] = x")
    check(start)
    (emptied,) = made("definition emptied", start)
    assert runs(emptied) and runs(program("x = a[i]\no[i] = 1.0"))
    beyond = [m for m in made("index off by one", start) if not runs(m)]
    assert len(beyond) == 4
