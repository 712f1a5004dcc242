"""Structs: locals, arguments, in arrays, and with arrays in them."""

from __future__ import annotations

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.types import Scalar

from .nodes import (
    FLOAT,
    INT,
    SIZE,
    THREAD,
    VEC3,
    Array,
    Load,
    Struct,
    add,
    argument,
    array,
    member,
    mul,
    name,
    number,
    op,
    program,
    put,
    read,
    whole,
    write,
)  # fmt: skip

PLACE = Struct("Place", (("cell", INT), ("at", VEC3)))
BODY = Struct("Body", (("mass", FLOAT), ("place", PLACE)))
BODIES = argument("bodies", "inout", BODY, lo=1.0, hi=2.0)
ELEMENT = Load(array("bodies", BODY), (THREAD,), BODY)
AT = member(member(ELEMENT, "place", PLACE), "at", VEC3)
B = name("b", BODY)

NEW = program(
    "made",
    ir.Let(name("place", PLACE), ir.New(PLACE, (THREAD, read("a", VEC3)))),
    write(
        "o",
        op(
            "scale_left",
            op("to_float", member(name("place", PLACE), "cell", INT)),
            member(name("place", PLACE), "at", VEC3),
            type=VEC3,
        ),
    ),
    arguments=(argument("a", type=VEC3), argument("o", "output", type=VEC3)),
    structs=(PLACE,),
)

NESTED = program(
    "nested",
    ir.Variable(B, ir.New(BODY)),
    put(member(B, "mass"), read("a")),
    put(member(member(B, "place", PLACE), "at", VEC3), op("splat", read("a"), type=VEC3)),
    ir.Accumulate(member(member(member(B, "place", PLACE), "at", VEC3), "y"), "+", member(B, "mass")),
    write("o", member(member(B, "place", PLACE), "at", VEC3)),
    arguments=(argument("a"), argument("o", "output", type=VEC3)),
    structs=(PLACE, BODY),
)

IN_AN_ARRAY = program(
    "weighed",
    write("o", mul(member(ELEMENT, "mass"), member(AT, "x"))),
    write("q", member(member(ELEMENT, "place", PLACE), "cell", INT)),
    arguments=(
        argument("bodies", "input", BODY, lo=1.0, hi=9.0),
        argument("o", "output"),
        argument("q", "output", INT),
    ),
    structs=(PLACE, BODY),
)

WRITTEN_IN_AN_ARRAY = program(
    "filled",
    ir.Variable(B, ir.New(BODY)),
    put(member(B, "mass"), read("a")),
    put(member(member(B, "place", PLACE), "cell", INT), add(THREAD, read("n", INT))),
    put(member(member(B, "place", PLACE), "at", VEC3), op("splat", mul(read("a"), read("a")), type=VEC3)),
    put(ELEMENT, B),
    arguments=(
        argument("a"),
        argument("n", type=INT, lo=1, hi=9),
        argument("bodies", "output", BODY),
    ),
    structs=(PLACE, BODY),
)

COPIED_AND_CHANGED = program(
    "grown",
    ir.Variable(B, ELEMENT),
    ir.Accumulate(member(B, "mass"), "*", read("a")),
    put(ELEMENT, B),
    arguments=(argument("a"), BODIES),
    structs=(PLACE, BODY),
)

MEMBER_OF_AN_ELEMENT = program(
    "moved",
    put(AT, op("scale_right", AT, read("a"), type=VEC3)),
    ir.Accumulate(member(ELEMENT, "mass"), "+", read("a")),
    ir.Accumulate(member(member(ELEMENT, "place", PLACE), "cell", INT), "+", whole(3)),
    put(ir.Component(AT, (whole(2),), FLOAT), mul(read("a"), number(0.5))),
    arguments=(argument("a"), BODIES),
    structs=(PLACE, BODY),
)

