"""The style of programs of templates: no pass makes them harder to read."""

from __future__ import annotations

import re

import pytest
from toys.texts import program

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.style import style_template_program

TWINS = """
left = a[wp.max(i - 1, 0)]
right = a[wp.min(i + 1, 7)]
# behind both ends
middle = b[i]
low = -middle * 0.3
o[i] = left * right + low
"""


def styled(source: str, number: int) -> str:
    """The text of a program in one of its styles."""
    return write(style_template_program(program(source), Rng(str(number))))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [styled(TWINS, number) for number in range(80)]


def test_locals_that_go_together_stay_together(texts: list[str]) -> None:
    assert all(("left = " in text) == ("right = " in text) for text in texts)


def test_a_comment_keeps_its_statement_and_a_minus_its_line(texts: list[str]) -> None:
    assert all(re.search(r"# behind both ends\n +\w+ = b\[", text) for text in texts)
    assert all("low = -" in text for text in texts)


def test_some_locals_are_inlined() -> None:
    alone = "half = 0.5 * a[i]\no[i] = half + b[i]"
    assert len({"half = " in styled(alone, number) for number in range(40)}) == 2


def test_nothing_is_computed_in_each_round_that_was_computed_before() -> None:
    source = "half = wp.sin(b[i])\nx = float(0.0)\nfor k in range(4):\n    x += half * a[k]\no[i] = x"
    for number in range(40):
        loop = styled(source, number).partition("x = ")[2]
        assert "wp.sin" not in loop


def test_negations_are_turned_and_all_ranges_are_chained() -> None:
    source = "if not a[i] > 1.0:\n    o[i] = 1.0\nelse:\n    o[i] = 2.0"
    for number in range(40):
        assert not re.search(r"not [\w\[\]]+ [<>]", styled(source, number))
    ranges = "if a[i] > 0.6 and a[i] < 0.9:\n    o[i] = 1.0\nif b[i] > 0.7 and b[i] < 1.2:\n    s[i] = 1.0"
    found = [styled(ranges, number) for number in range(40)]
    chained = [len(re.findall(r"0\.\d < [ab]\[i\] < ", text)) for text in found]
    assert set(chained) == {0, 2}
