"""Every pass on drawn programs: legal, read back, the same numbers; and undone by the pass that undoes it."""

from __future__ import annotations

from functools import cache

import pytest
from test_passes import same_numbers
from toys.passes import EVERY, OPPOSITE

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.passes.table import is_legal, normalized
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

PROGRAMS = 100
# Passes whose inverse leads back to the very program, wherever they were made.
EXACT = (
    "restyle",
    "commute operands",
    "turn a comparison",
    "name a component",
    "number a component",
    "draw a function out",
    "shift a loop",
    "reverse a loop",
    "for to while",
    "while to for",
    "augment",
    "expand augmented assignment",
    "ternary or where",
    "swap branches",
    "return early",
    "guard",
    "name a constant",
    "enclose a constant",
)
# Grown programs have nothing for these, or hardly anything: `test_passes` does, and `test_passes_launched`
# tries templates.
NEVER = {
    "chain comparisons",
    "join comparisons",
    "condition to break",
    "break to condition",
    "make a function",
    "make a method",
    "name a component",
    "name all components",
    "number a component",
    "change power syntax",
    "reverse a loop",
    "add full slices",
    "swap branches",
    "drop full slices",
}


@cache
def drawn(number: int) -> ir.Program:
    turn, place = divmod(number, len(RANDOM_KINDS))
    return sample(address_of(11, RANDOM_KINDS[place], turn)).program


def made(name: str, number: int) -> tuple[ir.Program, ir.Program] | None:
    """What a pass is made of, and what it makes."""
    start, text = drawn(number), f"{name} {number}"
    if name in OPPOSITE:  # which makes a place for it
        start = EVERY[OPPOSITE[name]](start, Rng(text)) or start
    after = EVERY[name](start, Rng(text))
    return None if after is None else (start, after)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EVERY if name not in NEVER])
def test_drawn_programs_keep_their_meaning(name):
    found = [both for number in range(PROGRAMS) if (both := made(name, number)) is not None]
    assert found
    for before, after in found:
        assert is_legal(after), write(after)
        assert after != before
        assert read(write(after), after.signature) == after, write(after)
        same_numbers(before, after)


@pytest.mark.parametrize("name", EXACT)
def test_a_pass_is_undone(name):
    back = OPPOSITE.get(name, name)
    for number in range(PROGRAMS // 3):
        if (both := made(name, number)) is not None:
            before, after = both
            assert any(normalized(variant) == before for variant in EVERY[back].variants(after)), write(after)


def test_the_same_choice_is_made_again():
    for name in ("bind", "commute operands", "draw a function out"):
        made_once = (EVERY[name](drawn(number), Rng("again")) for number in range(PROGRAMS))
        number, first = next((n, once) for n, once in enumerate(made_once) if once is not None)
        assert EVERY[name](drawn(number), Rng("again")) == first
    others = {write(EVERY["bind"](drawn(0), Rng(str(n))) or drawn(0)) for n in range(20)}
    assert len(others) > 1
