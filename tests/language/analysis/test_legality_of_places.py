"""What is legal, and what not: places within places, arrays handed to functions, views, returned atomics."""

from __future__ import annotations

import pytest
from toys.programs import (
    SIZE,
    THREAD,
    VEC,
    X,
    argument,
    atomic,
    element,
    kernel,
    name,
    number,
    op,
    read,
    write,
)

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interval_analysis import analyze_intervals
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.domains import Interval, Trait
from warp_ir_dataset.language.python.read import read as from_source
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Several, Struct, Transform, Vector

ZERO, ONE, TWO = (ir.Literal(k, INT) for k in range(3))
A, OUT, STATE = argument("a"), argument("o", "output"), argument("s", "inout")
COUNT = argument("c", "inout", INT, (1,), 0, 0)
VECTOR = Array(FLOAT, 1)
MATRIX = Array(FLOAT, 2)
ROWS = argument("rows", shape=(SIZE, 4))
ROW = ir.View(ir.Name("rows", MATRIX), (THREAD,), VECTOR)
K = name("k", INT)

# A particle: a mass, and a place within it.
PLACE = Struct("Place", (("at", VEC), ("cell", INT)))
BODY = Struct("Body", (("mass", FLOAT), ("place", PLACE)))
BODIES = argument("bodies", "inout", BODY, lo=1.0, hi=2.0)
ELEMENT = ir.Load(ir.Name("bodies", Array(BODY, 1)), (THREAD,), BODY)
AT = ir.Member(ir.Member(ELEMENT, "place", PLACE), "at", VEC)

POSE = ir.Name("pose", Transform("float32"))
VALUES, SPOT = ir.Name("values", VECTOR), name("spot", INT)
ELSEWHERE = ir.Load(VALUES, (SPOT,), FLOAT)


def structs(*body: ir.Stmt, arguments: tuple[ir.Argument, ...]) -> ir.Program:
    signature = ir.Signature("test_kernel", arguments, (SIZE,))
    return ir.Program(signature, (ir.ThreadIndex((THREAD,)), *body), structs=(PLACE, BODY))


def setter(index: ir.Expr = SPOT, value: ir.Expr = X) -> ir.Function:
    """``def put(values, spot, x): values[spot] = x``"""
    store = ir.Assign(ir.Load(VALUES, (index,), FLOAT), value)
    return ir.Function("put", (VALUES, SPOT, X), (store,), Several())


def put(array: str, index: ir.Expr, value: ir.Expr) -> ir.Do:
    return ir.Do(ir.Call("put", (ir.Name(array, VECTOR), index, value), Several()))


def ends(*returned: ir.Expr) -> ir.Function:
    """``def ends(x): return ...``"""
    return ir.Function("ends", (X,), (ir.Return(returned),), Several(tuple(value.type for value in returned)))


PAIR = Several((FLOAT, FLOAT))
LOW, HIGH = name("low"), name("high")
TICKET = ir.Apply("atomic_add", (ir.Name("c", Array(INT, 1)), ZERO, ONE), INT)
WITHIN = ir.Chain(("le", "lt"), (number(0.6), read("a"), number(1.4)))
DOWN = ir.For(K, TWO, ir.Literal(-1, INT), -1, (ir.Accumulate(X, "+", element("rows", THREAD, K)),))

