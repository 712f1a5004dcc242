"""Python source as programs: what is written is read back; the rest is refused, with its place."""

from __future__ import annotations

import pytest
from toys import programs as h

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language import program as p
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.program import Argument, Literal, Signature
from warp_ir_dataset.language.python.annotations import Unreadable
from warp_ir_dataset.language.python.read import read
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
    check_names = [node.name for node in p.walk(program.body) if isinstance(node, p.Name)]
    assert "total" in check_names and program.functions[0].name == "weigh"
    again = write(program)
    assert "wp.array2d(dtype=wp.float64)" in again and "scale: float" in again and "#" not in again
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

UNREADABLE = {
    "no Python": ("def k(:", "line 1, column 7: not Python"),
    "no kernel": (HEAD, "the module has no kernel k"),
    "another import": ("import numpy as np\n", "line 1, column 1: Import at the top of a module"),
    "a constant": (HEAD + "SIZE = 3\n", "line 2, column 8: SIZE is set to something that is no vector"),
    "a print": (HEAD + "print(1)\n", "line 2, column 1: Expr at the top of a module"),
    "another decorator": (HEAD + "@wp.static\ndef f(): pass\n", "line 2, column 2: a decorator other than"),
    "no decorator": (HEAD + "def f(): pass\n", "line 2, column 1: FunctionDef at the top"),
    "a class": (HEAD + "class C:\n    pass\n", "line 2, column 1: the class C is no struct"),
    "a method": (PAIR + "    def f(self): pass\n", "line 5, column 5: Pair holds something other"),
    "another kernel": (HEAD + "@wp.kernel\ndef other(): pass\n", "line 3, column 1: a second kernel, other"),
    "other arguments": (
        HEAD + "@wp.kernel\ndef k(a: float): pass\n",
        "other arguments than its signature says",
    ),
    "no annotation": (
        HEAD + "@wp.kernel\ndef k(a): pass\n",
        "line 3, column 7: a does not say what type it is",
    ),
    "an unknown type": (
        HEAD + "@wp.kernel\ndef k(a: wp.bfloat16): pass\n",
        "line 3, column 10: the type wp.bfloat16",
    ),
    "a default": (HEAD + "@wp.kernel\ndef k(a: float = 1.0): pass\n", "arguments other than plain ones"),
    "no returned type": (HEAD + "@wp.func\ndef f(x: float):\n    return x\n", "what type it returns"),
    "a statement": (KERNEL + "    assert True\n", "line 5, column 5: Assert as a statement"),
    "a docstring in the middle": (KERNEL + "    'text'\n", "line 5, column 5: Expr as a statement"),
    "two targets": (KERNEL + "    x = y = 1.0\n", "line 5, column 5: Assign as a statement"),
    "unpacking": (KERNEL + "    x, y = a[i], a[i]\n", "line 5, column 5: an assignment to Tuple"),
    "a loop over something": (KERNEL + "    for x in a:\n        pass\n", "a loop over anything but range"),
    "a loop with else": (
        KERNEL + "    for x in range(3):\n        pass\n    else:\n        pass\n",
        "For as a state",
    ),
    "a step": (KERNEL + "    for x in range(0, 4, i):\n        o[i] = 1.0\n", "a step that is no literal"),
    "another operator": (
        KERNEL + "    x = 1.0\n    x /= 2.0\n",
        "line 6, column 5: x changed by another operator",
    ),
    "an operator": (KERNEL + "    o[i] = a[i] @ 2.0\n", "line 5, column 12: the operator MatMult"),
    "a chain": (KERNEL + "    x = 0 < i < 3\n", "line 5, column 9: Compare as a value"),
    "a string": (KERNEL + "    x = 'text'\n", "line 5, column 9: the literal 'text'"),
    "an unknown name": (
        KERNEL + "    o[i] = z\n",
        "line 5, column 12: z is no number, vector or matrix here",
    ),
    "an array as a value": (KERNEL + "    x = a\n", "line 5, column 9: a is no number"),
    "an unknown built-in": (
        KERNEL + "    o[i] = wp.svd(a[i])\n",
        "wp.svd, which is not in the table of operations",
    ),
    "wrong operands": (KERNEL + "    o[i] = wp.sin(i)\n", "line 5, column 12: wp.sin does not take int"),
    "mixed operands": (KERNEL + "    o[i] = a[i] + i\n", "line 5, column 12: + does not take float, int"),
    "too many indices": (KERNEL + "    o[i] = a[i, i]\n", "line 5, column 12: a takes 1 indices"),
    "a keyword": (KERNEL + "    o[i] = wp.sin(x=a[i])\n", "line 5, column 12: Call as a value"),
    "a call of a name": (KERNEL + "    o[i] = f(a[i])\n", "line 5, column 12: a call of f"),
    "an unused result": (KERNEL + "    wp.sin(a[i])\n", "line 5, column 5: a call whose result is not used"),
    "an atomic on a local": (KERNEL + "    x = 1.0\n    wp.atomic_add(x, 0, 1.0)\n", "which is no array"),
    "a member of nothing": (KERNEL + "    o[i] = a.x\n", "line 5, column 12: a.x is no member of a struct"),
    "a name of a dead block": (
        KERNEL + "    if i > 2:\n        x = 1.0\n    o[i] = x\n",
        "line 7, column 12: x is no number",
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
    assert ("not Python" in message) == (title in ("no Python", "a NUL"))


def test_more_than_python_can_nest_is_refused_too() -> None:
    with pytest.raises(Unreadable, match="too deep"):
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
    assert Literal(1.0, Scalar("float64")) in list(p.walk(program.body))
