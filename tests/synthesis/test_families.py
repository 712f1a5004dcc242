"""Every family at every difficulty: legal by the checker's own account, complete, told in a sentence."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.program import Apply, For, If, Let, Literal, While
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT
from warp_ir_dataset.language.walks import walk
from warp_ir_dataset.synthesis.chains.subjects import SUBJECTS
from warp_ir_dataset.synthesis.difficulty import difficulty_of
from warp_ir_dataset.synthesis.draw import address_of, draw
from warp_ir_dataset.synthesis.families import CATEGORIES, FAMILIES
from warp_ir_dataset.synthesis.growing.repair import fitted
from warp_ir_dataset.synthesis.growing.terms import Terms

EACH = [(category, difficulty) for category in CATEGORIES for difficulty in range(1, 6)]


@pytest.mark.sampled
@pytest.mark.parametrize(("category", "difficulty"), EACH)
def test_programs_are_legal(category, difficulty):
    for number in range(60):
        drawn = FAMILIES[category].draw(Rng(f"legal/{category}/{number}"), difficulty)
        check(drawn.program)
        assert drawn.category == category and drawn.difficulty == difficulty


@pytest.mark.sampled
@pytest.mark.parametrize("category", CATEGORIES)
def test_descriptions_are_sentences(category):
    for number in range(40):
        text = draw(address_of(1, category, number)).description
        assert re.fullmatch(r"For each [a-z].*[^.]\.", text), text
        assert "{" not in text and "None" not in text and "  " not in text, text


def test_descriptions_have_the_right_articles_and_ordinals():
    seen = Counter()
    for category in CATEGORIES:
        for number in range(200):
            drawn = FAMILIES[category].draw(Rng(f"told/{category}/{number}"), number % 5 + 1)
            assert not re.search(r"\bevery \d|\ba [AEIO]", drawn.description), drawn.description
            seen.update(re.findall(r"every \w+ thread|\ban [AEIO]", drawn.description))
    assert {"every second thread", "every third thread", "an E"} <= set(seen)


@pytest.mark.parametrize("category", ["vector", "math", "combined"])
def test_nothing_is_multiplied_by_one_or_added_with_a_minus(category):
    for number in range(800):
        holds_none(FAMILIES[category].draw(Rng(f"ones/{category}/{number}"), number % 3 + 3).program)


@pytest.mark.parametrize("address", [Address(0, "math", 762), Address(515, "nested_loop", 382)])
def test_what_was_added_with_a_minus_is_subtracted(address):
    holds_none(draw(address).program)


def holds_none(program):
    """There is no ``x * 1.0`` and no ``a + -b`` in it."""
    for node in walk(program):
        if isinstance(node, Apply) and node.operation in ("mul", "scale_left", "scale_right"):
            ones = [o for o in node.operands if isinstance(o, Literal) and abs(o.value) == 1.0]
            assert not ones, write(program)
        elif isinstance(node, Apply) and node.operation == "add":
            added = node.operands[1]
            assert not (isinstance(added, Literal) and added.value < 0), write(program)


@pytest.mark.sampled
@pytest.mark.parametrize("category", CATEGORIES)
def test_harder_kernels_hold_more(category):
    sizes = {}
    for difficulty in range(1, 6):
        programs = [
            FAMILIES[category].draw(Rng(f"size/{category}/{n}"), difficulty).program for n in range(40)
        ]
        sizes[difficulty] = sum(len(write(program).splitlines()) for program in programs)
    assert max(sizes[1], sizes[2]) < sizes[3] < sizes[4] < sizes[5] * 1.25


@pytest.mark.parametrize("category", ["arithmetic", "vector", "matrix", "math"])
def test_the_first_level_is_one_operation(category):
    for number in range(60):
        program = FAMILIES[category].draw(Rng(f"one/{category}/{number}"), 1).program
        assert not any(isinstance(node, (For, While, If, Let)) for node in walk(program))
        assert sum(isinstance(node, Apply) for node in walk(program.body)) <= 2


def test_everything_varies():
    programs = [
        draw(address_of(2, category, number)).program for category in CATEGORIES for number in range(90)
    ]
    scalars = Counter(argument.type.scalar for program in programs for argument in program.arguments)
    assert {"float32", "float64", "int32", "int64", "uint32"} <= set(scalars)
    shapes = {argument.type.shape for program in programs for argument in program.arguments}
    assert {(), (2,), (3,), (4,), (2, 2), (3, 3), (4, 4)} <= shapes
    assert {len(program.launch_dim) for program in programs} == {1, 2}
    assert len({program.name for program in programs}) > 200
    assert len({tuple(a.name for a in program.arguments) for program in programs}) > 500
    assert len({identify(program).skeleton for program in programs}) > 590


def test_an_address_is_a_kernel():
    for category in CATEGORIES:
        assert draw(address_of(4, category, 9)) == draw(address_of(4, category, 9))
        assert draw(address_of(4, category, 9)) != draw(address_of(5, category, 9))
        assert draw(address_of(4, category, 9)).difficulty == difficulty_of(9)


def test_an_operand_that_nothing_repairs_ends_an_attempt_and_not_the_build():
    with pytest.raises(Illegal, match="log"):
        fitted(Terms(Rng("nothing")), "log", Literal(-1.0, FLOAT))


@pytest.mark.sampled
@pytest.mark.parametrize("category", CATEGORIES)
def test_most_harder_kernels_are_chains_named_for_what_they_do(category):
    """Their names say what they give, or do with what; no thread index is taken for a number."""
    told = r"((stores the result in|adds it to the sum|keeps the (large|small)est) .*`\w+`|in its place)\.$"
    drawn = [FAMILIES[category].draw(Rng(f"chain/{category}/{n}"), 3 + n % 3) for n in range(40)]
    chains = [each.program for each in drawn if re.search(told, each.description)]
    assert len(chains) >= 24
    words = {word for s in SUBJECTS for quantity in s.quantities.values() for word in quantity.arrays.split()}
    for program in chains:
        assert any(program.name.endswith(f"_{word}") for word in words | {a.name for a in program.arguments})
        threads = set(program.body[0].names)
        assert not any(
            isinstance(n, Apply) and threads & set(n.operands) and n.type == FLOAT for n in walk(program)
        )
