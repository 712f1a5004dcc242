"""Where passes must not be made: one program for each reason."""

from __future__ import annotations

import pytest
from toys.passes import EVERY
from toys.texts import program

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.passes.table import is_legal
from warp_ir_dataset.language.python.write import write

MARKED = """
@wp.func
def marked(values: wp.array(dtype=float), spot: int) -> float:
    values[spot] = 1.0
    return 2.0
"""
EARLY = """
@wp.func
def early(x: float) -> float:
    if x > 1.0:
        return 1.0
    return x * x
"""
TWOFOLD = """
@wp.func
def half(x: float) -> float:
    return 0.5 * wp.vec2(x, x)[0]

@wp.func
def twofold(x: float) -> float:
    return 4.0 * half(x)
"""
SQUARE = """
@wp.func
def square(x: float) -> float:
    return x * x
"""
MODE = """
from enum import IntEnum
class Mode(IntEnum):
    FAST = 3
"""
RELATED = """
BASE = wp.constant(2.5)
TWICE = wp.constant(5.0)
"""
GIVEN = """
@wp.struct
class Given:
    least: float
    most: float
@wp.func
def span(g: Given) -> float:
    return g.most - g.least
"""
TWO_GIVEN = """
@wp.struct
class Given:
    least: float
    most: float
@wp.func
def overlap(g: Given, other: Given) -> float:
    return wp.min(g.most, other.most) - wp.max(g.least, other.least)
"""
METHOD = """
from typing import Any
@wp.struct
class Given:
    least: float
    most: float
    @wp.func
    def span(self: Any) -> float:
        return self.most - self.least
"""
LEAST_SPAN = "LEAST = wp.constant(0.2)" + METHOD.replace(
    "self.most - self.least", "wp.max(self.most - self.least, LEAST)"
)
FAR = """
@wp.func
def far(x: float) -> float:
    return wp.length(wp.vec3(x))
"""
NEAR = """
@wp.func
def near(x: wp.vec3) -> float:
    return wp.length(x) * 2.0
"""
TWICE = """
@wp.func
def twice(x: int) -> int:
    return x * 2
"""
PAIR = """
@wp.struct
class Pair:
    x: float
    y: float
"""
OVERLOADED = """
@wp.func
def half(x: float) -> float:
    return x * 0.5
@wp.func
def half(x: wp.float64) -> wp.float64:
    return x * wp.float64(0.5)
"""
SUM = "x = float(0.0)\n{}\no[i] = x"
COUNT = "x = int(0)\n{}\no[i] = float(x)"

