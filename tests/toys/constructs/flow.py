"""Loops, and statements that compute nothing."""

from __future__ import annotations

from dataclasses import replace

from warp_ir_dataset.language import ir

from .nodes import (
    BOOL,
    INT,
    THREAD,
    Literal,
    X,
    add,
    argument,
    element,
    flag,
    mul,
    name,
    number,
    op,
    program,
    read,
    variable,
    whole,
    write,
)  # fmt: skip

K = name("k", INT)
ROWS = argument("rows", shape=(8, 4))

BOUND_FROM_DATA = program(
    "counted",
    variable(number(0.0)),
    ir.For(K, whole(0), read("n", INT), 1, (ir.Accumulate(X, "+", element("rows", THREAD, K)),)),
    write("o", X),
    arguments=(ROWS, argument("n", type=INT, lo=1, hi=4), argument("o", "output")),
)

ENDLESS = program(
    "climbed",
    ir.Variable(X, read("a")),
    ir.While(
        Literal(True, BOOL),
        (ir.Accumulate(X, "+", number(0.75)), ir.If(flag("gt", X, number(3.0)), (ir.Break(),))),
    ),
    write("o", X),
)

DOWNWARDS = program(
    "unwound",
    variable(number(0.0)),
    ir.For(K, whole(3), whole(-1), -1, (ir.Assign(X, add(mul(X, number(0.5)), element("rows", THREAD, K))),)),
    write("o", X),
    arguments=(ROWS, argument("o", "output")),
)

CONTINUED = program(
    "skipped",
    variable(number(0.0)),
    ir.For(
        K,
        whole(0),
        whole(4),
        1,
        (
            ir.If(flag("gt", element("rows", THREAD, K), number(1.2)), (ir.Continue(),)),
            ir.Accumulate(X, "+", element("rows", THREAD, K)),
        ),
    ),
    write("o", X),
    arguments=(ROWS, argument("o", "output")),
)

NO_EFFECT = replace(
    program(
        "told",
        ir.Comment("What comes in is never negative,\nand never large."),
        ir.Assert(flag("lt", read("a"), number(9.0)), "too large"),
        ir.If(
            flag("lt", read("a"), number(0.6)),
            (ir.Comment("leave it"), ir.Pass()),
            (ir.Print("thread %d: %g\n", (THREAD, read("a"))),),
        ),
        ir.Print(None, (read("a"),)),
        write("o", mul(read("a"), op("sin", read("a")))),
        ir.Comment("done", beside=True),
    ),
    docstring="Tell what comes in.",
)

STYLED = replace(
    program(
        "typed",
        write("o", mul(read("a"), op("to_float", name("n", INT)))),
        arguments=(argument("a"), argument("n", type=INT, shape=(), lo=1, hi=4), argument("o", "output")),
    ),
    style=ir.Style(subscripts=True, full_names=True),
)

FLOW = {
    "a loop bound from an array": BOUND_FROM_DATA,
    "an endless loop that is left": ENDLESS,
    "a loop downwards": DOWNWARDS,
    "an iteration skipped": CONTINUED,
    "print, assert, pass and comments": NO_EFFECT,
    "annotations in full": STYLED,
}
