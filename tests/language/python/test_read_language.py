"""The whole plain language, read: every node of the tree from a person's source, and back."""

from __future__ import annotations

import math
from textwrap import indent

import pytest

from warp_ir_dataset.language import ir, walks
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Scalar, Several, Struct, Vector, shaped

ONES, TWOS = Array(FLOAT, 1), Array(FLOAT, 2)
VEC3 = Vector("float32", 3)
HEAD = "import warp as wp\n"
ARGUMENTS = "a: wp.array(dtype=float), o: wp.array(dtype=float), m: wp.array2d(dtype=float), n: int"


def kernel(*lines: str, before: str = "", arguments: str = ARGUMENTS) -> ir.Program:
    """The kernel of these lines, which is the same when it is written and read again."""
    body = "".join(f"    {line}\n" for line in ("i = wp.tid()", *lines))
    program = read(f"{HEAD}{before}@wp.kernel\ndef k({arguments}):\n{body}")
    assert read(write(program), program.signature) == program
    return program


def statement(*lines: str, before: str = "") -> ir.Stmt:
    return kernel(*lines, before=before).body[-1]


IN, OUT, GRID, COUNT, THREAD = (
    ir.Name("a", ONES),
    ir.Name("o", ONES),
    ir.Name("m", TWOS),
    ir.Name("n", INT),
    ir.Name("i", INT),
)
READ, WRITTEN = ir.Load(IN, (THREAD,), FLOAT), ir.Load(OUT, (THREAD,), FLOAT)


def number(value: float) -> ir.Literal:
    return ir.Literal(value, FLOAT)


def whole(value: int) -> ir.Literal:
    return ir.Literal(value, INT)


# ---- statements and expressions


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("o[i] = 1.0", ir.Assign(WRITTEN, number(1.0))),
        ("o[i] *= 2.0", ir.Accumulate(WRITTEN, "*", number(2.0))),
        ("n //= 2", ir.Accumulate(COUNT, "//", whole(2))),
        ("n <<= 1", ir.Accumulate(COUNT, "<<", whole(1))),
        ("m[i, 0] = a[i]", ir.Assign(ir.Load(GRID, (THREAD, whole(0)), FLOAT), READ)),
        ("row = m[i]", ir.Let(ir.Name("row", ONES), ir.View(GRID, (THREAD,), ONES))),
        (
            "part = a[1:n]",
            ir.Let(ir.Name("part", ONES), ir.View(IN, (ir.Slice(whole(1), COUNT, None),), ONES)),
        ),
        (
            "column = m[:, i]",
            ir.Let(ir.Name("column", ONES), ir.View(GRID, (ir.Slice(None, None, None), THREAD), ONES)),
        ),
        ("size = m.shape[1]", ir.Let(ir.Name("size", INT), ir.Shape(GRID, 1))),
        ("size = len(a)", ir.Let(ir.Name("size", INT), ir.Shape(IN, 0))),
        (
            "both = 0 < i < n",
            ir.Let(ir.Name("both", BOOL), ir.Chain(("lt", "lt"), (whole(0), THREAD, COUNT))),
        ),
        ("wp.atomic_add(o, i, 1.0)", ir.Do(ir.Apply("atomic_add", (OUT, THREAD, number(1.0)), FLOAT))),
        (
            "old = wp.atomic_max(o, i, 1.0)",
            ir.Let(ir.Name("old", FLOAT), ir.Apply("atomic_max", (OUT, THREAD, number(1.0)), FLOAT)),
        ),
        ("assert i >= 0, 'below'", ir.Assert(ir.Apply("ge", (THREAD, whole(0)), BOOL), "below")),
        ("wp.printf('%d\\n', i)", ir.Print("%d\n", (THREAD,))),
        ("print(i)", ir.Print(None, (THREAD,))),
        ("print('here')", ir.Print("here\n", ())),
        ("pass", ir.Pass()),
        ("return", ir.Return()),
        ("x = type(a[i])(i)", ir.Let(ir.Name("x", FLOAT), ir.Apply("to_float", (THREAD,), FLOAT))),
        ("x = a.dtype(i)", ir.Let(ir.Name("x", FLOAT), ir.Apply("to_float", (THREAD,), FLOAT))),
        ("x = float(a[i])", ir.Let(ir.Name("x", FLOAT), ir.Apply("same", (READ,), FLOAT))),
        ("x = float(2.0)", ir.Let(ir.Name("x", FLOAT), ir.Apply("same", (number(2.0),), FLOAT))),
        ("x = a[i] > i", ir.Let(ir.Name("x", BOOL), ir.Apply("mixed_gt", (READ, THREAD), BOOL))),
        ("x = a[i] > 0", ir.Let(ir.Name("x", BOOL), ir.Apply("mixed_gt", (READ, whole(0)), BOOL))),
        ("x = wp.quat_identity(dtype=wp.float64)[0]", None),
        ("x = wp.quat_identity(wp.float16)[0]", None),
        ("x = wp.quat_rotate(vec=wp.vec3(1.0), quat=wp.quat_identity())[0]", None),
        ("x = wp.lower_bound(a, value=1.0, arr_end=n, arr_begin=0)", None),
        ("x = wp.float64(1)", ir.Let(ir.Name("x", Scalar("float64")), ir.Literal(1.0, Scalar("float64")))),
        (
            "x = wp.uint32(-1)",
            ir.Let(ir.Name("x", Scalar("uint32")), ir.Literal(2**32 - 1, Scalar("uint32"))),
        ),
        ("x = wp.inf", ir.Let(ir.Name("x", FLOAT), number(math.inf))),
        ("x = wp.vector(length=3, dtype=float)[0]", None),
        ("x = wp.matrix(1.0, 2.0, 3.0, 4.0, shape=(2, 2))[0, 1]", None),
        ("x = wp.types.vector(length=3, dtype=wp.float64)(1.0, 2.0, 3.0)[0]", None),
        ("x = wp.clamp(a[i], high=1.0, low=0.0)", None),
        ("x = max(a[i], 0.0) ** 2.0", None),
    ],
)
def test_a_line(line: str, expected: ir.Stmt | None) -> None:
    found = statement(line)
    assert expected is None or found == expected