LEGAL = {
    "a component of a member of an element": structs(
        ir.Assign(ir.Component(AT, (ONE,), FLOAT), op("mul", ir.Member(AT, "x", FLOAT), read("a"))),
        arguments=(A, BODIES),
    ),
    "a struct copied, and a member of it changed": structs(
        ir.Variable(ir.Name("b", BODY), ELEMENT),
        ir.Accumulate(ir.Member(ir.Name("b", BODY), "mass", FLOAT), "*", read("a")),
        ir.Assign(ELEMENT, ir.Name("b", BODY)),
        arguments=(A, BODIES),
    ),
    "a function that writes its caller's element": kernel(put("o", THREAD, read("a")), functions=(setter(),)),
    "a function of two results": kernel(
        ir.Unpack((LOW, HIGH), ir.Call("ends", (read("a"),), PAIR)),
        write("o", op("mul", LOW, HIGH)),
        functions=(ends(X, op("add", X, X)),),
    ),
    "overloads": kernel(
        write(
            "o", op("mul", ir.Call("twice", (read("a"),), FLOAT), ir.Call("twice", (read("v", VEC),), FLOAT))
        ),
        arguments=(A, argument("v", type=VEC), OUT),
        functions=(
            ir.Function("twice", (X,), (ir.Return((op("add", X, X),)),), FLOAT),
            ir.Function("twice", (name("x", VEC),), (ir.Return((op("length", name("x", VEC)),)),), FLOAT),
        ),
    ),
    "a row of a matrix": kernel(
        ir.Let(ir.Name("row", VECTOR), ROW),
        write(
            "o",
            op(
                "add",
                element("row", TWO),
                ir.Load(ir.View(ROW, (ir.Slice(ONE, None, None),), VECTOR), (TWO,), FLOAT),
            ),
        ),
        arguments=(ROWS, OUT),
    ),
    "a shape as a loop's bound": kernel(
        ir.Variable(X, number(0.0)),
        ir.For(
            K,
            ZERO,
            ir.Shape(ir.Name("rows", MATRIX), 1),
            1,
            (ir.Accumulate(X, "+", element("rows", THREAD, K)),),
        ),
        write("o", X),
        arguments=(ROWS, OUT),
    ),
    "a loop downwards": kernel(ir.Variable(X, number(0.0)), DOWN, write("o", X), arguments=(ROWS, OUT)),
    "a ticket": kernel(
        ir.Let(K, TICKET),
        ir.If(op("lt", K, TWO, type=BOOL), (write("o", read("a")),)),
        arguments=(A, COUNT, OUT),
    ),
    "comparisons in a row": kernel(ir.If(WITHIN, (write("o", read("a")),))),
    "an element added to": kernel(ir.Accumulate(element("o", ZERO), "+", read("a"))),
    "an endless loop that is left": kernel(
        ir.Variable(X, read("a")),
        ir.While(
            ir.Literal(True, BOOL),
            (ir.Accumulate(X, "+", number(1.0)), ir.If(op("gt", X, number(3.0), type=BOOL), (ir.Break(),))),
        ),
        write("o", X),
    ),
    "a constant": ir.Program(
        ir.Signature("test_kernel", (A, OUT), (SIZE,)),
        (ir.ThreadIndex((THREAD,)), write("o", op("mul", read("a"), name("SCALE")))),
        constants=(ir.Constant("SCALE", number(2.5)),),
    ),
}


@pytest.mark.parametrize("title", LEGAL)
def test_legal(title: str) -> None:
    check(LEGAL[title])


