"""Python source as programs: what is written is read back; the rest is refused, with its place."""

from __future__ import annotations

import pytest
from toys import programs as h

from warp_ir_dataset.language import ir, walks
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT, INT, Scalar, Vector, shaped
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample


@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_what_is_written_is_read_back(category: str) -> None:
    for number in range(40):
        program = sample(address_of(6, category, number)).program
        assert read(write(program), program.signature) == program, number


HAND_BUILT = {name: value for name, value in vars(h).items() if isinstance(value, ir.Program)}


@pytest.mark.parametrize("name", HAND_BUILT)
def test_programs_built_by_hand_are_read_back(name: str) -> None:
    program = HAND_BUILT[name]
    assert read(write(program), program.signature) == program


# ---- the syntax that people use

PULL = ir.Signature(
    "pull",
    (
        ir.Argument("places", Vector("float32", 3), "input", (8,), Interval(-1.0, 1.0)),
        ir.Argument("grid", Scalar("float64"), "inout", (4, 4), Interval(0.0, 1.0)),
        ir.Argument("count", INT, "input", (), Interval(1, 8)),
        ir.Argument("out", FLOAT, "output", (8,), Interval(0.0, 0.0)),
    ),
    (8,),
)
BY_HAND = '''"""A module with a docstring."""
import warp as wp


@wp.func
def weigh(v: wp.vec3f, scale: wp.float32) -> float:
    """What a vector weighs."""
    return wp.dot(v, v) * scale


@wp.kernel
def pull(
    places: wp.array[wp.vec3], grid: wp.array(dtype=wp.float64, ndim=2), count: wp.int32, out: wp.array[float]
):
    # A comment.
    i = wp.tid()
    if i >= count:
        return
    total = float(0.0)
    for k in range(0, count):
        total += weigh(places[k], 0.5)  # another one
    out[i] = -total
'''


def test_other_spellings_mean_the_same() -> None:
    program = read(BY_HAND, PULL)
    check_names = [node.name for node in walks.walk(program.body) if isinstance(node, ir.Name)]
    assert "total" in check_names and program.functions[0].name == "weigh"
    again = write(program)
    assert "wp.array2d[wp.float64]" in again and "scale: float" in again and "# another one" in again
    assert read(again, PULL) == program


def test_what_is_read_can_be_checked() -> None:
    source = (
        "import warp as wp\n@wp.kernel\ndef double(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n"
    )
    source += "    i = wp.tid()\n    y[i] = x[i] + x[i]\n"
    signature = ir.Signature(
        "double",
        (
            ir.Argument("x", FLOAT, "input", (8,), Interval(-1.0, 1.0)),
            ir.Argument("y", FLOAT, "output", (8,), Interval(0.0, 0.0)),
        ),
        (8,),
    )
    assert check(read(source, signature)).names["i"] == Interval(0, 7)


# ---- what cannot be read

ONE = ir.Signature(
    "k",
    (
        ir.Argument("a", FLOAT, "input", (8,), Interval(-1.0, 1.0)),
        ir.Argument("o", FLOAT, "output", (8,), Interval(0.0, 0.0)),
    ),
    (8,),
)
HEAD = "import warp as wp\n"
KERNEL = HEAD + "@wp.kernel\ndef k(a: wp.array(dtype=float), o: wp.array(dtype=float)):\n    i = wp.tid()\n"
PAIR = HEAD + "@wp.struct\nclass Pair:\n    left: float\n"
PAIR_OF = HEAD + "@wp.func\ndef f(x: float):\n    return x\n"

PAIRED = PAIR_OF.replace("return x", "return x, x") + KERNEL.removeprefix(HEAD) + "    r = f(a[i])\n"

