"""Loops, and statements that compute nothing."""

from __future__ import annotations

from dataclasses import replace

from warp_ir_dataset.language import program as p

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
    p.For(K, whole(0), read("n", INT), 1, (p.Accumulate(X, "+", element("rows", THREAD, K)),)),
    write("o", X),
    arguments=(ROWS, argument("n", type=INT, lo=1, hi=4), argument("o", "output")),
)

ENDLESS = program(
    "climbed",
    p.Variable(X, read("a")),
    p.While(
        Literal(True, BOOL),
        (p.Accumulate(X, "+", number(0.75)), p.If(flag("gt", X, number(3.0)), (p.Break(),))),
    ),
    write("o", X),
)

DOWNWARDS = program(
    "unwound",
    variable(number(0.0)),
    p.For(K, whole(3), whole(-1), -1, (p.Assign(X, add(mul(X, number(0.5)), element("rows", THREAD, K))),)),
    write("o", X),
    arguments=(ROWS, argument("o", "output")),
)

CONTINUED = program(
    "skipped",
    variable(number(0.0)),
    p.For(
        K,
        whole(0),
        whole(4),
        1,
        (
            p.If(flag("gt", element("rows", THREAD, K), number(1.2)), (p.Continue(),)),
            p.Accumulate(X, "+", element("rows", THREAD, K)),
        ),
    ),
    write("o", X),
    arguments=(ROWS, argument("o", "output")),
)

NO_EFFECT = replace(
    program(
        "told",
        p.Comment("What comes in is never negative,\nand never large."),
        p.Assert(flag("lt", read("a"), number(9.0)), "too large"),
        p.If(
            flag("lt", read("a"), number(0.6)),
            (p.Comment("leave it"), p.Pass()),
            (p.Print("thread %d: %g\n", (THREAD, read("a"))),),
        ),
        p.Print(None, (read("a"),)),
        write("o", mul(read("a"), op("sin", read("a")))),
        p.Comment("done", beside=True),
    ),
    docstring="Tell what comes in.",
)

STYLED = replace(
    program(
        "typed",
        write("o", mul(read("a"), op("to_float", name("n", INT)))),
        arguments=(argument("a"), argument("n", type=INT, shape=(), lo=1, hi=4), argument("o", "output")),
    ),
    style=p.Style(subscripts=True, full_names=True),
)

FLOW = {
    "a loop bound from an array": BOUND_FROM_DATA,
    "an endless loop that is left": ENDLESS,
    "a loop downwards": DOWNWARDS,
    "an iteration skipped": CONTINUED,
    "print, assert, pass and comments": NO_EFFECT,
    "annotations in full": STYLED,
}
