"""One illegal program for every rule, each a small step from a legal one."""

from __future__ import annotations

import re

import pytest
from toys.candidates import candidate_of
from toys.programs import (
    SIZE,
    THREAD,
    VEC,
    X,
    argument,
    atomic,
    element,
    kernel,
    loop,
    name,
    number,
    op,
    read,
    set_component,
    write,
)

from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Scalar, Struct

A, B, OUT = argument("a"), argument("b"), argument("o", "output")
STATE = argument("s", "inout")
SHARED = argument("o", "output", shape=(1,))
ONE, ZERO = ir.Literal(1, INT), ir.Literal(0, INT)
NEXT = op("add", THREAD, ir.Literal(1, INT), type=INT)
ACROSS = name("j", INT)
BEYOND = read("a", index=NEXT)
ABOVE = op("gt", read("a"), number(1.0), type=BOOL)
PAIR = Struct("Pair", (("left", FLOAT), ("right", FLOAT)))
RECORD = ir.Name("pair", PAIR)
LEFT, RIGHT = (ir.Member(RECORD, member, FLOAT) for member in ("left", "right"))
FILLED = (
    ir.Variable(RECORD, ir.New(PAIR)),
    ir.Assign(LEFT, read("a")),
    ir.Assign(RIGHT, number(2.0)),
)
SUM, ADD = (ir.Variable(X, number(0.0)),), ir.Accumulate(X, "+", read("a"))


def function(value: ir.Expr, *before: ir.Stmt) -> tuple[ir.Function, ...]:
    """One of a parameter `x`."""
    return (ir.Function("double", (X,), (*before, ir.Return((value,))), FLOAT),)


DOUBLE = ir.Function("double", (X,), (ir.Return((op("add", X, X),)),), FLOAT)
DOUBLED = ir.Call("double", (read("a"),), FLOAT)


def with_structs(*body: ir.Stmt) -> ir.Program:
    program = kernel(*body)
    return ir.Program(program.signature, program.body, (), (PAIR,))


def without_index(threads: int) -> ir.Program:
    """A kernel that does not ask for a thread's index, and stores."""
    signature = ir.Signature("test_kernel", (A, SHARED), (threads,))
    return ir.Program(signature, (write("o", read("a", index=ZERO), ZERO),))


LEGAL = {
    "a store": kernel(write("o", read("a"))),
    "a store of the only thread": without_index(1),
    "an element of one's own, changed": kernel(
        write("s", op("add", read("s"), read("a"))), arguments=(A, STATE)
    ),
    "a sum": kernel(ir.Variable(X, number(0.0)), loop(4, ir.Accumulate(X, "+", read("a"))), write("o", X)),
    "a function": kernel(write("o", DOUBLED), functions=(DOUBLE,)),
    "a struct": with_structs(*FILLED, write("o", op("mul", LEFT, RIGHT))),
    "an atomic": kernel(atomic("add", "o", ZERO, read("a")), arguments=(A, SHARED)),
    "a guard": kernel(
        ir.If(op("lt", THREAD, ir.Literal(SIZE - 1, INT), type=BOOL), (ir.Let(X, BEYOND), write("o", X))),
    ),
    "a loop of 64": kernel(*SUM, loop(64, ADD), write("o", X)),
}


@pytest.mark.parametrize("title", LEGAL)
def test_legal(title: str) -> None:
    check(LEGAL[title])


def assigned(target: ir.Name, value: ir.Expr, *before: ir.Stmt) -> ir.Program:
    return kernel(*before, ir.Assign(target, value), write("o", op("add", target, read("a"))))


N = name("n", INT)
SIZED = (A, ir.Argument("n", INT, "input", (), Interval(1, 8)), OUT)
LONG = ir.Argument("n", INT, "input", (), Interval(1, 65))

