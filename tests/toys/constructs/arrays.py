"""Elements, parts and shapes of arrays, and what threads do to one element together."""

from __future__ import annotations

from warp_ir_dataset.language import ir

from .nodes import (
    FLOAT,
    INT,
    SIZE,
    THREAD,
    VEC3,
    Array,
    Load,
    X,
    add,
    argument,
    array,
    element,
    flag,
    launch,
    mul,
    name,
    number,
    op,
    program,
    put,
    read,
    variable,
    whole,
    write,
)  # fmt: skip

ROWS = argument("rows", shape=(SIZE, 4))
ROW = ir.View(array("rows", ndim=2), (THREAD,), Array(FLOAT, 1))
FIRST, J, K, N = (name(text, INT) for text in "ijkn")
COUNT = argument("count", "inout", INT, (2,), 0, 2)

ELEMENT_AUGMENTED = program(
    "gathered",
    ir.Accumulate(element("o", op("mod", THREAD, whole(3), type=INT)), "+", mul(read("a"), read("a"))),
    ir.Accumulate(element("o", whole(3)), "-", read("a")),
    arguments=(argument("a"), argument("o", "output", shape=(4,))),
)

OWN_ELEMENT_MULTIPLIED = program(
    "scaled",
    ir.Accumulate(element("s", THREAD), "*", read("a")),
    arguments=(argument("a"), argument("s", "inout")),
)

COMPONENT_OF_AN_ELEMENT = program(
    "nudged",
    put(
        ir.Component(element("s", THREAD, type=VEC3), (whole(1),), FLOAT),
        mul(read("a"), op("component", element("s", THREAD, type=VEC3), whole(2))),
    ),
    arguments=(argument("a"), argument("s", "inout", VEC3)),
)

THREE_DIMENSIONS = launch(
    "blurred",
    (FIRST, J, K),
    write("o", mul(element("a", FIRST, J, K), element("b", K, J)), FIRST, J, K),
    arguments=(
        argument("a", shape=(2, 3, 4)),
        argument("b", shape=(4, 3)),
        argument("o", "output", shape=(2, 3, 4)),
    ),
)

FOUR_DIMENSIONS = launch(
    "stacked",
    (FIRST, J, K, N),
    write("o", add(element("a", FIRST, J, K, N), op("to_float", add(mul(whole(10), J), N))), FIRST, J, K, N),
    arguments=(argument("a", shape=(2, 3, 2, 3)), argument("o", "output", shape=(2, 3, 2, 3))),
)

ROW_OF_AN_ARRAY = program(
    "rowed",
    ir.Let(array("row"), ROW),
    write("o", mul(element("row", whole(0)), element("row", whole(3)))),
    arguments=(ROWS, argument("o", "output")),
)

EVERY_SECOND = ir.View(array("a"), (ir.Slice(whole(1), whole(7), whole(2)),), Array(FLOAT, 1))
SLICE = program(
    "sliced",
    write(
        "o",
        add(
            Load(ir.View(ROW, (ir.Slice(whole(1), None, None),), Array(FLOAT, 1)), (whole(2),), FLOAT),
            Load(
                ir.View(array("a"), (ir.Slice(whole(1), whole(7), whole(2)),), Array(FLOAT, 1)),
                (whole(1),),
                FLOAT,
            ),
        ),
    ),
    arguments=(ROWS, argument("a"), argument("o", "output")),
)

SHAPE = program(
    "summed",
    variable(number(0.0)),
    ir.For(
        K,
        whole(0),
        ir.Shape(array("rows", ndim=2), 1),
        1,
        (ir.Accumulate(X, "+", element("rows", THREAD, K)),),
    ),
    write("o", X),
    arguments=(ROWS, argument("o", "output")),
)

TICKET = program(
    "picked",
    ir.If(
        flag("gt", read("a"), number(1.0)),
        (
            ir.Let(K, op("atomic_add", array("count", INT), whole(0), whole(1), type=INT)),
            ir.If(flag("lt", K, whole(3)), (write("o", read("a")),)),
        ),
    ),
    arguments=(argument("a"), COUNT, argument("o", "output")),
)

BEFORE = program(
    "peaked",
    ir.Let(X, op("atomic_max", array("best"), whole(0), read("a"))),
    write("o", X),
    arguments=(argument("a"), argument("best", "inout", shape=(1,)), argument("o", "output")),
)

# The first thread takes the lock.
LOCK = program(
    "locked",
    ir.Let(K, op("atomic_cas", array("count", INT), whole(0), whole(0), add(THREAD, whole(1)), type=INT)),
    ir.If(flag("eq", K, whole(0)), (write("o", read("a")),)),
    arguments=(argument("a"), COUNT, argument("o", "output")),
)

ARRAYS = {
    "an element added to": ELEMENT_AUGMENTED,
    "an element multiplied": OWN_ELEMENT_MULTIPLIED,
    "a component of an element": COMPONENT_OF_AN_ELEMENT,
    "a launch of three dimensions": THREE_DIMENSIONS,
    "a launch of four dimensions": FOUR_DIMENSIONS,
    "a row of an array": ROW_OF_AN_ARRAY,
    "slices": SLICE,
    "a shape": SHAPE,
    "a ticket": TICKET,
    "the largest so far": BEFORE,
    "a lock": LOCK,
}
