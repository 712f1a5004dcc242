"""The strong canonical form: one for all spellings of a meaning, another one for another meaning."""

from __future__ import annotations

import pytest
from toys.texts import program

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.identity import identify, identify_meaning
from warp_ir_dataset.language.operations import forms
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.passes.table import PASSES
from warp_ir_dataset.synthesis.draw import address_of, draw
from warp_ir_dataset.synthesis.families import CATEGORIES

PROGRAMS = 24

PAIR = """
@wp.struct
class Pair:
    first: float
    second: float
"""
WEIGHED = """
@wp.func
def weighed(x: float, y: float) -> float:
    return x - 2.0 * y
"""
MEET = """
@wp.func
def meet(x: float) -> float:
    if x > 1.0:
        return x
    return 2.0 * x
"""
TWO = """
@wp.func
def both(x: float, y: float):
    return x + y, x - y
"""
WRITES = """
@wp.func
def put(values: wp.array(dtype=float), spot: int, x: float):
    values[spot] = x
"""
LOOP = "x = float(0.0)\nfor k in range(n):\n    x = x * a[k] + b[k]\no[i] = x"
SEARCH = "x = int(0)\nwhile x < n:\n    if a[x] > 1.0:\n        break\n    x += 1\no[i] = float(x)"
NESTED = """
x = float(0.0)
for j in range(n):
    y = float(1.0)
    for k in range(j):
        y = y * a[k] + b[j]
    x = x * y
o[i] = x
"""
TURNS = """
x = float(0.5)
y = float(1.5)
for k in range(n):
    t = x
    x = wp.sin(y)
    y = wp.cos(t)
o[i] = x - y
"""
RANDOM = "r = wp.rand_init(n, i)\nx = wp.randf(r)\ny = wp.randf(r)\no[i] = x - y"
GUARD = "if i >= n:\n    return\no[i] = a[i]"
ARMS = "if a[i] > 1.0:\n    o[i] = a[i]\nelse:\n    o[i] = b[i]"

