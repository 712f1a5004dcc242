"""Ids and skeletons: what changes them, and what does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from warp_ir_dataset.language.identity import Identity, identify, identify_normal_form, split_of
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import Struct
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

GOLDEN = Path(__file__).parents[1] / "golden"
SOURCES = {path.stem: path.read_text() for path in sorted((GOLDEN / "sources").glob("*.py"))}
PULL = SOURCES["pull"]


def replaced(*pairs: tuple[str, str], source: str = PULL) -> str:
    for old, new in pairs:
        assert old in source
        source = source.replace(old, new)
    return source


def identified(source: str) -> Identity:
    return identify(read(source))


def test_golden_ids():
    found = {}
    for name, text in SOURCES.items():
        program = read(text)
        found[name] = [*astuple(identify(program)), *astuple(identify_normal_form(program))]
    path = GOLDEN / "skeletons.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(json.dumps(found, indent=2) + "\n")
    assert found == json.loads(path.read_text())


JOINTS = """
import warp as wp


@wp.struct
class Anchor:
    place: wp.vec3


@wp.struct
class Joint:
    parent: Anchor
    child: Anchor


@wp.kernel
def lengths(joints: wp.array[Joint], out: wp.array[float]):
    i = wp.tid()
    joint = joints[i]
    out[i] = wp.length(joint.child.place - joint.parent.place)
"""


def test_equal_types_are_one_whether_or_not_they_are_the_same_object():
    program = read(JOINTS)
    joints, *others = program.arguments
    assert isinstance(joints.type, Struct)
    members = tuple((name, replace(type)) for name, type in joints.type.members)
    assert members == joints.type.members and members[0][1] is not members[1][1]
    apart = replace(joints, type=replace(joints.type, members=members))
    other = replace(program, signature=replace(program.signature, arguments=(apart, *others)))
    assert other == program and identify(other) == identify(program)


def test_golden_ids_of_generated_kernels():
    """A change here changes published kernels: it needs a new `GENERATOR_VERSION`."""
    lines = []
    for address in (address_of(0, category, number) for category in RANDOM_KINDS for number in range(20)):
        program = sample(address).program
        found = identify(program)
        lines.append(f"{address} {found.id} {found.skeleton} {identify_normal_form(program).skeleton}\n")
    path = GOLDEN / "kernels.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text("".join(lines))
    assert lines == path.read_text().splitlines(keepends=True)


@pytest.mark.process
def test_ids_do_not_depend_on_the_process():
    """Nor on the Python: `.github/workflows/tests.yml` runs the golden tests above on every supported one."""
    code = (
        "import json, sys\n"
        "from warp_ir_dataset.language.identity import identify, identify_normal_form\n"
        "from warp_ir_dataset.language.python.read import read\n"
        "programs = list(map(read, json.load(sys.stdin)))\n"
        "print(json.dumps([f(p).__dict__ for p in programs for f in (identify, identify_normal_form)]))"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONHASHSEED": "7"}
    texts = list(SOURCES.values())
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, input=json.dumps(texts), text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    expected = [f(read(text)).__dict__ for text in texts for f in (identify, identify_normal_form)]
    assert json.loads(done.stdout) == expected


# ---- one kernel in six styles

PLAIN = """import warp as wp


@wp.func
def damped(x: float) -> float:
    return x / (1.0 + x * x)


@wp.kernel
def relax(positions: wp.array(dtype=wp.vec3), scale: float, out: wp.array(dtype=float)):
    i = wp.tid()
    p = positions[i]
    total = float(0.0)
    for k in range(4):
        total = total + damped(p[0] * scale) * 0.5
    out[i] = total
