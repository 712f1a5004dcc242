"""Small programs built by hand, past every rule of the generator: right ones, and wrong ones."""

from __future__ import annotations

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Scalar, Value, Vector

SIZE = 8
ADDRESS = Address(0, "arithmetic", 0)


def name(text: str, type: Value = FLOAT) -> ir.Name:
    return ir.Name(text, type)


THREAD = name("i", INT)


def number(value: float, type: Scalar = FLOAT) -> ir.Literal:
    return ir.Literal(value, type)


def op(operation: str, *operands: ir.Expr, type: Value = FLOAT) -> ir.Apply:
    return ir.Apply(operation, operands, type)


def read(array: str, type: Value = FLOAT, index: ir.Expr = THREAD) -> ir.Load:
    return element(array, index, type=type)


def element(array: str, *index: ir.Expr, type: Value = FLOAT) -> ir.Load:
    return ir.Load(ir.Name(array, Array(type, len(index))), index, type)


def write(array: str, value: ir.Expr, *index: ir.Expr) -> ir.Assign:
    return ir.Assign(element(array, *(index or (THREAD,)), type=value.type), value)


def atomic(operation: str, array: str, index: ir.Expr, value: ir.Expr) -> ir.Do:
    given = (ir.Name(array, Array(value.type, 1)), index, value)
    return ir.Do(ir.Apply(f"atomic_{operation}", given, value.type))


def set_component(vector: ir.Name, value: ir.Expr, *index: int) -> ir.Assign:
    """``vector[0] = value``"""
    places = tuple(ir.Literal(i, INT) for i in index)
    return ir.Assign(ir.Component(vector, places, vector.type.element), value)


def argument(
    text: str,
    role: ir.Role = "input",
    type: Value = FLOAT,
    shape: tuple[int, ...] = (SIZE,),
    lo: float = 0.5,
    hi: float = 1.5,
) -> ir.Argument:
    return ir.Argument(text, type, role, shape, Interval(lo, hi))


def kernel(
    *body: ir.Stmt,
    arguments: tuple[ir.Argument, ...] | None = None,
    functions: tuple[ir.Function, ...] = (),
    text: str = "test_kernel",
) -> ir.Program:
    """A kernel over `SIZE` threads, with the input ``a`` and the output ``o`` unless told otherwise."""
    given = arguments or (argument("a"), argument("o", "output"))
    return ir.Program(ir.Signature(text, given, (SIZE,)), (ir.ThreadIndex((THREAD,)), *body), functions)


def loop(trips: int, *body: ir.Stmt, dynamic: bool = False) -> ir.For:
    """``for k in range(trips)``, or ``range(n)`` with `n` an argument that the compiler does not know."""
    stop: ir.Expr = name("n", INT) if dynamic else ir.Literal(trips, INT)
    return ir.For(name("k", INT), ir.Literal(0, INT), stop, 1, body)


X = name("x")
WITH_COUNT = (
    argument("a"),
    ir.Argument("n", INT, "input", (), Interval(3, 4)),
    argument("o", "output"),
)


def start_x() -> ir.Variable:
    return ir.Variable(X, number(1.0))


def grow_x() -> ir.Assign:
    """``x = x * a[i] + a[i]``."""
    return ir.Assign(X, op("add", op("mul", X, read("a")), read("a")))


# ---- programs that are right

SQUARE = kernel(write("o", op("add", op("mul", read("a"), read("a")), number(0.25))))

LINEAR_SUM = kernel(
    start_x(),
    loop(4, ir.Accumulate(X, "+", op("mul", read("a"), read("a"))), dynamic=True),
    write("o", X),
    arguments=WITH_COUNT,
)

SHORT_LOOP = kernel(start_x(), loop(3, grow_x()), write("o", X))

ATOMIC_SUM = kernel(
    atomic("add", "o", op("mod", THREAD, ir.Literal(2, INT), type=INT), op("sin", read("a"))),
    arguments=(argument("a"), argument("o", "output", shape=(2,))),
)