def test_loops() -> None:
    down = statement("for k in range(n, -1, -STEP):", "    o[k] = 0.0", before="STEP = wp.constant(2)\n")
    assert isinstance(down, ir.For) and (down.start, down.stop, down.step) == (COUNT, whole(-1), -2)
    loop = statement("while True:", "    break")
    assert loop == ir.While(ir.Literal(True, BOOL), (ir.Break(),))
    tested = statement("while n:", "    n -= 1")
    assert isinstance(tested, ir.While) and tested.condition == ir.Apply("ne", (COUNT, whole(0)), BOOL)


def test_bounds_that_need_not_be_written() -> None:
    """Warp makes other code of each."""
    written = {}
    for bounds in ("n", "0, n", "0, n, 1", "1, n", "1, n, 1", "0, n, 2"):
        loop = statement(f"for k in range({bounds}):", "    o[k] = 0.0")
        assert isinstance(loop, ir.For)
        written[bounds] = loop.written
    assert written == {"n": 0, "0, n": 2, "0, n, 1": 3, "1, n": 0, "1, n, 1": 3, "0, n, 2": 0}


def test_parts_of_a_local_pose() -> None:
    """Warp forgets the assignment, so that it is not legal; it is read all the same."""
    pose = kernel("pose = wp.transform_identity()", "pose.p[1] = 2.0", "o[i] = pose.p[1]").body
    assert isinstance(pose[2], ir.Assign) and isinstance(pose[2].target, ir.Component)


def test_what_changes_operands_behind_the_first() -> None:
    lines = ("q = wp.quat_identity()", "v = wp.vec3(0.0)", "x = float(0.0)", "wp.quat_to_axis_angle(q, v, x)")
    done = kernel(*lines, "o[i] = x").body[-2]
    assert isinstance(done, ir.Do) and isinstance(done.value, ir.Apply)
    assert done.value.operation == "quat_to_axis_angle_into"