"""
STYLES = {
    "plain": PLAIN,
    "subscripts and full names": replaced(
        ("wp.array(dtype=wp.vec3)", "wp.array[wp.vec3f]"),
        ("wp.array(dtype=float)", "wp.array[wp.float32]"),
        ("scale: float", "scale: wp.float32"),
        ("float(0.0)", "wp.float32(0.0)"),
        source=PLAIN,
    ),
    "constants of the module": replaced(
        ("import warp as wp\n", "import warp as wp\n\nSTEPS = wp.constant(4)\nHALF = wp.constant(0.5)\n"),
        ("range(4)", "range(STEPS)"),
        ("* 0.5", "* HALF"),
        source=PLAIN,
    ),
    "augmented, letters for components": replaced(
        ("total = total + damped", "total += damped"), ("p[0]", "p.x"), source=PLAIN
    ),
    "other names, comments and docstrings": replaced(
        ("damped", "softened"),
        ("positions", "points"),
        ("relax", "settle"),
        ("total", "energy"),
        ("    i = wp.tid()", '    """Settles."""\n    # one thread a point\n    i = wp.tid()'),
        ("for k in range(4):", "for step in range(4):  # four times"),
        source=PLAIN,
    ),
    "a closure, an enumeration, a static value": """from enum import IntEnum

import warp as wp


class Count(IntEnum):
    STEPS = 4


@wp.func
def unused(x: float) -> float:
    return x


def create_relax():
    HALF = 0.5

    @wp.func
    def damped(x: float) -> float:
        return x / (1.0 + x * x)

    @wp.kernel
    def relax(positions: wp.array(dtype=wp.vec3), scale: float, out: wp.array(dtype=float)):
        i = wp.tid()
        p = positions[i]
        total = float(wp.static(0.0))
        for k in range(Count.STEPS):
            total += damped(p.x * scale) * HALF
            pass
        out[i] = total

    return relax


