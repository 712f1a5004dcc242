"""A local that is only another name of a value goes; one that is not stays."""

from __future__ import annotations

import pytest
from toys.texts import program

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.passes.binding import without_aliases
from warp_ir_dataset.language.python.write import write


def lines(given: ir.Program) -> list[str]:
    text = write(given)
    return [line.strip() for line in text[text.index("wp.tid()") :].split("\n")[1:] if line]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            ["x = a[i]", "y = x", "o[i] = y * y + x"],
            ["x = a[i]", "o[i] = x * x + x"],
            id="never-changed",
        ),
        pytest.param(
            ["x = a[i] + 1.0", "y = x", "y = y * 2.0", "o[i] = y"],
            ["x = a[i] + 1.0", "x = x * 2.0", "o[i] = x"],
            id="the-first-is-asked-no-more",
        ),
        pytest.param(
            ["x = a[i]", "y = x", "# doubled", "y += y", "o[i] = y"],
            ["x = a[i]", "# doubled", "x += x", "o[i] = x"],
            id="a-comment-stays",
        ),
    ],
)
def test_goes(before: list[str], after: list[str]) -> None:
    assert lines(without_aliases(program("\n".join(before)))) == after


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(["x = a[i]", "y = x", "y += 1.0", "o[i] = x * y"], id="both-are-asked-for"),
        pytest.param(["x = a[i]", "y = x", "x += 1.0", "o[i] = x * y"], id="the-first-one-changes"),
        pytest.param(
            [
                "x = a[i]",
                "y = a[i] * 2.0",
                "for k in range(3):",
                "    z = x",
                "    x = y",
                "    y += z",
                "o[i] = y",
            ],
            id="carried-through-a-loop",
        ),
    ],
)
def test_stays(body: list[str]) -> None:
    given = program("\n".join(body))
    assert without_aliases(given) == given


def test_names_that_are_spoken_of_stay() -> None:
    given = program("x = a[i]\ny = x\no[i] = y * y + x")
    assert without_aliases(given, {"y"}) == given
