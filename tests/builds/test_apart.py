"""Kernels of one purpose, or grown ones of a family, are kept apart."""

from __future__ import annotations

import pytest
from toys.texts import program

from warp_ir_dataset.builds.handwritten.fingerprints import Known, as_text, fingerprint, from_text
from warp_ir_dataset.builds.plan.apart import ALL_APART, SPLITS_APART, Apart, is_strict
from warp_ir_dataset.builds.plan.look import look
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language.identity import identify, identify_normal_form
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.sampling import sample

LONG = """
x = a[i] * 2.0
y = b[i] + x
z = wp.sin(x) - y * y
o[i] = z + {}
"""
NEARLY = LONG.format("x * y"), LONG.format("y * x")
OTHER = "o[i] = wp.max(a[i], b[i])"


def takes(apart: Apart, body: str, purpose: int | None = 0) -> bool:
    return apart.takes(as_text(fingerprint(write(program(body)))), purpose)


def test_a_near_duplicate_is_refused_where_there_are_few_rows():
    apart = Apart(ALL_APART)
    assert takes(apart, NEARLY[0]) and not takes(apart, NEARLY[1]) and takes(apart, OTHER)


def test_purposes_and_grown_kernels_are_held_against_their_own():
    apart = Apart(ALL_APART)
    assert takes(apart, NEARLY[0]) and takes(apart, NEARLY[1], 1)
    assert takes(apart, NEARLY[0], None) and not takes(apart, NEARLY[1], None)


def test_grown_kernels_are_held_against_those_of_other_families():
    first = Apart(ALL_APART)
    assert takes(first, NEARLY[0], None) and takes(first, "o[i] = a[i] - 2.0", 1)
    assert len(first.grown) == 1
    apart = Apart(ALL_APART, first.grown)
    assert not takes(apart, NEARLY[1], None) and takes(apart, OTHER, None)
    assert len(apart.grown) == 1


def test_where_there_are_many_rows_near_duplicates_stay():
    apart = Apart(ALL_APART + 1)
    assert takes(apart, NEARLY[0]) and takes(apart, NEARLY[1])


@pytest.mark.parametrize(
    ("rows", "grown", "of_purpose"),
    [
        (ALL_APART, True, True),
        (ALL_APART + 1, True, False),
        (SPLITS_APART, True, False),
        (SPLITS_APART + 1, False, False),
    ],
)
def test_of_which_families_a_build_tells_near_duplicates(rows: int, grown: bool, of_purpose: bool) -> None:
    assert (is_strict(rows, "math"), is_strict(rows, "waves")) == (grown, of_purpose)


def test_one_of_many_fingerprints_may_be_near():
    first, second = (frozenset(f"{number:06x}" for number in numbers) for numbers in (range(8), range(5, 20)))
    known = Known([first, second])
    assert known.has_near(first, 1.0) and known.has_near(second, 1.0)
    most = first - {"000000"} | {"ffffff"}  # 7 of 9
    assert known.has_near(most, 7 / 9) and not known.has_near(most, 7 / 9 + 1e-9)
    assert not known.has_near(frozenset({"ffffff"}), 0.1) and not Known([]).has_near(first, 0.1)
    assert from_text(as_text(first)) == first


@pytest.mark.parametrize("strictly", [True, False])
def test_what_a_look_tells_of_likeness(strictly: bool) -> None:
    address = Address(5, "waves", 0, "elastic_wave_step")
    drawn = sample(address)
    found = look(address, strictly=strictly)
    assert found is not None and found.level == drawn.difficulty
    assert found.skeleton == identify(drawn.program).skeleton
    assert found.meaning == identify_normal_form(drawn.program).skeleton
    if strictly:
        assert from_text(found.likeness) == fingerprint(write(drawn.program))
    else:
        assert not found.likeness
