"""Which programs are barred from gradients, and by which rule: told from the tree alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toys import programs as h

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.gradients import differentiable_inputs, gradient_bar
from warp_ir_dataset.language.analysis.unrolling import MAX_UNROLL, generated_size, is_dynamic, literal_trips
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import BOOL, INT, Struct

TOTAL, Y = h.name("total"), h.name("y")
ONE = ir.Literal(1, INT)
ADD = ir.Accumulate(h.X, "+", h.read("a"))
LOOP = h.loop(4, ADD, dynamic=True)
POSITIVE = h.op("gt", h.X, h.number(1.0), type=BOOL)
BOTH = (h.argument("a"), h.argument("b", lo=2.0, hi=3.0), h.WITH_COUNT[1], h.argument("o", "output"))


def counted(*body: ir.Stmt) -> ir.Program:
    """With a variable `x`, and an argument `n` that no compiler knows."""
    return h.kernel(h.start_x(), *body, arguments=h.WITH_COUNT)


def in_loop(*body: ir.Stmt) -> ir.Program:
    """A dynamic loop over `k` with a sum `x`, which is stored."""
    return counted(h.loop(4, *body, dynamic=True), h.write("o", h.X))


def of_both(value: ir.Expr) -> ir.Program:
    return h.kernel(h.write("o", value), arguments=BOTH)


BIGGER = ir.If(h.op("gt", h.read("a"), h.number(1.0), type=BOOL), (ir.Continue(),))
PART = ir.Name("s", Struct("Part", (("a", h.FLOAT),)))
NEW = ir.Variable(PART, ir.New(PART.type))
TAKEN = ir.Let(Y, ir.Call("take", (PART,), h.FLOAT))
FILLED = ir.Assign(ir.Member(PART, "a", h.FLOAT), h.read("a"))


def of_struct(*body: ir.Stmt, inside: tuple[ir.Stmt, ...] = ()) -> ir.Program:
    """A struct `s` of one member, and a function `take` that returns it."""
    parameter = ir.Name("part", PART.type)
    returned = ir.Return((ir.Member(parameter, "a", h.FLOAT),))
    take = ir.Function("take", (parameter,), (*inside, returned), h.FLOAT)
    return replace(h.kernel(NEW, *body, functions=(take,)), structs=(PART.type,))


BARRED = {
    "a product carried by a dynamic loop": (h.DYNAMIC_LOOP, "overwrites a value"),
    "a product carried by a long loop": (h.LONG_LOOP, "overwrites a value"),
    "a product by *=": (
        counted(h.loop(4, ir.Accumulate(h.X, "*", h.read("a")), dynamic=True), h.write("o", h.X)),
        "overwrites a value",
    ),
    "a while loop": (h.WHILE_LOOP, "while loop"),
    "a loop left by break": (h.BREAK_LOOP, "left by break"),
    "a continue behind a sum": (in_loop(ADD, BIGGER), "a continue leaves out"),
    "a continue in the branch of a sum": (
        in_loop(ir.If(BIGGER.condition, (ADD, ir.Continue())), ADD),
        "a continue leaves out",
    ),
    "a continue behind a branch with a sum": (
        in_loop(ir.If(BIGGER.condition, (), (ADD,)), BIGGER),
        "a continue leaves out",
    ),
    "a continue behind an inner loop's sum": (
        in_loop(h.loop(2, ADD), BIGGER),
        "a continue leaves out",
    ),
    "a continue behind an atomic sum": (
        h.kernel(
            h.loop(4, h.atomic("add", "o", ir.Literal(0, INT), h.read("a")), BIGGER, dynamic=True),
            arguments=h.WITH_COUNT,
        ),
        "a continue leaves out",
    ),
    "a break before an atomic sum": (
        h.kernel(
            h.loop(
                4,
                ir.If(BIGGER.condition, (ir.Break(),)),
                h.atomic("add", "o", ir.Literal(0, INT), h.read("a")),
            ),
        ),
        "left by break or return",
    ),
    "a return from an inner loop's sum": (
        in_loop(h.loop(2, ir.If(BIGGER.condition, (ir.Return(),))), ADD),
        "left by break or return",
    ),
    "an atomic maximum of an input": (
        h.kernel(
            h.atomic("max", "o", ir.Literal(0, INT), h.read("a")),
            arguments=(h.argument("a"), h.argument("o", "inout")),
        ),
        "atomic_max replaces an input",
    ),
    "a struct changed behind a call": (
        of_struct(FILLED, TAKEN, FILLED, h.write("o", Y)),
        "changes after a function took it",
    ),
    "a struct changed by what a function makes of it": (
        of_struct(
            FILLED,
            ir.Assign(ir.Member(PART, "a", h.FLOAT), TAKEN.value),
            h.write("o", ir.Member(PART, "a", h.FLOAT)),
        ),
        "changes after a function took it",
    ),
    "a struct changed before a call, in a loop": (
        of_struct(h.start_x(), h.loop(2, FILLED, ir.Accumulate(h.X, "+", TAKEN.value)), h.write("o", h.X)),
        "changes after a function took it",
    ),
    "a member of a parameter": (
        of_struct(
            FILLED,
            h.write("o", TAKEN.value),
            inside=(ir.Assign(ir.Member(ir.Name("part", PART.type), "a", h.FLOAT), h.number(1.0)),),
        ),
        "a function changes a member of its parameter",
    ),
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
            h.write("o", h.op("mul", h.read("a"), ir.Call("part", (h.read("a"),), h.FLOAT))),
            functions=(ir.Function("part", (h.X,), (ir.Return((h.op("frac", h.X),)),), h.FLOAT),),
        ),
        "frac inside a function",
    ),
    "a curve of a loop's result": (h.LOOP_RESULT_USED, "a dynamic loop changes"),
    "a product with a loop's result": (
        counted(LOOP, h.write("o", h.op("mul", h.X, h.read("a")))),
        "a dynamic loop changes",
    ),
    "a value divided in place by a loop's result": (
        counted(LOOP, ir.Variable(Y, h.read("a")), ir.Accumulate(Y, "/", h.X), h.write("o", Y)),
        "a dynamic loop changes",
    ),
    "a loop's result multiplied in place": (
        counted(LOOP, ir.Accumulate(h.X, "*", h.read("a")), h.write("o", h.X)),
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
        counted(LOOP, ir.If(POSITIVE, (h.write("o", h.read("a")),))),
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
        ir.Variable(h.X, h.op("sin", h.read("a"))), LOOP, h.write("o", h.X), arguments=h.WITH_COUNT
    ),
    "the dividend of a remainder": of_both(h.op("mod", h.read("a"), h.number(2.0))),
    "a quotient": of_both(h.op("div", h.read("a"), h.read("b"))),
    "a continue before a sum": in_loop(BIGGER, ADD),
    "a continue behind a local alone": in_loop(ir.Let(Y, h.read("a")), BIGGER, ADD),
    "a continue of an inner loop that is unrolled": in_loop(h.loop(2, ADD, BIGGER)),
    "a continue in a loop that is unrolled": h.kernel(h.start_x(), h.loop(4, ADD, BIGGER), h.write("o", h.X)),
    "a break from a loop without a gradient": counted(
        h.loop(4, ir.If(BIGGER.condition, (ir.Break(),))), h.write("o", h.read("a"))
    ),
    "an atomic sum onto an input": h.kernel(
        h.atomic("add", "o", ir.Literal(0, INT), h.read("a")),
        arguments=(h.argument("a"), h.argument("o", "inout")),
    ),
    "a struct filled before a call": of_struct(FILLED, TAKEN, h.write("o", Y)),
    "a struct of each iteration": h.kernel(
        h.start_x(),
        h.loop(2, NEW, FILLED, ir.Accumulate(h.X, "+", TAKEN.value)),
        h.write("o", h.X),
        functions=of_struct().functions,
    ),
    "stored on two paths": h.kernel(
        ir.If(
            h.op("gt", h.read("a"), h.number(1.0), type=BOOL),
            (h.write("o", h.read("a")), ir.Return()),
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


def test_a_function_that_adds_to_an_array_is_barred() -> None:
    """The adjoint runs calls again."""
    source = (
        "import warp as wp\n"
        "@wp.func\n"
        "def put(o: wp.array[float], i: int, v: float):\n"
        "    wp.atomic_add(o, i, v)\n"
        "@wp.kernel\n"
        "def k(x: wp.array[float], out: wp.array[float]):\n"
        "    i = wp.tid()\n"
        "    put(out, i, x[i])\n"
    )
    signature = ir.Signature("k", (h.argument("x"), h.argument("out", "output")), (h.SIZE,))
    assert gradient_bar(read(source, signature)) == "a function adds to an array"


# ---- which loops are unrolled


def test_an_exchange_is_barred_by_itself() -> None:
    source = (
        "import warp as wp\n"
        "@wp.kernel\n"
        "def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n"
        "    wp.atomic_exch(out, i, x[i])\n"
    )
    signature = ir.Signature("k", (h.argument("x"), h.argument("out", "output")), (h.SIZE,))
    assert gradient_bar(read(source, signature)) == "atomic_exch on an array that has a gradient"


def test_loops_of_literal_bounds_are_unrolled_up_to_a_length() -> None:
    assert not is_dynamic(h.loop(MAX_UNROLL, ADD)) and is_dynamic(h.loop(MAX_UNROLL + 1, ADD))
    assert is_dynamic(h.loop(4, ADD, dynamic=True))
    assert is_dynamic(h.loop(4, ir.If(POSITIVE, (ir.Break(),)), ADD))
    assert is_dynamic(ir.While(POSITIVE, (ADD,)))
    assert not is_dynamic(h.loop(4, ir.If(POSITIVE, (ir.Continue(),)), ADD))


def test_trips_of_literal_bounds() -> None:
    def trips(start: int, stop: int, step: int) -> int | None:
        return literal_trips(
            ir.For(h.name("k", INT), ir.Literal(start, INT), ir.Literal(stop, INT), step, ())
        )

    assert [trips(0, 7, 1), trips(1, 8, 3), trips(5, 5, 1), trips(6, 5, 1)] == [7, 3, 0, 0]
    assert literal_trips(h.loop(4, ADD, dynamic=True)) is None


def test_generated_size_repeats_what_is_unrolled() -> None:
    once = generated_size(h.kernel(h.start_x(), h.loop(1, ADD), h.write("o", h.X)))
    ten = generated_size(h.kernel(h.start_x(), h.loop(10, ADD), h.write("o", h.X)))
    kept = generated_size(counted(LOOP, h.write("o", h.X)))
    assert ten == once + 9 and kept == once


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (h.op("mul", h.read("a"), h.read("b")), "a b"),
        (h.op("add", h.read("a"), h.op("floor", h.read("b"))), "a"),
        (h.op("where", h.op("gt", h.read("a"), h.number(1.0), type=BOOL), h.read("b"), h.number(1.0)), "b"),
    ],
)
def test_which_inputs_may_have_a_gradient(value: ir.Expr, names: str) -> None:
    assert [argument.name for argument in differentiable_inputs(of_both(value))] == names.split()
