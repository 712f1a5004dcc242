"""Programs as Python text: brackets, literals, statements, aliases, double precision."""

from __future__ import annotations

import ast

import pytest

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.intervals import ExpressionIntervals
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.write import expression, in_float64, type_name, write
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Scalar, Vector, shaped
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

X, Y = (ir.Name(text, FLOAT) for text in "xy")
N = ir.Name("n", INT)
VEC3 = Vector("float32", 3)
V = ir.Name("v", VEC3)
SPANS = ExpressionIntervals()
SPANS.names |= {name: Interval(0.5, 2.0) for name in "xy"} | {"n": Interval(0, 9), "v": Interval(-1.0, 1.0)}
apply = SPANS.apply


def literal(value, type=FLOAT):
    return ir.Literal(value, type)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (apply("sub", X, apply("sub", Y, X)), "x - (y - x)"),
        (apply("sub", apply("sub", X, Y), X), "x - y - x"),
        (apply("mul", apply("add", X, Y), X), "(x + y) * x"),
        (apply("div", X, apply("mul", X, Y)), "x / (x * y)"),
        (apply("neg", apply("add", X, Y)), "-(x + y)"),
        (apply("neg", apply("neg", X)), "-(-x)"),
        (apply("mul", literal(-0.5), X), "-0.5 * x"),
        (apply("component", apply("add", V, V), literal(1, INT)), "(v + v)[1]"),
        (apply("conditional", apply("lt", X, Y), X, Y), "x if x < y else y"),
        (apply("add", apply("conditional", apply("lt", X, Y), X, Y), X), "(x if x < y else y) + x"),
        (apply("not", apply("and", apply("lt", X, Y), apply("gt", X, Y))), "not (x < y and x > y)"),
        (
            apply("or", apply("and", apply("lt", X, Y), apply("gt", X, Y)), apply("lt", Y, X)),
            "x < y and x > y or y < x",
        ),
        (apply("bit_and", N, apply("bit_or", N, literal(3, INT))), "n & (n | 3)"),
        (apply("to_float", N, type=Scalar("float64")), "wp.float64(n)"),
        (apply("splat", X, type=VEC3), "wp.vec3(x)"),
        (literal(0.5, Scalar("float64")), "wp.float64(0.5)"),
        (literal(3, Scalar("uint32")), "wp.uint32(3)"),
        (literal(True, BOOL), "True"),
    ],
)
def test_expressions(node, text):
    assert expression(node) == text


@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_text_means_the_tree(category):
    """Python's own grammar groups the text as the tree is grouped: unparsing its parse gives equal text."""
    for number in range(40):
        source = write(sample(address_of(0, category, number)).program)
        tree = ast.parse(source)
        assert ast.dump(ast.parse(ast.unparse(tree))) == ast.dump(tree)


def test_type_names():
    names = {
        type_name(t) for t in (FLOAT, Scalar("float64"), VEC3, Vector("int32", 2), shaped("float64", (2, 3)))
    }
    assert names == {"float", "wp.float64", "wp.vec3", "wp.vec2i", "mat23d"}


def kernel(*body, arguments=()):
    return ir.Program(
        ir.Signature("k", tuple(arguments), (8,)), (ir.ThreadIndex((ir.Name("i", INT),)), *body)
    )


def test_statements():
    total = ir.Name("total", FLOAT)
    k = ir.Name("k", INT)
    step = ir.Accumulate(total, "+", X)
    loop = ir.For(k, literal(0, INT), literal(4, INT), 1, (step, ir.If(apply("lt", X, Y), (ir.Break(),))))
    chain = ir.If(apply("lt", X, Y), (step,), (ir.If(apply("gt", X, Y), (step,), (ir.Return(),)),))
    source = write(kernel(ir.Variable(total, literal(0.0)), loop, chain))
    assert source.split("i = wp.tid()\n")[1] == (
        "    total = float(0.0)\n"
        "    for k in range(4):\n"
        "        total += x\n"
        "        if x < y:\n"
        "            break\n"
        "    if x < y:\n"
        "        total += x\n"
        "    elif x > y:\n"
        "        total += x\n"
        "    else:\n"
        "        return\n"
    )


def test_loop_indices_reach_64_bits_by_way_of_32():
    wide = Scalar("float64")
    k = ir.Name("k", INT)
    total = ir.Name("total", wide)
    widened = ir.Apply("to_float", (k,), wide)
    loop = ir.For(k, literal(0, INT), literal(4, INT), 1, (ir.Assign(total, widened),))
    assert "total = wp.float64(float(k))" in write(kernel(loop))


def test_double_precision_changes_every_float_and_nothing_else():
    source = write(in_float64(sample(Address(0, "combined", 3)).program))
    assert "float(" not in source.replace("wp.float64(", "")
    assert "dtype=float" not in source.replace("dtype=wp.float64", "")


def test_odd_shapes_get_an_alias():
    argument = ir.Argument("q", shaped("float32", (2, 3)), "input", (4,), Interval(0, 1))
    source = write(kernel(arguments=(argument,)))
    assert "mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float32)" in source
    assert "q: wp.array(dtype=mat23)" in source
