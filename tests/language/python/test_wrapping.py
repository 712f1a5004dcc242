"""Long lines are broken where a formatter breaks them, and mean what they meant."""

from __future__ import annotations

import ast

import pytest

from warp_ir_dataset.language.python.writing.wrapping import WIDTH, wrapped

LONG = "a_rather_long_name_of_a_value"
CASES = {
    "a sum": (
        f"    total = {LONG}(1) + {LONG}[i, j - 1] - {LONG} * (2.0 - {LONG}) + other",
        ["    total = (", "    )"],
    ),
    "a product": (f"    x += {LONG}[i] * {LONG}[j] / {LONG}[k + 1] * {LONG}", ["    x += (", "    )"]),
    "a return": (f"    return {LONG} + {LONG} + {LONG} + {LONG}", ["    return (", "    )"]),
    "a condition": (
        f"    if {LONG} < 1.0 and {LONG} > 2.0 or {LONG} == {LONG}:\n        pass",
        ["    if (", "    ):", "        pass"],
    ),
    "a choice": (f"    x = {LONG} if {LONG} < 1.0 else {LONG} + {LONG}", ["    x = (", "    )"]),
    "a call": (f"    wp.atomic_add({LONG}, {LONG}, {LONG}, {LONG})", ["    wp.atomic_add(", "    )"]),
    "a call that is given": (
        f"    x[i] = wp.vec3({LONG}, {LONG}, {LONG}, 0.0)",
        ["    x[i] = wp.vec3(", "    )"],
    ),
    "quotes in strings": (
        f'    wp.printf("a \\" + b (and = more, {LONG})", {LONG}, {LONG})',
        ["    wp.printf(", "    )"],
    ),
    "strings": (f'    wp.printf("a + b (and = more, {LONG})", {LONG}, {LONG})', ["    wp.printf(", "    )"]),
}


@pytest.mark.parametrize("name", CASES)
def test_long_statements_are_broken(name):
    line, ends = CASES[name]
    text = wrapped(line)
    lines = text.split("\n")
    assert max(map(len, lines)) <= WIDTH < max(map(len, line.split("\n")))
    outer = [each for each in lines if len(each) - len(each.lstrip()) == 4 or each.strip() == "pass"]
    assert outer == ends
    before, after = (ast.parse("def f():\n" + each) for each in (line, text))
    assert ast.dump(before) == ast.dump(after)


@pytest.mark.parametrize(
    "line",
    [
        "    x = y + z",
        f"    x = {LONG} + {LONG} + {LONG} + {LONG}  # with a remark behind it",
        f"    # {LONG * 5}",
        f'    """{LONG * 5}"""',
        f'    """A docstring.\n\n    Of {LONG} (wp.array(dtype={LONG})): {LONG}, {LONG}\n    """',
        f"    {LONG * 5}",
    ],
)
def test_others_stay(line):
    assert wrapped(line) == line