# A kernel, and what is replaced in it. All but the last ones are seen without literals too.
DIFFERENT: dict[str, tuple[str, str, str] | tuple[str, str, str, str]] = {
    "operator": ("o[i] = a[i] + b[i]", "+", "-"),
    "operands of a difference": ("o[i] = a[i] - b[i]", "a[i] - b[i]", "b[i] - a[i]"),
    "operands of a quotient": ("o[i] = a[i] / b[i]", "a[i] / b[i]", "b[i] / a[i]"),
    "operands of a power": ("o[i] = a[i] ** b[i]", "a[i] ** b[i]", "b[i] ** a[i]"),
    "order of a float sum": ("o[i] = a[i] + b[i] + s[i]", "a[i] + b[i] + s[i]", "a[i] + (b[i] + s[i])"),
    "order of a float product": ("o[i] = a[i] * b[i] * s[i]", "a[i] * b[i] * s[i]", "a[i] * (b[i] * s[i])"),
    "a factor drawn out": (
        "o[i] = a[i] * 2.0 + b[i] * 2.0",
        "a[i] * 2.0 + b[i] * 2.0",
        "(a[i] + b[i]) * 2.0",
    ),
    "built-in": ("o[i] = wp.sin(a[i])", "sin", "cos"),
    "smaller and larger": ("o[i] = wp.min(a[i], b[i])", "min", "max"),
    "array": ("o[i] = a[i] * a[i] + b[i]", "+ b[i]", "+ a[i]"),
    "arrays swapped": ("o[i] = a[i]\ns[i] = b[i]", "o[i] = a[i]\ns[i] = b[i]", "o[i] = b[i]\ns[i] = a[i]"),
    "output": ("o[i] = a[i] + b[i] + s[i]", "o[i] =", "s[i] ="),
    "index": ("o[i] = a[i] * a[n]", "a[n]", "a[n + i]"),
    "neighbour": ("o[i] = a[i + 1]", "i + 1", "i - 1"),
    "stride": ("o[i] = a[2 * n + i]", "2 * n", "n"),
    "row for column": ("o[i] = float(m[i, n])", "m[i, n]", "m[n, i]"),
    "index of a store": ("o[i] = a[n]", "o[i]", "o[n]"),
    "order of stores": ("o[i] = a[i]\no[n] = b[i]", "o[i] = a[i]\no[n] = b[i]", "o[n] = b[i]\no[i] = a[i]"),
    "store for atomic": ("o[n] = a[i]", "o[n] = a[i]", "wp.atomic_add(o, n, a[i])"),
    "atomic": ("wp.atomic_min(o, n, a[i])", "min", "max"),
    "read before and after a store": (
        "s[i] = a[i]\no[i] = s[n]",
        "s[i] = a[i]\no[i] = s[n]",
        "o[i] = s[n]\ns[i] = a[i]",
    ),
    "bound of a guard": (GUARD, ">=", ">"),
    "guard left out": (GUARD, "if i >= n:\n    return\n", "j = n\n"),
    "arms swapped": (ARMS, "o[i] = a[i]\nelse:\n    o[i] = b[i]", "o[i] = b[i]\nelse:\n    o[i] = a[i]"),
    "arm left out": (ARMS, "else:\n    o[i] = b[i]", ""),
    "condition": (ARMS, "a[i] > 1.0", "b[i] > 1.0"),
    "comparison": (ARMS, ">", "<"),
    "opposite of floats": (ARMS, "if a[i] > 1.0", "if not a[i] <= 1.0"),
    "both for either": ("if a[i] > 1.0 and n > 2:\n    o[i] = 1.0", "and", "or"),
    "which array there is": ("x = b[i]\nif a:\n    x = a[i]\no[i] = x", "if a:", "if s:"),
    "condition denied": ("if a[i] > 1.0 and n > 2:\n    o[i] = 1.0", "a[i] > 1.0", "not a[i] > 1.0"),
    "order of conditions": (
        "if a[i] > 1.0:\n    o[i] = 1.0\nelif b[i] > 1.0:\n    o[i] = s[i]",
        "a[i] > 1.0:\n    o[i] = 1.0\nelif b[i]",
        "b[i] > 1.0:\n    o[i] = 1.0\nelif a[i]",
    ),
    "choices swapped": ("o[i] = wp.where(n > 3, a[i], b[i])", "a[i], b[i]", "b[i], a[i]"),
    "ends of a chain": ("if 1.0 < a[i] < b[i]:\n    o[i] = 1.0", "< a[i] < b[i]", "< b[i] < a[i]"),
    "strictness in a chain": ("if 1.0 < a[i] < b[i]:\n    o[i] = 1.0", "< b[i]", "<= b[i]"),
    "bound of a loop": (LOOP, "range(n)", "range(n - 1)"),
    "start of a loop": (LOOP, "range(n)", "range(1, n)"),
    "direction of a loop": (LOOP, "range(n)", "range(n - 1, -1, -1)"),
    "a statement less": (LOOP, "    x = x * a[k] + b[k]", "    y = x * a[k] + b[k]"),
    "what a loop starts with": (LOOP, "x = float(0.0)", "x = a[i]"),
    "what a loop carries": (LOOP, "x * a[k] + b[k]", "a[k] * a[k] + b[k]"),
    "arrays in a loop": (LOOP, "x * a[k] + b[k]", "x * b[k] + a[k]"),
    "index in a loop": (LOOP, "+ b[k]", "+ b[i]"),
    "once after a loop": (LOOP, "\no[i] = x", "\nx = x * a[i]\no[i] = x"),
    "a loop left": (SEARCH, "break", "x = x"),
    "where a loop is left": (SEARCH, "a[x] > 1.0", "a[i] > 1.0"),
    "before a loop is left": (SEARCH, "        break", "        x += 2\n        break"),
    "an inner loop's bound": (NESTED, "range(j)", "range(n)"),
    "an inner loop's index": (NESTED, "a[k] + b[j]", "a[j] + b[k]"),
    "a start made once": (
        NESTED,
        "for j in range(n):\n    y = float(1.0)",
        "y = float(1.0)\nfor j in range(n):\n    y = y",
    ),
    "two locals that take turns": (
        TURNS,
        "x = wp.sin(y)\n    y = wp.cos(t)",
        "x = wp.sin(t)\n    y = wp.cos(y)",
    ),
    "the old for the new": (TURNS, "cos(t)", "cos(x)"),
    "whole numbers without a sign": (
        "o[i] = float(c[i] // n)",
        "c[i] // n",
        "int(wp.uint32(c[i]) // wp.uint32(n))",
    ),
    "float for double": ("o[i] = a[i] * 2.0", "a[i] * 2.0", "float(wp.float64(a[i]) * wp.float64(2.0))"),
    "rounded before or after": (
        "o[i] = float(int(a[i] * b[i]))",
        "int(a[i] * b[i])",
        "int(a[i]) * int(b[i])",
    ),
    "operands of a function": ("o[i] = weighed(a[i], b[i])", "a[i], b[i]", "b[i], a[i]", WEIGHED),
    "what a function returns": ("o[i] = meet(a[i])", "return x\n", "return x * x\n", MEET),
    "where a function returns": ("o[i] = meet(a[i])", "if x > 1.0:\n        return x\n", "", MEET),
    "order of results": ("x, y = both(a[i], b[i])\no[i] = x * 2.0 - y", "x, y =", "y, x =", TWO),
    "array that a function writes": ("put(o, i, a[i])\ns[n] = b[i]", "put(o", "put(s", WRITES),
    "members": ("p = Pair(a[i], b[i])\no[i] = p.first - p.second", "a[i], b[i]", "b[i], a[i]", PAIR),
    "a member left alone": (
        "p = Pair(a[i], b[i])\np.first = s[i]\no[i] = p.first - p.second",
        "p.first = s",
        "p.second = s",
        PAIR,
    ),
    "order of components": ("v[i] = wp.vec3(a[i], b[i], 1.0)", "a[i], b[i]", "b[i], a[i]"),
    "order of a cross product": ("v[i] = wp.cross(v[n], v[i])", "v[n], v[i]", "v[i], v[n]"),
    "random numbers": (RANDOM, "x - y", "y - x"),
    "a random number less": (RANDOM, "y = wp.randf(r)", "y = x"),
    "component that is assigned": ("w = v[i]\nw[0] = a[i]\nv[n] = w", "w[0]", "w[n]"),
}
DIFFERENT_LITERALS: dict[str, tuple[str, str, str]] = {
    "number": ("o[i] = a[i] * 2.0", "2.0", "3.0"),
    "element": ("o[i] = a[3]", "3", "4"),
    "trips": (LOOP, "range(n)", "range(7)"),
    "trips of seven": (LOOP.replace("range(n)", "range(7)"), "range(7)", "range(9)"),
    "step": ("x = float(0.0)\nfor k in range(0, n, 2):\n    x = x * a[k]\no[i] = x", "n, 2", "n, 3"),
    "component": ("v[i] = wp.vec3(v[n].x, 1.0, 2.0)", "v[n].x", "v[n].y"),
    "truth": ("x = n < 3\nif a[i] > 1.0:\n    x = True\no[i] = 1.0 if x else 2.0", "True", "False"),
}


