"""Right kernels are broken in one place, and what is said of that is what Warp or a run gave."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from toys.texts import program

from warp_ir_dataset.builds.repair import breaking
from warp_ir_dataset.builds.repair.breaking import Right, broken, order
from warp_ir_dataset.builds.repair.kinds import KINDS
from warp_ir_dataset.builds.repair.mistake import Mistake
from warp_ir_dataset.builds.repair.telling import first_difference
from warp_ir_dataset.common.outcomes import Rejected
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.mutants.table import OPERATORS
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import numpy_type
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.run import Result

# ---- what Warp says

OF_PYTHON = {"has no len"}  # which Warp only hands on


def test_the_words_of_each_kind_stand_in_the_source_of_warp() -> None:
    """Where Warp words a message otherwise, a mistake of that kind would no longer be known by it."""
    found = find_spec("warp")
    assert found is not None and found.origin is not None
    source = "".join(path.read_text() for path in sorted(Path(found.origin).parent.glob("_src/*.py")))
    words = {word for kind in KINDS.values() for word in kind.words} - OF_PYTHON
    assert words and not {word for word in words if word not in source}


# ---- what a run gave


def test_the_first_number_that_is_wrong_is_told() -> None:
    example = {
        "launch_dim": (2,),
        "inputs": {"a": np.float32([0.1, 2.0])},
        "outputs": {"n": np.int32([1, 2]), "o": np.float32([[1.0, 2.0], [3.0, 4.0]])},
    }
    same = {"n": np.int32([1, 2]), "o": np.float32([[1.00001, 2.0], [3.0, 4.0]])}
    assert first_difference(example, same, "here") is None
    told = first_difference(example, {**same, "o": np.float32([[1.0, 2.0], [3.5, np.nan]])}, "here")
    assert told == (
        "Launched over (2,) here, the kernel leaves 3.5 at o[1, 0], where 3.0 should be; of 4 numbers in o, "
        'wrong ones: 2. The inputs are {"a": [0.1, 2.0]}.'
    )
    assert "leaves 3 at n[1], where 2 should be" in (
        first_difference(example, {**same, "n": np.int32([1, 3])}, "") or ""
    )
    example["inputs"]["a"] = np.zeros(999, np.float32)
    assert (first_difference(example, {**same, "n": np.int32([0, 0])}, "") or "").endswith("wrong ones: 2.")


# ---- kinds


def test_kinds_are_many_and_name_what_there_is() -> None:
    assert len(KINDS) >= 30
    offers = [offer for kind in KINDS.values() for offer in kind.offers]
    assert len(set(offers)) == len(offers)


def test_the_kernels_id_decides_the_order_of_kinds() -> None:
    first = [kind.name for kind in order("0123")]
    assert first == [kind.name for kind in order("0123")] and sorted(first) == sorted(KINDS)
    rare = KINDS["race"].weight / sum(kind.weight for kind in KINDS.values())
    found = sum(next(order(str(number))).name == "race" for number in range(1000)) / 1000
    assert abs(found - rare) < 0.05


# ---- broken, with Warp

BODIES = {
    "sum": "total = float(0.0)\nfor k in range(n):\n    if a[k] > 1.0:\n        total += a[k] * b[k]\n"
           "o[i] = wp.max(total, 0.5) / float(n + 1)",
    "all": """
        left = wp.max(i - 1, 0)
        marks = int(0)
        for k in range(m.shape[1]):
            marks += m[i, k]
        total = float(0.0)
        for k in range(a.shape[0]):
            if a[k] > 1.2:
                continue
            if b[k] > 0.8:
                total += (a[k] + b[k]) * 2.0
        nearest = wp.min(wp.min(a[i], b[i]), s[i])
        turned = wp.cross(v[i], wp.vec3(a[i], 0.5, b[i]))
        gap = wp.dot(turned, v[left]) + wp.length(v[i] - v[left]) + v[i][0]
        value = wp.clamp(total + nearest, 0.2, 99.5)
        if a[i] > 0.9:
            value += 1.0
            value *= 3.0
        value = value * a[left] + gap
        o[i] = softened(value, a[i]) / float(n + 1) + float(marks) * 0.05
        """,
    "endless": "w = n + 1\nwhile True:\n    if w <= 0:\n        break\n    w -= 1\no[i] = a[i] + float(w)",
    "atomic": "wp.atomic_add(o, c[i], a[i] * 0.5 + float(n))",
}  # fmt: skip
SOFTENED = """
@wp.func
def softened(x: float, y: float) -> float:
    return wp.sqrt(wp.abs(x) + y)
