"""Functions of a program's own."""

from __future__ import annotations

from warp_ir_dataset.language import program as p
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
    p.Do(p.Call("place", (array("o"), THREAD, mul(read("a"), number(2.0))), Several())),
    functions=(p.Function("place", (TARGET, SPOT, X), (put(Load(TARGET, (SPOT,), FLOAT), X),), Several()),),
)

TAKES_ARRAYS = program(
    "copied",
    p.Do(p.Call("copy_square", (array("a"), array("o"), THREAD), Several())),
    functions=(
        p.Function(
            "square_of",
            (SOURCE, SPOT),
            (p.Return((mul(Load(SOURCE, (SPOT,), FLOAT), Load(SOURCE, (SPOT,), FLOAT)),)),),
            FLOAT,
        ),
        p.Function(
            "copy_square",
            (SOURCE, TARGET, SPOT),
            (put(Load(TARGET, (SPOT,), FLOAT), p.Call("square_of", (SOURCE, SPOT), FLOAT)),),
            Several(),
        ),
    ),
)

EARLY_RETURN = program(
    "guarded",
    p.Do(p.Call("place", (array("o"), THREAD, read("a")), Several())),
    functions=(
        p.Function(
            "place",
            (TARGET, SPOT, X),
            (
                p.If(op("lt", X, number(0.8), type=p.BOOL), (p.Return(),)),
                put(Load(TARGET, (SPOT,), FLOAT), mul(X, X)),
            ),
            Several(),
        ),
    ),
)

TWO_RESULTS = program(
    "spread",
    p.Unpack((LOW, HIGH), p.Call("ends", (read("a"),), PAIR)),
    write("o", mul(LOW, HIGH)),
    functions=(p.Function("ends", (X,), (p.Return((mul(X, number(0.5)), add(X, number(1.0)))),), PAIR),),
)

UNPACKED_INTO_VARIABLES = program(
    "swapped",
    p.Variable(LOW, read("a")),
    p.Variable(HIGH, number(2.0)),
    p.Unpack((LOW, HIGH), p.Call("swap", (LOW, HIGH), PAIR)),
    write("o", add(mul(LOW, number(3.0)), HIGH)),
    functions=(p.Function("swap", (X, name("y")), (p.Return((name("y"), X)),), PAIR),),
)

OVERLOADS = program(
    "measured",
    write("o", mul(p.Call("measure", (read("a"),), FLOAT), p.Call("measure", (read("v", VEC3),), FLOAT))),
    arguments=(argument("a"), argument("v", type=VEC3), argument("o", "output")),
    functions=(
        p.Function("measure", (X,), (p.Return((add(X, X),)),), FLOAT),
        p.Function("measure", (name("x", VEC3),), (p.Return((op("length", name("x", VEC3)),)),), FLOAT),
    ),
)

SPRING = Struct("Spring", (("rest", FLOAT), ("stiffness", FLOAT)))
_SELF, _SPRING = name("self", SPRING), name("spring", SPRING)
METHOD = program(
    "pulled",
    p.Variable(_SPRING, p.New(SPRING)),
    put(p.Member(_SPRING, "rest", FLOAT), number(0.25)),
    put(p.Member(_SPRING, "stiffness", FLOAT), read("k")),
    write("o", p.Call("Spring.force", (_SPRING, read("a")), FLOAT)),
    arguments=(argument("a"), argument("k"), argument("o", "output")),
    functions=(
        p.Function(
            "Spring.force",
            (_SELF, X),
            (
                p.Return(
                    (mul(p.Member(_SELF, "stiffness", FLOAT), op("sub", X, p.Member(_SELF, "rest", FLOAT))),)
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