# A module, and what the message names: line and column, or - where there is no place; then names in it.
UNREADABLE = {
    "no Python": ("def k(:", "1:7"),
    "no kernel": (HEAD, "- k"),
    "another kernel": (HEAD + "@wp.kernel\ndef other(): pass\n", "- k"),
    "two of them": (KERNEL + "@wp.kernel\ndef k(): pass\n", "6:1 k"),
    "other arguments": (
        HEAD + "@wp.kernel\ndef k(a: float): pass\n",
        "3:1 k",
    ),
    "no annotation": (
        HEAD + "@wp.kernel\ndef k(a): pass\n",
        "3:7",
    ),
    "an unknown type": (
        HEAD + "@wp.kernel\ndef k(a: wp.Mesh): pass\n",
        "3:10 wp.Mesh",
    ),
    "several values as one": (
        PAIRED + "    o[i] = r\n",
        "9:12 2",
    ),
    "a second place of two": (
        PAIRED + "    o[i] = r[2]\n",
        "9:12 r[2] 2",
    ),
    "several values for what is kept": (
        PAIRED + "    r = f(a[i])\n",
        "9:5 2",
    ),
    "a loop over several": (
        PAIRED + "    for r in range(2):\n        o[i] = 1.0\n",
        "9:9 2",
    ),
    "a quaternion of a struct": (
        PAIR + KERNEL.removeprefix(HEAD) + "    q = wp.quaternion(Pair(a[i]))\n",
        "8:9 Pair",
    ),
    "a value for several": (
        PAIRED + "    r = a[i]\n",
        "9:5 2",
    ),
    "any type": (
        "from typing import Any\n" + HEAD + "@wp.kernel\ndef k(a: Any): pass\n",
        "4:7",
    ),
    "a default": (HEAD + "@wp.kernel\ndef k(a: float = 1.0): pass\n", "3:1"),
    "a changed constant": (
        "SIZE = 3\nSIZE = 4\n" + KERNEL + "    o[i] = float(SIZE)\n",
        "7:18 SIZE",
    ),
    "a constant of the host": (
        HEAD + "import sys\nSIZE = len(sys.argv)\n" + KERNEL + "    o[i] = float(SIZE)\n",
        "8:18 SIZE sys.argv",
    ),
    "a huge constant": (
        HEAD + "SIZE = 9 ** 9 ** 9\n" + KERNEL + "    o[i] = float(SIZE)\n",
        "7:18 SIZE",
    ),
    "a module's name for a value": (KERNEL + "    o[i] = wp\n", "5:12 wp"),
    "no member of an enumeration": (
        "from enum import IntEnum\nclass Mode(IntEnum):\n    FAST = 1\n" + KERNEL + "    x = Mode.SLOW\n",
        "8:9 Mode SLOW",
    ),
    "a function of the host": (
        "def f(x):\n    return x\n" + KERNEL + "    o[i] = f(a[i])\n",
        "7:12 f",
    ),
    "a parameter without type": (
        HEAD + "@wp.func\ndef f(x):\n    return x\n" + KERNEL + "    o[i] = f(a[i])\n",
        "3:7 x",
    ),
    "a call with other operands": (
        PAIR_OF + KERNEL + "    o[i] = f(i)\n",
        "9:12 f int",
    ),
    "an unknown keyword of a function": (
        PAIR_OF + KERNEL + "    o[i] = f(y=a[i])\n",
        "9:12 f float",
    ),
    "a recursion": (
        HEAD + "@wp.func\ndef f(x: float):\n    return f(x)\n" + KERNEL + "    o[i] = f(a[i])\n",
        "4:12 f",
    ),
    "two kinds of results": (
        HEAD + "@wp.func\ndef f(x: float):\n    if x > 0.0:\n        return x\n    return 1\n"
        "" + KERNEL + "    o[i] = f(a[i])\n",
        "6:5 (int) (float)",
    ),
    "nothing for a value": (
        HEAD + "@wp.func\ndef f(x: float):\n    print(x)\n" + KERNEL + "    o[i] = f(a[i])\n",
        "9:12",
    ),
    "a gradient of its own": (
        PAIR_OF
        + "@wp.func_grad(f)\ndef g(x: float, adj: float):\n    pass\n"
        + KERNEL
        + "    o[i] = f(a[i])\n",
        "6:1 f",
    ),
    "a struct's other members": (
        PAIR + KERNEL + "    s = Pair(1)\n",
        "9:9 Pair float",
    ),
    "no member": (
        PAIR + KERNEL + "    s = Pair()\n    s.up = 1.0\n",
        "10:5 Pair up",
    ),
    "something else in a struct": (
        PAIR + "    right = 1.0\n" + KERNEL + "    s = Pair()\n",
        "5:5 Pair",
    ),
    "a declaration": (KERNEL + "    x: float = 1.0\n", "5:5 AnnAssign"),
    "a docstring in the middle": (KERNEL + "    'text'\n", "5:5 Expr"),
    "two targets": (KERNEL + "    x = y = 1.0\n", "5:5 Assign"),
    "unpacking into places": (
        KERNEL + "    o[i], x = a[i], a[i]\n",
        "5:5",
    ),
    "too few values": (KERNEL + "    x, y = a[i], a[i], a[i]\n", "5:5 3 2"),
    "a loop over something": (KERNEL + "    for x in a:\n        pass\n", "5:5 range"),
    "a loop with else": (
        KERNEL + "    for x in range(3):\n        pass\n    else:\n        pass\n",
        "5:5 For",
    ),
    "a step": (KERNEL + "    for x in range(0, 4, i):\n        o[i] = 1.0\n", "5:26"),
    "a step of zero": (KERNEL + "    for x in range(0, 4, 0):\n        o[i] = 1.0\n", "5:26"),
    "a result of a kernel": (
        KERNEL + "    return a[i]\n",
        "5:5",
    ),
    "a changed type": (KERNEL + "    x = 1.0\n    x = i\n", "6:5 int float"),
    "two types in two branches": (
        KERNEL + "    if i > 2:\n        x = 1.0\n    else:\n        x = 1\n",
        "8:9 x float int",
    ),
    "an operator": (KERNEL + "    o[i] = a[i] & a[i]\n", "5:12 & float"),
    "an operator that is none": (KERNEL + "    x = i in a\n", "5:9 In"),
    "a string": (KERNEL + "    x = 'text'\n", "5:9"),
    "a list": (KERNEL + "    x = [1, 2]\n", "5:9 List"),
    "an unknown name": (
        KERNEL + "    o[i] = z\n",
        "5:12 z",
    ),
    "an array for a number": (KERNEL + "    o[i] = a\n", "5:5 array1d"),
    "an unknown built-in": (
        KERNEL + "    o[i] = wp.svd(a[i])\n",
        "5:12 wp.svd",
    ),
    "wrong operands": (KERNEL + "    o[i] = wp.sin(i)\n", "5:12 wp.sin int"),
    "letters in a row": (
        KERNEL + "    v = wp.vec3(1.0)\n    o[i] = v.xy[0]\n",
        "6:12 vec3f xy",
    ),
    "letters in a row that are assigned": (
        KERNEL + "    v = wp.vec3(1.0)\n    v.xy = wp.vec2(1.0)\n",
        "6:5 vec3f xy",
    ),
    "two types compared in a row": (
        KERNEL + "    o[i] = 1.0 if 0.0 < a[i] < 5 else 0.0\n",
        "5:19 float int",
    ),
    "an operand given by a wrong name": (
        KERNEL + "    o[i] = wp.clamp(a[i], 0.0, top=1.0)\n",
        "5:12 wp.clamp top",
    ),
    "a type passed by a wrong name": (
        KERNEL + "    q = wp.quat_identity(type=float)\n",
        "5:9 wp.quat_identity(type=float)",
    ),
    "mixed operands": (KERNEL + "    o[i] = a[i] + i\n", "5:12 + float int"),
    "too many indices": (KERNEL + "    o[i] = a[i, i]\n", "5:12 1"),
    "an index that is no integer": (
        KERNEL + "    o[i] = a[1.5]\n",
        "5:14 float",
    ),
    "a slice of a vector": (
        KERNEL + "    v = wp.vec3(1.0)\n    w = v[0:2]\n",
        "6:9 vec3f",
    ),
    "a keyword": (
        KERNEL + "    o[i] = wp.sin(angle=a[i])\n",
        "5:12 wp.sin angle",
    ),
    "a call of a name": (KERNEL + "    o[i] = f(a[i])\n", "5:12 f"),
    "a star": (KERNEL + "    o[i] = wp.max(*a)\n", "5:12 Starred"),
    "an unused result": (KERNEL + "    wp.sin(a[i])\n", "5:5"),
    "an atomic on a local": (
        KERNEL + "    x = 1.0\n    wp.atomic_add(x, 0, 1.0)\n",
        "6:5 wp.atomic_add",
    ),
    "an effect that may not be": (
        KERNEL + "    x = a[i] if i > 2 else wp.atomic_add(o, 0, 1.0)\n",
        "5:28 wp.atomic_add",
    ),
    "an effect that is noticed": (
        KERNEL + "    x = o[i] + wp.atomic_add(o, 0, 1.0)\n",
        "5:16 wp.atomic_add",
    ),
    "a member of nothing": (KERNEL + "    o[i] = a.x\n", "5:12 array1d"),
    "a format that is none": (KERNEL + "    wp.printf(i)\n", "5:5 printf"),
    "a thread index in a function": (
        HEAD + "@wp.func\ndef f(x: float):\n    i = wp.tid()\n    return x\n"
        "" + KERNEL + "    o[i] = f(a[i])\n",
        "4:9",
    ),
    "a local in what is static": (
        "i = 3\n" + KERNEL + "    x = wp.static(i + 1)\n",
        "6:19 i wp.static",
    ),
    "an alias of one of two functions": (
        PAIR_OF + "g = f\n@wp.func\ndef f(x: float):\n    return -x\n" + KERNEL + "    o[i] = g(a[i])\n",
        "13:12 g",
    ),
    "an infinite integer": (
        "N = wp.constant(wp.vec2i(1e400, 0))\n" + KERNEL + "    v = N\n",
        "6:9 inf",
    ),
    "a gradient that is given by keyword": (
        KERNEL + "    o[i] = f(a[i])\n\n@wp.func\ndef f(x: float):\n    return -x\n"
        "if True:\n    @wp.func_grad(forward_fn=f)\n"
        "    def g(x: float, r: float):\n        wp.adjoint[x] -= r\n",
        "12:5 f",
    ),
    "a NUL": ("import warp as wp\0\n", "-"),
}