def test_a_local_is_a_variable_where_it_is_assigned_later() -> None:
    body = kernel("x = 1.0", "y = float(2.0)", "if i > 2:", "    y = x", "o[i] = y").body
    assert body[1] == ir.Let(ir.Name("x", FLOAT), number(1.0))
    assert body[2] == ir.Variable(ir.Name("y", FLOAT), number(2.0))
    v = ir.Name("v", VEC3)
    body = kernel("v = wp.vec3(1.0)", "v[1] = 2.0", "v.x += 3.0", "o[i] = v.z").body
    assert isinstance(body[1], ir.Variable)
    assert body[2] == ir.Assign(ir.Component(v, (whole(1),), FLOAT), number(2.0))
    assert body[3] == ir.Accumulate(ir.Member(v, "x", FLOAT), "+", number(3.0))


def test_a_name_of_an_ended_block_is_still_known() -> None:
    program = kernel("if i > 2:", "    x = 1.0", "else:", "    x = 2.0", "x += 1.0", "o[i] = x")
    choice = program.body[1]
    assert isinstance(choice, ir.If)
    assert isinstance(choice.then[0], ir.Variable) and isinstance(choice.orelse[0], ir.Variable)
    loops = kernel("for k in range(3):", "    x = a[k]", "for k in range(3):", "    x = a[k]").body[1:]
    assert all(isinstance(loop, ir.For) and isinstance(loop.body[0], ir.Let) for loop in loops)


def test_values_at_once() -> None:
    first, second = kernel("x, y = a[i], 2.0", "o[i] = x + y").body[1:3]
    assert first == ir.Let(ir.Name("x", FLOAT), READ) and second == ir.Let(ir.Name("y", FLOAT), number(2.0))
    swapped = kernel("x = a[i]", "y = o[i]", "x, y = y, x", "o[i] = x").body[3:7]
    temporaries = [ir.Name(text, FLOAT) for text in ("held", "held_1")]
    assert swapped[:2] == (
        ir.Let(temporaries[0], ir.Name("y", FLOAT)),
        ir.Let(temporaries[1], ir.Name("x", FLOAT)),
    )
    assert swapped[2:] == (
        ir.Assign(ir.Name("x", FLOAT), temporaries[0]),
        ir.Assign(ir.Name("y", FLOAT), temporaries[1]),
    )


BOTH = "@wp.func\ndef both(x: float):\n    return x * x, x + 1.0\n"


def test_several_values_are_kept_under_one_name() -> None:
    one = kernel("r = both(a[i])", "p, q = r", "o[i] = r[0] * r[1] + p - q", before=BOTH)
    other = kernel("r_0, r_1 = both(a[i])", "p, q = r_0, r_1", "o[i] = r_0 * r_1 + p - q", before=BOTH)
    assert one == other
    returned = "@wp.func\ndef f(x: float):\n    r = both(x)\n    return r\n"
    apart = returned.replace("r = both", "r_0, r_1 = both").replace("return r", "return r_0, r_1")
    lines = ("r = f(a[i])", "o[i] = r[0] - r[1]")
    assert kernel(*lines, before=BOTH + returned) == kernel(*lines, before=BOTH + apart)