ILLEGAL = {
    "a component out of bounds within an element": (
        structs(
            ir.Assign(ir.Component(AT, (ir.Literal(3, INT),), FLOAT), ir.Member(AT, "x", FLOAT)),
            arguments=(BODIES,),
        ),
        "index of a vector .*bounds",
    ),
    "a member of another thread's element": (
        structs(
            ir.Assign(ir.Member(ir.Load(ELEMENT.array, (ZERO,), BODY), "mass", FLOAT), read("a")),
            arguments=(A, BODIES),
        ),
        "two threads",
    ),
    "a member kept nowhere": (
        kernel(
            ir.Assign(ir.Member(op("add", read("a", VEC), read("a", VEC), type=VEC), "x", FLOAT), number(1.0))
        ),
        "^x .*kept",
    ),
    "a component of a local pose's position": (
        kernel(
            ir.Variable(
                POSE, ir.Load(ir.Name("poses", Array(Transform("float32"), 1)), (THREAD,), POSE.type)
            ),
            ir.Assign(ir.Member(ir.Member(POSE, "p", VEC), "x", FLOAT), number(1.0)),
            write("o", ir.Member(ir.Member(POSE, "p", VEC), "x", FLOAT)),
            arguments=(argument("poses", type=Transform("float32")), OUT),
        ),
        "pose .*lost",
    ),
    "two letters of a vector": (
        kernel(
            write("o", op("length", ir.Member(read("a", VEC), "xy", Vector("float32", 2)))),
            arguments=(argument("a", type=VEC), OUT),
        ),
        r"^a .* xy\b",
    ),
    "a function that writes everybody's element": (
        kernel(put("o", ZERO, read("a")), functions=(setter(),)),
        "two threads",
    ),
    "a function that writes by an index of its own": (
        kernel(
            put("o", THREAD, read("a")),
            functions=(
                ir.Function(
                    "put",
                    (VALUES, SPOT, X),
                    (ir.Let(THREAD, SPOT), ir.Assign(ir.Load(VALUES, (THREAD,), FLOAT), X)),
                    Several(),
                ),
            ),
        ),
        "two threads",
    ),
    "a function that writes an input": (
        kernel(put("a", THREAD, read("a")), write("o", read("a")), functions=(setter(),)),
        "store .*kind to a",
    ),
    "a function that writes out of bounds": (
        kernel(
            put("o", THREAD, read("a")),
            arguments=(A, argument("o", "output", shape=(SIZE - 1,))),
            functions=(setter(),),
        ),
        "index of o .*bounds",
    ),
    "a function that returns fewer values": (
        kernel(
            ir.Unpack((LOW, HIGH), ir.Call("ends", (read("a"),), Several((FLOAT,)))),
            write("o", op("mul", LOW, HIGH)),
            functions=(ends(X),),
        ),
        "^ends .*values",
    ),
    "a view out of bounds": (
        kernel(
            ir.Let(
                ir.Name("row", VECTOR), ir.View(ir.Name("rows", MATRIX), (ir.Literal(SIZE, INT),), VECTOR)
            ),
            write("o", element("row", ZERO)),
            arguments=(ROWS, OUT),
        ),
        "index of rows .*bounds",
    ),
    "beyond a slice": (
        kernel(
            write(
                "o", ir.Load(ir.View(ROW, (ir.Slice(ONE, None, None),), VECTOR), (ir.Literal(3, INT),), FLOAT)
            ),
            arguments=(ROWS, OUT),
        ),
        "index of rows .*bounds",
    ),
    "a view of another type": (
        kernel(
            ir.Let(ir.Name("row", MATRIX), ir.View(ir.Name("rows", MATRIX), (THREAD,), MATRIX)),
            write("o", element("row", ZERO, ZERO)),
            arguments=(ROWS, OUT),
        ),
        "part of rows .*type",
    ),
    "a dimension that is not there": (
        kernel(write("o", op("to_float", ir.Shape(ir.Name("a", VECTOR), 1)))),
        "^a .*dimension 1",
    ),
    "an atomic inside another expression": (
        kernel(ir.If(op("lt", TICKET, TWO, type=BOOL), (write("o", read("a")),)), arguments=(A, COUNT, OUT)),
        "^atomic_add .*expression",
    ),
    "an expression that does nothing": (kernel(ir.Do(read("a")), write("o", read("a"))), "statement"),
    "an unknown number as a loop's bound": (
        kernel(
            ir.Let(K, TICKET),
            ir.Variable(X, number(0.0)),
            ir.For(name("m", INT), ZERO, K, 1, (ir.Accumulate(X, "+", read("a")),)),
            write("o", X),
            arguments=(A, COUNT, OUT),
        ),
        "loop .*more",
    ),
    "comparisons of other types in a row": (
        kernel(ir.If(ir.Chain(("le", "lt"), (number(0.0), read("a"), ONE)), (write("o", read("a")),))),
        "comparisons .*types",
    ),
    "an element compared third in a row": (
        kernel(
            ir.If(ir.Chain(("le", "lt"), (number(0.0), number(0.5), read("a"))), (write("o", read("a")),))
        ),
        "third",
    ),
    "a loop downwards out of bounds": (
        kernel(
            ir.Variable(X, number(0.0)),
            ir.For(K, TWO, ir.Literal(-2, INT), -1, (ir.Accumulate(X, "+", element("rows", THREAD, K)),)),
            write("o", X),
            arguments=(ROWS, OUT),
        ),
        "index of rows .*bounds",
    ),
    "a constant that is assigned": (
        ir.Program(
            ir.Signature("test_kernel", (A, OUT), (SIZE,)),
            (ir.ThreadIndex((THREAD,)), ir.Assign(name("SCALE"), read("a")), write("o", name("SCALE"))),
            constants=(ir.Constant("SCALE", number(2.5)),),
        ),
        "SCALE .*variable",
    ),
    "a constant that nothing reads": (
        ir.Program(
            ir.Signature("test_kernel", (A, OUT), (SIZE,)),
            (ir.ThreadIndex((THREAD,)), write("o", read("a"))),
            constants=(ir.Constant("SCALE", number(2.5)),),
        ),
        "unused: SCALE",
    ),
    "added to and stored": (
        kernel(ir.Accumulate(element("o", ZERO), "+", read("a")), write("o", read("a"))),
        "atomics",
    ),
    "a multiplication of everybody's element": (
        kernel(ir.Accumulate(element("s", ZERO), "*", read("a")), arguments=(A, STATE)),
        "another thread",
    ),
}