ILLEGAL = {
    "a store of every thread": (without_index(2), "^two threads .* o$"),
    # names
    "undeclared": (kernel(write("o", op("add", read("a"), X))), "x .*declared"),
    "declared of another type": (
        kernel(ir.Let(X, read("a")), write("o", ir.Name("x", Scalar("float64")))),
        "x .*declared",
    ),
    "defined twice": (kernel(ir.Let(X, read("a")), ir.Let(X, read("a")), write("o", X)), "^x .*twice"),
    "named as an argument": (
        kernel(ir.Let(name("o"), read("a")), write("o", name("o"))),
        "^o .*twice",
    ),
    "of another type than its value": (kernel(ir.Let(X, ONE), write("o", read("a"))), "than its value"),
    "a constant assigned": (assigned(X, read("a"), ir.Let(X, number(1.0))), "assigned"),
    "an argument assigned": (
        kernel(ir.Assign(N, ONE), ir.Let(name("k", INT), N), write("o", read("a")), arguments=SIZED),
        "assigned",
    ),
    "assigned before it is declared": (assigned(X, read("a")), "assigned"),
    "assigned a value of another type": (
        assigned(X, ONE, ir.Variable(X, number(1.0))),
        "^x changes",
    ),
    "a loop's index assigned": (
        kernel(loop(3, ir.Assign(name("k", INT), ONE)), write("o", read("a"))),
        "assigned",
    ),
    "defined on one path": (
        kernel(ir.If(ABOVE, (ir.Variable(X, number(1.0)),)), write("o", op("add", X, read("a")))),
        "x .*declared",
    ),
    # components, structs
    "a component that is not there": (
        kernel(
            ir.Variable(name("v", VEC), read("a", VEC)),
            set_component(name("v", VEC), number(1.0), 3),
            write("o", op("length", name("v", VEC))),
            arguments=(argument("a", type=VEC), OUT),
        ),
        "index .*bounds",
    ),
    "a component by two indices": (
        kernel(
            ir.Variable(name("v", VEC), read("a", VEC)),
            set_component(name("v", VEC), number(1.0), 0, 0),
            write("o", op("length", name("v", VEC))),
            arguments=(argument("a", type=VEC), OUT),
        ),
        "components .* 1 ",
    ),
    "a component of another type": (
        kernel(
            ir.Variable(name("v", VEC), read("a", VEC)),
            ir.Assign(ir.Component(name("v", VEC), (ZERO,), INT), ONE),
            write("o", op("length", name("v", VEC))),
            arguments=(argument("a", type=VEC), OUT),
        ),
        "component of v .*type",
    ),
    "no such struct": (kernel(*FILLED, write("o", op("mul", LEFT, RIGHT))), "^Pair .*struct"),
    "a member of another type": (
        with_structs(ir.Variable(RECORD, ir.New(PAIR)), ir.Assign(LEFT, ONE), write("o", LEFT)),
        "^pair changes",
    ),
    "no such member": (
        with_structs(*FILLED, write("o", op("mul", LEFT, ir.Member(RECORD, "middle", FLOAT)))),
        "middle",
    ),
    "a member of a struct that is not there": (
        with_structs(write("o", LEFT)),
        "pair .*declared",
    ),
    "a member set of a struct that is not there": (
        with_structs(ir.Assign(LEFT, read("a")), write("o", read("a"))),
        "pair .*variable",
    ),
    "a member set of a struct that is a constant": (
        with_structs(ir.Let(RECORD, ir.New(PAIR)), ir.Assign(LEFT, read("a")), write("o", LEFT)),
        "pair .*variable",
    ),
    "a struct of too few members": (
        with_structs(ir.Let(RECORD, ir.New(PAIR, (read("a"),))), write("o", LEFT)),
        "^Pair .*struct",
    ),
    "a part that a vector has not": (
        kernel(write("o", ir.Member(read("a", VEC), "w", FLOAT)), arguments=(argument("a", type=VEC), OUT)),
        r"^a .* w\b",
    ),
    # types
    "operands of other types": (kernel(write("o", op("add", read("a"), ONE))), "^add of "),
    "a whole number as a float": (
        kernel(write("o", op("add", read("a"), ir.Literal(1, FLOAT)))),
        "^1 .*float32",
    ),
    "a condition that is no truth": (
        kernel(ir.If(read("a"), (write("o", read("a")),))),
        "truth",
    ),
    "a loop's condition that is no truth": (
        kernel(ir.While(read("a"), (ir.Break(),)), write("o", read("a"))),
        "truth",
    ),
    "an index that is no integer": (kernel(write("o", read("a", index=read("a")))), "integer"),
    "too many indices": (
        kernel(write("o", ir.Load(ir.Name("a", Array(FLOAT, 1)), (THREAD, THREAD), FLOAT))),
        "^a .*indices",
    ),
    "two thread indices of one dimension": (
        ir.Program(
            kernel().signature,
            (ir.ThreadIndex((THREAD, name("j", INT))), write("o", read("a"))),
        ),
        "thread index",
    ),
    # memory
    "a store to an input": (
        kernel(write("a", number(1.0)), write("o", read("a"))),
        "store .*kind",
    ),
    "a store of another type": (
        kernel(write("o", op("to_integer", read("a"), type=INT))),
        "o .*declared",
    ),
    "a store to no array": (kernel(write("z", read("a"))), "z .*declared"),
    "an output that is read": (
        kernel(write("o", op("add", read("a"), read("o")))),
        "load .*kind",
    ),
    "a load of another type": (
        kernel(write("o", op("to_float", ir.Load(ir.Name("a", Array(FLOAT, 1)), (THREAD,), INT)))),
        "element of a .*type",
    ),
    "an array read inside a function": (
        kernel(
            write("o", DOUBLED),
            functions=function(op("add", X, read("a", index=ZERO))),
        ),
        "a .*declared",
    ),
    "two threads that store to one element": (kernel(write("o", read("a"), ZERO)), "two threads"),
    "two threads of a grid that store to one element": (
        ir.Program(
            ir.Signature(
                "grid", (argument("a", shape=(4, 4)), argument("o", "output", shape=(4, 4))), (4, 4)
            ),
            (
                ir.ThreadIndex((THREAD, ACROSS)),
                write("o", element("a", THREAD, ACROSS), THREAD, ZERO),
            ),
        ),
        "two threads",
    ),
    "an element that another thread changes": (
        kernel(write("s", op("add", read("s", index=ZERO), read("a"))), arguments=(A, STATE)),
        "another thread",
    ),
    "stored to and changed by atomics": (
        kernel(write("o", read("a")), atomic("add", "o", ZERO, read("a"))),
        "atomics",
    ),
    "an atomic of the wrong kind": (
        kernel(atomic("add", "a", ZERO, number(1.0)), write("o", read("a"))),
        "store .*kind",
    ),
    "a load out of bounds": (
        kernel(write("o", BEYOND)),
        "index of a .*bounds",
    ),
    "a store out of bounds": (
        kernel(write("o", read("a")), arguments=(A, argument("o", "output", shape=(SIZE - 1,)))),
        "index of o .*bounds",
    ),
    "a negative index": (
        kernel(write("o", read("a", index=op("sub", THREAD, ONE, type=INT)))),
        "index of a .*bounds",
    ),
    # loops
    "a loop that stands still": (
        kernel(ir.For(name("k", INT), ZERO, ONE, 0, (write("o", read("a")),))),
        "steps",
    ),
    "a loop that counts in floats": (
        kernel(ir.For(X, number(0.0), number(2.0), 1, (write("o", read("a")),))),
        "whole",
    ),
    "a loop of 65": (
        kernel(ir.Variable(X, number(0.0)), loop(65, ir.Accumulate(X, "+", read("a"))), write("o", X)),
        " 64 ",
    ),
    "a loop that an argument makes too long": (
        kernel(
            ir.Variable(X, number(0.0)),
            loop(8, ir.Accumulate(X, "+", read("a")), dynamic=True),
            write("o", X),
            arguments=(A, LONG, OUT),
        ),
        " 64 ",
    ),
    "break outside of a loop": (
        kernel(ir.If(ABOVE, (ir.Break(),)), write("o", read("a"))),
        "outside",
    ),
    "continue outside of a loop": (kernel(ir.Continue(), write("o", read("a"))), "outside"),
    # functions
    "a function that is not there": (kernel(write("o", DOUBLED)), "before"),
    "a function that calls itself": (
        kernel(write("o", DOUBLED), functions=function(ir.Call("double", (X,), FLOAT))),
        "before",
    ),
    "two parameters of one name": (
        kernel(
            write("o", ir.Call("double", (read("a"), read("a")), FLOAT)),
            functions=(ir.Function("double", (X, X), (ir.Return((op("add", X, X),)),), FLOAT),),
        ),
        "parameters",
    ),
    "too few operands": (
        kernel(write("o", ir.Call("double", (), FLOAT)), functions=(DOUBLE,)),
        "^double .*operands",
    ),
    "an operand of another type": (
        kernel(write("o", ir.Call("double", (ONE,), FLOAT)), functions=(DOUBLE,)),
        "^double .*operands",
    ),
    "a struct operand that is not there": (
        kernel(
            write("o", ir.Call("first", (RECORD,), FLOAT)),
            functions=(ir.Function("first", (RECORD,), (ir.Return((op("add", LEFT, RIGHT),)),), FLOAT),),
        ),
        "pair .*declared",
    ),
    "a result of another type": (
        kernel(write("o", DOUBLED), functions=function(op("to_integer", X, type=INT))),
        "^double .*type",
    ),
    "a call of another type": (
        kernel(
            ir.Let(N, ir.Call("double", (read("a"),), INT)),
            write("o", op("to_float", N)),
            functions=(DOUBLE,),
        ),
        "^double .*type",
    ),
    "a function that may end without a value": (
        kernel(
            write("o", DOUBLED),
            functions=(
                ir.Function(
                    "double", (X,), (ir.If(op("gt", X, number(1.0), type=BOOL), (ir.Return((X,)),)),), FLOAT
                ),
            ),
        ),
        "^double .*end",
    ),
    "a kernel that returns a value": (
        kernel(write("o", read("a")), ir.Return((read("a"),))),
        "^a kernel returns",
    ),
    "a thread index in a function": (
        kernel(
            write("o", DOUBLED),
            functions=function(X, ir.ThreadIndex((THREAD,))),
        ),
        "thread index",
    ),
    # nothing unused
    "an input that nothing reads": (kernel(write("o", read("a")), arguments=(A, B, OUT)), "unused: b"),
    "a local that nothing reads": (kernel(ir.Let(X, read("a")), write("o", read("a"))), "unused: x"),
    "a variable that is only assigned": (
        kernel(ir.Variable(X, number(1.0)), ir.Assign(X, read("a")), write("o", read("a"))),
        "unused: x",
    ),
    "a function that nothing calls": (kernel(write("o", read("a")), functions=(DOUBLE,)), "unused: double"),
    "a parameter that nothing reads": (
        kernel(write("o", DOUBLED), functions=function(number(2.0))),
        "unused: x",
    ),
    "an output that is never written": (
        kernel(write("o", read("a")), arguments=(A, argument("z", "output"), OUT)),
        "never",
    ),
    # operations
    "a root of what may be negative": (
        kernel(write("o", op("sqrt", read("a"))), arguments=(argument("a", lo=-1.0), OUT)),
        "^sqrt .*defined",
    ),
    "a divisor that may be zero": (
        kernel(write("o", op("div", number(1.0), read("a"))), arguments=(argument("a", lo=-1.0), OUT)),
        "^div .*defined",
    ),
    "an operation that overflows": (
        kernel(
            write("o", op("mul", read("a", INT), read("a", INT), type=INT)),
            arguments=(argument("a", type=INT, lo=0, hi=2**20), argument("o", "output", INT)),
        ),
        "^mul .*int32",
    ),
    "a sum that overflows": (
        kernel(
            ir.Variable(N, ZERO),
            loop(8, ir.Accumulate(N, "+", read("a", INT))),
            write("o", op("to_float", op("mod", N, ir.Literal(7, INT), type=INT))),
            arguments=(argument("a", type=INT, lo=0, hi=2**28), OUT),
        ),
        "^n .*int32",
    ),
    "an operation undefined in a function, for what it is called with": (
        kernel(
            write("o", DOUBLED),
            functions=function(op("log", X)),
            arguments=(argument("a", lo=-1.0), OUT),
        ),
        "^log .*defined",
    ),
}


@pytest.mark.parametrize("title", ILLEGAL)
def test_illegal(title: str) -> None:
    program, rule = ILLEGAL[title]
    with pytest.raises(Illegal, match=rule):
        check(program)


def test_no_illegal_program_is_compiled() -> None:
    """What makes rows checks first: a drafter may promise what does not hold."""
    program, rule = ILLEGAL["two threads that store to one element"]
    candidate = candidate_of(program, Address(0, "math", 0))
    (outcome,) = produce([candidate], "cpu", "sm_80", lambda index: None)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.ILLEGAL
    assert re.search(rule, outcome.detail)
