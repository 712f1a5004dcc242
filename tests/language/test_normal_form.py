"""Identity of the normal form: one for all styles of a program, another one for other semantics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from toys.texts import program

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.identity import identify, identify_normal_form, kernel_group
from warp_ir_dataset.language.passes.table import PASSES
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.rewrite import (
    Body,
    block_variants,
    body_variants,
    expression_variants,
    map_bodies,
    map_expressions,
    program_variants,
)
from warp_ir_dataset.language.types import BOOL
from warp_ir_dataset.synthesis import style
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sampling import address_of, sample

PROGRAMS = 100

PAIR = """
from typing import Any

@wp.struct
class Pair:
    first: float
    second: float

    @wp.func
    def sum(self: Any) -> float:
        return self.first + self.second
"""
WEIGHED = """
@wp.func
def weighed(x: float, y: float) -> float:
    return x - 2.0 * y
"""
SQUARED = """
@wp.func
def squared(x: float) -> float:
    return x * x
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
BRANCH = "if a[i] > 1.0:\n    o[i] = a[i]\nelse:\n    o[i] = b[i]"

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
    "branches swapped": (
        BRANCH,
        "o[i] = a[i]\nelse:\n    o[i] = b[i]",
        "o[i] = b[i]\nelse:\n    o[i] = a[i]",
    ),
    "branch left out": (BRANCH, "else:\n    o[i] = b[i]", ""),
    "condition": (BRANCH, "a[i] > 1.0", "b[i] > 1.0"),
    "comparison": (BRANCH, ">", "<"),
    "opposite of floats": (BRANCH, "if a[i] > 1.0", "if not a[i] <= 1.0"),
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
    "start of a loop": (LOOP, "range(n)", "range(1, n)"),
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
    assert identify_normal_form(one).skeleton != identify_normal_form(other).skeleton
    assert identify_normal_form(one).id != identify_normal_form(other).id


@pytest.mark.parametrize("edit", DIFFERENT_LITERALS.values(), ids=DIFFERENT_LITERALS)
def test_another_literal_has_another_id(edit):
    one, other = program(edit[0]), program(*edited(*edit))
    assert identify_normal_form(one).id != identify_normal_form(other).id


SAME: dict[str, tuple[str, ...]] = {
    "guard or branch": (GUARD, "if i < n:\n    o[i] = a[i]", "if not n <= i:\n    o[i] = a[i]"),
    "guards inside of guards": (
        "if i >= n:\n    return\nif a[i] > 1.0:\n    return\no[i] = 1.0",
        "if i < n:\n    if not a[i] > 1.0:\n        o[i] = 1.0",
    ),
    "branch, ternary or where": (
        BRANCH,
        "o[i] = a[i] if a[i] > 1.0 else b[i]",
        "o[i] = wp.where(1.0 < a[i], a[i], b[i])",
    ),
    "variable that a branch changes": (
        "x = float(b[i])\nif a[i] > 1.0:\n    x = a[i]\no[i] = x",
        "x = float(b[i])\nx = a[i] if a[i] > 1.0 else x\no[i] = x",
    ),
    "loop that counts": (
        LOOP,
        "x = float(0.0)\nk = int(0)\nwhile k < n:\n    x = x * a[k] + b[k]\n    k += 1\no[i] = x",
        "x = float(0.0)\nk = int(0)\nwhile True:\n    if not k < n:\n        break\n"
        "    x = x * a[k] + b[k]\n    k = k + 1\no[i] = x",
    ),
    "loop that counts down": (
        "for k in range(n, 2, -3):\n    o[k] = a[k]",
        "k = int(n)\nwhile k > 2:\n    o[k] = a[k]\n    k -= 3",
    ),
    "loop that is left on top": (
        "k = int(0)\nwhile k < c[i]:\n    k += 2\no[i] = float(k)",
        "k = int(0)\nwhile True:\n    if k >= c[i]:\n        break\n    k += 2\no[i] = float(k)",
    ),
    "names for values": (
        "o[i] = a[i] * b[i] - wp.sin(a[i])",
        "x = a[i]\ny = x * b[i]\nz = a[i]\nw = wp.sin(z)\no[i] = y - w",
    ),
    "functions": (
        "o[i] = a[i] - 2.0 * b[i] + squared(a[i] + 1.0)",
        "o[i] = weighed(a[i], b[i]) + squared(a[i] + 1.0)",
        "x = a[i] + 1.0\no[i] = weighed(a[i], b[i]) + x * x",
    ),
    "function that writes": ("o[i] = a[i]", "put(o, i, a[i])"),
    "method": ("o[i] = pair.first + pair.second", "o[i] = Pair.sum(pair)"),
    "chain of comparisons": (
        "if 1.0 < a[i] < b[i]:\n    o[i] = 1.0",
        "if 1.0 < a[i] and a[i] < b[i]:\n    o[i] = 1.0",
        "if a[i] > 1.0 and b[i] > a[i]:\n    o[i] = 1.0",
    ),
    "augmented elements": ("wp.atomic_add(o, n, a[i])", "o[n] += a[i]"),
    "power": ("o[i] = wp.pow(a[i], 1.5)", "o[i] = a[i] ** 1.5"),
    "row of an array": (
        "row = m[i]\no[i] = float(row[1])",
        "row = m[i, :]\no[i] = float(row[1])",
    ),
    "conversion to the same type": ("o[i] = a[i] * b[i]", "o[i] = float(a[i]) * b[i]"),
}


