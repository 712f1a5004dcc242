"""Constants, parts of values, and numbers of every type."""

from __future__ import annotations

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.types import Matrix, Quaternion, Scalar, Transform, Vector

from .nodes import (
    FLOAT,
    INT,
    THREAD,
    VEC3,
    Literal,
    add,
    argument,
    flag,
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

MAT = Matrix("float32", 2, 2)
QUAT, POSE = Quaternion("float32"), Transform("float32")
TWIST, INERTIA = Vector("float32", 6), Matrix("float32", 6, 6)
V = name("v", VEC3)
M = name("m", MAT)


def _part(of: ir.Expr, text: str, type: ir.Type = FLOAT) -> ir.Member:
    return ir.Member(of, text, type)


MODULE_CONSTANT = program(
    "scaled",
    write("o", mul(read("a"), name("SCALE"))),
    constants=(ir.Constant("SCALE", number(2.5)),),
)

VECTOR_CONSTANT = program(
    "blown",
    write("o", op("dot", read("a", VEC3), name("WIND", VEC3))),
    arguments=(argument("a", type=VEC3), argument("o", "output")),
    constants=(ir.Constant("WIND", op("build", number(0.5), number(-1.0), number(2.0), type=VEC3)),),
)

CLOSURE_CONSTANT = program(
    "stretched",
    write("o", add(mul(read("a"), name("stretch")), number(0.25))),
    constants=(ir.Constant("stretch", number(1.5), "closure"),),
)

ENUMERATION = program(
    "by_mode",
    ir.If(
        flag("eq", name("mode", INT), name("Mode.FAST", INT)),
        (write("o", mul(read("a"), op("to_float", name("Mode.SLOW", INT)))),),
        (write("o", mul(read("a"), read("a"))),),
    ),
    arguments=(
        argument("a"),
        ir.Argument("mode", INT, "input", (), ir.Interval(0, 1)),
        argument("o", "output"),
    ),
    constants=(
        ir.Constant("Mode.SLOW", whole(3), "enumeration"),
        ir.Constant("Mode.FAST", whole(1), "enumeration"),
    ),
)

NAMED_NUMBER = program("turned", write("o", op("sin", mul(read("a"), op("pi")))))

POWER = program("cubed", write("o", op("power", read("a"), number(3.0))))

PART_OF_A_VECTOR = program(
    "summed",
    ir.Let(V, read("a", VEC3)),
    write("o", add(mul(_part(V, "x"), _part(V, "y")), _part(V, "z"))),
    arguments=(argument("a", type=VEC3), argument("o", "output")),
)

PART_ASSIGNED = program(
    "lifted",
    ir.Variable(V, op("splat", read("a"), type=VEC3)),
    put(_part(V, "y"), mul(read("a"), read("a"))),
    write("o", V),
    arguments=(argument("a"), argument("o", "output", type=VEC3)),
)

COMPONENT_AUGMENTED = program(
    "pushed",
    ir.Variable(V, op("splat", read("a"), type=VEC3)),
    ir.Accumulate(ir.Component(V, (whole(1),), FLOAT), "+", mul(read("a"), number(0.5))),
    write("o", V),
    arguments=(argument("a"), argument("o", "output", type=VEC3)),
)

ENTRY_ASSIGNED = program(
    "sheared",
    ir.Variable(M, op("build", *(number(1.0), number(0.0), number(0.0), number(1.0)), type=MAT)),
    put(ir.Component(M, (whole(0), whole(1)), FLOAT), read("a")),
    write("o", M),
    arguments=(argument("a"), argument("o", "output", type=MAT)),
)

_POSE, _TURN = name("pose", POSE), name("turn", QUAT)
QUATERNIONS = program(
    "posed",
    ir.Let(_POSE, read("poses", POSE)),
    ir.Let(_TURN, read("turns", QUAT)),
    write(
        "o",
        add(
            op("scale_right", _part(_POSE, "p", VEC3), _part(_TURN, "w"), type=VEC3),
            op("splat", _part(_part(_POSE, "q", QUAT), "x"), type=VEC3),
        ),
    ),
    write("turned", _part(_POSE, "q", QUAT)),
    arguments=(
        argument("poses", type=POSE),
        argument("turns", type=QUAT),
        argument("o", "output", type=VEC3),
        argument("turned", "output", type=QUAT),
    ),
)

PLAIN_POSE = program(
    "moved",
    write(
        "o",
        add(
            read("a", VEC3),
            op("scale_left", _part(_TURN, "w"), _part(_POSE, "p", VEC3), type=VEC3),
        ),
    ),
    arguments=(
        argument("a", type=VEC3),
        argument("pose", type=POSE, shape=()),
        argument("turn", type=QUAT, shape=()),
        argument("o", "output", type=VEC3),
    ),
)

SPATIAL = program(
    "spun",
    write("o", op("scale_left", name("gain"), read("twist", TWIST), type=TWIST)),
    write("q", add(name("inertia", INERTIA), read("inertias", INERTIA))),
    arguments=(
        argument("gain", shape=()),
        argument("twist", type=TWIST),
        argument("inertia", type=INERTIA, shape=()),
        argument("inertias", type=INERTIA),
        argument("o", "output", type=TWIST),
        argument("q", "output", type=INERTIA),
    ),
)

ROTATED = program(
    "rotated",
    ir.Let(_TURN, op("quaternion_normalize", read("q", QUAT), type=QUAT)),
    write("o", op("quat_rotate", _TURN, read("v", VEC3), type=VEC3)),
    write("turned", _TURN),
    arguments=(
        argument("q", type=QUAT),
        argument("v", type=VEC3),
        argument("o", "output", type=VEC3),
        argument("turned", "output", type=QUAT),
    ),
)

_STATE = name("state", Scalar("uint32"))
RANDOM = program(
    "thrown",
    ir.Let(_STATE, op("rand_init_at", name("seed", INT), THREAD, type=Scalar("uint32"))),
    ir.Let(name("first"), op("randf", _STATE)),
    ir.Let(name("second"), op("randf", _STATE)),
    write("o", add(mul(read("a"), name("first")), name("second"))),
    arguments=(
        argument("a"),
        argument("seed", type=INT, shape=(), lo=1, hi=99),
        argument("o", "output"),
    ),
)

FLOAT32_ALONE = program(
    "rough",
    write("o", op("noise", Literal(7, Scalar("uint32")), mul(read("a"), number(1.7)))),
)

HALF = Scalar("float16")
HALVES = program(
    "halved",
    write("o", op("add", op("mul", read("a", HALF), read("a", HALF), type=HALF), name("b", HALF), type=HALF)),
    arguments=(
        argument("a", type=HALF),
        argument("b", type=HALF, shape=()),
        argument("o", "output", type=HALF),
    ),
)

UNSIGNED, WORD = Scalar("uint8"), Scalar("uint32")
UNSIGNED_WRAP = program(
    "hashed",
    ir.Variable(name("h", WORD), read("a", WORD)),
    ir.Accumulate(name("h", WORD), "*", Literal(2654435761, WORD)),
    ir.Accumulate(name("h", WORD), "+", Literal(4294967295, WORD)),
    write("o", name("h", WORD)),
    write("p", op("add", read("b", UNSIGNED), Literal(200, UNSIGNED), type=UNSIGNED)),
    arguments=(
        argument("a", type=WORD, lo=5, hi=2**32 - 1),
        argument("b", type=UNSIGNED, lo=0, hi=255),
        argument("o", "output", WORD),
        argument("p", "output", UNSIGNED),
    ),
)

_KINDS = [Scalar(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
EVERY_INTEGER = program(
    "counted",
    *(
        write(
            f"o_{kind.scalar}",
            op("add", read(f"a_{kind.scalar}", kind), name(f"b_{kind.scalar}", kind), type=kind),
        )
        for kind in _KINDS
    ),
    arguments=(
        *(argument(f"a_{kind.scalar}", type=kind, lo=1, hi=20) for kind in _KINDS),
        *(argument(f"b_{kind.scalar}", type=kind, shape=(), lo=1, hi=20) for kind in _KINDS),
        *(argument(f"o_{kind.scalar}", "output", kind) for kind in _KINDS),
    ),
)

CHAIN = program(
    "kept",
    ir.If(
        ir.Chain(("le", "lt"), (number(0.6), read("a"), number(1.4))),
        (write("o", mul(read("a"), number(3.0))),),
        (write("o", read("a")),),
    ),
)

VALUES = {
    "a constant of the module": MODULE_CONSTANT,
    "a vector that is a constant": VECTOR_CONSTANT,
    "a constant of a closure": CLOSURE_CONSTANT,
    "an enumeration": ENUMERATION,
    "a number that Warp names": NAMED_NUMBER,
    "a power": POWER,
    "v.x": PART_OF_A_VECTOR,
    "v.y assigned": PART_ASSIGNED,
    "a component augmented": COMPONENT_AUGMENTED,
    "m[i, j] assigned": ENTRY_ASSIGNED,
    "quaternions and transforms": QUATERNIONS,
    "a transform by value": PLAIN_POSE,
    "spatial vectors": SPATIAL,
    "a rotation": ROTATED,
    "random numbers": RANDOM,
    "an operation of float32 alone": FLOAT32_ALONE,
    "half precision": HALVES,
    "unsigned numbers wrap": UNSIGNED_WRAP,
    "every integer type": EVERY_INTEGER,
    "comparisons in a row": CHAIN,
}