# pass, reason: statements, and what the module defines.
NOWHERE: dict[tuple[str, str], tuple[str, ...]] = {
    ("inline", "the array that it reads is stored to before it is used"): (
        "x = s[i]\ns[i] = a[i] * 2.0\no[i] = x",
    ),
    ("inline", "a function stores to the array that it reads"): (
        "x = s[i]\ny = marked(s, i)\no[i] = x + y * y",
        MARKED,
    ),
    ("inline", "what it reads is assigned before it is used"): (
        "y = a[i]\nx = y + 1.0\ny = b[i]\no[i] = x * y",
    ),
    ("inline", "what it reads is assigned in the loop that uses it"): (
        "y = a[i]\nx = y + 1.0\nfor k in range(3):\n    y += x\no[i] = y",
    ),
    ("inline", "the array that it reads may be part of the one that is stored to"): (
        "w = s[0:4]\nx = s[i]\nw[0] = 1.0\no[i] = x",
    ),
    ("inline", "it changes an array"): ("x = wp.atomic_add(c, 0, 1)\no[x] = 1.0",),
    ("inline", "it calls a function that stores"): ("x = marked(s, i)\no[i] = x", MARKED),
    ("inline", "a function that stores is called before it in the same statement"): (
        "x = s[i]\no[i] = marked(s, i) + x",
        MARKED,
    ),
    ("inline", "a random number changes it"): ("x = wp.rand_init(n, i)\no[i] = wp.randf(x)",),
    ("bind", "a function that stores is called before it in the same statement"): (
        "o[i] = marked(s, i) + s[0]",
        MARKED,
    ),
    ("commute operands", "they call functions that store"): ("o[i] = marked(s, i) + s[i]", MARKED),
    ("turn a comparison", "they call functions that store"): (
        "if marked(s, i) < s[i]:\n    o[i] = 1.0",
        MARKED,
    ),
    ("join comparisons", "what stands in the middle stores"): (
        "if low < marked(s, i) < high:\n    o[i] = 1.0",
        MARKED,
    ),
    ("ternary or where", "a branch stores"): ("o[i] = marked(s, i) if n > 1 else 1.0", MARKED),
    ("choice to branch", "a branch stores"): ("o[i] = wp.where(n > 1, marked(s, i), 1.0)", MARKED),
    ("inline", "it is used twice"): ("x = a[i]\no[i] = x * x",),
    ("inline everywhere", "it is used once"): ("x = a[i]\no[i] = x",),
    ("inline everywhere", "it is long"): (
        "x = wp.sin(a[i] * b[i] + wp.cos(a[i] / b[i]))\no[i] = x * x * x * x",
    ),
    ("bind", "it is the condition of a while loop"): ("x = a[i]\nwhile x < 4.0:\n    x += 1.0\no[i] = x",),
    ("bind", "it has a name"): ("x = float(i)\no[i] = x",),
    ("draw a function out", "it is one operation"): ("o[i] = a[i] + b[i]",),
    ("extract a function", "the local's name says nothing"): ("x = a[i] * b[i] + 1.0\no[i] = x",),
    ("draw lines out", "a local of theirs is used later"): ("x = a[i]\ny = x * x\no[i] = y + x",),
    ("draw lines out", "one of them stores"): ("x = marked(s, i)\ny = x * x\no[i] = y", MARKED),
    ("inline a function", "an operand is needed twice"): ("o[i] = square(a[i] + 1.0)", SQUARE),
    ("inline a function", "it returns early"): ("x = a[i]\no[i] = early(x)", EARLY),
    ("inline a function", "it stores"): ("o[i] = marked(s, i)", MARKED),
    ("inline a body", "it returns early"): ("x = a[i]\no[i] = early(x)", EARLY),
    ("inline a body", "it stores, and is not all that the statement does"): ("o[i] = marked(s, i)", MARKED),
    ("inline a body", "it may not be called"): (
        "x = a[i]\no[i] = 1.0 if x > 1.0 else early(x)",
        EARLY.replace("    if x > 1.0:\n        return 1.0\n", "    y = x\n").replace("x * x", "y * x"),
    ),
    ("commute operands", "they are subtracted"): ("o[i] = a[i] - b[i]",),
    ("commute operands", "the first one guards the second"): ("if n > 0 and c[i] // n > 1:\n    o[i] = 1.0",),
    ("turn a comparison", "there is none"): ("o[i] = a[i]",),
    ("chain comparisons", "what is compared is not the same"): (
        "if low < a[i] and b[i] < high:\n    o[i] = 1.0",
    ),
    ("chain comparisons", "they point in two ways"): ("if a[i] > low and a[i] > high:\n    o[i] = 1.0",),
    ("chain comparisons", "a number is between two values"): (
        "if a[i] > 0.5 and b[i] < 0.5:\n    o[i] = 1.0",
    ),
    ("chain comparisons", "Warp loads an element too late as the third"): (
        "if low < high and high < a[i]:\n    o[i] = 1.0",
    ),
    ("chain comparisons", "Warp loads a member too late as the third"): (
        "if low < high and high < pair.x:\n    o[i] = 1.0",
        PAIR,
    ),
    ("chain comparisons", "one of two must hold"): ("if low < a[i] or a[i] < high:\n    o[i] = 1.0",),
    ("name a component", "the index is computed"): ("x = v[i]\nfor k in range(2):\n    o[i] = x[k]",),
    ("number a component", "it is a member of a struct"): ("o[i] = pair.x + pair.y", PAIR),
    ("shift a loop", "it starts anywhere"): (SUM.format("for k in range(n, 7):\n    x += a[k]"),),
    ("shift a loop", "it steps by two"): (SUM.format("for k in range(0, 7, 2):\n    x += a[k]"),),
    ("reverse a loop", "sums of floats are rounded"): (SUM.format("for k in range(n):\n    x += a[k]"),),
    ("reverse a loop", "the sum is read"): (COUNT.format("for k in range(3):\n    x += x + c[k]"),),
    ("reverse a loop", "it sums up and multiplies"): (
        COUNT.format("for k in range(3):\n    x += c[k]\n    x *= 2"),
    ),
    ("reverse a loop", "it may be left"): (
        COUNT.format("for k in range(n):\n    if c[k] > 3:\n        break\n    x += c[k]"),
    ),
    ("reverse a loop", "the last one counts"): (COUNT.format("for k in range(n):\n    x = c[k]"),),
    ("reverse a loop", "all store to one element"): ("for k in range(3):\n    o[i] = a[k]",),
    ("reverse a loop", "it reads what it stores"): ("for k in range(1, 3):\n    m[i, k] = m[i, k - 1] + 1",),
    ("reverse a loop", "atomics of floats are rounded"): (
        "for k in range(3):\n    wp.atomic_add(o, 0, a[k])",
    ),
    ("reverse a loop", "two kinds of atomics change one array"): (
        "for k in range(3):\n    wp.atomic_add(c, 0, k)\n    wp.atomic_max(c, 0, k)",
    ),
    ("reverse a loop", "it prints"): ("for k in range(3):\n    print(k)",),
    ("unroll a loop", "it is long"): (SUM.format("for k in range(6):\n    x += a[k]"),),
    ("unroll a loop", "its end is not known"): (SUM.format("for k in range(n):\n    x += a[k]"),),
    ("unroll a loop", "an iteration may end early"): (
        SUM.format("for k in range(3):\n    if a[k] > 1.0:\n        continue\n    x += a[k]"),
    ),
    ("unroll a loop", "a comparison of literals would be left"): (
        SUM.format("for k in range(2):\n    if k > 0:\n        x += a[k]"),
    ),
    ("for to while", "it skips to the next iteration"): (
        SUM.format("for k in range(n):\n    if a[k] > 1.0:\n        continue\n    x += a[k]"),
    ),
    ("for to while", "its end changes on the way"): (
        "e = int(3)\nx = float(0.0)\nfor k in range(e):\n    e += 1\n    x += float(e)\no[i] = x",
    ),
    ("while to for", "the index is used behind it"): (
        "x = float(0.0)\nk = int(0)\nwhile k < n:\n    x += a[k]\n    k += 1\no[i] = x + float(k)",
    ),
    ("while to for", "the index changes on the way"): (
        "x = float(0.0)\nk = int(0)\nwhile k < n:\n    x += a[k]\n    k *= 2\n    k += 1\no[i] = x",
    ),
    ("while to for", "its end changes on the way"): (
        "e = int(3)\nk = int(0)\nwhile k < e:\n    e -= 1\n    o[i] = float(e)\n    k += 1",
    ),
    ("while to for", "it steps the other way"): ("k = int(9)\nwhile k < n:\n    o[i] = 1.0\n    k -= 1",),
    ("augment", "it is an element of an array"): ("s[i] = s[i] + a[i]",),
    ("augment", "it stands second"): ("x = a[i]\nx = b[i] - x\no[i] = x",),
    ("expand augmented assignment", "it is an element of an array"): ("s[i] += a[i]",),
    ("ternary or where", "there is none"): ("o[i] = a[i]",),
    ("branch to choice", "an element is stored to in one branch"): ("if a[i] > 1.0:\n    o[i] = a[i]",),
    ("branch to choice", "branches store to different places"): (
        "if a[i] > 1.0:\n    o[i] = a[i]\nelse:\n    b[i] = 1.0",
    ),
    ("branch to choice", "a branch does more"): (
        "x = a[i]\ny = a[i]\nif x > 1.0:\n    x = 1.0\n    y = 2.0\no[i] = x + y",
    ),
    ("branch to choice", "a branch has an effect"): (
        "x = a[i]\nif x > 1.0:\n    x = marked(s, i)\no[i] = x",
        MARKED,
    ),
    ("choice to branch", "it is a part of a value"): ("o[i] = 1.0 + (a[i] if a[i] > 1.0 else b[i])",),
    ("choice to branch", "a branch keeps the value"): (
        "x = float(a[i])\nx = wp.where(a[i] > 1.0, x, 0.0)\no[i] = x",
    ),
    ("swap branches", "there is one"): ("if a[i] > 1.0:\n    o[i] = 1.0",),
    ("swap branches", "there are more than two"): ("if n < 2:\n    o[i] = 1.0\nelif n < 4:\n    o[i] = 2.0",),
    ("return early", "something follows"): ("if a[i] > 1.0:\n    o[i] = 1.0\nb[i] = 1.0",),
    ("return early", "there is another branch"): ("if n < 2:\n    o[i] = 1.0\nelse:\n    o[i] = 2.0",),
    ("guard", "it is in a loop"): (
        "for k in range(n):\n    if a[k] > 1.2:\n        return\n    o[i] = a[k]",
    ),
    ("guard", "it does more than return"): ("if i >= n:\n    o[i] = 1.0\n    return\no[i] = 2.0",),
    ("name a constant", "it is the index of a component"): ("x = v[i]\nx[2] = a[i]\no[i] = x[2]",),
    ("name a constant", "it says nothing"): ("o[i] = 1.0 + 2.0 * a[i]",),
    ("write a constant out", "it is a member of an enumeration"): ("o[i] = float(c[i] + Mode.FAST)", MODE),
    ("enclose a constant", "it is a member of an enumeration"): ("o[i] = float(c[i] + Mode.FAST)", MODE),
    ("enclose a constant", "a method names it"): ("o[i] = Given.span(given)", LEAST_SPAN),
    ("pack arguments", "there is one"): ("o[i] = a[i] * low",),
    ("widen floats", "two functions would be one"): (
        "d[i] = half(wp.float64(2.0)) * wp.float64(half(a[i]))",
        OVERLOADED,
    ),
    ("widen floats", "there are none"): ("d[i] = wp.float64(1.0)",),
    ("restyle", "no type is named that a style spells otherwise"): ("print(i)",),
    ("join comparisons", "there is one"): ("if low < a[i]:\n    o[i] = 1.0",),
    ("change power syntax", "it is a product"): ("o[i] = a[i] * a[i]",),
    ("condition to break", "it is left there already"): (
        "k = int(0)\nwhile True:\n    if k >= c[i]:\n        break\n    k += 1\no[i] = float(k)",
    ),
    ("condition to break", "it only counts"): (
        "x = float(0.0)\nk = int(0)\nwhile k < 4:\n    x += a[k]\n    k += 1\no[i] = x",
    ),
    ("break to condition", "the branch does more"): (
        "k = int(0)\nwhile True:\n    if k >= c[i]:\n        o[i] = 1.0\n        break\n    k += 1",
    ),
    ("evaluate constants early", "members of enumerations are known"): ("m[i, Mode.FAST] = i", MODE),
    ("evaluate constants early", "its conversion would be written either way"): (
        "o[i] = a[i] * float(COEFFICIENT)",
        "\nCOEFFICIENT = wp.constant(2.4)\n",
    ),
    ("leave types open", "it makes a vector of a type that it names"): ("o[i] = far(a[i])", FAR),
    ("leave types open", "no parameter determines the type of a literal"): ("o[i] = near(v[i])", NEAR),
    ("name all components", "an index that is no literal"): ("o[i] = v[i][n % 3]",),
    ("add full slices", "it is an element"): ("m[i, 1] = m[i, 2] + 1",),
    ("drop full slices", "it is a part of a row"): ("row = m[i, 1:]\no[i] = float(row[1])",),
    ("drop full slices", "it is a column"): ("column = m[:, 1]\no[i] = float(column[i])",),
    ("leave types open", "it calls what says its types"): ("o[i] = twofold(a[i])", TWOFOLD),
    ("extract a function", "it is short"): ("wave = wp.sin(a[i] * 2.0)\no[i] = wave * wave",),
    ("extract a function", "it asks how long an array is"): (
        "share = 1.0 - 1.0 / float(a.shape[0])\no[i] = share * share",
    ),
    ("leave types open", "it has no floats"): ("o[i] = float(twice(c[i]))", TWICE),
    ("say types", "it says them"): ("o[i] = square(a[i])", SQUARE),
    ("make a method", "no struct comes first"): ("o[i] = square(a[i])", SQUARE),
    ("make a method", "another one is of a struct that has no name yet"): (
        "o[i] = overlap(Given(a[i], b[i]), Given(b[i], 2.0))",
        TWO_GIVEN,
    ),
    ("make a function", "a local has its name"): ("span = a[i]\no[i] = Given.span(given) + span", METHOD),
}

