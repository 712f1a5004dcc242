"""The near-duplicate filter: what is compared, by the size of a build, and the fingerprints."""

from __future__ import annotations

import pytest
from toys.texts import program

from warp_ir_dataset.builds.handwritten.fingerprints import Known, are_near, as_text, fingerprint, from_text
from warp_ir_dataset.builds.plan.facts import KEPT_ROWS, facts_of
from warp_ir_dataset.builds.plan.near_duplicates import (
    ACROSS_SPLITS,
    ALL_ROWS,
    NearDuplicateFilter,
    needs_fingerprint,
)
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language.identity import identify, identify_normal_form
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.sample_text import load
from warp_ir_dataset.synthesis.sampling import sample

LONG = """
x = a[i] * 2.0
y = b[i] + x
z = wp.sin(x) - y * y
o[i] = z + {}
"""
NEARLY = LONG.format("x * y"), LONG.format("y * x")
OTHER = "o[i] = wp.max(a[i], b[i])"


def admits(near: NearDuplicateFilter, body: str, purpose: str | None = None, split: str = "train") -> bool:
    return near.admits(as_text(fingerprint(write(program(body)))), purpose, split)


@pytest.mark.parametrize("purpose", ["tasks", None])
def test_a_near_duplicate_is_refused_in_a_small_build(purpose: str | None) -> None:
    near = NearDuplicateFilter(ALL_ROWS)
    assert admits(near, NEARLY[0], purpose) and not admits(near, NEARLY[1], purpose)
    assert admits(near, OTHER, purpose)


def test_purposes_and_random_programs_are_compared_with_their_own() -> None:
    near = NearDuplicateFilter(ALL_ROWS)
    assert admits(near, NEARLY[0], "tasks") and admits(near, NEARLY[1], "others")
    assert admits(near, NEARLY[1], None) and not admits(near, NEARLY[0], None, "test")


def test_in_a_larger_build_random_training_programs_are_compared_with_held_out_ones() -> None:
    for rows in (ALL_ROWS + 1, ACROSS_SPLITS):
        near = NearDuplicateFilter(rows)
        assert all(admits(near, body, "tasks") for body in NEARLY)
        assert admits(near, NEARLY[0], None, "validation") and admits(near, NEARLY[1], None, "test")
        assert not admits(near, NEARLY[0], None) and admits(near, OTHER, None) and admits(near, OTHER, None)


def test_in_the_largest_builds_near_duplicates_stay() -> None:
    near = NearDuplicateFilter(ACROSS_SPLITS + 1)
    assert admits(near, NEARLY[0], None, "test") and admits(near, NEARLY[1], None)


@pytest.mark.parametrize(
    ("rows", "random", "of_purpose"),
    [
        (ALL_ROWS, True, True),
        (ALL_ROWS + 1, True, False),
        (ACROSS_SPLITS, True, False),
        (ACROSS_SPLITS + 1, False, False),
    ],
)
def test_which_families_have_fingerprints(rows: int, random: bool, of_purpose: bool) -> None:
    assert (needs_fingerprint(rows, "math"), needs_fingerprint(rows, "waves")) == (random, of_purpose)


def test_one_of_many_fingerprints_may_be_near():
    first, second = (frozenset(f"{number:06x}" for number in numbers) for numbers in (range(8), range(5, 20)))
    known = Known([first])
    known.add(second)
    assert known.has_near(first, 1.0) and known.has_near(second, 1.0)
    most = first - {"000000"} | {"ffffff"}  # 7 of 9
    assert are_near(first, most, 7 / 9) and not are_near(most, first, 7 / 9 + 1e-9)
    assert known.has_near(most, 7 / 9) and not known.has_near(most, 7 / 9 + 1e-9)
    assert not known.has_near(frozenset({"ffffff"}), 0.1) and not Known([]).has_near(first, 0.1)
    assert from_text(as_text(first)) == first


@pytest.mark.parametrize("rows", [ALL_ROWS, ALL_ROWS + 1, KEPT_ROWS + 1])
def test_facts_of_a_real_kernel(rows: int) -> None:
    address = Address(5, "waves", 0, "elastic_wave_step")
    drawn = sample(address)
    facts = facts_of(address, rows)
    assert facts is not None and facts.level == drawn.difficulty
    assert facts.skeleton == identify(drawn.program).skeleton
    assert facts.meaning == identify_normal_form(drawn.program).skeleton
    if rows <= KEPT_ROWS:
        assert load(facts.text, address) == drawn
    else:
        assert not facts.text
    if rows <= ALL_ROWS:
        assert from_text(facts.fingerprint) == fingerprint(write(drawn.program))
    else:
        assert not facts.fingerprint