@pytest.mark.parametrize(
    ("line", "usual"),
    [
        ("q = wp.quaternion(0.0, 0.0, a[i], 1.0)", "q = wp.quat(0.0, 0.0, a[i], 1.0)"),
        ("q = wp.quaternion(wp.vec3(a[i]), 1.0)", "q = wp.quat(wp.vec3(a[i]), 1.0)"),
        ("q = wp.quaternion(wp.vec3d(), wp.float64(1.0))", "q = wp.quatd(wp.vec3d(), wp.float64(1.0))"),
        ("q = wp.transformation(wp.vec3(a[i]), wp.quat())", "q = wp.transform(wp.vec3(a[i]), wp.quat())"),
        ("q = wp.quaternion(0.0, 0.0, 0.0, 1.0, dtype=wp.float64)", "q = wp.quatd(0.0, 0.0, 0.0, 1.0)"),
        ("q = wp.spatial_vectorf(0.0)", "q = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
        ("q = wp.float(i) + wp.float(wp.int(a[i]))", "q = float(i) + float(int(a[i]))"),
        ("q = wp.mat22(a[i]) @ wp.vec2(a[i])", "q = wp.mat22(a[i]) * wp.vec2(a[i])"),
        ("q = o and a[i] > 0.0 and m", "q = a[i] > 0.0"),
        ("if o:", "if True:"),
        ("if not o:", "if not True:"),
    ],
)
def test_other_words_for_the_same(line: str, usual: str) -> None:
    """Arrays are there: a launch gives them."""
    following = ("    o[i] = 1.0",) if line.startswith("if") else ()
    assert kernel(line, *following) == kernel(usual, *following)


def test_effects_become_statements() -> None:
    program = kernel("o[i] = a[i] + wp.atomic_add(o, 0, 1.0) * wp.atomic_sub(o, 1, 1.0)")
    before, again, last = program.body[1:]
    assert isinstance(before, ir.Let) and isinstance(again, ir.Let) and isinstance(last, ir.Assign)
    assert [before.target.name, again.target.name] == ["before", "previous"]
    thread = read(f"{HEAD}@wp.kernel\ndef k({ARGUMENTS}):\n    o[wp.tid()] = 1.0\n")
    assert thread.body[0] == ir.ThreadIndex((ir.Name("thread", INT),))
    lock = statement("while wp.atomic_add(o, 0, 1.0) > 0.0:", "    pass")
    assert isinstance(lock, ir.While) and lock.condition == ir.Literal(True, BOOL)
    assert isinstance(lock.body[0], ir.Let) and isinstance(lock.body[1], ir.If)


# ---- what stands around a kernel


def test_constants() -> None:
    before = (
        "import math\nfrom enum import IntEnum\nimport sys\nARGS = sys.argv\n"
        "N = 4\nSIZE = wp.constant(2 * N + 1)\nTURN = 2.0 * math.pi\nUP = wp.vec3(0.0, 1.0, 0.0)\n"
        "class Mode(IntEnum):\n    SLOW = 0\n    FAST = 2\n"
    )
    program = kernel(
        "if i == Mode.FAST and i < SIZE:",
        "    o[i] = wp.dot(UP, wp.vec3(TURN)) + wp.static(2.0 * TURN)",
        before=before,
    )
    known = {constant.name: constant for constant in program.constants}
    assert known["SIZE"] == ir.Constant("SIZE", whole(9))
    assert known["TURN"] == ir.Constant("TURN", number(2.0 * math.pi))
    assert known["Mode.FAST"] == ir.Constant("Mode.FAST", whole(2), "enumeration")
    assert isinstance(known["UP"].value, ir.Apply) and set(known) == {"SIZE", "TURN", "UP", "Mode.FAST"}
    assert number(4.0 * math.pi) in list(walks.walk(program.body))


def test_constants_around_a_kernel() -> None:
    source = (
        HEAD + "def create(scale, SIZE=3):\n    HALF = SIZE / 2\n"
        "    @wp.func\n    def f(x: float):\n        return x * HALF\n"
        "    @wp.kernel\n    def k(o: wp.array(dtype=float)):\n"
        "        i = wp.tid()\n        o[i] = f(float(SIZE))\n"
        "    return k\nkernel = create(2.0)\n"
    )
    program = read(source)
    assert program.constants == (
        ir.Constant("SIZE", whole(3), "closure"),
        ir.Constant("HALF", number(1.5), "closure"),
    )
    again = write(program)
    assert "def create_k(SIZE: int, HALF: float):" in again and "create_k(SIZE=3, HALF=1.5)" in again
    assert "    def f(x: float) -> float:" in again
    assert read(again, program.signature) == program
    with pytest.raises(Unreadable, match=r"\bSIZE\b"):
        read(source.replace("kernel = create(2.0)\n", ""))


MAKER = (
    "def create(n, m=3):\n"
    "    @wp.kernel\n    def k(o: wp.array(dtype=float)):\n        i = wp.tid()\n        o[i] = float(m)\n"
    "    return k\n"
)


@pytest.mark.parametrize(
    "calls",
    [
        "PAIR = (1, 2)\ncreate(*PAIR)\n",
        "OPTIONS = {'m': 4}\ncreate(1, **OPTIONS)\n",
        "other = create\nother(1, 4)\ncreate(1, 5)\n",
    ],
)
def test_a_parameter_around_a_kernel_is_not_guessed(calls: str) -> None:
    assert "create_k(m=5)" in write(read(HEAD + MAKER + "create(1, 5)\n"))
    with pytest.raises(Unreadable, match="m is no number"):
        read(HEAD + MAKER + calls)


@pytest.mark.parametrize(
    "bound",
    [
        "try:\n    pass\nexcept ValueError as V:\n    pass\n",
        "match 3:\n    case V:\n        pass\n",
        "match [3]:\n    case [*V]:\n        pass\n",
        "W = (V := 3.0)\n",
        "if __name__ != '__main__':\n    V = 3.0\n",
    ],
)
def test_a_name_that_is_bound_twice_is_no_constant(bound: str) -> None:
    with pytest.raises(Unreadable, match="V is no number"):
        kernel("o[i] = V", before="V = 2.0\n" + bound)


@pytest.mark.parametrize(
    "around",
    [
        "try:\n    pass\nexcept ValueError:\n",
        "try:\n    pass\nexcept ValueError:\n    pass\nelse:\n",
        "try:\n    pass\nfinally:\n",
        "match 3:\n  case 3:\n",
    ],
)
def test_a_kernel_is_found_in_every_branch(around: str) -> None:
    lines = "@wp.kernel\ndef k(o: wp.array(dtype=float)):\n    o[0] = 1.0\n"
    assert read(HEAD + around + indent(lines, "    ")).name == "k"


def test_structs() -> None:
    before = (
        "@wp.struct\nclass Inner:\n    v: wp.vec3\n"
        "@wp.struct\nclass Outer:\n    inner: Inner\n    data: wp.array(dtype=float)\n    n: int\n"
        "from typing import Any\n@wp.struct\nclass Unit:\n    size: float\n"
        "    @wp.func\n    def scaled(self: Any, by: float):\n        return self.size * by\n"
    )
    inner = Struct("Inner", (("v", VEC3),))
    outer = Struct("Outer", (("inner", inner), ("data", ONES), ("n", INT)))
    program = kernel(
        "s.inner.v[1] = p[i].inner.v.x",
        "s.data[i] += 1.0",
        "t = Outer(s.inner, s.data, n=2)",
        "u = Unit()",
        "u.size = Unit.scaled(u, 2.0)",
        "p[i] = t",
        before=before,
        arguments="s: Outer, p: wp.array(dtype=Outer)",
    )
    assert program.structs[:2] == (inner, outer) and program.functions[0].name == "Unit.scaled"
    s = ir.Name("s", outer)
    v = ir.Member(ir.Member(s, "inner", inner), "v", VEC3)
    change, add, made = program.body[1:4]
    assert isinstance(change, ir.Assign) and change.target == ir.Component(v, (whole(1),), FLOAT)
    assert isinstance(add, ir.Accumulate) and add.target == ir.Load(
        ir.Member(s, "data", ONES), (THREAD,), FLOAT
    )
    assert isinstance(made, ir.Let) and isinstance(made.value, ir.New) and made.value.operands[2] == whole(2)
    assert [a.role for a in program.arguments] == ["inout", "inout"]


def test_functions() -> None:
    before = (
        "from typing import Any\n"
        "@wp.func\ndef fill(into: wp.array(dtype=float), at: int, value: float = 2.0, by: int = 1):\n"
        "    for k in range(by):\n        into[at + k] = value\n"
        "@wp.func\ndef both(x: float):\n    return x, wp.vec3(x)\n"
        "@wp.func\ndef twice(x: Any):\n    return x + x\n"
        "@wp.func\ndef first(x: wp.array(dtype=Any), at: int):\n    return x[at]\n"
        "@wp.func\ndef size(x: float) -> float:\n    return wp.abs(x)\n"
        "@wp.func\ndef size(x: wp.vec3) -> float:\n    return wp.length(x)\n"
    )
    program = kernel(
        "fill(o, i, by=2)",
        "x, v = both(first(a, i))",
        "x, w = both(x)",
        "o[i] = size(x) + size(twice(v)) + float(twice(n))",
        before=before,
    )
    fill = program.body[1]
    assert fill == ir.Do(ir.Call("fill", (OUT, THREAD, number(2.0), whole(2)), Several()))
    assert [(f.name, f.parameters[0].type) for f in program.functions] == [
        ("fill", ONES),
        ("both", FLOAT),
        ("twice", VEC3),
        ("twice", INT),
        ("first", ONES),
        ("size", FLOAT),
        ("size", VEC3),
    ]
    # Of two types it is two functions, and each of them says its own.
    assert [f.name for f in program.functions if f.generic] == ["first"]
    unpacked = program.body[2]
    assert isinstance(unpacked, ir.Unpack) and unpacked.value.type == Several((FLOAT, VEC3))
    assert [a.role for a in program.arguments] == ["input", "output", "input", "input"]


def test_what_a_call_leaves_open_can_be_given() -> None:
    source = (
        HEAD
        + "from typing import Any\n@wp.kernel\ndef k(x: wp.array(dtype=Any), s: Any):\n    x[wp.tid()] = s\n"
    )
    program = read(source, types={"x": Array(VEC3, 1), "s": VEC3})
    assert [(a.type, a.ndim) for a in program.arguments] == [(VEC3, 1), (VEC3, 0)]
    with pytest.raises(Unreadable, match=r"\bx .*type"):
        read(source)


def test_the_host_is_skipped() -> None:
    source = (
        "import sys\nimport numpy as np\n"
        + HEAD
        + "wp.init()\nclass App:\n    def run(self):\n        return 1\n"
        "def main():\n    print('x')\n@wp.kernel\ndef other(x: undefined):\n    y = x\n"
        "@wp.kernel(enable_backward=False)\ndef k(o: wp.array(dtype=float)):\n    o[wp.tid()] = 1.0\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    assert read(source, kernel="k").name == "k"


@pytest.mark.parametrize(
    "head", ["import warp as wp\n", "import warp\n", "from warp import kernel, array, tid, sin\n"]
)
def test_ways_to_import(head: str) -> None:
    prefix = {"import warp as wp\n": "wp.", "import warp\n": "warp."}.get(head, "")
    source = (
        f"{head}@{prefix}kernel\ndef k(o: {prefix}array(dtype=float)):\n"
        f"    i = {prefix}tid()\n    o[i] = {prefix}sin(o[i])\n"
    )
    assert "wp.sin(o[i])" in write(read(source))


@pytest.mark.parametrize(
    ("annotation", "type"),
    [
        ("wp.array[wp.vec3]", Array(VEC3, 1)),
        ("wp.array2d[float]", TWOS),
        ("wp.array(dtype=float, ndim=2)", TWOS),
        ("'wp.array4d(dtype=wp.int32)'", Array(INT, 4)),
        ("wp.array[float, Literal[2]]", TWOS),
        ("wp.mat33d", shaped("float64", (3, 3))),
        ("pair", Vector("float32", 5)),
        ("wp.types.matrix((2, 3), float)", shaped("float32", (2, 3))),
    ],
)
def test_annotations(annotation: str, type: object) -> None:
    alias = "pair = wp.types.vector(length=4 + 1, dtype=wp.float32)\n"
    program = read(f"{HEAD}{alias}@wp.kernel\ndef k(x: {annotation}):\n    pass\n")
    assert program.arguments[0].reference.type == type
    assert read(write(program)) == program


@pytest.mark.parametrize("style", [ir.Style(a, b) for a in (False, True) for b in (False, True)])
def test_styles(style: ir.Style) -> None:
    program = kernel("x = float(i)", "o[i] = x")
    styled = ir.Program(program.signature, program.body, style=style)
    text = write(styled)
    assert ("wp.array[" in text) == style.subscripts and ("wp.float32(i)" in text) == style.full_names
    assert read(text, styled.signature) == styled


def test_a_long_file_is_read() -> None:
    functions = "".join(
        f"@wp.func\ndef f{n}(x: float):\n    y = x * 2.0  # twice\n    return f{n % 10}(y)\n"
        for n in range(10, 70)
    )
    simple = "".join(f"@wp.func\ndef f{n}(x: float):\n    return x\n" for n in range(10))
    body = "".join(f"    o[i] += f{n % 70}(a[i]) * {n}.0  # line {n}\n" for n in range(250))
    source = f"{HEAD}{simple}{functions}@wp.kernel\ndef k({ARGUMENTS}):\n    i = wp.tid()\n{body}"
    assert source.count("\n") > 500
    assert len(read(source).functions) == 70