@pytest.mark.parametrize("title", ILLEGAL)
def test_illegal(title: str) -> None:
    program, rule = ILLEGAL[title]
    with pytest.raises(Illegal, match=rule):
        check(program)


def test_members_are_bounded_one_by_one() -> None:
    b = ir.Name("b", BODY)
    body = (
        ir.Variable(b, ELEMENT),
        ir.Assign(ir.Member(b, "mass", FLOAT), number(9.0)),
        write("o", op("add", ir.Member(b, "mass", FLOAT), ir.Member(AT, "x", FLOAT))),
    )
    found = analyze_intervals(structs(*body, ir.Let(X, ir.Member(b, "mass", FLOAT)), arguments=(BODIES, OUT)))
    assert found.names["b.place.at"] == Interval(1.0, 2.0)
    assert found.names["x"] == Interval(9.0, 9.0)


def test_an_endless_loop_is_left_where_it_breaks() -> None:
    found = analyze_intervals(LEGAL["an endless loop that is left"])
    assert found.names["x"].lo == 0.5
    assert found.names["x"].hi >= 3.5


def test_what_a_function_writes_is_read_again() -> None:
    """The caller sees what its function stored in an array that it was given."""
    body = (put("s", THREAD, number(40.0)), ir.Let(name("y"), read("s")), atomic("add", "o", ZERO, name("y")))
    found = analyze_intervals(kernel(*body, arguments=(STATE, OUT), functions=(setter(),)))
    assert found.names["y"].hi == 40.0


UNIT = Interval(-1.0, 1.0)
HANDED_ON = """import warp as wp

@wp.func
def put(row: wp.array(dtype=float), x: float):
    row[0] = x

@wp.func
def put_first(plane: wp.array2d(dtype=float), x: float):
    put(plane[0], x)

@wp.kernel
def k(x: wp.array(dtype=float), out: wp.array3d(dtype=float)):
    i = wp.tid()
    put_first(out[i], x[i])
"""
UNTIL = """import warp as wp

@wp.kernel
def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = int(0)
    while True:
        n += 1
        if n >= 4:
            break
    out[i] = x[n - 4]
"""


def launched(source: str, shape: tuple[int, ...]) -> ir.Program:
    """A source whose `out` is of a shape."""
    arguments = (
        ir.Argument("x", FLOAT, "input", (SIZE,), UNIT),
        ir.Argument("out", FLOAT, "output", shape, UNIT),
    )
    return from_source(source, ir.Signature("k", arguments, (SIZE,)))


def test_a_part_of_a_part_is_the_threads_own() -> None:
    check(launched(HANDED_ON, (SIZE, 2, 2)))
    with pytest.raises(Illegal, match="two threads"):
        check(launched(HANDED_ON.replace("out[i]", "out[0]"), (SIZE, 2, 2)))