def edited(text: str, old: str, new: str, before: str = "") -> tuple[str, str]:
    assert (old in text) != (old in before), "exactly one of the two texts is edited"
    return text.replace(old, new), before.replace(old, new)


@pytest.mark.parametrize("edit", DIFFERENT.values(), ids=DIFFERENT)
def test_another_meaning_has_another_skeleton(edit):
    text, _, _, *before = edit
    one, other = program(text, *before), program(*edited(*edit))
    assert identify_meaning(one).skeleton != identify_meaning(other).skeleton
    assert identify_meaning(one).id != identify_meaning(other).id


@pytest.mark.parametrize("edit", DIFFERENT_LITERALS.values(), ids=DIFFERENT_LITERALS)
def test_another_literal_has_another_id(edit):
    one, other = program(edit[0]), program(*edited(*edit))
    assert identify_meaning(one).id != identify_meaning(other).id


def test_all_that_canonical_forms_know_of_operations_is_in_the_table():
    known = {*forms.RELATIONS, *forms.PARTS, *forms.BUILT, *forms.FILLED, *forms.ZERO, *forms.COPIES}
    known |= {*forms.SCALED, *forms.MEMBERS, forms.NEGATIVE, forms.AS_FLOAT, forms.ANY}
    assert known | set(forms.ATOMICS.values()) <= set(TABLE)


