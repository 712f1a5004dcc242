"""Kernels of one purpose, or grown ones of a family, are kept apart."""

from __future__ import annotations

from toys.texts import program

from warp_ir_dataset.builds.plan.apart import ALL_APART, Apart
from warp_ir_dataset.synthesis.drawn import Drawn

LONG = """
x = a[i] * 2.0
y = b[i] + x
z = wp.sin(x) - y * y
o[i] = z + {}
"""
NEARLY = LONG.format("x * y"), LONG.format("y * x")
OTHER = "o[i] = wp.max(a[i], b[i])"


def drawn(body: str, purpose: str | None = "waves") -> Drawn:
    return Drawn(program(body), "waves", 3, "Makes waves.", purpose)


def test_a_near_duplicate_is_refused_where_there_are_few_rows():
    apart = Apart(ALL_APART)
    assert apart.takes(drawn(NEARLY[0])) and not apart.takes(drawn(NEARLY[1])) and apart.takes(drawn(OTHER))


def test_purposes_and_grown_kernels_are_held_against_their_own():
    apart = Apart(ALL_APART)
    assert apart.takes(drawn(NEARLY[0])) and apart.takes(drawn(NEARLY[1], "tides"))
    assert apart.takes(drawn(NEARLY[0], None)) and not apart.takes(drawn(NEARLY[1], None))


def test_where_there_are_many_rows_spelling_alone_is_refused():
    apart = Apart(ALL_APART + 1)
    spelled = "x = a[i] * 2.0\no[i] = x", "o[i] = a[i] * 2.0"
    assert apart.takes(drawn(spelled[0])) and not apart.takes(drawn(spelled[1]))
    assert apart.takes(drawn(NEARLY[0])) and apart.takes(drawn("o[i] = a[i] - 2.0"))
    assert apart.takes(drawn(spelled[0], None)) and apart.takes(drawn(spelled[1], None))