"""


def right(name: str) -> Right:
    start = program(BODIES[name], SOFTENED if name == "all" else "")
    leaves = {argument.name: argument for argument in start.arguments}
    examples = []
    for number in range(3):
        given = make_inputs(start.signature, f"repair/{number}")
        left = interpret(start, {key: value[None] for key, value in given.items()}, 1)
        outputs = {key: value[0].astype(numpy_type(leaves[key].type)) for key, value in left.items()}
        examples.append({"launch_dim": start.launch_dim, "inputs": given, "outputs": outputs})
    return Right(f"{name:0>16}", start, write(start), tuple(examples))


def only(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(breaking, "KINDS", {name: KINDS[name]})


@pytest.mark.compile
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_seen_to_fail_as_it_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, kind)
    given = right("atomic" if kind == "race" else "all")
    (found,) = broken([given], lambda at: None)
    assert isinstance(found, Mistake) and found.kind == kind and found.source != given.source
    assert broken([given], lambda at: None) == [found]
    if KINDS[kind].words:
        with pytest.raises(warp.CompileError) as refused:
            warp.translate(found.source, given.program.name, backward=False, cuda=False)
        assert found.message == f"Warp says: {refused.value}"
        assert any(words in found.message for words in KINDS[kind].words)
    else:
        warp.translate(found.source, given.program.name, backward=False, cuda=False)
        assert (
            found.message.startswith("Launched over (8,) ")
            and " should be; of 8 numbers in o" in found.message
        )
    assert "/" not in found.message.replace(" / ", " ")


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("Referencing undefined symbol: toal", True),
        ("types must be the same", False),
        ("undefined symbol at 0x7f0012345678", False),
        ("undefined symbol in /home/user/kernel.py", False),
    ],
)
def test_what_warp_says_must_be_of_the_kind_and_of_no_machine(
    said: str, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise warp.CompileError(said)

    only(monkeypatch, "undefined name")
    monkeypatch.setattr(breaking.warp, "translate", refuses)
    (found,) = broken([right("sum")], lambda at: None)
    assert (isinstance(found, Mistake) and found.message == f"Warp says: {said}") == taken
    assert taken or found.reason.value == "unbroken"


def test_a_race_shows_on_every_case() -> None:
    """Where all threads go to elements of their own none meets another."""
    given = right("atomic")
    (racing,) = OPERATORS["atomic unlocked"].variants(given.program)
    assert "with its threads in step" in (breaking._in_step(given, racing) or "")
    first, *others = given.examples
    apart = {**first, "inputs": {**first["inputs"], "c": np.arange(0, 8, dtype=np.int32)}}
    left = interpret(given.program, {name: value[None] for name, value in apart["inputs"].items()}, 1)
    apart["outputs"] = {"o": np.float32(left["o"][0])}
    for examples in ((apart, *others), (*others, apart)):
        assert breaking._in_step(replace(given, examples=examples), racing) is None


def test_what_never_ends_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "lost guard")
    monkeypatch.setattr(breaking.warp, "translate", lambda *_, **__: None)
    (found,) = broken([right("endless")], lambda at: None)
    assert isinstance(found, Rejected)  # all that can be made of it is a loop without an end


def test_a_mistake_that_no_run_shows_is_none() -> None:
    given, kind = right("sum"), KINDS["wrong operator"]
    unrun = breaking._Unrun(kind, given.program, given.source, None)  # type: ignore[arg-type]

    class Same:
        """Leaves what it should."""

        def run(self, inputs):
            (example,) = (each for each in given.examples if each["inputs"] is inputs)
            return Result(example["outputs"], {})

    found = breaking._seen(given, unrun, Same())  # type: ignore[arg-type]
    assert isinstance(found, Rejected) and "wrong operator" in found.detail


@pytest.mark.compile
def test_a_kernel_that_cannot_have_a_mistake_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "race")
    (found,) = broken([right("sum")], lambda at: None)
    assert found.reason.value == "unbroken"


@pytest.mark.compile
def test_kernels_are_broken_in_a_batch_as_alone() -> None:
    heard: list[int] = []
    rights = [right("sum"), right("atomic")]
    together = broken(rights, heard.append)
    assert together == [broken([each], lambda at: None)[0] for each in rights]
    assert heard[:3] == [0, 1, -1]