TINY = Scalar("int8")
MATERIAL = Struct(
    "Material",
    (("solid", Scalar("bool")), ("gain", FLOAT), ("axis", VEC3), ("code", TINY), ("place", PLACE)),
)
_MATERIAL = name("material", MATERIAL)
ARGUMENT = program(
    "dressed",
    ir.If(
        member(_MATERIAL, "solid", Scalar("bool")),
        (write("o", op("scale_left", read("a"), member(_MATERIAL, "axis", VEC3), type=VEC3)),),
        (
            write(
                "o",
                op(
                    "scale_left",
                    mul(read("a"), member(_MATERIAL, "gain")),
                    member(member(_MATERIAL, "place", PLACE), "at", VEC3),
                    type=VEC3,
                ),
            ),
        ),
    ),
    write(
        "q",
        op(
            "add",
            member(_MATERIAL, "code", TINY),
            ir.Literal(1, TINY),
            type=TINY,
        ),
    ),
    write("r", member(member(_MATERIAL, "place", PLACE), "cell", INT)),
    arguments=(
        argument("a"),
        argument("material", type=MATERIAL, shape=(), lo=0, hi=9),
        argument("o", "output", type=VEC3),
        argument("q", "output", TINY),
        argument("r", "output", INT),
    ),
    structs=(PLACE, MATERIAL),
)

GRID = Struct("Grid", (("gain", FLOAT), ("cells", Array(FLOAT, 2)), ("sums", Array(FLOAT, 1))))
_GRID = name("grid", GRID)
_CELLS, _SUMS = member(_GRID, "cells", Array(FLOAT, 2)), member(_GRID, "sums", Array(FLOAT, 1))
GRID_ARGUMENT = ir.Argument(
    "grid", GRID, "inout", (), ir.Interval(0.5, 1.5), (("cells", (SIZE, 3)), ("sums", (SIZE,)))
)
WITH_ARRAYS = program(
    "summed",
    ir.Accumulate(
        Load(_SUMS, (THREAD,), FLOAT),
        "+",
        mul(Load(_CELLS, (THREAD, whole(1)), FLOAT), add(Load(_CELLS, (THREAD, whole(2)), FLOAT), read("a"))),
    ),
    write("o", mul(member(_GRID, "gain"), Load(_CELLS, (THREAD, whole(0)), FLOAT))),
    arguments=(argument("a"), GRID_ARGUMENT, argument("o", "output")),
    structs=(GRID,),
)

ROPE = Struct("Rope", (("gain", FLOAT), ("knots", Array(VEC3, 1)), ("bodies", Array(BODY, 1))))
ROPES = ir.Argument("ropes", ROPE, "input", (SIZE,), ir.Interval(1, 9), (("knots", (3,)), ("bodies", (2,))))
_ROPE = Load(array("ropes", ROPE), (THREAD,), ROPE)
_ROPE_BODY = Load(member(_ROPE, "bodies", Array(BODY, 1)), (whole(1),), BODY)
ARRAYS_IN_AN_ARRAY = program(
    "tied",
    write(
        "o",
        op(
            "scale_left",
            mul(member(_ROPE, "gain"), member(_ROPE_BODY, "mass")),
            add(
                Load(member(_ROPE, "knots", Array(VEC3, 1)), (whole(2),), VEC3),
                member(member(_ROPE_BODY, "place", PLACE), "at", VEC3),
            ),
            type=VEC3,
        ),
    ),
    write("q", member(member(_ROPE_BODY, "place", PLACE), "cell", INT)),
    arguments=(ROPES, argument("o", "output", type=VEC3), argument("q", "output", INT)),
    structs=(PLACE, BODY, ROPE),
)

_TOTAL = ir.Function(
    "total",
    (_GRID, name("row", INT)),
    (
        ir.Return(
            (
                mul(
                    member(_GRID, "gain"),
                    add(
                        Load(_CELLS, (name("row", INT), whole(1)), FLOAT),
                        Load(_SUMS, (name("row", INT),), FLOAT),
                    ),
                ),
            )
        ),
    ),
    FLOAT,
)
HANDED_ON = program(
    "handed",
    write("o", ir.Call("total", (_GRID, THREAD), FLOAT)),
    arguments=(
        ir.Argument(
            "grid", GRID, "input", (), ir.Interval(0.5, 1.5), (("cells", (SIZE, 2)), ("sums", (SIZE,)))
        ),
        argument("o", "output"),
    ),
    functions=(_TOTAL,),
    structs=(GRID,),
)

STRUCTS = {
    "a struct made of its members": NEW,
    "a struct in a struct": NESTED,
    "structs in an array": IN_AN_ARRAY,
    "structs written to an array": WRITTEN_IN_AN_ARRAY,
    "a struct copied and changed": COPIED_AND_CHANGED,
    "members of an element": MEMBER_OF_AN_ELEMENT,
    "a struct as an argument": ARGUMENT,
    "arrays in a struct": WITH_ARRAYS,
    "arrays in structs in an array": ARRAYS_IN_AN_ARRAY,
    "a struct handed to a function": HANDED_ON,
}
