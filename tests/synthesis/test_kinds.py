"""Kinds of random programs: programs for and against each predicate, and that samples satisfy theirs."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis import sampling
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.families import FAMILIES, random_program
from warp_ir_dataset.synthesis.kinds import KINDS
from warp_ir_dataset.synthesis.sampling import sample

HEAD = """
import warp as wp

@wp.func
def summed(x: float) -> float:
    total = float(0.0)
    for q in range(3):
        total += x
    return total

@wp.kernel
def k(a: wp.array[float], b: wp.array2d[float], n: wp.array[int], v: wp.array[wp.vec3],
      m: wp.array[wp.mat33], scale: float, o: wp.array[float]):
    i = wp.tid()
"""


class Case(NamedTuple):
    body: str
    kinds: str  # all that it is of


CASES = {
    "a copy": Case("o[i] = a[i]", ""),
    "a maximum": Case("o[i] = wp.max(a[i], 0.5)", ""),
    "a sum": Case("o[i] = a[i] + 1.0", "arithmetic"),
    "bits": Case("o[i] = float(n[i] & 7)", "arithmetic"),
    "a factor": Case("o[i] = scale * a[i]", "arithmetic scalar_param"),
    "a bound by value": Case("o[i] = wp.min(scale, a[i])", "scalar_param"),
    "a sine": Case("o[i] = wp.sin(a[i])", "math"),
    "a blend": Case("o[i] = wp.lerp(a[i], 1.0, 0.5)", ""),
    "rounding": Case("o[i] = wp.floor(a[i])", "math"),
    "a component": Case("o[i] = v[i][1]", ""),
    "a length": Case("o[i] = wp.length(v[i])", "vector"),
    "an entry": Case("o[i] = m[i][0, 1]", ""),
    "a trace": Case("o[i] = wp.trace(m[i])", "matrix"),
    "a product of both": Case("o[i] = wp.dot(v[i], m[i] * v[i])", "vector matrix combined"),
    "a branch": Case("if a[i] > 0.0:\n    o[i] = a[i]", "control_flow"),
    "two arms": Case("if a[i] > 0.0:\n    o[i] = 1.0\nelse:\n    o[i] = 2.0", "control_flow"),
    "an elif": Case(
        "if a[i] > 0.0:\n    o[i] = 1.0\nelif a[i] > -1.0:\n    o[i] = 2.0", "control_flow multi_conditional"
    ),
    "two branches": Case(
        "if a[i] > 0.0:\n    o[i] = 1.0\nif a[i] < -1.0:\n    o[i] = 2.0", "control_flow multi_conditional"
    ),
    "a choice without a branch": Case("o[i] = wp.where(a[i] > 0.0, a[i], 2.0)", ""),
    "a loop": Case(
        "x = float(0.0)\nfor k in range(3):\n    x = wp.max(x, b[i, k])\no[i] = x", "control_flow"
    ),
    "a loop behind a loop": Case(
        "x = float(0.0)\nfor k in range(3):\n    x = wp.max(x, b[i, k])\n"
        "for j in range(2):\n    x = wp.min(x, b[i, j])\no[i] = x",
        "control_flow",
    ),
    "a loop in a loop": Case(
        "x = float(0.0)\nfor k in range(3):\n    for j in range(2):\n        x = wp.max(x, b[k, j])\n"
        "o[i] = x",
        "control_flow nested_loop",
    ),
    "a loop in a function, called in a loop": Case(
        "x = float(0.0)\nfor k in range(3):\n    x = wp.max(x, summed(b[i, k]))\no[i] = x",
        "arithmetic control_flow nested_loop",
    ),
    "a loop in a function": Case("o[i] = summed(a[i])", "arithmetic control_flow"),
    "an atomic sum": Case("wp.atomic_add(o, 0, a[i])", "atomic"),
    "a shared sum": Case("o[n[i]] += a[i]", "arithmetic atomic"),
    "a sum of one's own": Case("o[i] += a[i]", "arithmetic"),
    "an atomic sum of sines": Case("wp.atomic_add(o, 0, wp.sin(a[i]))", "atomic math combined"),
}


def source_of(body: str) -> str:
    """A kernel with these statements, and only the arguments and functions that they need."""
    head = HEAD if "summed" in body else "\nimport warp as wp\n\n@wp.kernel" + HEAD.partition("@wp.kernel")[2]
    return head + "".join(f"    {line}\n" for line in body.split("\n"))


@pytest.mark.parametrize("name", CASES)
def test_a_program_is_of_these_kinds_and_no_others(name: str) -> None:
    program = read(source_of(CASES[name].body))
    assert {kind for kind, holds in KINDS.items() if holds(program)} == set(CASES[name].kinds.split())


def test_every_kind_has_programs_for_and_against_it() -> None:
    assert tuple(KINDS) == RANDOM_KINDS == tuple(FAMILIES)
    for kind in KINDS:
        assert {kind in case.kinds.split() for case in CASES.values()} == {True, False}


@pytest.mark.parametrize("difficulty", range(1, 6))
@pytest.mark.parametrize("kind", KINDS)
def test_every_program_is_of_its_kind(kind: str, difficulty: int) -> None:
    for number in range(30):
        program = random_program(kind, Rng(f"kinds/{number}"), difficulty).program
        assert KINDS[kind](program), write(program)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_row_is_of_its_kind(kind: str) -> None:
    """As it is written, and read back."""
    for number in range(400):
        source = write(sample(Address(17, kind, number)).program)
        assert KINDS[kind](read(source)), source


def test_another_program_is_sampled_if_one_is_of_another_kind_as_it_is_written(monkeypatch) -> None:
    address = Address(17, "math", 0)
    first = sample(address)
    monkeypatch.setattr(sampling, "KINDS", {"math": lambda program: program != first.program})
    second = sample(address)
    assert second.program != first.program and KINDS["math"](second.program)