@pytest.mark.parametrize("texts", SAME.values(), ids=SAME)
def test_one_meaning_has_one_id(texts):
    before = PAIR + WEIGHED + SQUARED + WRITES
    assert len({identify_normal_form(program(text, before)) for text in texts}) == 1
    assert len({identify(program(text, before)).skeleton for text in texts}) == len(texts)


# The styles that programs are written in when they are drawn. Not undone: the branches of a decision swapped,
# a choice as a variable that a branch changes, and another signature.
KEPT = {"swap branches", "choice to branch", "pack arguments"}
RARE = {"chain comparisons", "make a method"}  # which `SAME` has
PRIORS = (*style.PASS_PRIORS, *style.THROUGHOUT, *style.TEMPLATE_PASS_PRIORS)
STYLES = sorted({name for name, _ in PRIORS} - KEPT - RARE)


@cache
def drawn(number: int) -> ir.Program:
    """Random programs and those of templates, in turns."""
    names = (RANDOM_KINDS, sorted(IDIOMS))[number % 2]
    return sample(address_of(11, names[number // 2 % len(names)], number // 2 // len(names))).program


@pytest.mark.parametrize("name", STYLES)
def test_a_style_keeps_the_id(name):
    found = 0
    for number in range(PROGRAMS):
        before = drawn(number)
        if (after := PASSES[name](before, Rng(f"{name} {number}"))) is not None:
            assert identify_normal_form(after) == identify_normal_form(before), write(after)
            found += 1
    assert found


def test_styles_upon_styles():
    """Programs through styles drawn at random, one after another."""
    changed = 0
    for number in range(PROGRAMS // 4):
        rng, start = Rng(f"styles {number}"), drawn(number)
        made = start
        for _ in range(12):
            made = PASSES[rng.pick(STYLES)](made, rng) or made
        changed += identify(made) != identify(start)
        assert identify_normal_form(made) == identify_normal_form(start), write(made)
    assert changed > PROGRAMS // 8


def with_another_number(program: ir.Program) -> Iterator[ir.Program]:
    """The program with one number changed: each literal and each step, in turns."""

    def literal(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Literal) and node.type != BOOL:
            yield replace(node, value=node.value + 1)

    def step(body: Body) -> Iterator[Body]:
        for at, statement in enumerate(body):
            if isinstance(statement, ir.For):
                yield (*body[:at], replace(statement, step=statement.step * 2), *body[at + 1 :])

    yield from program_variants(program, lambda body: body_variants(body, literal))
    yield from program_variants(program, lambda body: block_variants(body, step))
    for at, constant in enumerate(program.constants):
        for value in expression_variants(constant.value, literal):
            made = replace(constant, value=value)
            yield replace(program, constants=(*program.constants[:at], made, *program.constants[at + 1 :]))


def alike(program: ir.Program) -> ir.Program:
    """The program with one number in place of all."""

    def change(node: ir.Expr) -> ir.Expr:
        return replace(node, value=1) if isinstance(node, ir.Literal) and node.type != BOOL else node

    return map_bodies(program, lambda body: map_expressions(body, change))


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, 200, 10))
def test_no_number_decides_a_group(first):
    """Nor whether two of them are equal."""
    changes = 0
    for before in map(drawn, range(first, first + 10)):
        group = kernel_group(before)
        assert kernel_group(alike(before)) == group, write(before)
        for after in with_another_number(before):
            assert kernel_group(after) == group, write(after)
            changes += 1
    assert changes > 20


def test_how_often_a_loop_runs_decides_no_group():
    texts = [
        LOOP.replace("range(n)", each) for each in ("range(2)", "range(3)", "range(4)", "range(1, 9, 2)")
    ]
    assert len({kernel_group(program(text)) for text in texts}) == 1
    assert len({identify_normal_form(program(text)).id for text in texts}) == len(texts)


CALLED_TWICE = """
@wp.func
def bent(x: float, y: float) -> float:
    z = x - y
    return z * z
"""


def test_calls_that_differ_in_a_number_are_two_whatever_the_numbers():
    texts = (f"o[i] = bent(a[i], 2.0) + bent(a[i], {number})" for number in ("2.0", "3.0", "-3.0"))
    found = [identify_normal_form(program(text, CALLED_TWICE)) for text in texts]
    assert len({each.skeleton for each in found}) == 1 and len({each.id for each in found}) == 3


def test_roles_do_not_count():
    """A source does not say them. A view is part of any array, but of no input."""
    found = program("x = a[i]\nrow = m[i]\nrow[1] = 2\no[i] = x")
    as_roles = (tuple(replace(a, role=role) for a in found.arguments) for role in ("input", "inout"))
    made = [replace(found, signature=replace(found.signature, arguments=each)) for each in as_roles]
    assert len({identify_normal_form(each) for each in made}) == 1


def test_literals_are_masked():
    one, other = (program(text) for text in ("o[i] = a[i + 2] * 2.5", "o[i] = a[i + 3] * 1.5"))
    assert identify_normal_form(one).skeleton == identify_normal_form(other).skeleton
    assert identify_normal_form(one).id != identify_normal_form(other).id


def test_a_float_type_alone_is_a_choice_of_spelling():
    single = "d[i] = d[i] * wp.float64(2.0)"
    assert identify_normal_form(program(single)) == identify_normal_form(program("a[i] = a[i] * 2.0"))
