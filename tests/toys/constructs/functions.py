"""Functions of a program's own."""

from __future__ import annotations

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.types import Several

from .nodes import (
    FLOAT,
    INT,
    THREAD,
    VEC3,
    Load,
    Struct,
    X,
    add,
    argument,
    array,
    mul,
    name,
    number,
    op,
    program,
    put,
    read,
    write,
)  # fmt: skip

TARGET, SOURCE, SPOT = array("target"), array("source"), name("spot", INT)
PAIR = Several((FLOAT, FLOAT))
LOW, HIGH = name("low"), name("high")

WRITES_AN_ARRAY = program(
    "placed",
    ir.Do(ir.Call("place", (array("o"), THREAD, mul(read("a"), number(2.0))), Several())),
    functions=(ir.Function("place", (TARGET, SPOT, X), (put(Load(TARGET, (SPOT,), FLOAT), X),), Several()),),
)

TAKES_ARRAYS = program(
    "copied",
    ir.Do(ir.Call("copy_square", (array("a"), array("o"), THREAD), Several())),
    functions=(
        ir.Function(
            "square_of",
            (SOURCE, SPOT),
            (ir.Return((mul(Load(SOURCE, (SPOT,), FLOAT), Load(SOURCE, (SPOT,), FLOAT)),)),),
            FLOAT,
        ),
        ir.Function(
            "copy_square",
            (SOURCE, TARGET, SPOT),
            (put(Load(TARGET, (SPOT,), FLOAT), ir.Call("square_of", (SOURCE, SPOT), FLOAT)),),
            Several(),
        ),
    ),
)

EARLY_RETURN = program(
    "guarded",
    ir.Do(ir.Call("place", (array("o"), THREAD, read("a")), Several())),
    functions=(
        ir.Function(
            "place",
            (TARGET, SPOT, X),
            (
                ir.If(op("lt", X, number(0.8), type=ir.BOOL), (ir.Return(),)),
                put(Load(TARGET, (SPOT,), FLOAT), mul(X, X)),
            ),
            Several(),
        ),
    ),
)

TWO_RESULTS = program(
    "spread",
    ir.Unpack((LOW, HIGH), ir.Call("ends", (read("a"),), PAIR)),
    write("o", mul(LOW, HIGH)),
    functions=(ir.Function("ends", (X,), (ir.Return((mul(X, number(0.5)), add(X, number(1.0)))),), PAIR),),
)

UNPACKED_INTO_VARIABLES = program(
    "swapped",
    ir.Variable(LOW, read("a")),
    ir.Variable(HIGH, number(2.0)),
    ir.Unpack((LOW, HIGH), ir.Call("swap", (LOW, HIGH), PAIR)),
    write("o", add(mul(LOW, number(3.0)), HIGH)),
    functions=(ir.Function("swap", (X, name("y")), (ir.Return((name("y"), X)),), PAIR),),
)

OVERLOADS = program(
    "measured",
    write("o", mul(ir.Call("measure", (read("a"),), FLOAT), ir.Call("measure", (read("v", VEC3),), FLOAT))),
    arguments=(argument("a"), argument("v", type=VEC3), argument("o", "output")),
    functions=(
        ir.Function("measure", (X,), (ir.Return((add(X, X),)),), FLOAT),
        ir.Function("measure", (name("x", VEC3),), (ir.Return((op("length", name("x", VEC3)),)),), FLOAT),
    ),
)

SPRING = Struct("Spring", (("rest", FLOAT), ("stiffness", FLOAT)))
_SELF, _SPRING = name("self", SPRING), name("spring", SPRING)
METHOD = program(
    "pulled",
    ir.Variable(_SPRING, ir.New(SPRING)),
    put(ir.Member(_SPRING, "rest", FLOAT), number(0.25)),
    put(ir.Member(_SPRING, "stiffness", FLOAT), read("k")),
    write("o", ir.Call("Spring.force", (_SPRING, read("a")), FLOAT)),
    arguments=(argument("a"), argument("k"), argument("o", "output")),
    functions=(
        ir.Function(
            "Spring.force",
            (_SELF, X),
            (
                ir.Return(
                    (
                        mul(
                            ir.Member(_SELF, "stiffness", FLOAT),
                            op("sub", X, ir.Member(_SELF, "rest", FLOAT)),
                        ),
                    )
                ),
            ),
            FLOAT,
        ),
    ),
    structs=(SPRING,),
)

FUNCTIONS = {
    "a function that writes an array": WRITES_AN_ARRAY,
    "functions that take arrays": TAKES_ARRAYS,
    "a function that returns early": EARLY_RETURN,
    "a function of two results": TWO_RESULTS,
    "variables unpacked into": UNPACKED_INTO_VARIABLES,
    "overloads": OVERLOADS,
    "a method": METHOD,
}
