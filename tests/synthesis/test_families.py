"""Every family at every difficulty: legal by the checker's own account, complete, described in a sentence."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.language.types import FLOAT
from warp_ir_dataset.language.walks import walk
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.chains.subjects import SUBJECTS
from warp_ir_dataset.synthesis.difficulty import difficulty_of
from warp_ir_dataset.synthesis.families import FAMILIES, random_program
from warp_ir_dataset.synthesis.sampling import address_of, sample

EACH = [(category, difficulty) for category in RANDOM_KINDS for difficulty in range(1, 6)]


@pytest.mark.sampled
@pytest.mark.parametrize(("category", "difficulty"), EACH)
def test_programs_are_legal(category, difficulty):
    for number in range(60):
        made = random_program(category, Rng(f"legal/{category}/{number}"), difficulty)
        check(made.program)
        assert made.category == category and made.difficulty == difficulty


@pytest.mark.sampled
@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_descriptions_are_sentences(category):
    for number in range(40):
        text = sample(address_of(1, category, number)).description
        assert re.fullmatch(r"For each [a-z].*[^.]\.", text), text
        assert "{" not in text and "None" not in text and "  " not in text, text


@pytest.mark.parametrize("category", ["vector", "math", "combined"])
def test_nothing_is_multiplied_by_one_or_added_with_a_minus(category):
    for number in range(800):
        holds_none(random_program(category, Rng(f"ones/{category}/{number}"), number % 3 + 3).program)


def holds_none(program):
    """There is no ``x * 1.0`` and no ``a + -b`` in it."""
    for node in walk(program):
        if isinstance(node, ir.Apply) and node.operation in ("mul", "scale_left", "scale_right"):
            ones = [o for o in node.operands if isinstance(o, ir.Literal) and abs(o.value) == 1.0]
            assert not ones, write(program)
        elif isinstance(node, ir.Apply) and node.operation == "add":
            added = node.operands[1]
            assert not (isinstance(added, ir.Literal) and added.value < 0), write(program)


@pytest.mark.sampled
@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_harder_kernels_hold_more(category):
    sizes = {}
    for difficulty in range(1, 6):
        programs = [
            random_program(category, Rng(f"size/{category}/{n}"), difficulty).program for n in range(40)
        ]
        sizes[difficulty] = sum(len(write(program).splitlines()) for program in programs)
    assert sizes[1] < sizes[2] < sizes[3] < sizes[4] < sizes[5]


@pytest.mark.parametrize("category", [name for name, family in FAMILIES.items() if family.singles])
def test_the_first_level_is_one_operation(category):
    for number in range(60):
        drawn = random_program(category, Rng(f"one/{category}/{number}"), 1)
        program, specification = drawn.program, specify(drawn.program)
        assert not any(isinstance(node, (ir.For, ir.While, ir.If, ir.Let)) for node in walk(program))
        assert sum(isinstance(node, ir.Apply) for node in walk(program.body)) == 1
        told = re.fullmatch(r"For each (?:index|cell) `.*?`.*?, stores `(.*)` in `(.*)`\.", drawn.description)
        assert told and f"1. Set {told[2]} to {told[1]}.\n" in specification


@pytest.mark.parametrize("category", [name for name, family in FAMILIES.items() if not family.singles])
def test_or_the_shortest_chain(category):
    """One element is read, one step taken, and one result stored."""
    for number in range(60):
        made = random_program(category, Rng(f"one/{category}/{number}"), 1)
        assert made.description.count(", ") <= 4 and not made.program.functions


def test_everything_varies():
    addresses = [address_of(2, category, number) for category in RANDOM_KINDS for number in range(90)]
    programs = [sample(address).program for address in addresses]
    scalars = Counter(argument.type.scalar for program in programs for argument in program.arguments)
    assert {"float32", "float64", "int32", "int64", "uint32"} <= set(scalars)
    shapes = {argument.type.shape for program in programs for argument in program.arguments}
    assert {(), (2,), (3,), (4,), (2, 2), (3, 3), (4, 4)} <= shapes
    assert {len(program.launch_dim) for program in programs} == {1, 2}
    assert len({program.name for program in programs}) > 200
    assert len({tuple(a.name for a in program.arguments) for program in programs}) > 500
    assert len({identify(program).skeleton for program in programs}) > 590


def test_an_address_is_a_kernel():
    for category in RANDOM_KINDS:
        assert sample(address_of(4, category, 9)) == sample(address_of(4, category, 9))
        assert sample(address_of(4, category, 9)) != sample(address_of(5, category, 9))
        assert sample(address_of(4, category, 9)).difficulty == difficulty_of(9)


@pytest.mark.sampled
@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_harder_kernels_are_named_for_what_they_do(category):
    """Their names end with a quantity or an argument, and no float operation has a thread index as
    operand."""
    words = {word for s in SUBJECTS for quantity in s.quantities.values() for word in quantity.arrays.split()}
    for number in range(40):
        program = random_program(category, Rng(f"chain/{category}/{number}"), 2 + number % 4).program
        assert any(program.name.endswith(f"_{word}") for word in words | {a.name for a in program.arguments})
        threads = set(program.body[0].names)
        assert not any(
            isinstance(n, ir.Apply) and threads & set(n.operands) and n.type == FLOAT for n in walk(program)
        )


@pytest.mark.sampled
@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_no_argument_has_a_name_with_a_number(category):
    for number in range(40):
        program = random_program(category, Rng(f"names/{category}/{number}"), 2 + number % 4).program
        assert not [a.name for a in program.arguments if re.search(r"_\d+$", a.name)], write(program)
