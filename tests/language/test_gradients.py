"""Which programs are barred from gradients, and by which rule: told from the tree alone."""

from __future__ import annotations

import pytest
from toys import programs as h

from warp_ir_dataset.language import program as p
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.analysis.unrolling import MAX_UNROLL, generated_size, is_dynamic, literal_trips
from warp_ir_dataset.language.program import Literal
from warp_ir_dataset.language.types import BOOL, INT

TOTAL, Y = h.name("total"), h.name("y")
ONE = Literal(1, INT)
ADD = p.Accumulate(h.X, "+", h.read("a"))
LOOP = h.loop(4, ADD, dynamic=True)
POSITIVE = h.op("gt", h.X, h.number(1.0), type=BOOL)
BOTH = (h.argument("a"), h.argument("b", lo=2.0, hi=3.0), h.WITH_COUNT[1], h.argument("o", "output"))


def counted(*body: p.Stmt) -> p.Program:
    """With a variable `x`, and an argument `n` that no compiler knows."""
    return h.kernel(h.start_x(), *body, arguments=h.WITH_COUNT)


def of_both(value: p.Expr) -> p.Program:
    return h.kernel(h.write("o", value), arguments=BOTH)


BARRED = {
    "a product carried by a dynamic loop": (h.DYNAMIC_LOOP, "overwrites a value"),
    "a product carried by a long loop": (h.LONG_LOOP, "overwrites a value"),
    "a product by *=": (
        counted(h.loop(4, p.Accumulate(h.X, "*", h.read("a")), dynamic=True), h.write("o", h.X)),
        "overwrites a value",
    ),
    "a while loop": (h.WHILE_LOOP, "while loop"),
    "a loop left by break": (h.BREAK_LOOP, "left by break"),
    "an inner accumulator": (h.NESTED_LOOP, "overwrites a value"),
    "an array read and written": (h.OVERWRITTEN, "read and written"),
    "an element stored twice": (
        h.kernel(h.write("o", h.read("a")), h.write("o", h.op("sin", h.read("a")))),
        "stored twice",
    ),
    "a component that is set": (h.OVERWRITTEN_COMPONENT, "component"),
    "a dynamic loop in a function": (h.SQUARED_IN_FUNCTION, "a function holds a dynamic loop"),
    "a divisor of a remainder": (h.MODULO, "gives mod no derivative"),
    "a fraction": (
        h.kernel(h.write("o", h.op("add", h.read("a"), h.op("frac", h.read("a"))))),
        "gives frac no derivative",
    ),
    "a fraction in a function": (
        h.kernel(
            h.write("o", h.op("mul", h.read("a"), p.Call("part", (h.read("a"),), h.FLOAT))),
            functions=(p.Function("part", (h.X,), (p.Return((h.op("frac", h.X),)),), h.FLOAT),),
        ),
        "frac inside a function",
    ),
    "a curve of a loop's result": (h.LOOP_RESULT_USED, "a dynamic loop changes"),
    "a product with a loop's result": (
        counted(LOOP, h.write("o", h.op("mul", h.X, h.read("a")))),
        "a dynamic loop changes",
    ),
    "a quotient by a loop's result": (
        counted(LOOP, h.write("o", h.op("div", h.read("a"), h.X))),
        "a dynamic loop changes",
    ),
    "a choice by a loop's result": (
        counted(LOOP, h.write("o", h.op("where", POSITIVE, h.read("a"), h.number(2.0)))),
        "a dynamic loop changes",
    ),
    "a branch on a loop's result": (
        counted(LOOP, p.If(POSITIVE, (h.write("o", h.read("a")),))),
        "a branch depends on a value",
    ),
    "a start that is read off its result": (h.SPOILED_START, "its own derivative needs"),
    "whole numbers alone": (
        h.kernel(h.write("o", h.op("to_float", h.op("to_integer", h.read("a"), type=INT)))),
        "no differentiable path",
    ),
    "a sign": (h.kernel(h.write("o", h.op("sign", h.read("a")))), "no differentiable path"),
    "a plain value": (
        h.kernel(
            h.write("o", h.op("to_float", h.name("n", INT))), arguments=(h.WITH_COUNT[1], h.WITH_COUNT[2])
        ),
        "no differentiable path",
    ),
}
FREE = {
    "no loop": h.SQUARE,
    "a sum": h.LINEAR_SUM,
    "a short loop": h.SHORT_LOOP,
    "an atomic sum": h.ATOMIC_SUM,
    "an atomic maximum": h.ATOMIC_MAX,
    "a sum passed on linearly": counted(LOOP, h.write("o", h.op("add", h.X, h.read("a")))),
    "a start read off its operands": h.kernel(
        p.Variable(h.X, h.op("sin", h.read("a"))), LOOP, h.write("o", h.X), arguments=h.WITH_COUNT
    ),
    "the dividend of a remainder": of_both(h.op("mod", h.read("a"), h.number(2.0))),
    "a quotient": of_both(h.op("div", h.read("a"), h.read("b"))),
    "stored on two paths": h.kernel(
        p.If(
            h.op("gt", h.read("a"), h.number(1.0), type=BOOL),
            (h.write("o", h.read("a")), p.Return()),
        ),
        h.write("o", h.op("sin", h.read("a"))),
    ),
}


@pytest.mark.parametrize("title", BARRED)
def test_barred(title: str) -> None:
    program, reason = BARRED[title]
    assert reason in (gradient_bar(program) or "nothing")


@pytest.mark.parametrize("title", FREE)
def test_free(title: str) -> None:
    assert gradient_bar(FREE[title]) is None


# ---- which loops are unrolled


def test_loops_of_literal_bounds_are_unrolled_up_to_a_length() -> None:
    assert not is_dynamic(h.loop(MAX_UNROLL, ADD)) and is_dynamic(h.loop(MAX_UNROLL + 1, ADD))
    assert is_dynamic(h.loop(4, ADD, dynamic=True))
    assert is_dynamic(h.loop(4, p.If(POSITIVE, (p.Break(),)), ADD))
    assert is_dynamic(p.While(POSITIVE, (ADD,)))
    assert not is_dynamic(h.loop(4, p.If(POSITIVE, (p.Continue(),)), ADD))


def test_trips_of_literal_bounds() -> None:
    def trips(start: int, stop: int, step: int) -> int | None:
        return literal_trips(p.For(h.name("k", INT), Literal(start, INT), Literal(stop, INT), step, ()))

    assert [trips(0, 7, 1), trips(1, 8, 3), trips(5, 5, 1), trips(6, 5, 1)] == [7, 3, 0, 0]
    assert literal_trips(h.loop(4, ADD, dynamic=True)) is None


def test_generated_size_repeats_what_is_unrolled() -> None:
    once = generated_size(h.kernel(h.start_x(), h.loop(1, ADD), h.write("o", h.X)))
    ten = generated_size(h.kernel(h.start_x(), h.loop(10, ADD), h.write("o", h.X)))
    kept = generated_size(counted(LOOP, h.write("o", h.X)))
    assert ten == once + 9 and kept == once