relax = create_relax()
""",
}


def test_one_kernel_in_six_styles_has_one_skeleton_and_one_split():
    found = {style: identified(text) for style, text in STYLES.items()}
    assert len(STYLES) == 6 and len(set(STYLES.values())) == 6
    assert set(found.values()) == {found["plain"]}, found
    assert len({split_of(each.skeleton) for each in found.values()}) == 1


RENAMINGS = {
    "kernel": [("def pull", "def attract")],
    "function": [("soften", "smooth_length")],
    "struct": [("Body", "Planet")],
    "member": [("velocity", "drift")],
    "alias": [("quadruple", "weight_vector")],
    "argument": [("masses", "densities")],
    "local": [("total", "energy")],
    "loop variable": [("for k in", "for axis in"), ("k %", "axis %")],
    "parameter of a function, to a name the kernel has": [("epsilon", "gain")],
    "parameter of a function, to the name of a member": [("distance", "mass")],
    "local, to the name of a member": [("total", "mass")],
}


@pytest.mark.parametrize("pairs", RENAMINGS.values(), ids=RENAMINGS)
def test_own_names_do_not_count(pairs):
    assert identified(replaced(*pairs)) == identified(PULL)


STYLE = {
    "comment": [("  # kilograms", "")],
    "docstring": [('    """Keeps the force finite."""\n', "")],
    "another docstring": [("Keeps the force finite.", "Something else.")],
    "parentheses and spaces": [("distance * distance + epsilon", "(distance*distance)  +  epsilon")],
    "spelling of a number": [("0.25", "25e-2")],
    "annotation": [
        ("wp.array(dtype=float)", "wp.array[wp.float32]"),
        ("epsilon: float", "epsilon: wp.float32"),
    ],
    "size of a vector": [("velocity: wp.vec3", "velocity: wp.vec3f")],
    "augmented": [("total = total - gain", "total -= gain")],
    "what is not used": [("@wp.kernel\n", "UNUSED = wp.constant(3)\n\n\n@wp.kernel\n")],
    "nothing": [("    body = Body()\n", "    body = Body()\n    pass\n")],
    "output": [("    body = Body()\n", '    body = Body()\n    wp.printf("%d", i)\n    assert gain > 0.0\n')],
    "component": [("weights[i][3]", "weights[i].w")],
    "two loops": [("for k in range(4)", "for j in range(4)"), ("k %", "j %")],
}


@pytest.mark.parametrize("pairs", STYLE.values(), ids=STYLE)
def test_style_does_not_count(pairs):
    assert identified(replaced(*pairs)) == identified(PULL)


@pytest.mark.parametrize("rows", [2, 3])
def test_a_row_is_augmented_or_stored_anew(rows):
    """Of a square matrix, and of one that is not."""
    numbers = ", ".join(str(float(number)) for number in range(2 * rows))
    head = (
        "import warp as wp\n\n\n@wp.kernel\ndef k(x: wp.array[wp.vec2], out: wp.array[float]):\n"
        "    i = wp.tid()\n"
        f"    m = wp.types.matrix(shape=({rows}, 2), dtype=float)({numbers})\n"
    )
    ways = (f"{head}    {way}\n    out[i] = m[0, 0]\n" for way in ("m[1] = m[1] + x[i]", "m[1] += x[i]"))
    assert len({identified(way) for way in ways}) == 1


LITERALS = {
    "float": [("0.25", "0.75")],
    "gains a sign": [("0.25", "-0.25")],
    "loses a sign": [("* -0.5", "* 0.5")],
    "int": [("range(4)", "range(6)")],
    "component": [("weights[i][3]", "weights[i].x")],
}


@pytest.mark.parametrize("pairs", LITERALS.values(), ids=LITERALS)
def test_literals_count_for_the_id_alone(pairs):
    changed = identified(replaced(*pairs))
    assert changed.skeleton == identified(PULL).skeleton
    assert changed.id != identified(PULL).id


DIFFERENT = {
    "another built-in": [("wp.sqrt", "wp.exp")],
    "another operator": [("total - gain", "total * gain")],
    "another comparison": [("< 3.0", "<= 3.0")],
    "operands swapped": [("total - gain", "gain - total")],
    "another type": [
        ("weights: wp.array(dtype=quadruple)", "weights: wp.array(dtype=wp.mat44)"),
        ("weights[i][3]", "weights[i][3, 3]"),
    ],
    "a literal for a local": [("total / 3.0", "total / gain")],
    "a statement less": [("    total += weights[i][3]\n", "")],
    "another local is read": [("body.mass = masses[i]", "body.mass = masses[i + i]")],
    "another member": [("* body.mass", "* body.velocity[0]")],
    "order of members": [
        ("    mass: wp.float32\n    velocity: wp.vec3\n", "    velocity: wp.vec3\n    mass: wp.float32\n")
    ],
    "order of arguments": [
        (
            "    gain: float,\n    forces: wp.array(dtype=float),",
            "    forces: wp.array(dtype=float),\n    gain: float,",
        )
    ],
    "atomic": [("forces[i] = wp.dot", "forces[i] += wp.dot")],
}


@pytest.mark.parametrize("pairs", DIFFERENT.values(), ids=DIFFERENT)
def test_everything_else_counts(pairs):
    assert identified(replaced(*pairs)).skeleton != identified(PULL).skeleton


def test_two_loops_over_one_name():
    """Two loops over one name are two over two names."""
    head = "import warp as wp\n\n\n@wp.kernel\ndef f(n: int, o: wp.array(dtype=int)):\n    x = int(0)\n"
    loops = (
        "    for k in range(n):\n        x += k\n    for {0} in range(n):\n        x += {0}\n    o[0] = x\n"
    )
    one, other = (identified(head + loops.format(name)) for name in "kj")
    assert one == other


def test_a_function_may_stand_below_its_caller():
    body = "@wp.func\ndef {f}(a: float) -> float:\n    return a\n\n"
    caller = "@wp.func\ndef g(a: float) -> float:\n    return {f}(a)\n\n"
    kernel = "@wp.kernel\ndef k(o: wp.array(dtype=float)):\n    o[0] = g(1.0)\n"
    texts = [f"import warp as wp\n\n{both}{kernel}" for both in (caller + body, body + caller)]
    assert identified(texts[0].format(f="twice")) == identified(texts[1].format(f="half"))


def test_split_is_eight_one_one_of_the_skeleton_alone():
    splits = Counter(split_of(f"{number:016x}") for number in range(20_000))
    assert set(splits) == {"train", "validation", "test"}
    for name, share in (("train", 0.8), ("validation", 0.1), ("test", 0.1)):
        assert abs(splits[name] / 20_000 - share) < 0.01
    # Moving a bucket would move kernels of published builds between splits.
    found = {name: [n for n in range(53) if split_of(f"{n:016x}") == name] for name in ("validation", "test")}
    assert found == {"validation": [13, 21, 26, 29, 35, 49], "test": [14, 17, 19, 52]}