@pytest.mark.parametrize("title", UNREADABLE)
def test_unreadable(title: str) -> None:
    source, expected = UNREADABLE[title]
    place, *names = expected.split()
    with pytest.raises(Unreadable) as refused:
        read(source, ONE)
    message = str(refused.value)
    assert "\n" not in message
    assert all(name in message for name in names), message
    assert message.startswith("line ") == (place != "-")
    if place != "-":
        assert message.startswith("line {}, column {}: ".format(*place.split(":"))), message


def test_more_than_python_can_nest_is_refused_too() -> None:
    with pytest.raises(Unreadable, match="deep"):
        read(KERNEL + "    o[i] = " + "-" * 20_000 + "a[i]\n", ONE)


def test_odd_shapes_and_structs() -> None:
    source = (
        HEAD
        + "mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float32)\n"
        + "@wp.struct\nclass Pair:\n    left: mat23\n    right: wp.vec2d\n"
        + "@wp.kernel\ndef k(a: wp.array(dtype=float), o: wp.array(dtype=float)):\n"
        + "    i = wp.tid()\n    s = Pair()\n    s.right = wp.vec2d(wp.float64(1.0), wp.float64(2.0))\n"
        + "    o[i] = float(s.right[0]) + a[i]\n"
    )
    program = read(source, ONE)
    assert program.structs[0].members == (
        ("left", shaped("float32", (2, 3))),
        ("right", Vector("float64", 2)),
    )
    assert ir.Literal(1.0, Scalar("float64")) in list(walks.walk(program.body))