ATOMIC_MAX = kernel(
    atomic("max", "o", op("mod", THREAD, ir.Literal(2, INT), type=INT), op("sin", read("a"))),
    arguments=(argument("a"), argument("o", "output", shape=(2,))),
)

# ---- programs that Warp differentiates wrongly

DYNAMIC_LOOP = kernel(start_x(), loop(4, grow_x(), dynamic=True), write("o", X), arguments=WITH_COUNT)

LONG_LOOP = kernel(start_x(), loop(20, grow_x()), write("o", X))

WHILE_LOOP = kernel(
    start_x(),
    ir.While(op("lt", X, number(4.0), type=BOOL), (grow_x(),)),
    write("o", X),
    arguments=(argument("a", lo=1.1), argument("o", "output")),
)

OVERWRITTEN = kernel(
    write("o", op("add", op("mul", read("o"), read("a")), read("a"))),
    arguments=(argument("a"), argument("o", "inout")),
)

BREAK_LOOP = kernel(
    start_x(),
    loop(5, ir.If(op("gt", X, number(3.0), type=BOOL), (ir.Break(),)), grow_x(), dynamic=True),
    write("o", X),
    arguments=WITH_COUNT,
)

NESTED_LOOP = kernel(
    ir.Variable(name("total"), number(0.0)),
    ir.For(
        name("j", INT),
        ir.Literal(0, INT),
        name("n", INT),
        1,
        (
            ir.Variable(X, number(1.0)),
            loop(4, ir.Accumulate(X, "*", read("a")), dynamic=True),
            ir.Accumulate(name("total"), "+", X),
        ),
    ),
    write("o", name("total")),
    arguments=WITH_COUNT,
)

VEC = Vector("float32", 3)
OVERWRITTEN_COMPONENT = kernel(
    ir.Variable(name("v", VEC), read("a", VEC)),
    ir.Let(
        X,
        op(
            "mul",
            op("component", name("v", VEC), ir.Literal(0, INT)),
            op("component", name("v", VEC), ir.Literal(0, INT)),
        ),
    ),
    set_component(name("v", VEC), op("mul", X, X), 0),
    write("o", op("mul", op("component", name("v", VEC), ir.Literal(0, INT)), X)),
    arguments=(argument("a", type=VEC), argument("o", "output")),
)

DOUBLED = ir.Function(
    "grow_twice",
    (name("start"), name("n", INT)),
    (
        ir.Variable(X, name("start")),
        loop(4, ir.Accumulate(X, "+", op("mul", X, name("start"))), dynamic=True),
        ir.Return((op("mul", X, X),)),
    ),
    FLOAT,
)
SQUARED_IN_FUNCTION = kernel(
    write("o", ir.Call("grow_twice", (read("a"), name("n", INT)), FLOAT)),
    arguments=WITH_COUNT,
    functions=(DOUBLED,),
)

MODULO = kernel(
    write("o", op("mod", read("b"), read("a"))),
    arguments=(argument("a"), argument("b", lo=2.0, hi=4.0), argument("o", "output")),
)

# The backward kernel does not run dynamic loops again: after one, it sees the value from before it.
LOOP_RESULT_USED = kernel(
    start_x(),
    loop(4, ir.Accumulate(X, "+", op("sin", read("a"))), dynamic=True),
    write("o", op("cos", X)),
    arguments=WITH_COUNT,
)

# The backward walk through the loop changes the result of `exp`, which the derivative of `exp` is read from.
SPOILED_START = kernel(
    ir.Variable(X, op("exp", read("a"))),
    loop(4, ir.Accumulate(X, "+", read("a")), dynamic=True),
    write("o", X),
    arguments=WITH_COUNT,
)

# A unit vector's length is 1 within rounding, and so its whole part is 0 or 1.
ROUNDING = kernel(
    write(
        "o",
        op(
            "add",
            read("b"),
            op(
                "to_float",
                op("to_integer", op("length", op("normalize", read("a", VEC), type=VEC)), type=INT),
            ),
        ),
    ),
    arguments=(argument("a", type=VEC), argument("b"), argument("o", "output")),
)
