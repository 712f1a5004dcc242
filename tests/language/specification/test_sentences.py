"""Trees in English."""

from __future__ import annotations

import pytest
from toys.programs import THREAD, X, name, number, op, read

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.specification.sentences import words
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Several, Struct

GRID = ir.Name("grid", Array(FLOAT, 2))
BODY = Struct("Body", (("mass", FLOAT), ("frame", Struct("Frame", (("angle", FLOAT),)))))
FRAME = ir.Member(ir.Load(ir.Name("bodies", Array(BODY, 1)), (THREAD,), BODY), "frame", BODY.members[1][1])


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (ir.Shape(GRID, 0), "the size of `grid`"),
        (ir.Shape(GRID, 1), "the size of `grid` in dimension 1"),
        (ir.View(GRID, (THREAD,), Array(FLOAT, 1)), "a part of `grid`"),
        (ir.Load(ir.View(GRID, (THREAD,), Array(FLOAT, 1)), (THREAD,), FLOAT), "a part of `grid`"),
        (ir.Member(FRAME, "angle", FLOAT), "the angle of the frame of `bodies`"),
        (ir.New(BODY), "a `Body`"),
        (ir.New(Struct("Entry", (("mass", FLOAT),))), "an `Entry`"),
        (op("neg", op("neg", X)), "the negative of the negative of `x`"),
        (ir.New(BODY, (X, read("a"))), "a `Body` of `x` and `a`"),
        (ir.Call("pair", (), Several((FLOAT, INT))), "`pair`"),
        (ir.Call("pair", (X,), Several((FLOAT, INT))), "`pair` of `x`"),
        (
            ir.Chain(("lt", "le"), (number(0, INT), THREAD, name("n", INT)), BOOL),
            "0 is below `i` and `i` is at most `n`",
        ),
    ],
)
def test_short_words(node, text):
    assert words(node) == text


def test_long_expressions_are_told_by_their_ingredients():
    value = ir.Member(FRAME, "angle", FLOAT)
    for _ in range(4):
        value = op("sin", op("mul", value, ir.Load(GRID, (THREAD, THREAD), FLOAT)))
    assert words(value) == "a value made of `bodies`, `i` and `grid`"
