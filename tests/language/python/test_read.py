"""Python source as programs: what is written is read back; the rest is refused, with its place."""

from __future__ import annotations

import pytest
from toys import programs as h

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language import program as p
from warp_ir_dataset.language import walks
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.program import Argument, Literal, Signature
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT, INT, Scalar, Vector, shaped
from warp_ir_dataset.synthesis.draw import draw
from warp_ir_dataset.synthesis.families import CATEGORIES


@pytest.mark.parametrize("category", CATEGORIES)
def test_what_is_written_is_read_back(category: str) -> None:
    for number in range(40):
        program = draw(Address(6, category, number)).program
        assert read(write(program), program.signature) == program, number


HAND_BUILT = {name: value for name, value in vars(h).items() if isinstance(value, p.Program)}


@pytest.mark.parametrize("name", HAND_BUILT)
def test_programs_built_by_hand_are_read_back(name: str) -> None:
    program = HAND_BUILT[name]
    assert read(write(program), program.signature) == program


# ---- a person's spelling

PULL = Signature(
    "pull",
    (
        Argument("places", Vector("float32", 3), "input", (8,), Interval(-1.0, 1.0)),
        Argument("grid", Scalar("float64"), "inout", (4, 4), Interval(0.0, 1.0)),
        Argument("count", INT, "input", (), Interval(1, 8)),
        Argument("out", FLOAT, "output", (8,), Interval(0.0, 0.0)),
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
    check_names = [node.name for node in walks.walk(program.body) if isinstance(node, p.Name)]
    assert "total" in check_names and program.functions[0].name == "weigh"
    again = write(program)
    assert "wp.array2d[wp.float64]" in again and "scale: float" in again and "# another one" in again
    assert read(again, PULL) == program


def test_what_is_read_can_be_checked() -> None:
    source = (
        "import warp as wp\n@wp.kernel\ndef double(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n"
    )
    source += "    i = wp.tid()\n    y[i] = x[i] + x[i]\n"
    signature = Signature(
        "double",
        (
            Argument("x", FLOAT, "input", (8,), Interval(-1.0, 1.0)),
            Argument("y", FLOAT, "output", (8,), Interval(0.0, 0.0)),
        ),
        (8,),
    )
    assert check(read(source, signature)).names["i"] == Interval(0, 7)


# ---- what cannot be read

ONE = Signature(
    "k",
    (
        Argument("a", FLOAT, "input", (8,), Interval(-1.0, 1.0)),
        Argument("o", FLOAT, "output", (8,), Interval(0.0, 0.0)),
    ),
    (8,),
)
HEAD = "import warp as wp\n"
KERNEL = HEAD + "@wp.kernel\ndef k(a: wp.array(dtype=float), o: wp.array(dtype=float)):\n    i = wp.tid()\n"
PAIR = HEAD + "@wp.struct\nclass Pair:\n    left: float\n"
PAIR_OF = HEAD + "@wp.func\ndef f(x: float):\n    return x\n"

PAIRED = PAIR_OF.replace("return x", "return x, x") + KERNEL.removeprefix(HEAD) + "    r = f(a[i])\n"

UNREADABLE = {
    "no Python": ("def k(:", "line 1, column 7: not Python"),
    "no kernel": (HEAD, "the module has no kernel k"),
    "another kernel": (HEAD + "@wp.kernel\ndef other(): pass\n", "the module has no kernel k"),
    "two of them": (KERNEL + "@wp.kernel\ndef k(): pass\n", "line 6, column 1: a second kernel"),
    "other arguments": (
        HEAD + "@wp.kernel\ndef k(a: float): pass\n",
        "line 3, column 1: k takes other arguments than its signature says",
    ),
    "no annotation": (
        HEAD + "@wp.kernel\ndef k(a): pass\n",
        "line 3, column 7: a does not say what type it is",
    ),
    "an unknown type": (
        HEAD + "@wp.kernel\ndef k(a: wp.Mesh): pass\n",
        "line 3, column 10: the type wp.Mesh",
    ),
    "several values as one": (
        PAIRED + "    o[i] = r\n",
        "line 9, column 12: r, which is 2 values, as one",
    ),
    "a second place of two": (
        PAIRED + "    o[i] = r[2]\n",
        "line 9, column 12: r[2] of 2 values",
    ),
    "several values for what is kept": (
        PAIRED + "    r = f(a[i])\n",
        "line 9, column 5: 2 values for r, which has a value already",
    ),
    "a loop over several": (
        PAIRED + "    for r in range(2):\n        o[i] = 1.0\n",
        "line 9, column 9: one value for r, which is 2 elsewhere",
    ),
    "a quaternion of a struct": (
        PAIR + KERNEL.removeprefix(HEAD) + "    q = wp.quaternion(Pair(a[i]))\n",
        "does not take Pair",
    ),
    "a value for several": (
        PAIRED + "    r = a[i]\n",
        "line 9, column 5: one value for r, which is 2 elsewhere",
    ),
    "any type": (
        "from typing import Any\n" + HEAD + "@wp.kernel\ndef k(a: Any): pass\n",
        "line 4, column 7: a may be of any type, and none is given",
    ),
    "a default": (HEAD + "@wp.kernel\ndef k(a: float = 1.0): pass\n", "arguments other than plain ones"),
    "a changed constant": (
        "SIZE = 3\nSIZE = 4\n" + KERNEL + "    o[i] = float(SIZE)\n",
        "line 7, column 18: SIZE is no number",
    ),
    "a constant of the host": (
        HEAD + "import sys\nSIZE = len(sys.argv)\n" + KERNEL + "    o[i] = float(SIZE)\n",
        "SIZE is no constant that can be read: len(sys.argv) is no constant",
    ),
    "a huge constant": (
        HEAD + "SIZE = 9 ** 9 ** 9\n" + KERNEL + "    o[i] = float(SIZE)\n",
        "SIZE is no constant that can be read: 9 ** 9 ** 9 is too large",
    ),
    "a module's name for a value": (KERNEL + "    o[i] = wp\n", "line 5, column 12: wp is no number"),
    "no member of an enumeration": (
        "from enum import IntEnum\nclass Mode(IntEnum):\n    FAST = 1\n" + KERNEL + "    x = Mode.SLOW\n",
        "line 8, column 9: Mode has no member SLOW",
    ),
    "a function of the host": (
        "def f(x):\n    return x\n" + KERNEL + "    o[i] = f(a[i])\n",
        "line 7, column 12: a call of f",
    ),
    "a parameter without type": (
        HEAD + "@wp.func\ndef f(x):\n    return x\n" + KERNEL + "    o[i] = f(a[i])\n",
        "line 3, column 7: x does not say what type it is",
    ),
    "a call with other operands": (
        PAIR_OF + KERNEL + "    o[i] = f(i)\n",
        "line 9, column 12: f does not take int",
    ),
    "an unknown keyword of a function": (
        PAIR_OF + KERNEL + "    o[i] = f(y=a[i])\n",
        "line 9, column 12: f does not take float",
    ),
    "a recursion": (
        HEAD + "@wp.func\ndef f(x: float):\n    return f(x)\n" + KERNEL + "    o[i] = f(a[i])\n",
        "line 4, column 12: f calls itself",
    ),
    "two kinds of results": (
        HEAD + "@wp.func\ndef f(x: float):\n    if x > 0.0:\n        return x\n    return 1\n"
        "" + KERNEL + "    o[i] = f(a[i])\n",
        "line 6, column 5: f returns (int) here, (float) before",
    ),
    "nothing for a value": (
        HEAD + "@wp.func\ndef f(x: float):\n    print(x)\n" + KERNEL + "    o[i] = f(a[i])\n",
        "which gives nothing, as a value",
    ),
    "a gradient of its own": (
        PAIR_OF
        + "@wp.func_grad(f)\ndef g(x: float, adj: float):\n    pass\n"
        + KERNEL
        + "    o[i] = f(a[i])\n",
        "line 6, column 1: f has a gradient of its own",
    ),
    "a struct's other members": (
        PAIR + KERNEL + "    s = Pair(1)\n",
        "line 9, column 9: Pair takes float",
    ),
    "no member": (
        PAIR + KERNEL + "    s = Pair()\n    s.up = 1.0\n",
        "line 10, column 5: Pair has no member up",
    ),
    "something else in a struct": (
        PAIR + "    right = 1.0\n" + KERNEL + "    s = Pair()\n",
        "line 5, column 5: Pair holds something other than annotated members and methods",
    ),
    "a declaration": (KERNEL + "    x: float = 1.0\n", "line 5, column 5: AnnAssign as a statement"),
    "a docstring in the middle": (KERNEL + "    'text'\n", "line 5, column 5: Expr as a statement"),
    "two targets": (KERNEL + "    x = y = 1.0\n", "line 5, column 5: Assign as a statement"),
    "unpacking into places": (
        KERNEL + "    o[i], x = a[i], a[i]\n",
        "line 5, column 5: several values for anything but names",
    ),
    "too few values": (KERNEL + "    x, y = a[i], a[i], a[i]\n", "line 5, column 5: 3 values for 2 names"),
    "a loop over something": (KERNEL + "    for x in a:\n        pass\n", "a loop over anything but range"),
    "a loop with else": (
        KERNEL + "    for x in range(3):\n        pass\n    else:\n        pass\n",
        "line 5, column 5: For as a statement",
    ),
    "a step": (KERNEL + "    for x in range(0, 4, i):\n        o[i] = 1.0\n", "a step that is no constant"),
    "a step of zero": (KERNEL + "    for x in range(0, 4, 0):\n        o[i] = 1.0\n", "or zero"),
    "a result of a kernel": (
        KERNEL + "    return a[i]\n",
        "line 5, column 5: a kernel that returns something",
    ),
    "a changed type": (KERNEL + "    x = 1.0\n    x = i\n", "line 6, column 5: int for what is float"),
    "two types in two arms": (
        KERNEL + "    if i > 2:\n        x = 1.0\n    else:\n        x = 1\n",
        "line 8, column 9: x is float elsewhere, and int here",
    ),
    "an operator": (KERNEL + "    o[i] = a[i] & a[i]\n", "line 5, column 12: & does not take float, float"),
    "an operator that is none": (KERNEL + "    x = i in a\n", "line 5, column 9: the operator In"),
    "a string": (KERNEL + "    x = 'text'\n", "line 5, column 9: the literal 'text'"),
    "a list": (KERNEL + "    x = [1, 2]\n", "line 5, column 9: List as a value"),
    "an unknown name": (
        KERNEL + "    o[i] = z\n",
        "line 5, column 12: z is no number, vector or matrix here",
    ),
    "an array for a number": (KERNEL + "    o[i] = a\n", "line 5, column 5: array1d"),
    "an unknown built-in": (
        KERNEL + "    o[i] = wp.svd(a[i])\n",
        "line 5, column 12: wp.svd, which is not in the table of operations",
    ),
    "wrong operands": (KERNEL + "    o[i] = wp.sin(i)\n", "line 5, column 12: wp.sin does not take int"),
    "letters in a row": (
        KERNEL + "    v = wp.vec3(1.0)\n    o[i] = v.xy[0]\n",
        "line 6, column 12: vec3f has no member xy",
    ),
    "letters in a row that are assigned": (
        KERNEL + "    v = wp.vec3(1.0)\n    v.xy = wp.vec2(1.0)\n",
        "line 6, column 5: vec3f has no member xy",
    ),
    "two types compared in a row": (
        KERNEL + "    o[i] = 1.0 if 0.0 < a[i] < 5 else 0.0\n",
        "line 5, column 19: float, float, int compared in a row",
    ),
    "an operand given by a wrong name": (
        KERNEL + "    o[i] = wp.clamp(a[i], 0.0, top=1.0)\n",
        "line 5, column 12: wp.clamp with top given by name",
    ),
    "a type that is told by a wrong name": (
        KERNEL + "    q = wp.quat_identity(type=float)\n",
        "line 5, column 9: wp.quat_identity(type=float), whose type is not known",
    ),
    "mixed operands": (KERNEL + "    o[i] = a[i] + i\n", "line 5, column 12: + does not take float, int"),
    "too many indices": (KERNEL + "    o[i] = a[i, i]\n", "line 5, column 12: a takes 1 indices"),
    "an index that is no integer": (
        KERNEL + "    o[i] = a[1.5]\n",
        "line 5, column 14: an index that is float",
    ),
    "a slice of a vector": (
        KERNEL + "    v = wp.vec3(1.0)\n    w = v[0:2]\n",
        "line 6, column 9: a slice of vec3f",
    ),
    "a keyword": (
        KERNEL + "    o[i] = wp.sin(angle=a[i])\n",
        "line 5, column 12: wp.sin with angle given by",
    ),
    "a call of a name": (KERNEL + "    o[i] = f(a[i])\n", "line 5, column 12: a call of f"),
    "a star": (KERNEL + "    o[i] = wp.max(*a)\n", "line 5, column 12: Starred as a value"),
    "an unused result": (KERNEL + "    wp.sin(a[i])\n", "line 5, column 5: a call whose result is not used"),
    "an atomic on a local": (
        KERNEL + "    x = 1.0\n    wp.atomic_add(x, 0, 1.0)\n",
        "wp.atomic_add does not",
    ),
    "an effect that may not be": (
        KERNEL + "    x = a[i] if i > 2 else wp.atomic_add(o, 0, 1.0)\n",
        "line 5, column 28: wp.atomic_add where it may not be evaluated",
    ),
    "an effect that is noticed": (
        KERNEL + "    x = o[i] + wp.atomic_add(o, 0, 1.0)\n",
        "line 5, column 16: wp.atomic_add after what it changes was read",
    ),
    "a member of nothing": (KERNEL + "    o[i] = a.x\n", "line 5, column 12: array1d"),
    "a format that is none": (KERNEL + "    wp.printf(i)\n", "line 5, column 5: printf without a format"),
    "a thread index in a function": (
        HEAD + "@wp.func\ndef f(x: float):\n    i = wp.tid()\n    return x\n"
        "" + KERNEL + "    o[i] = f(a[i])\n",
        "line 4, column 9: a thread index in a function",
    ),
    "a local in what is static": (
        "i = 3\n" + KERNEL + "    x = wp.static(i + 1)\n",
        "line 6, column 19: i, a local, in wp.static",
    ),
    "an alias of one of two functions": (
        PAIR_OF + "g = f\n@wp.func\ndef f(x: float):\n    return -x\n" + KERNEL + "    o[i] = g(a[i])\n",
        "column 12: a call of g",
    ),
    "a NUL": ("import warp as wp\0\n", "not Python"),
}


@pytest.mark.parametrize("title", UNREADABLE)
def test_unreadable(title: str) -> None:
    source, told = UNREADABLE[title]
    with pytest.raises(Unreadable) as refused:
        read(source, ONE)
    message = str(refused.value)
    assert told in message and "\n" not in message
    assert message.startswith("line ") == ("no kernel k" not in message and title != "a NUL")
    assert ("not Python" in message) == (title in ("no Python", "a NUL"))


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
    assert Literal(1.0, Scalar("float64")) in list(walks.walk(program.body))
