"""How each construct is told: small kernels, and the steps that become of them."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from blind.read import Unreadable, read
from toys.constructs import PROGRAMS
from toys.texts import program

from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.program import Program
from warp_ir_dataset.language.specification.refusals import Untold
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.proof.inputs import make_inputs


def part(text: str, heading: str) -> str:
    """What stands under a heading."""
    return text.split(f"{heading}\n")[1].split("\n\n")[0].rstrip("\n")


def agrees(program: Program, text: str) -> bool:
    """Whether what the text says gives the outputs of the program."""
    inputs = make_inputs(program.signature, "told")
    given = {name: np.asarray(value)[None] for name, value in inputs.items()}
    found = read(text).launched(inputs)
    wanted = {name: value[0] for name, value in interpret(program, given, 1).items()}
    return all(np.allclose(found[name], wanted[name], rtol=1e-9, atol=1e-12) for name in wanted)


STEPS = {
    "small locals are folded in": (
        "x = a[i]\ny = x * 2.0\no[i] = y + 1.0",
        "1. Set o[i] to a[i]·2 + 1.",
    ),
    "a local that is used often stays": (
        "x = wp.sin(a[i])\no[i] = x * x + x",
        "1. Let x = sin(a[i]).\n2. Set o[i] to x·x + x.",
    ),
    "a sum": (
        "x = float(0.0)\nfor k in range(n):\n    x += a[k] - b[i]\no[i] = x",
        "1. Set o[i] to the sum, over k from 0 to n - 1, of (a[k] - b[i]).",
    ),
    "a sum over a triangle": (
        "x = float(0.0)\nfor k in range(3):\n    for j in range(k + 1):\n        x -= a[j]\no[i] = x",
        "1. Set o[i] to minus the sum, over k from 0 to 2 and j from 0 to k, of a[j].",
    ),
    "a sum that leaves some out": (
        "x = float(0.0)\nfor k in range(4):\n    if a[k] < 1.0 or b[k] < 0.7:\n        continue\n"
        "    x += a[k]\no[i] = x",
        "1. Set o[i] to the sum, over k from 0 to 3 except where a[k] < 1 or b[k] < 0.7, of a[k].",
    ),
    "a sum that starts somewhere": (
        "x = b[i] * 2.0\nfor k in range(4):\n    x += a[k]\no[i] = x",
        "1. Let x = b[i]·2.\n2. For each k from 0 to 3, add a[k] to x.\n3. Set o[i] to x.",
    ),
    "a count": (
        "x = int(0)\nfor k in range(4):\n    if a[k] > 1.0:\n        x += 1\no[i] = float(x)",
        "1. Set o[i] to the number of k from 0 to 3 with a[k] > 1.",
    ),
    "a product": (
        "x = float(1.0)\nfor k in range(1, 4):\n    x *= a[k]\no[i] = x",
        "1. Set o[i] to the product, over k from 1 to 3, of a[k].",
    ),
    "an extreme": (
        "x = a[0]\nfor k in range(1, 8):\n    x = wp.max(x, a[k])\no[i] = x * x",
        "1. Let x be the largest of a[0] and, for every k from 1 to 7, a[k].\n2. Set o[i] to x·x.",
    ),
    "a search": (
        "x = int(9)\nfor k in range(8):\n    if a[k] > b[i]:\n        x = k\n        break\no[i] = float(x)",
        "1. Set o[i] to the first k from 0 to 7 with a[k] > b[i], or 9 if there is none.",
    ),
    "state that is carried": (
        "x = a[i]\nfor k in range(3):\n    x = x * 0.5 + b[k]\no[i] = x",
        "1. Let x = a[i].\n2. For each k from 0 to 2, in order, set x to x·0.5 + b[k].\n3. Set o[i] to x.",
    ),
    "an index nobody looks at": (
        "x = a[i]\nfor k in range(3):\n    x = wp.sin(x)\no[i] = x",
        "1. Let x = a[i].\n2. Repeat 3 times: set x to sin(x).\n3. Set o[i] to x.",
    ),
    "a bound that the loop changes": (
        "x = n\nfor k in range(x):\n    x -= 1\n    o[k] = float(x)",
        "1. Let the integer x = n.\n"
        "2. For each k from 0 to x - 1, in order, its end as it is before the loop:\n"
        "   2.1. Subtract 1 from x.\n   2.2. Set o[k] to x.",
    ),
    "loops in steps, and down": (
        "x = a[i]\nfor k in range(0, 7, 2):\n    x = x * b[k] + 1.0\n"
        "for j in range(n, -1, -3):\n    x = x * b[j] + 2.0\no[i] = x",
        "1. Let x = a[i].\n"
        "2. For each k from 0 in steps of 2 while below 7, in order, set x to x·b[k] + 1.\n"
        "3. For each j from n in steps of -3 while above -1, in order, set x to x·b[j] + 2.\n"
        "4. Set o[i] to x.",
    ),
    "while": (
        "x = a[i]\nk = int(0)\nwhile x > 0.3 and k < 5:\n    x *= 0.5\n    k += 1\no[i] = x + float(k)",
        "1. Let x = a[i].\n2. Let the integer k = 0.\n3. As long as x > 0.3 and k < 5, repeat:\n"
        "   3.1. Multiply x by 0.5.\n   3.2. Add 1 to k.\n4. Set o[i] to x + k.",
    ),
    "leaving loops": (
        "x = a[i]\nfor k in range(5):\n    if x > 1.4:\n        break\n"
        "    if b[k] < 1.0:\n        continue\n    x += b[k]\no[i] = x",
        "1. Let x = a[i].\n2. For each k from 0 to 4, in order:\n   2.1. If x > 1.4, leave the loop over k.\n"
        "   2.2. If b[k] < 1, go on with the next k.\n   2.3. Add b[k] to x.\n3. Set o[i] to x.",
    ),
    "guards": (
        "if i >= n:\n    return\no[i] = a[i]",
        "1. Threads with i ≥ n do nothing.\n2. Set o[i] to a[i].",
    ),
    "two cases": (
        "x = a[i]\nif b[i] > 1.0:\n    x = x * 2.0\no[i] = x",
        "1. Set o[i] to a[i]·2 if b[i] > 1, otherwise a[i].",
    ),
    "many cases": (
        "x = float(0.0)\nif c[i] == 0:\n    x = a[i]\nelif c[i] == 1:\n    if b[i] > 1.0:\n        x = 2.0\n"
        "    else:\n        x = 3.0\nelse:\n    x = b[i]\no[i] = x",
        "1. Set o[i] to\n   - if c[i] = 0: a[i]\n   - else if c[i] = 1 and b[i] > 1: 2\n"
        "   - else if c[i] = 1: 3\n   - otherwise: b[i]",
    ),
    "a local that is born in branches": (
        "if b[i] > 1.0:\n    x = a[i] * 2.0\nelif b[i] > 0.7:\n    x = 3.0\nelse:\n    x = b[i]\n"
        "o[i] = x * x",
        "1. Let x =\n   - if b[i] > 1: a[i]·2\n   - else if b[i] > 0.7: 3\n   - otherwise: b[i]\n"
        "2. Set o[i] to x·x.",
    ),
    "branches that do different things": (
        "if b[i] > 1.0:\n    o[i] = a[i]\nelse:\n    s[i] += a[i]\n    o[i] = 2.0",
        "1. If b[i] > 1, set o[i] to a[i].\n2. Otherwise:\n   2.1. Add a[i] to s[i].\n   2.2. Set o[i] to 2.",
    ),
    "atomics, and the thread's own element": (
        "s[i] += a[i]\ns[0] -= b[i]\nwp.atomic_max(s, 1, a[i])",
        "1. Add a[i] to s[i].\n2. Atomically subtract b[i] from s[0].\n"
        "3. Atomically set s[1] to max(itself, a[i]).",
    ),
    "few brackets": (
        "o[i] = -(a[i] * b[i]) / (a[i] / (b[i] + 1.0)) - (a[i] - b[i]) - (a[i] + (b[i] - 2.0)) * -3.0",
        "1. Set o[i] to -a[i]·b[i] / (a[i] / (b[i] + 1)) - (a[i] - b[i]) - (a[i] + b[i] - 2)·(-3).",
    ),
    "signs and bits": (
        "o[i] = float((c[i] % 3 + 1) & (c[i] | 4)) + wp.abs(wp.abs(a[i]) - 1.0)",
        "1. Set o[i] to (((c[i] mod 3) + 1) bitand (c[i] bitor 4)) + abs(|a[i]| - 1).",
    ),
    "logic": (
        "if not (a[i] > 1.0 and b[i] > 1.0) and (i < n or i == 5):\n    o[i] = 1.0",
        "1. If not (a[i] > 1 and b[i] > 1) and (i < n or i = 5), set o[i] to 1.",
    ),
    "scaling is no vector of one number": (
        "v[i] = wp.vec3(a[i]) + wp.vec3(1.0) + wp.cw_mul(v[i], wp.vec3(1.0, 2.0, 3.0))",
        "1. Set v[i] to a[i]·(1, 1, 1) + (1, 1, 1) + v[i] ⊙ (1, 2, 3).",
    ),
}


@pytest.mark.parametrize("what", STEPS)
def test_steps(what):
    body, steps = STEPS[what]
    made = program(body)
    text = specify(made)
    assert part(text, "Each thread:") == steps
    assert agrees(made, text)


def test_functions_are_definitions():
    made = program(
        "o[i] = weight(a[i], b[i]) + steps(a[i])",
        """
        @wp.func
        def weight(p: float, q: float) -> float:
            if p > q:
                return p
            half = q * 0.5
            return half + p

        @wp.func
        def steps(p: float) -> float:
            t = p
            for k in range(3):
                if t > 1.2:
                    return t
                t = t * 1.5
            return -t
        """,
    )
    text = specify(made)
    assert part(text, "Functions:") == textwrap.dedent(
        """\
        - weight(p, q) is p if p > q, otherwise q·0.5 + p.
        - steps(p):
           1. Let t = p.
           2. Repeat 3 times:
              2.1. If t > 1.2, the result is t.
              2.2. Multiply t by 1.5.
           3. The result is -t."""
    )
    assert agrees(made, text)


def test_the_header_tells_shapes_roles_and_what_must_be_zero():
    made = program("s[i] = a[0] + s[i]\nwp.atomic_add(b, c[i], 1.0)\no[i] = float(m[i, 2]) * low")
    assert part(specify(made), "Arguments, in order:").splitlines() == [
        "- a: array of float32, 8 entries; input",
        "- b: array of float32, 8 entries; read and updated",
        "- s: array of float32, one entry per thread; read and updated",
        "- c: array of int32, one entry per thread; input",
        "- m: 2D array of int32, a row of 8 per thread (8 × 8); input",
        "- low: float32",
        "- o: array of float32, one entry per thread; output",
    ]
    guarded = program("if i >= n:\n    return\no[i] = low * high")
    assert part(specify(guarded), "Arguments, in order:").splitlines() == [
        "- n: int32",
        "- low, high: float32 each",
        "- o: array of float32, one entry per thread; output, zero at the start",
    ]


def test_what_is_less_common_is_explained_once_and_only_where_it_is_used():
    text = specify(program("o[i] = wp.sign(a[i]) + wp.sign(b[i]) + float(int(a[i] * 3.0) % 2)"))
    assert part(text, "Notation:").splitlines() == [
        "- int(x) is x without its fraction: int(-1.5) = -1.",
        "- a mod b has the sign of a: (-3) mod 4 = -3.",
        "- sign(x) is -1 for x < 0 and 1 otherwise, also for 0.",
    ]
    assert "Notation" not in specify(program("o[i] = wp.sin(a[i])"))


def test_conversions_are_told_where_they_change_something():
    made = program(
        "x = wp.int64(c[i]) * wp.int64(n)\n"
        "o[i] = float(x) + float(i) * float(n) + float(c[i]) * a[i] + float(c[i] / 2)"
    )
    text = specify(made)
    assert part(text, "Each thread:").splitlines() == [
        "1. Let the int64 x = int64(c[i])·int64(n).",
        "2. Set o[i] to x + float(i)·float(n) + c[i]·a[i] + trunc(c[i] / 2).",
    ]
    assert agrees(made, text)


def test_a_local_that_its_loop_leaves_behind_is_not_folded_in():
    body = "x = float(0.0)\nfor k in range(3):\n    last = a[k] * 2.0\n    x += last\no[i] = x * last"
    made = program(body)
    text = specify(made)
    assert "2.1. Let last = a[k]·2.\n   2.2. Add last to x." in text and agrees(made, text)


def test_what_is_read_before_it_changes_is_not_folded_in():
    made = program("x = s[i]\ns[i] = a[i]\no[i] = x + s[i]")
    text = specify(made)
    assert part(text, "Each thread:").startswith("1. Let x = s[i].\n2. Set s[i] to a[i].")
    assert agrees(made, text)


def test_spelling_that_means_the_same_reads_the_same():
    texts = [
        specify(program("x = a[i] * 2.0\no[i] = x")),
        specify(program("# Twice as much.\no[i] = a[i] * TWO", "TWO = wp.constant(2.0)")),
    ]
    assert texts[0] == texts[1]


REFUSED = {
    "an index behind its loop": "x = float(0.0)\nfor k in range(3):\n    x += a[k]\no[i] = x + float(k)",
    "an index that its loop changes": "for k in range(3):\n    k += 1\n    o[k] = a[i]",
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_told_is_refused_in_one_line(what):
    with pytest.raises(Untold) as refused:
        specify(program(REFUSED[what]))
    assert "\n" not in str(refused.value)


def test_a_function_with_the_name_of_a_formula_is_refused_where_both_are_used():
    before = "@wp.func\ndef normalize(p: float) -> float:\n    return p * 2.0"
    made = program("o[i] = normalize(a[i])", before)
    assert agrees(made, specify(made))
    with pytest.raises(Untold, match="normalize"):
        specify(program("o[i] = normalize(a[i]) + wp.normalize(v[i])[0]", before))


# The reader has no random numbers, no noise and no arrays in structs in arrays.
UNREAD = {"arrays in structs in an array"}


@pytest.mark.parametrize("what", PROGRAMS)
def test_every_construct_of_the_language_is_told(what):
    text = specify(PROGRAMS[what])
    if what in UNREAD:
        with pytest.raises(Unreadable):
            agrees(PROGRAMS[what], text)
    else:
        assert agrees(PROGRAMS[what], text)