SAME: dict[str, tuple[str, ...]] = {
    "guard or branch": (GUARD, "if i < n:\n    o[i] = a[i]", "if not n <= i:\n    o[i] = a[i]"),
    "guards one by one": (
        "if i >= n:\n    return\nif a[i] > 1.0:\n    return\no[i] = 1.0",
        "if i >= n or a[i] > 1.0:\n    return\no[i] = 1.0",
        "if i < n:\n    if not a[i] > 1.0:\n        o[i] = 1.0",
        "if not a[i] > 1.0 and n > i:\n    o[i] = 1.0",
    ),
    "branch, ternary or where": (
        ARMS,
        "o[i] = a[i] if a[i] > 1.0 else b[i]",
        "o[i] = wp.where(1.0 < a[i], a[i], b[i])",
        "x = b[i]\nif a[i] > 1.0:\n    x = a[i]\no[i] = x",
        "if not a[i] > 1.0:\n    o[i] = b[i]\n    return\no[i] = a[i]",
    ),
    "whether there is an array": (
        "x = b[i]\nif a:\n    x = a[i]\no[i] = x",
        "if a:\n    o[i] = a[i]\nelse:\n    o[i] = b[i]",
    ),
    "loop": (
        LOOP,
        "x = float(0.0)\nk = int(0)\nwhile k < n:\n    x *= a[k]\n    x += b[k]\n    k += 1\no[i] = x",
        "x = float(0.0)\nk = int(1)\nwhile n >= k:\n    x = b[k - 1] + x * a[k - 1]\n    k = k + 1\no[i] = x",
        "x = float(0.0)\nfor k in range(2, n + 2):\n    x = x * a[k - 2] + b[k - 2]\no[i] = x",
        "x = float(0.0)\nk = int(0)\nwhile True:\n    if k >= n:\n        break\n"
        "    x = x * a[k] + b[k]\n    k += 1\no[i] = x",
    ),
    "loops in loops": (
        NESTED,
        NESTED.replace("for j in range(n):", "for q in range(1, n + 1):\n    j = q - 1"),
        NESTED.replace("for k in range(j):", "k = int(0)\n    while k < j:").replace(
            "+ b[j]", "+ b[j]\n        k += 1"
        ),
        "x = float(0.0)\nj = int(0)\nwhile j < n:\n    y = float(1.0)\n    for k in range(j):\n"
        "        y = b[j] + y * a[k]\n    x *= y\n    j += 1\no[i] = x",
    ),
    "a loop's name assigned": (LOOP, LOOP.replace("+ b[k]", "+ b[k]\n    k = k + 2")),
    "loop that is left": (
        SEARCH,
        "x = int(0)\nwhile x < n and not a[x] > 1.0:\n    x += 1\no[i] = float(x)",
        "x = int(0)\nwhile True:\n    if x >= n or a[x] > 1.0:\n        break\n    x += 1\no[i] = float(x)",
    ),
    "iteration left": (
        "x = float(0.0)\nfor k in range(n):\n    if a[k] > 1.0:\n        continue\n    x += a[k]\no[i] = x",
        "x = float(0.0)\nfor k in range(n):\n    if not a[k] > 1.0:\n        x += a[k]\no[i] = x",
    ),
    "whole numbers": (
        "o[i] = a[2 * (i + n) - i]",
        "o[i] = a[i + n * 2]",
        "j = n + n\no[i] = a[j + i]",
    ),
    "functions": (
        "y = a[i]\nif y > 1.0:\n    o[i] = y\nelse:\n    o[i] = 2.0 * y",
        "o[i] = meet(a[i])",
    ),
    "struct": (
        "o[i] = a[i] - b[i]",
        "p = Pair()\np.first = a[i]\np.second = b[i]\no[i] = p.first - p.second",
    ),
    "components": (
        "v[i] = wp.vec3(a[i], v[n][1], v[n][2])",
        "w = v[n]\nw.x = a[i]\nv[i] = w",
        "w = wp.vec3()\nw[1] = v[n].y\nw[2] = v[n].z\nw[0] = a[i]\nv[i] = w",
    ),
    "counts": (
        "x = int(0)\nif a[i] > 1.0:\n    x += 1\no[i] = a[x]",
        "o[i] = a[wp.where(a[i] > 1.0, 1, 0)]",
    ),
    "augmented elements": ("wp.atomic_add(o, n, a[i])", "o[n] += a[i]"),
    "short loop": (
        "for k in range(3):\n    o[i + k] = a[k]",
        "o[i] = a[0]\no[1 + i] = a[1]\no[i + 2] = a[2]",
    ),
    "power": ("o[i] = wp.pow(a[i], 1.5)", "o[i] = a[i] ** 1.5"),
    "loop that is left on top": (
        "k = int(0)\nwhile k < c[i]:\n    k += 2\no[i] = float(k)",
        "k = int(0)\nwhile True:\n    if k >= c[i]:\n        break\n    k += 2\no[i] = float(k)",
    ),
    "row of an array": (
        "row = m[i]\no[i] = float(row[1])",
        "row = m[i, :]\no[i] = float(row[1])",
    ),
    "loop over whole numbers, backwards": (
        "x = int(0)\nfor k in range(n):\n    x += c[k]\no[i] = float(x)",
        "x = int(0)\nfor k in range(n - 1, -1, -1):\n    x += c[k]\no[i] = float(x)",
    ),
}


