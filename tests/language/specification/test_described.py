"""The description of each construct: small kernels and their steps."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from blind.read import Unreadable, read
from described_steps import STEPS
from toys.constructs import PROGRAMS
from toys.texts import program

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.python.read import read as read_source
from warp_ir_dataset.language.specification.refusals import NotDescribable
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.proof.inputs import make_inputs


def part(text: str, heading: str) -> str:
    """What stands under a heading."""
    return text.split(f"{heading}\n")[1].split("\n\n")[0].rstrip("\n")


def agrees(program: ir.Program, text: str) -> bool:
    """Whether what the text says gives the outputs of the program."""
    inputs = make_inputs(program.signature, "told")
    given = {name: np.asarray(value)[None] for name, value in inputs.items()}
    found = read(text).launched(inputs)
    wanted = {name: value[0] for name, value in interpret(program, given, 1).items()}
    return all(np.allclose(found[name], wanted[name], rtol=1e-9, atol=1e-12) for name in wanted)


@pytest.mark.parametrize("what", STEPS)
def test_steps(what):
    body, steps = STEPS[what]
    made = program(body)
    text = specify(made)
    assert part(text, "Each thread:") == steps
    assert agrees(made, text)


@pytest.mark.parametrize(
    ("type", "start", "is_zero"),
    [
        ("wp.mat33", "wp.mat33()", True),
        ("wp.mat33", "wp.identity(n=3, dtype=float)", False),
        ("wp.quat", "wp.quat(0.0, 0.0, 0.0, 0.0)", True),
        ("wp.quat", "wp.quat_identity()", False),
        ("wp.quat", "wp.quat_rpy(0.0, 0.0, 0.0)", False),
    ],
)
def test_a_sum_says_where_it_starts_if_not_at_zero(type, start, is_zero):
    source = f"""
        import warp as wp

        @wp.kernel
        def total(a: wp.array(dtype={type}), o: wp.array(dtype={type})):
            i = wp.tid()
            x = {start}
            for j in range(4):
                x += a[j]
            o[i] = x
        """
    step = part(specify(read_source(textwrap.dedent(source))), "Each thread:")
    assert (step == "1. Set o[i] to the sum, over j from 0 to 3, of a[j].") == is_zero


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


def test_a_branch_of_a_function_may_be_empty():
    """As an edit leaves it that takes the only statement out of a guard."""
    before = """
        @wp.func
        def raised(p: float) -> float:
            if p > 1.0:
                pass
            if p < 0.7:
                return 0.7
            return p
        """
    made = program("o[i] = raised(a[i])", before)
    text = specify(made)
    assert part(text, "Functions:") == textwrap.dedent(
        """\
        - raised(p):
           1. If p > 1, do nothing.
           2. If p < 0.7, the result is 0.7.
           3. The result is p."""
    )
    assert agrees(made, text)


def test_a_struct_made_of_nothing_is_explained():
    made = program(
        "found = moments(a[i])\no[i] = found.mean + found.axis[1]",
        """
        @wp.struct
        class Moments:
            mean: float
            axis: wp.vec2

        @wp.func
        def moments(x: float) -> Moments:
            if x < 1.0:
                return Moments()
            found = Moments()
            found.mean = x
            found.axis = wp.vec2(x, 3.0)
            return found
        """,
    )
    text = specify(made)
    assert "If x < 1, the result is Moments()." in part(text, "Functions:")
    assert (
        part(text, "Notation:") == "- A struct that is made of nothing, as S(), has zero in all its members."
    )
    assert agrees(made, text)


def test_the_matrix_of_a_rotation_goes_by_warps_name():
    made = program("v[i] = wp.quat_to_matrix(wp.quat(a[i], b[i], 0.3, 0.8)) * wp.vec3(1.0, a[i], 3.0)")
    text = specify(made)
    wanted = "1. Set v[i] to wp.quat_to_matrix(quaternion(a[i], b[i], 0.3, 0.8))·(1, a[i], 3)."
    assert part(text, "Each thread:") == wanted
    assert "- wp.quat_to_matrix is Warp's own." in text
    assert agrees(made, text)


def test_the_header_tells_shapes_roles_and_what_must_be_zero():
    made = program("s[i] = a[0] + s[i]\nwp.atomic_add(b, c[i], 1.0)\no[i] = float(m[i, 2]) * low")
    assert part(specify(made), "Arguments, in order:").splitlines() == [
        "- a: array of float32, exactly 8 entries; input",
        "- b: array of float32, 8 entries in the example; read and updated",
        "- s: array of float32, one entry per thread; read and updated",
        "- c: array of int32, one entry per thread; input",
        "- m: 2D array of int32, a row of exactly 8 per thread (8 × 8 in the example); input",
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
    with pytest.raises(NotDescribable) as refused:
        specify(program(REFUSED[what]))
    assert "\n" not in str(refused.value)


def test_a_function_with_the_name_of_a_formula_is_refused_where_both_are_used():
    before = "@wp.func\ndef normalize(p: float) -> float:\n    return p * 2.0"
    made = program("o[i] = normalize(a[i])", before)
    assert agrees(made, specify(made))
    with pytest.raises(NotDescribable, match="normalize"):
        specify(program("o[i] = normalize(a[i]) + wp.normalize(v[i])[0]", before))


# The reader has no arrays in structs in arrays.
UNREAD = {"arrays in structs in an array"}


@pytest.mark.parametrize("what", PROGRAMS)
def test_every_construct_of_the_language_is_told(what):
    text = specify(PROGRAMS[what])
    if what in UNREAD:
        with pytest.raises(Unreadable):
            agrees(PROGRAMS[what], text)
    else:
        assert agrees(PROGRAMS[what], text)