# What the tree alone does not show: the result would not be legal.
UNPROVED: dict[tuple[str, str], tuple[str, ...]] = {
    ("branch to choice", "a division is guarded"): (
        "x = int(0)\nif n > 0:\n    x = 100 // n\no[i] = float(x)",
    ),
    ("branch to choice", "a load is guarded"): ("x = a[0]\nif i > 0:\n    x = a[i - 1]\no[i] = x",),
    ("branch to choice", "a root is guarded"): ("x = a[i] - 1.0\nif x > 0.1:\n    x = wp.sqrt(x)\no[i] = x",),
    ("bind", "the condition bounds the operand of the root"): (
        "x = a[i] - 1.0\nif x > 0.1:\n    o[i] = wp.sqrt(x)",
    ),
    ("inline everywhere", "the condition bounds the divisor"): (
        "if n > 0:\n    x = n - 1\n    if x > 0:\n        o[i] = 1.0 / float(x)",
    ),
    ("inline", "Warp does not take an element that is compared third"): (
        "x = a[i]\nif low < high < x:\n    o[i] = 1.0",
    ),
    ("turn a comparison", "Warp does not take an element that is compared third"): (
        "if a[i] < low < high:\n    o[i] = 1.0",
    ),
    ("pack arguments", "one domain does not do for all"): ("o[i] = high / low + a[n]",),
}


@pytest.mark.parametrize(("name", "reason"), NOWHERE)
def test_a_pass_finds_no_place(name, reason):
    start = program(*NOWHERE[name, reason])
    assert [write(variant) for variant in EVERY[name].variants(start) if name != "restyle"] == []
    assert EVERY[name](start, Rng(reason)) is None


@pytest.mark.parametrize(("name", "reason"), UNPROVED)
def test_a_pass_leaves_what_would_not_be_legal(name, reason):
    start = program(*UNPROVED[name, reason])
    assert is_legal(start), write(start)
    variants = list(EVERY[name].variants(start))
    assert not all(is_legal(variant) for variant in variants)
    for number in range(8):
        found = EVERY[name](start, Rng(f"{reason} {number}"))
        assert found is None or is_legal(found)


def test_every_pass_has_something_that_it_refuses():
    assert {name for name, _ in NOWHERE} == set(EVERY)