@pytest.mark.parametrize("texts", SAME.values(), ids=SAME)
def test_one_meaning_has_one_skeleton(texts):
    before = PAIR + MEET
    assert len({identify_meaning(program(text, before)) for text in texts}) == 1
    assert len({identify(program(text, before)).skeleton for text in texts}) == len(texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, row in PASSES.items() if row.respells])
def test_a_pass_keeps_the_strong_skeleton(name):
    each = PASSES[name]
    for number in range(PROGRAMS):
        before = draw(address_of(11, CATEGORIES[number % len(CATEGORIES)], number // len(CATEGORIES))).program
        if (after := each(before, Rng(f"{name} {number}"))) is not None:
            assert identify_meaning(after) == identify_meaning(before)


def test_spellings_upon_spellings():
    """A program through passes drawn at random, one after another."""
    respelling = [row for row in PASSES.values() if row.respells]
    for number in range(PROGRAMS // 3):
        rng = Rng(f"spellings {number}")
        start = draw(address_of(12, CATEGORIES[number % len(CATEGORIES)], number)).program
        made = start
        for _ in range(16):
            made = rng.pick(respelling)(made, rng) or made
        assert made != start
        assert identify_meaning(made) == identify_meaning(start)


def test_literals_are_masked():
    one, other = (program(text) for text in ("o[i] = a[i + 2] * 2.5", "o[i] = a[i + 3] * 1.5"))
    assert identify_meaning(one).skeleton == identify_meaning(other).skeleton
    assert identify_meaning(one).id != identify_meaning(other).id


def test_a_float_type_alone_is_a_choice_of_spelling():
    single = "d[i] = d[i] * wp.float64(2.0)"
    assert identify_meaning(program(single)) == identify_meaning(program("a[i] = 2.0 * a[i]"))
