"""Ids and skeletons: what changes them, and what does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language.identity import SkeletonError, identify, kernel_id, skeleton, split_of
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.draw import draw
from warp_ir_dataset.synthesis.families import CATEGORIES

GOLDEN = Path(__file__).parents[1] / "golden"
SOURCES = {path.stem: path.read_text() for path in sorted((GOLDEN / "sources").glob("*.py"))}
PULL = SOURCES["pull"]


def replaced(*pairs: tuple[str, str], source: str = PULL) -> str:
    for old, new in pairs:
        assert old in source
        source = source.replace(old, new)
    return source


def test_golden_ids():
    found = {name: [identify(text).id, identify(text).skeleton] for name, text in SOURCES.items()}
    path = GOLDEN / "skeletons.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(json.dumps(found, indent=2) + "\n")
    assert found == json.loads(path.read_text())


def test_golden_ids_of_generated_kernels():
    """A change here changes published kernels: it needs a new `GENERATOR_VERSION`."""
    addresses = [Address(0, category, number) for category in CATEGORIES for number in range(20)]
    identities = {str(a): identify(write(draw(a).program)) for a in addresses}
    lines = [f"{where} {found.id} {found.skeleton}\n" for where, found in identities.items()]
    path = GOLDEN / "kernels.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text("".join(lines))
    assert lines == path.read_text().splitlines(keepends=True)


@pytest.mark.process
def test_ids_do_not_depend_on_the_process():
    """Nor on the Python: `.github/workflows/tests.yml` runs the golden tests above on every supported one."""
    code = (
        "import json, sys; from warp_ir_dataset.language.identity import identify; "
        "print(json.dumps([identify(text).__dict__ for text in json.load(sys.stdin)]))"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONHASHSEED": "7"}
    texts = list(SOURCES.values())
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, input=json.dumps(texts), text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [identify(text).__dict__ for text in texts]


RENAMINGS = {
    "kernel": [("def pull", "def attract")],
    "function": [("soften", "smooth_length")],
    "struct": [("Body", "Planet")],
    "member": [("velocity", "drift")],
    "alias": [("vec5", "weight_vector")],
    "argument": [("masses", "densities")],
    "local": [("total", "energy")],
    "loop variable": [("for k in", "for axis in"), ("k %", "axis %")],
    "parameter of a function, to a name the kernel has": [("epsilon", "gain")],
    "parameter of a function, to the name of a member": [("distance", "mass")],
    "local, to the name of a member": [("total", "mass")],
}


@pytest.mark.parametrize("pairs", RENAMINGS.values(), ids=RENAMINGS)
def test_own_names_do_not_count(pairs):
    assert identify(replaced(*pairs)) == identify(PULL)


SAME_TEXT = {
    "comment": [("  # kilograms", "")],
    "docstring": [('    """Keeps the force finite."""\n', "")],
    "another docstring": [("Keeps the force finite.", "Something else.")],
    "parentheses and spaces": [("distance * distance + epsilon", "(distance*distance)  +  epsilon")],
    "spelling of a number": [("0.25", "25e-2")],
}


@pytest.mark.parametrize("pairs", SAME_TEXT.values(), ids=SAME_TEXT)
def test_comments_and_layout_do_not_count(pairs):
    assert identify(replaced(*pairs)) == identify(PULL)


LITERALS = {
    "float": [("0.25", "0.75")],
    "gains a sign": [("0.25", "-0.25")],
    "loses a sign": [("* -0.5", "* 0.5")],
    "int": [("range(4)", "range(6)")],
}


@pytest.mark.parametrize("pairs", LITERALS.values(), ids=LITERALS)
def test_literals_count_for_the_id_alone(pairs):
    changed = identify(replaced(*pairs))
    assert changed.skeleton == skeleton(PULL)
    assert changed.id != kernel_id(PULL)


DIFFERENT = {
    "another built-in": [("wp.sqrt", "wp.exp")],
    "another operator": [("total - gain", "total * gain")],
    "another comparison": [("< 3.0", "<= 3.0")],
    "operands swapped": [("total - gain", "gain - total")],
    "another type": [("dtype=wp.vec3)", "dtype=wp.vec3d)")],
    "type of a literal": [("0.25", "1")],
    "bool for int": [("range(4)", "range(True)")],
    "a statement less": [("    total += weights[i][3]\n", "")],
    "another local is read": [("body.mass = masses[i]", "body.mass = masses[i + i]")],
    "another member": [("* body.mass", "* body.velocity")],
    "a decorator's option": [("@wp.kernel", "@wp.kernel(enable_backward=False)")],
    "order of arguments": [
        (
            "    gain: float,\n    forces: wp.array(dtype=float),",
            "    forces: wp.array(dtype=float),\n    gain: float,",
        )
    ],
}


@pytest.mark.parametrize("pairs", DIFFERENT.values(), ids=DIFFERENT)
def test_everything_else_counts(pairs):
    assert skeleton(replaced(*pairs)) != skeleton(PULL)


def test_a_component_is_not_a_name_of_the_source():
    first = "import warp as wp\n\n@wp.func\ndef f(x: wp.vec3) -> float:\n    return x.x\n"
    assert identify(first) == identify(first.replace("(x:", "(p:").replace("x.x", "p.x"))
    assert skeleton(first) != skeleton(first.replace("x.x", "x.y"))


def test_a_function_may_stand_below_its_caller():
    body = "@wp.func\ndef {f}(a: float) -> float:\n    return a\n"
    caller = "import warp as wp\n\n@wp.func\ndef g(a: float) -> float:\n    return {f}(a)\n\n"
    assert identify((caller + body).format(f="twice")) == identify((caller + body).format(f="half"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [1, 2]", "line 1: List is not a kind"),
        ("import warp as wp\n\ndef f():\n    with wp:\n        pass\n", "line 4: With is not a kind"),
        ("def f(*a):\n    pass", "line 1: f has arguments other than plain ones"),
        ("class A:\n    x: float", "line 2: a member may not be named 'x'"),
        ("class A:\n    b = 1", "line 2: a struct holds annotated members only"),
        ("x = 1j", "complex"),
    ],
)
def test_unknown_constructs_are_refused(text, message):
    with pytest.raises(SkeletonError, match=message):
        identify(text)


def test_split_is_eight_one_one_of_the_skeleton_alone():
    splits = Counter(split_of(f"{number:016x}") for number in range(20_000))
    assert set(splits) == {"train", "validation", "test"}
    for name, share in (("train", 0.8), ("validation", 0.1), ("test", 0.1)):
        assert abs(splits[name] / 20_000 - share) < 0.01
    # Moving a bucket would move kernels of published builds between splits.
    found = {name: [n for n in range(53) if split_of(f"{n:016x}") == name] for name in ("validation", "test")}
    assert found == {"validation": [13, 21, 26, 29, 35, 49], "test": [14, 17, 19, 52]}