SCATTERED = """
import warp as wp

@wp.kernel
def k(order: wp.array[int], then: wp.array[int], x: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    place = order[i]
    out[then[place]] = x[i]
"""


def scattered(source: str, role: ir.Role = "output", **traits: Trait | None) -> ir.Program:
    indices = [
        ir.Argument(name, INT, "input", (SIZE,), Interval(0, SIZE - 1), trait=traits.get(name, "permutation"))
        for name in ("order", "then")
    ]
    x = ir.Argument("x", FLOAT, "input", (SIZE,), UNIT)
    out = ir.Argument("out", FLOAT, role, (SIZE,), UNIT)
    return from_source(source, ir.Signature("k", (*indices, x, out), (SIZE,)))


def test_threads_store_where_a_permutation_says() -> None:
    check(scattered(SCATTERED))
    check(scattered(SCATTERED.replace("] =", "] +="), role="inout"))
    for program in (
        scattered(SCATTERED, order=None),
        scattered(SCATTERED, then="sorted"),
        scattered(SCATTERED.replace("order[i]", "order[0]")),
        scattered(SCATTERED.replace("x[i]", "x[i]\n    out[i] = 1.0")),
        scattered(SCATTERED.replace("x[i]", "x[i]\n    out[place] = 1.0")),
    ):
        with pytest.raises(Illegal, match="two threads"):
            check(program)
    for change in ("x[i] + out[i]", "x[i]\n    out[i] = x[i]"):
        with pytest.raises(Illegal, match="two threads"):
            check(scattered(SCATTERED.replace("x[i]", change), role="inout"))


APPENDED = """
import warp as wp

@wp.kernel
def k(x: wp.array[float], counts: wp.array[int], out: wp.array2d[float]):
    i = wp.tid()
    row = i % 2
    slot = wp.atomic_add(counts, row, 1)
    if slot >= 0 and slot < 5:
        out[row, slot] = x[i]
"""


def appended(source: str) -> ir.Program:
    x = ir.Argument("x", FLOAT, "input", (SIZE,), UNIT)
    counts = ir.Argument("counts", INT, "output", (2,), Interval(0, 0))
    out = ir.Argument("out", FLOAT, "output", (2, 5), UNIT)
    return from_source(source, ir.Signature("k", (x, counts, out), (SIZE,)))


@pytest.mark.parametrize("change", [("counts, row", "counts, 1"), ("row, 1)", "row, 2)")], ids=str)
def test_threads_store_where_their_tickets_say(change: tuple[str, str]) -> None:
    check(appended(APPENDED))
    check(appended(APPENDED.replace(*change)))


@pytest.mark.parametrize(
    "change",
    [
        ("row, 1)", "row, 0)"),
        ("row, 1)", "row, -1)"),
        ("row, 1)", "row, i)"),
        ("out[row, slot]", "out[0, slot]"),
        ("out[row, slot]", "out[row, slot % 2]"),
        ("atomic_add", "atomic_max"),
        ("= x[i]", "= x[i]\n        out[row, i % 5] = 1.0"),
        ("    if slot", "    wp.atomic_sub(counts, row, 1)\n    if slot"),
    ],
    ids=str,
)
def test_what_is_no_ticket_or_not_alone_is_refused(change: tuple[str, str]) -> None:
    program = appended(APPENDED.replace(*change))
    with pytest.raises(Illegal, match="two threads"):
        check(program)


def test_an_endless_loop_ends_where_it_is_left() -> None:
    check(launched(UNTIL, (SIZE,)))
    with pytest.raises(Illegal, match=r"index .*bounds"):
        check(launched(UNTIL.replace("n - 4", "n - 5"), (SIZE,)))


def test_an_operation_changes_nothing_but_variables() -> None:
    drawn = "drawn = wp.randf(wp.rand_init(7, i))\n    out[i] = x[n - 4] + drawn"
    source = UNTIL.replace("out[i] = x[n - 4]", drawn)
    with pytest.raises(Illegal, match=r"^an operation .*variable"):
        check(launched(source, (SIZE,)))
